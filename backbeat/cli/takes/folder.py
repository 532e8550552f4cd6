"""`backbeat import FOLDER`: all takes of a folder become a library."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from backbeat.behaviors.dance.recordings.description import RecordingDescription
    from backbeat.jobs.importing import ImportResult
    from backbeat.jobs.take_files import FoundTakes


def import_folder(
    folder: Path,
    output: Path | None,
    robot: str,
    described: "RecordingDescription",
    jobs: int | None,
    scheduler: str | None,
    force: bool,
) -> None:
    """Imports the takes of a folder, and writes their table and page.

    Args:
        folder: where they are.
        output: the library; None for a name after the folder.
        robot: whose motion they become; "" to find out for each.
        described: what the user says about all of them.
        jobs: takes at a time; None for one a core.
        scheduler: address of a Dask scheduler, or None.
        force: make all of them again.

    Raises:
        BackbeatError: there are no takes, or the library is something else.
    """
    from backbeat.cli.author.build import report_failures
    from backbeat.cli.common.console import counted_progress
    from backbeat.cli.common.other_robot import placed_robot
    from backbeat.cli.takes.one_take import import_one
    from backbeat.jobs.cluster import cluster_executors
    from backbeat.jobs.import_settings import ImportSettings
    from backbeat.jobs.importing import check_library, import_takes
    from backbeat.jobs.take_files import find_takes, plain_name
    from backbeat.models.robot.description import find_description

    library = output or Path(f"{plain_name(folder.resolve().name)}-library")
    check_library(library, folder)
    if robot:
        find_description(robot)
    found = find_takes(folder.absolute(), library)
    _say_found(found, folder)
    if described.skeleton:
        described.skeleton = str(Path(described.skeleton).absolute())
    settings = ImportSettings(
        folder.resolve().name, library.absolute(), placed_robot(robot), described
    )
    kept = (
        f"the takes that are done are kept in {library}, and the same command goes on"
    )
    try:
        with (
            cluster_executors(scheduler) as executors,
            counted_progress("takes", kept) as progress,
        ):
            result = import_takes(
                found, settings, import_one, progress, jobs, executors, force
            )
    finally:
        # Also of an import that is interrupted: what is known by then.
        page = write_page(library)
    _say_result(result, library, page)
    report_failures(list(result.failures))


def _say_found(found: "FoundTakes", folder: Path) -> None:
    """How many takes there are, and which files count as none."""
    from backbeat.cli.author.check import counted
    from backbeat.cli.common.console import remarks
    from backbeat.models.common.errors import one_line

    sentence = f"{folder}: {counted(len(found.takes), 'take')}"
    if found.passed_over:
        listed = ", ".join(f"{n} {end}" for end, n in found.passed_over.items())
        sentence += f"; passed over, as no motions: {listed}"
    remarks.print(one_line(sentence), soft_wrap=True)


def write_page(library: Path) -> Path | None:
    """Writes the page of what is in the table of an import; None if there is none."""
    from backbeat.jobs.take_table import STATUSES, TakeTable
    from backbeat.models.common.atomic_file import replacing
    from backbeat.models.common.errors import BackbeatError
    from backbeat.report.pages.takes import takes_page

    try:
        rows = list(TakeTable(library).rows.values())
    except BackbeatError:
        return None  # The import has said so.
    if not rows:
        return None
    path = library / "index.html"
    with replacing(path) as file:
        file.write(takes_page(rows, library, STATUSES).encode())
    return path


def _say_result(result: "ImportResult", library: Path, page: Path | None) -> None:
    """What became of the takes: counts, reasons, and where all of it is."""
    from backbeat.cli.author.check import counted
    from backbeat.jobs.take_table import CERTIFIED, STATUSES
    from backbeat.models.common.errors import one_line

    rows = result.rows
    for source, row in rows.items():
        if row["status"] != CERTIFIED:
            typer.echo(one_line(f"{row['status']} {source}: {row['reason']}"))
    count = Counter(row["status"] for row in rows.values())
    listed = ", ".join(f"{count[s]} {s}" for s in STATUSES if count[s])
    typer.echo(f"{counted(len(rows), 'take')}: {listed}; {_cost(rows)}")
    typer.echo(f"{result.made} made, {result.taken} taken from {result.table}")
    if result.gone:
        typer.echo(
            f"{len(result.gone)} of the table are not in the folder any more and are "
            f"kept, such as {one_line(result.gone[0])}"
        )
    if page is not None:
        typer.echo(f"page: {page}")
    typer.echo(f"next: backbeat list --library {library}")


def _cost(rows: Mapping[str, Mapping[str, Any]]) -> str:
    """Seconds of motion, and what they took."""
    seconds = sum(row["seconds"] or 0.0 for row in rows.values())
    spent = sum(row["processor_s"] or 0.0 for row in rows.values())
    if not seconds:
        return "no motion was read"
    return (
        f"{seconds:.1f} s of motion, {spent:.1f} s of processor, {spent / seconds:.2f} "
        "s for each second"
    )
