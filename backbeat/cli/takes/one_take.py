"""The job of one take of a folder: read, judged, repaired, solved, verified, drawn."""

import contextlib
import hashlib
import io
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import typer

from backbeat.behaviors.building.build import build
from backbeat.behaviors.cuts.finding import find_parts
from backbeat.behaviors.dance.recordings.description import RecordingDescription
from backbeat.behaviors.library.behavior import Behavior, make_robot
from backbeat.behaviors.library.build_cost import processor_time
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.recording.before_and_after import made_take
from backbeat.behaviors.recording.feasibility import TakeReport, examine
from backbeat.behaviors.recording.take_changes import RecordedPart, take_changes
from backbeat.behaviors.recording.take_file import configurations, read_take
from backbeat.behaviors.takes.take import Take
from backbeat.cli.author.new_from_recording import recorded_dance_files
from backbeat.figures.drawing.picture import OffscreenScene
from backbeat.figures.robot.motion_strip import motion_strip
from backbeat.jobs.bounded import Budget, bounded
from backbeat.jobs.importing import TakeWork
from backbeat.jobs.robot_of_take import robot_of
from backbeat.jobs.take_table import CERTIFIED, CUT, FAILED, REFUSED
from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import (
    BackbeatError,
    clipped,
    ended,
    gist,
    one_line,
)
from backbeat.models.common.outside_file import is_there, read_bytes
from backbeat.models.common.processes.pool import Report
from backbeat.models.robot.model import RobotModel

# Processor seconds to read a take, and for each second of it; longest that counts [s].
READING, PER_SECOND, LONGEST = 60.0, 10.0, 1200.0
MEMORY = 4 * 2**30  # bytes of a process
# What is left out of a take at its ends or inside counts as cut from here on [s].
LEAST_CUT = 0.1
PICTURE, SKELETON = "picture.jpg", "skeleton.yaml"
# Columns of the table by check of a take, with the factor of their unit.
CHECKED = {
    "foot_slide": ("slide_{}_mm", 1e3),
    "penetration": ("penetration_{}_mm", 1e3),
    "joint_torque": ("torque_share_{}", 1.0),
    "joint_velocity": ("speed_share_{}", 1.0),
}


class Drawn(NamedTuple):
    """A motion that a picture shows.

    Attributes:
        robot: its key.
        q: (n, nq) configurations, evenly in time.
    """

    robot: str
    q: np.ndarray


def import_one(report: Report, work: TakeWork) -> dict[str, Any]:
    """Makes a verified behavior of a take, or finds out why there is none.

    Returns:
        Its row of the table, see `backbeat.jobs.take_table`.

    Raises:
        BackbeatError: this machine could not do it.
    """
    started = processor_time()
    row: dict[str, Any] = {}
    drawn: list[Drawn] = []
    staged = work.folder / f"{work.file.name}{work.file.path.suffix.lower()}"
    try:
        with bounded(READING, MEMORY) as budget:
            _make(report, work, staged, budget, row, drawn)
    except BackbeatError as error:
        own, source = work.file.path, work.file.source
        # As the folder has it, and not where it was copied to.
        names = {staged: source, own: source, staged.name: own.name}
        said = error.naming({**names, f"{work.settings.library}/": ""})
        row |= {"status": REFUSED, "reason": ended(said)}
    except OSError as error:
        raise BackbeatError(
            f"{work.file.source}: this machine could not import it ({gist(error)})"
        ) from error
    except Exception as error:
        # A fault of ours ends one take and not the folder, and says so.
        said = clipped(one_line(f"{type(error).__name__}: {error}"), 300)
        row |= {"status": FAILED, "reason": f"A fault of Backbeat: {ended(said)}"}
    if drawn:
        row |= _pictured(work, drawn[-1], str(row.get("notes", "")))
    if not is_there(work.folder / f"{work.file.name}.yaml"):
        staged.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # There is something in it.
        work.folder.rmdir()
    row["processor_s"] = processor_time() - started
    return row


def _make(
    report: Report,
    work: TakeWork,
    staged: Path,
    budget: Budget,
    row: dict[str, Any],
    drawn: list[Drawn],
) -> None:
    """Fills in a row as far as the take gets."""
    told = _staged(work, staged)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        robot = work.settings.robot or robot_of(staged, told, typer.echo)
        model = make_robot(robot)
        whole = read_take(staged, model, told.conventions())
    take = whole.part(told.start, told.end, str(staged))
    seconds = float(take.t[-1] - take.t[0])
    row |= {
        "robot": model.name,
        "seconds": seconds,
        "frames": len(take.t),
        "format": take.format,
        "notes": _lines([whole.said, *whole.notes], work, staged),
    }
    budget.extend(PER_SECOND * min(seconds, LONGEST))
    drawn.append(Drawn(robot, _evenly(take.t, configurations(take, model))))
    parts = find_parts(whole, model, told.start, told.end, work.file.source)
    if not parts.is_whole:
        row["obstacles"] = json.dumps([asdict(o) for o in parts.obstacles])
        start, end = (round(x, 2) for x in parts.longest)
        told = replace(told, start=start, end=end)
    if take.base is not None:
        row |= _figures(examine(take, model, work.file.source), "before")
    with contextlib.redirect_stdout(said):
        specification = _specify(work, staged, told, robot)
    notes = said.getvalue().splitlines()
    row["notes"] = _lines(notes, work, staged)

    def progress(share: float, what: str) -> None:
        budget.check()
        report.progress(share, what)

    behavior = build(specification, Library(work.settings.library), progress=progress)
    remarks: list[str] = behavior.provenance.get("remarks", [])  # type: ignore[assignment]
    row["notes"] = _lines([*notes, *remarks], work, staged)
    row |= _compared(behavior, whole, model, (take.t[0], take.t[-1]))
    if not parts.is_whole:
        row |= {"status": CUT, "reason": ended(parts.sentence())}
    drawn.append(Drawn(robot, _evenly(behavior.motion.t, behavior.motion.q)))


