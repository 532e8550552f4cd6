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
    from backbeat.mpc.runs.record import RunRecord


class RecordingPlace(StrEnum):
    """Where the recording of a run is put."""

    EMBED = "embed"
    LINK = "link"
    NONE = "none"


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
) -> None:
    """Writes a page: what it is or what ran, and every figure that says why.

    Of a behavior: checks, active limits, forces, torques, how the solve went. Of a run
    file: the result, joints with their limits, balance, forces planned and measured,
    what was expected against what came, timing, solver times, the recording with its
    sound, and how to do it again; of a dancer how late what belongs on the beat came,
    of a drummer the tempo read from the motion and how like a person it plays.
    """
    from backbeat.models.common.atomic_file import (
        check_place,
        refuse_to_replace,
        replacing,
    )
    from backbeat.models.common.errors import BackbeatError

    is_run = name.endswith(".parquet")
    refuse_robot_of_run(name, robot)
    stem = file_stem(name, robot)
    usual = Path(name).with_suffix(".html") if is_run else Path(f"{stem}.report.html")
    path = output or usual
    check_place(path)
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
        from backbeat.report.pages.behavior import behavior_page

        page = behavior_page(Library(library).load(name, placed_robot(robot)))
    with replacing(path) as file:
        file.write(page.encode())
    typer.echo(f"{path}: {len(page) / 1e6:.1f} MB")


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
