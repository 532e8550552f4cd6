"""Recorded parts: where takes are in a dance that was built, and how far it is off."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from backbeat.behaviors.dance.arrangement import PlacedMove
from backbeat.behaviors.dance.recorded_move import RecordedMove
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.behaviors.recording.take_changes import RecordedPart, take_changes
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.problem.tasks import CenterOfMassTask, PostureTask
from backbeat.optimization.problem.trajectory_problem import TrajectoryProblem


def recorded_part(p: PlacedMove, tempo: Tempo) -> RecordedPart:
    """Which part of its take a recorded move is, and when.

    Args:
        p: a placed `RecordedMove` with its source.
        tempo: that of the dance.
    """
    assert isinstance(p.move, RecordedMove)
    assert p.move.source is not None
    first, last = p.move.source.span
    stands = [x for rows in p.move.planted.values() for row in rows for x in row]
    if stands:  # It is taken from when both feet stand, to when they do again.
        first, last = min(stands), max(stands)
    length = p.move.length(p.values)
    lead = p.move.lead * length
    begin, end = p.start + lead, p.start + length - lead
    stop = min(end, p.end)
    share = (stop - begin) / (end - begin)
    return RecordedPart(
        start=tempo.time(begin),
        end=tempo.time(stop),
        first=first,
        last=first + share * (last - first),
        mirror=p.mirror,
    )


def recorded_entries(
    placed: Sequence[PlacedMove],
    tempo: Tempo,
    robot: RobotModel,
    motion: DenseTrajectory,
) -> list[dict[str, Any]]:
    """What a behavior keeps of its takes, as plain data, one for each of their places.

    Args:
        placed: moves of the dance.
        tempo: its tempo.
        robot: whose motion it is.
        motion: what was found for it.

    Returns:
        Dictionaries with `move`, `file` and `sha256` of the take, `start_s` and `end_s`
        in the behavior, `from_s` and `to_s` in the take, `mirror`, and `summary`, a
        sentence on how far the motion is from the take.
    """
    found = []
    for p in placed:
        if not isinstance(p.move, RecordedMove) or p.move.source is None:
            continue
        part, source = recorded_part(p, tempo), p.move.source
        if part.end <= part.start:
            continue  # It is cut before its first sample.
        where = f"recording {p.move.name}, beat {p.start:g}"
        changes = take_changes(source.take, robot, motion, part, source.joints)
        found.append(
            {
                "move": p.move.name,
                "file": source.path.absolute().as_posix(),
                "sha256": source.digest,
                "start_s": part.start,
                "end_s": part.end,
                "from_s": float(part.first),
                "to_s": float(part.last),
                "mirror": part.mirror,
                "summary": changes.sentence(where),
            }
        )
    return found


def departures(
    problem: TrajectoryProblem,
    motion: DenseTrajectory,
    com: np.ndarray,
    placed: Sequence[PlacedMove],
    tempo: Tempo,
) -> list[str]:
    """How far a motion is from the recordings in it: a sentence on each.

    Args:
        problem: the problem whose tasks have the recordings.
        motion: what was found for it.
        com: (M, 3) its center of mass [m].
        placed: moves of the dance.
        tempo: its tempo.
    """
    robot, times = problem.robot, problem.times
    q = np.stack([np.interp(times, motion.t, x) for x in motion.q.T], axis=1)
    center = np.stack([np.interp(times, motion.t, x) for x in com.T], axis=1)
    angles = q[:, robot.base_positions :]
    away, apart = np.zeros(angles.shape), np.zeros(len(times))
    for task in problem.tasks:
        if isinstance(task, PostureTask):
            at = np.ix_(task.knots, task.joints)
            away[at] = np.abs(angles[at] - task.target)
        elif isinstance(task, CenterOfMassTask):
            miss = center[task.knots] - task.p_WG
            apart[task.knots] = np.linalg.norm(miss, axis=1)
    away[:, robot.leg_joints] = 0.0  # Feet and pelvis decide on them.
    sentences = []
    for p in placed:
        if isinstance(p.move, RecordedMove):
            beats = np.array([tempo.beat(t) for t in times])
            now = np.flatnonzero((beats >= p.start) & (beats <= p.end))
            sentences.append(_departure(p, now, times, away, apart, robot))
    return sentences


def _departure(
    p: PlacedMove,
    now: np.ndarray,
    times: np.ndarray,
    away: np.ndarray,
    apart: np.ndarray,
    robot: RobotModel,
) -> str:
    """A sentence on how far the body is from a recording, at some knots."""
    k, j = np.unravel_index(int(away[now].argmax()), away[now].shape)
    center = now[int(apart[now].argmax())]
    return (
        f"recording {p.move.name}, beat {p.start:g}: the motion found has "
        f"{robot.joint_names[j]} up to {away[now[k], j]:.3f} rad away from what was "
        f"asked for, at {times[now[k]]:.2f} s, and the center of mass up to "
        f"{1000 * apart[center]:.0f} mm, at {times[center]:.2f} s"
    )