def _lines(notes: Sequence[str], work: TakeWork, staged: Path) -> str:
    """Sentences by line, none twice, with the take as the folder has it."""
    lines = dict.fromkeys(notes)
    return "\n".join(lines).replace(staged.name, work.file.path.name)


def _staged(work: TakeWork, staged: Path) -> RecordingDescription:
    """Copies a take into the library, where any name is one of a file of a dance.

    Returns:
        What is said about it, with a map of a skeleton that is beside it.

    Raises:
        BackbeatError: it cannot be read, or is another one by now.
    """
    content = read_bytes(work.file.path, "take")
    if hashlib.sha256(content).hexdigest() != work.sha256:
        raise BackbeatError(f"{work.file.source} changed while it was imported")
    with replacing(staged) as file:
        file.write(content)
    if not work.settings.described.skeleton:
        return replace(work.settings.described)
    own = work.folder / SKELETON
    with replacing(own) as file:
        file.write(read_bytes(work.settings.described.skeleton, "YAML"))
    return replace(work.settings.described, skeleton=str(own))


@lru_cache(maxsize=2)
def _kept_scene(robot: str) -> OffscreenScene:
    return OffscreenScene(make_robot(robot))


def _scene(robot: str) -> OffscreenScene:
    """The scene of a robot, which only the thread that made it can render and end.

    A worker of a cluster has a thread that ends before it, so that nothing is kept.
    """
    is_main = threading.current_thread() is threading.main_thread()
    return _kept_scene(robot) if is_main else OffscreenScene(make_robot(robot))


def _evenly(t: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Configurations at even times, as many as a picture may need."""
    times = np.linspace(t[0], t[-1], 60)
    return q[np.clip(np.searchsorted(t, times), 0, len(t) - 1)]


def _specify(
    work: TakeWork, staged: Path, told: RecordingDescription, robot: str
) -> Path:
    """Writes the specification of a take, in place of an earlier one."""
    name = work.file.name
    files = recorded_dance_files(name, work.folder, staged, replace(told), robot)
    for path, text in files.items():
        with replacing(path) as file:
            file.write(text if isinstance(text, bytes) else text.encode())
    return work.folder / f"{name}.yaml"


def _figures(report: TakeReport, when: str) -> dict[str, Any]:
    """Columns of what a take or a motion exceeds."""
    checks = {c.name: c.value for c in report.checks.checks}
    columns = {
        column.format(when): scale * checks[name]
        for name, (column, scale) in CHECKED.items()
    }
    columns[f"off_balance_{when}"] = report.off_balance
    if when == "before":
        columns["feasible_before"] = report.feasible
    return columns


def _compared(
    behavior: Behavior, take: Take, model: RobotModel, span: tuple[float, float]
) -> dict[str, Any]:
    """Columns of what a behavior keeps of its take, and how far it is from that."""
    entries: Sequence[Mapping[str, Any]]
    entries = behavior.provenance["recordings"]  # type: ignore[assignment]
    parts = [
        RecordedPart(e["start_s"], e["end_s"], e["from_s"], e["to_s"], e["mirror"])
        for e in entries
    ]
    tables = [take_changes(take, model, behavior.motion, p).table for p in parts]
    changes = pd.concat(tables, ignore_index=True)
    cuts = left_out([(p.first, p.last) for p in parts], span)
    found: dict[str, Any] = {
        "status": CUT if cuts else CERTIFIED,
        "reason": _cut_words(cuts),
        "cuts": json.dumps(cuts),
        "kept_s": sum(p.last - p.first for p in parts),
        "behavior_s": behavior.duration,
        "behavior_key": str(behavior.provenance["key"]),
    }
    for column, ours in (
        ("root_mm", "root_rms_mm"),
        ("root_deg", "root_rms_deg"),
        ("joints_rms_deg", "joints_rms_deg"),
    ):
        if column in changes:
            found[ours] = float(np.sqrt((changes[column] ** 2).mean()))
    start, end = min(p.start for p in parts), max(p.end for p in parts)
    found |= {"begins_s": start, "ends_s": end}
    made = made_take(behavior.motion, model, start, end)
    return found | _figures(examine(made, model, behavior.name), "after")


def left_out(
    kept: Sequence[tuple[float, float]], span: tuple[float, float]
) -> list[tuple[float, float]]:
    """Parts of a span of time that are not kept, without the shortest ones [s]."""
    cuts, at = list[tuple[float, float]](), span[0]
    for first, last in [*sorted(kept), (span[1], span[1])]:
        if first - at >= LEAST_CUT:
            cuts.append((round(float(at), 3), round(float(first), 3)))
        at = max(at, last)
    return cuts


def _cut_words(cuts: Sequence[tuple[float, float]]) -> str:
    if not cuts:
        return ""
    listed = " and ".join(f"{a:.2f} to {b:.2f} s" for a, b in cuts)
    return f"Left out of the take: {listed}."


def _pictured(work: TakeWork, drawn: Drawn, notes: str) -> dict[str, Any]:
    """Draws a take, and says why if that cannot be."""
    try:
        content = motion_strip(_scene(drawn.robot), make_robot(drawn.robot), drawn.q)
    except BackbeatError as error:
        lines = filter(None, [notes, f"There is no picture: {ended(str(error))}"])
        return {"picture": "", "notes": "\n".join(lines)}
    path = work.folder / PICTURE
    with replacing(path) as file:
        file.write(content)
    return {"picture": path.relative_to(work.settings.library).as_posix()}
