"""Foot rolls: when the feet of a recording stand on their heels and on their toes.

A foot that strikes with its heel has its rear edge on the ground, which stays where it
is while the sole turns about it; one that leaves over its toe has its front edge. How
far a sole is pitched is measured from where it is flat in the same stance, so that what
sensors and retargeting tilt it by is not taken for a roll. The line of an edge carries
a robot only with the other foot: a foot rolls while that one stands too. What is short,
slight or does not stay where it is counts as flat.

Source
    Perry, Burnfield, "Gait Analysis: Normal and Pathological Function", 2010 (the
    rockers of heel and forefoot).
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from backbeat.behaviors.library.runs import runs
from backbeat.behaviors.recording.soles import Soles, slopes
from backbeat.models.dynamics.edges import HEEL, TOE

# Pitch from which a foot counts as rolling, and that of one that is flat [rad]. Sensors
# and retargeting leave tilts of 0.05.
LEAST, FLAT = 0.06, 0.02
# The most by which a whole stance may be tilted, and a sole about its own length [rad].
TILTED, ROLLED = 0.1, 0.1
# Shorter than this it does not roll [s].
SHORT = 0.04
# How much longer a roll takes than it is seen: it starts and ends slowly.
SEEN = 1.25
# How far an edge may get while the sole turns about it, with legs of length `LEG` [m].
MOVES = 0.025
# Share of a stance that is flat at least: its stillest part.
STILL = 0.4


class KeptFeet(NamedTuple):
    """What feet keep of a recording.

    Attributes:
        roll: whether they roll over heel and toe where those of the recording do.
        jumps: `LOWER` where jumps that the robot cannot make become lower.
    """

    roll: bool = True
    jumps: str = ""


@dataclass(frozen=True)
class FootRoll:
    """How one foot rolls over heel and toe.

    Attributes:
        t: (n,) times [s].
        pitch: (n,) of its sole, from where it is flat, toe down positive [rad].
        heels: (k,) until when it is on its heel, by stance; None if it lands flat [s].
        toes: (k,) from when it is on its toe; None if it leaves flat [s].
        tilted: how often it lands or leaves tilted, whether it rolls or counts as flat.
        half: half the length of its sole [m].
    """

    t: np.ndarray
    pitch: np.ndarray
    heels: tuple[float | None, ...]
    toes: tuple[float | None, ...]
    tilted: int
    half: float

    @property
    def rolls(self) -> bool:
        """Whether it does at all."""
        return any(time is not None for time in (*self.heels, *self.toes))

    def at(self, times: np.ndarray) -> np.ndarray:
        """Pitch at given times [rad]."""
        return np.interp(times, self.t, self.pitch)


def find_foot_roll(
    t: np.ndarray,
    soles: Soles,
    foot: str,
    on: np.ndarray,
    other: np.ndarray,
    scale: float,
) -> FootRoll:
    """Finds out how a foot rolls.

    Args:
        t: (n,) times [s].
        soles: of a motion whose feet stand on the ground.
        foot: which foot.
        on: (n,) whether it stands.
        other: (n,) whether the other foot does.
        scale: length of the legs over `foot_contacts.LEG`.
    """
    pitch, n = soles.pitch(foot), len(t)
    ends: dict[int, list[float | None]] = {HEEL: [], TOE: []}
    tilted, levels = 0, list[tuple[float, float]]()
    for a, b in runs(on):
        level = _level(pitch[a:b], soles.dt)
        if abs(level) > FLAT and (a == 0 or b == n):
            # The recording begins or ends while it is on an edge.
            level = 0.0
        levels.append((0.5 * (a + b - 1), level))
        for edge, outer, inner in ((HEEL, a, b), (TOE, b, a)):
            end = None
            if 0 < outer < n:
                rows = range(a, b) if edge == HEEL else range(b - 1, a - 1, -1)
                seen = _Seen(np.array(rows), level, inner in (0, n))
                tilts, end = _edge_until(soles, foot, edge, seen, other, scale)
                tilted += tilts
            ends[edge].append(None if end is None else float(t[end]))
    if levels:
        at, level = np.transpose(levels)
        pitch = pitch - np.interp(np.arange(n), at, level)
    half = float(soles.p_CK[foot][0, 0])
    return FootRoll(t, pitch, tuple(ends[HEEL]), tuple(ends[TOE]), tilted, half)


def _level(pitch: np.ndarray, dt: float) -> float:
    """Pitch of a sole where it is flat: in the stillest part of a stance [rad]."""
    rate = np.abs(slopes(pitch, dt))
    still = rate <= np.quantile(rate, STILL)
    return float(np.median(pitch[still]))


class _Seen(NamedTuple):
    """What is seen of a stance.

    Attributes:
        rows: its samples, from where it is in the air to the other end.
        level: pitch of the sole where it is flat [rad].
        is_cut: whether the recording begins or ends at the other end.
    """

    rows: np.ndarray
    level: float
    is_cut: bool


def _edge_until(
    soles: Soles, foot: str, edge: int, stance: _Seen, other: np.ndarray, scale: float
) -> tuple[bool, int | None]:
    """Whether a stance begins or ends tilted, and the inner end of the time on an edge.

    There is none where it counts as flat.
    """
    rows = stance.rows
    pitch = edge * (soles.pitch(foot)[rows] - stance.level)
    if float(pitch[:3].max()) < LEAST:
        return False, None
    flat = np.flatnonzero(pitch < FLAT)
    is_cut = stance.is_cut and not len(flat)
    seen = int(flat[0]) if len(flat) else len(rows)
    if (
        abs(stance.level) > TILTED
        or (not is_cut and (seen == len(rows) or seen * soles.dt < SHORT))
        or not other[rows[:seen]].any()
        or not _stays(soles, foot, edge, rows[:seen], scale)
    ):
        return True, None
    return True, int(rows[min(round(SEEN * seen), len(rows)) - 1])


def _stays(soles: Soles, foot: str, edge: int, rows: np.ndarray, scale: float) -> bool:
    """Whether an edge keeps its place, and both of its corners are down."""
    ahead = np.sign(soles.p_CK[foot][:, 0]) == edge
    middle = soles.corners[foot][rows][:, ahead].mean(axis=1)
    away = np.linalg.norm(middle - np.median(middle, axis=0), axis=1)
    leans = np.abs(soles.R[foot][rows, 2, 1])
    return bool(away.max() < MOVES * scale and np.median(leans) < ROLLED)
