"""Markers: the instants of moves that belong on beats, and where a motion has them.

A marker is an extreme of a channel or the landing of a foot. What is looked for is in
the behavior's events, so that a plan and a run are measured alike: an extreme is the
largest or the least value within a window about its beat, refined by a parabola through
its neighbors, and one at the edge of the window is none. A foot lands when it begins to
carry weight after it was in the air: plans put it on the ground a knot before, without
a load, so that it may brush the ground on its way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from pydrake.math import RollPitchYaw

from backbeat.behaviors.dance.arrangement import PlacedMove, channel_offsets
from backbeat.behaviors.dance.vocabulary.channels import mirrored
from backbeat.behaviors.dance.vocabulary.move import FOOT_WORDS, TASK_CHANNELS
from backbeat.behaviors.library.behavior import Behavior, Event
from backbeat.behaviors.library.runs import without_short
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.models.common.errors import unknown_name
from backbeat.models.robot.model import RobotModel
from backbeat.models.robot.roles import TURNING
from backbeat.models.state.configuration import Configuration

if TYPE_CHECKING:
    import pandas as pd

# Largest distance from its beat at which an extreme is looked for [beats], and in
# shares of a cycle: each has one of its kind.
NEAR, OF_A_CYCLE = 0.5, 0.5
# Share of a cycle beside a marker by which its extreme is distinguished from the other.
BESIDE = 0.1
# An extreme that rises by less is none [m or rad].
FLAT = 1e-4
# A foot that lands was in the air for at least so long, and carries weight for at least
# so long [s].
AIRBORNE, LOADED = 0.04, 0.04
OTHER = {"most": "least", "least": "most", "lands": "lands"}
COLUMNS = ("move", "track", "what", "time", "error")


@dataclass(frozen=True)
class Traced:
    """A motion in which markers are looked for.

    Attributes:
        robot: model of the robot.
        t: (M,) times [s], increasing.
        q: (M, nq) configurations.
        loaded: (M,) by sole, whether it carries weight.
    """

    robot: RobotModel
    t: np.ndarray
    q: np.ndarray
    loaded: Mapping[str, np.ndarray]


def planned(behavior: Behavior) -> Traced:
    """The motion as a behavior plans it."""
    m = behavior.motion
    # Of instants with a left and a right limit, the right one.
    keep = np.r_[np.diff(m.t) > 0, True]
    loaded = {n: m.standing[keep, c] for c, n in enumerate(m.contacts)}
    return Traced(behavior.robot_model, m.t[keep], m.q[keep], loaded)


def marker_events(
    placed: Sequence[PlacedMove], tempo: Tempo, robot: RobotModel
) -> list[Event]:
    """The markers of all moves, with the extreme that each is."""
    events = []
    for p in placed:
        marker = p.move.marker
        if marker is None:
            continue
        cycle = p.move.length(p.values)
        half = min(NEAR, OF_A_CYCLE * cycle) if p.move.repeats else NEAR
        for beat in p.markers():
            channel, extreme, is_turned = _sought(p, beat, robot)
            if not extreme:
                continue
            what = _mirrored_words(marker.what) if is_turned else marker.what
            time = tempo.time(beat)
            events.append(
                Event(
                    time,
                    "marker",
                    f"{p.move.name}: {what}",
                    who=p.track,
                    duration=tempo.time(beat + half) - time,
                    channel=channel,
                    extreme=extreme,
                )
            )
    return events


def _sought(p: PlacedMove, beat: float, robot: RobotModel) -> tuple[str, str, bool]:
    """Channel and kind of an extreme, and whether left and right are exchanged.

    There is no kind where the move is of no size, or the robot has no such joint;
    where a parameter is negative, the largest value is the least.

    Raises:
        BackbeatError: neither the move nor the robot has such a channel.
    """
    marker = p.move.marker
    assert marker is not None
    channel, extreme, side = marker.channel, marker.extreme, np.ones(1)
    if channel in TURNING:
        turning = robot.roles.turning(channel)
        if turning is None:
            return channel, "", False
        channel, sign = turning
        extreme = extreme if sign > 0 else OTHER[extreme]
    word, _, axis = channel.partition(".")
    foot = _foot(word, robot)
    if foot:
        if p.mirror:
            (foot,) = (other for other in robot.feet.values() if other != foot)
            extreme = OTHER[extreme] if axis == "y" else extreme
        return (f"{foot}.{axis}" if axis else foot), extreme, p.mirror
    at = beat + BESIDE * p.move.length(p.values) * np.array([-1.0, 0.0, 1.0])
    offsets = channel_offsets(replace(p, mirror=False), at, robot)
    if channel not in offsets:
        known = (*FOOT_WORDS, *robot.soles, *offsets)
        raise unknown_name(f"channel of the marker of {p.move.name}", channel, known)
    own = offsets[channel]
    rise = own[1] - 0.5 * (own[0] + own[2])
    if abs(rise) < FLAT:
        return channel, "", False
    found = "most" if rise > 0 else "least"
    is_turned = p.mirror != (found != extreme)
    if p.mirror:
        ((channel, side),) = mirrored({channel: np.ones(1)}, robot).items()
    return channel, found if side[0] > 0 else OTHER[found], is_turned


def _foot(word: str, robot: RobotModel) -> str:
    """The sole that a marker's channel is about; "" if it is about none."""
    if word in FOOT_WORDS:
        return robot.feet[word.partition(" ")[0]]
    return word if word in robot.soles else ""


