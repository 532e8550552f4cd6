"""`backbeat check TAKE`: whether a recorded motion is feasible as it is."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from backbeat.behaviors.dance.recordings.description import RecordingDescription
    from backbeat.behaviors.recording.feasibility import TakeReport
    from backbeat.optimization.verification.certificate import Check


def check_take(take: Path, robot: str, described: "RecordingDescription") -> int:
    """Prints what a take was read as and what it exceeds.

    Args:
        take: the motion file.
        robot: whose motion it is; "" to find out.
        described: what the user says about the file.

    Returns:
        The exit code: 2 where the take is not feasible.

    Raises:
        BackbeatError: it cannot be read, or judged.
    """
    from backbeat.behaviors.cuts.finding import find_parts
    from backbeat.behaviors.library.behavior import make_robot
    from backbeat.behaviors.recording.feasibility import examine
    from backbeat.behaviors.recording.take_file import read_take
    from backbeat.jobs.robot_of_take import robot_of
    from backbeat.models.common.errors import one_line

    model = make_robot(robot or robot_of(take, described, typer.echo))
    read = read_take(take, model, described.conventions())
    for note in (read.said, *read.notes):
        typer.echo(one_line(note))
    part = read.part(described.start, described.end, str(take))
    report = examine(part, model, str(take))
    found = find_parts(read, model, described.start, described.end, str(take))
    told = lines(report, str(take), model.name)
    told[1:1] = [f"  {x}" for x in found.notable(model.gravity)]
    for line in told:
        typer.echo(one_line(line) if line.strip() else line)
    return 0 if report.feasible and found.is_whole else 2


def lines(report: "TakeReport", take: str, robot: str) -> list[str]:
    """A verdict, and a line for each check, the exceeded ones first."""
    failed = report.checks.failures()
    passed = [c for c in report.checks.checks if c.passed]
    count = f"{len(failed)} limit{'s' if len(failed) > 1 else ''} exceeded"
    verdict = f"not feasible as it is: {count}" if failed else "feasible as it is"
    return [
        f"{take}: {verdict}; {report.duration:.2f} s on {robot}, off balance "
        f"{_share(report.off_balance)} of the time, some foot stands "
        f"{_share(report.stands)}",
        *(_line("exceeds", c, report.shares[c.name]) for c in failed),
        *(_line("within ", c, 0.0) for c in passed),
    ]


def _line(verdict: str, check: "Check", share: float) -> str:
    from backbeat.behaviors.recording.before_and_after import MEASURES

    words, unit, scale = MEASURES[check.name]
    where = f", {check.where}" if check.where not in ("", "ground") else ""
    at = f" at {check.time:.2f} s{where}" if check.value > 0 else ""
    beyond = f", beyond for {_share(share)} of the time" if share else ""
    return (
        f"  {verdict} {words}: {scale * check.value:.3g} {unit}{at} (at most "
        f"{scale * check.bound:.3g}){beyond}"
    )


def _share(share: float) -> str:
    """A share as percents; what is there is never none."""
    return "less than 1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"
