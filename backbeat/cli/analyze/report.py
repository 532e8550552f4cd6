"""`backbeat report`: a behavior, or a run, as one page to read."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.common.completion import behaviors_or_runs
from backbeat.cli.common.options import LIBRARY, LibraryFolder
from backbeat.cli.common.other_robot import (
    OfRobot,
    file_stem,
    placed_robot,
    refuse_robot_of_run,
)

if TYPE_CHECKING:
    import pandas as pd

    from backbeat.behaviors.library.behavior import Behavior
    from backbeat.mpc.runs.record import RunRecord


class RecordingPlace(StrEnum):
    """Where the recording of a run is put."""

    EMBED = "embed"
    LINK = "link"
    NONE = "none"


ChangesFile = Annotated[
    Path | None,
    typer.Option(
        help="Parquet or CSV file to write of a behavior made from a recorded take: "
        "how far both are apart over time."
    ),
]


def command(
    name: Annotated[
        str,
        typer.Argument(
            help="Behavior in the library, or run file.",
            autocompletion=behaviors_or_runs,
        ),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="HTML file to write.")
    ] = None,
    library: LibraryFolder = LIBRARY,
    robot: OfRobot = "",
    recording: Annotated[
        RecordingPlace | None,
        typer.Option(
            help="Recording of a run: embed (in the page), link (in a file "
            "beside it) or none."
        ),
    ] = None,
    table: ChangesFile = None,
) -> None:
    """Writes a page: what it is or what ran, and every figure that says why.

    Of a behavior: checks, active limits, forces, torques, how the solve went; of one
    that was made from a recorded take what that exceeded, and what changed. Of a run
    file: the result, joints with their limits, balance, forces planned and measured,
    what was expected against what came, timing, solver times, the recording with its
    sound, and how to do it again; of a dancer how late what belongs on the beat came,
    of a drummer the tempo read from the motion and how like a person it plays.
    """
    from backbeat.models.common.atomic_file import (
        check_places,
        refuse_to_replace,
        replacing,
    )
    from backbeat.models.common.errors import BackbeatError

    is_run = name.endswith(".parquet")
    refuse_robot_of_run(name, robot)
    stem = file_stem(name, robot)
    usual = Path(name).with_suffix(".html") if is_run else Path(f"{stem}.report.html")
    path = output or usual
    check_places(path, table)
    _check_table(table, name, is_run)
    if is_run:
        refuse_to_replace(path, Path(name))
        page = _run_page(Path(name), path, library, recording or RecordingPlace.EMBED)
    elif recording is not None:
        raise BackbeatError(
            f"--recording is of a run, and {name} is a behavior, of which `backbeat "
            "play` makes recordings"
        )
    else:
        from backbeat.behaviors.library.store import Library

        page = _behavior_page(Library(library).load(name, placed_robot(robot)), table)
    with replacing(path) as file:
        file.write(page.encode())
    typer.echo(f"{path}: {len(page) / 1e6:.1f} MB")


def _check_table(table: Path | None, name: str, is_run: bool) -> None:
    """Refuses a table of a run, or one of another format.

    Raises:
        BackbeatError: so it is.
    """
    from backbeat.models.common.errors import BackbeatError

    if table is None:
        return
    if is_run:
        raise BackbeatError(
            f"--table is of a behavior that was made from a recorded take, and {name} "
            "is a run, whose file is a table itself"
        )
    if table.suffix not in (".parquet", ".csv"):
        raise BackbeatError(f"{table}: a table is called NAME.parquet or NAME.csv")


def _behavior_page(behavior: "Behavior", table: Path | None) -> str:
    """The page, with what changed from the takes that it was made of; and the table."""
    from backbeat.behaviors.specification.recorded_takes import (
        changes_table,
        recorded_takes,
    )
    from backbeat.figures.robot.ghosts import ghost_figure
    from backbeat.models.common.errors import BackbeatError, ended
    from backbeat.report.pages.behavior import behavior_page
    from backbeat.report.pages.recorded import recorded_section

    takes = recorded_takes(behavior)
    if table is not None:
        _write_table(changes_table(takes), table)
    pictures, note = [], ""
    try:
        for one in takes:
            drawn = one.changes and ghost_figure(behavior.robot_model, one.changes)
            pictures.append([drawn] if drawn else [])
    except BackbeatError as error:
        note = ended(str(error))
    return behavior_page(behavior, recorded_section(takes, pictures, note))


def _write_table(changes: "pd.DataFrame", path: Path) -> None:
    from backbeat.models.common.atomic_file import replacing

    with replacing(path) as file:
        if path.suffix == ".csv":
            changes.to_csv(file, index=False, float_format="%.9g")
        else:
            changes.to_parquet(file, index=False)
    typer.echo(f"{path}: {len(changes)} rows, {len(changes.columns)} columns")


def _run_page(run_file: Path, path: Path, library: Path, where: RecordingPlace) -> str:
    from backbeat.models.common.errors import BackbeatError, ended
    from backbeat.mpc.runs.record import read_run
    from backbeat.report.pages.run import run_page
    from backbeat.stage.recording.html import write_page

    record = read_run(run_file)
    if where is RecordingPlace.NONE:
        return run_page(record, run_file, note="Left out, as asked for.")
    try:
        recording = _recording(record, library)
    except BackbeatError as error:
        if where is RecordingPlace.LINK:
            raise
        return run_page(record, run_file, note=ended(f"There is none: {error}"))
    if where is RecordingPlace.EMBED:
        return run_page(record, run_file, recording)
    beside = path.with_name(f"{path.stem}.recording.html")
    page = run_page(record, run_file, link=beside.name)
    typer.echo(str(write_page(recording, beside)))
    return page


def _recording(record: "RunRecord", library: Path) -> str:
    """The page that plays a run.

    Raises:
        BackbeatError: the library has not the behavior that ran.
    """
    from backbeat.behaviors.library.store import Library
    from backbeat.stage.recording.html import page_of
    from backbeat.stage.sources.run_file import run_file_source

    return page_of(run_file_source(record, Library(library)))