def _mirrored_words(text: str) -> str:
    """A description with left and right exchanged."""
    other = {"left": "right", "right": "left"}
    return " ".join(other.get(word, word) for word in text.split(" "))


def measure_markers(events: Sequence[Event], motion: Traced) -> "pd.DataFrame":
    """How late every marker is in a motion.

    Args:
        events: of the behavior.
        motion: the motion; markers beyond its end are left out.

    Returns:
        A row a marker: move, track, what, time [s] and error [s], which is positive
        when it is late and NaN when the extreme is not there.
    """
    import pandas as pd

    rows = []
    for e in events:
        if e.kind != "marker" or not e.extreme:
            continue
        if e.time + e.duration > motion.t[-1] or e.time < motion.t[0]:
            continue
        found = _landing(e, motion) if e.extreme == "lands" else _extreme(e, motion)
        move, _, what = e.what.partition(": ")
        rows.append((move, e.who, what, e.time, found - e.time))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def marker_figures(table: "pd.DataFrame") -> list[dict[str, Any]]:
    """Number of markers, how many were missing, and mean, SD and most of the error.

    Args:
        table: see `measure_markers`.

    Returns:
        By move: move, track, count, missing, and mean_ms, sd_ms and max_ms, which are
        None where all were missing.
    """
    found = []
    for (track, move), rows in table.groupby(["track", "move"], sort=True):
        known = 1e3 * rows["error"].dropna().to_numpy()
        some = len(known) > 0
        found.append(
            {
                "move": str(move),
                "track": str(track),
                "count": len(rows),
                "missing": len(rows) - len(known),
                "mean_ms": float(known.mean()) if some else None,
                "sd_ms": float(known.std()) if some else None,
                "max_ms": float(np.abs(known).max()) if some else None,
            }
        )
    return found


def pooled_figures(figures: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The figures of several runs as if their markers had been in one table."""
    by: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for f in figures:
        by.setdefault((f["track"], f["move"]), []).append(f)
    found = []
    for (track, move), parts in sorted(by.items()):
        counts = {n: sum(f[n] for f in parts) for n in ("count", "missing")}
        parts = [f for f in parts if f["mean_ms"] is not None]
        n = np.array([f["count"] - f["missing"] for f in parts], float)
        mean = np.array([f["mean_ms"] for f in parts])
        square = mean**2 + np.array([f["sd_ms"] for f in parts]) ** 2
        middle = float(n @ mean / n.sum()) if parts else 0.0
        spread = float(n @ square / n.sum()) - middle**2 if parts else 0.0
        found.append(
            {
                "move": move,
                "track": track,
                **counts,
                "mean_ms": middle if parts else None,
                "sd_ms": max(spread, 0.0) ** 0.5 if parts else None,
                "max_ms": max((f["max_ms"] for f in parts), default=None),
            }
        )
    return found


def _landing(e: Event, motion: Traced) -> float:
    """When a foot comes down that was in the air: the middle of two samples."""
    on, t = motion.loaded[e.channel].astype(bool), motion.t
    on = without_short(on, True, lambda a, b: t[b] - t[a] < LOADED)
    on = without_short(on, False, lambda a, b: t[b] - t[a] < AIRBORNE)
    k = np.flatnonzero(on[1:] & ~on[:-1])
    times = 0.5 * (t[k] + t[k + 1])
    near = times[np.abs(times - e.time) <= e.duration]
    return float(near[0]) if len(near) else float("nan")


def _extreme(e: Event, motion: Traced) -> float:
    """When a channel has its extreme."""
    inside = np.flatnonzero(np.abs(motion.t - e.time) <= e.duration)
    t = motion.t[inside]
    values = _values(e, motion, inside) * (1.0 if e.extreme == "most" else -1.0)
    k = int(values.argmax())
    if k in (0, len(t) - 1):
        return float("nan")
    a, b, _ = np.polyfit(t[k - 1 : k + 2] - t[k], values[k - 1 : k + 2], 2)
    return float(t[k] - 0.5 * b / a) if a < 0 else float(t[k])


def _values(e: Event, motion: Traced, inside: np.ndarray) -> np.ndarray:
    """(n,) what a channel has, along where the feet point at the beat."""
    robot, body = motion.robot, e.channel not in motion.robot.joint_names
    if not body:
        j = robot.base_positions + robot.joint_index(e.channel)
        return np.asarray(motion.q[inside, j])
    name, _, axis = e.channel.partition(".")
    middle = inside[np.abs(motion.t[inside] - e.time).argmin()]
    state = Configuration(robot, motion.q[middle])
    feet = np.sum([state.pose(s).rotation().matrix()[:2, 0] for s in robot.soles], 0)
    ahead = feet / np.linalg.norm(feet)
    c, s = ahead
    R = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    found = np.zeros(len(inside))
    for i, k in enumerate(inside):
        state.update(motion.q[k])
        if name == "pelvis":
            turn = R @ state.pose(robot.base_name).rotation().matrix()
            found[i] = RollPitchYaw(turn).vector()["xyz".index(axis[1])]
            continue
        com = e.channel in TASK_CHANNELS
        place = state.center_of_mass if com else state.pose(name).translation()
        found[i] = (R @ place)["xyz".index(axis)]
    return found
