"""Jumps of a recording: when both feet leave, and land again.

A center of mass in the air is on a parabola. It leaves that as soon as a foot pushes,
before anything can be seen of the feet: the parabola that fits the middle of a flight
is followed to both sides until the path is off it.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from backbeat.behaviors.footsteps.step import FEET
from backbeat.behaviors.recording.foot_contacts import FootContacts
from backbeat.behaviors.recording.soles import find_soles
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel

# Share of a flight, in its middle, that the parabola is fitted to, and the fewest
# samples of it; and by how much a fall that is gravity's may differ from it, as noise
# has it.
MIDDLE, FEWEST, ALIKE = 0.6, 5, 0.15
# How far from it a path is off it [m]: as a sign of a push, and where its growth is
# taken.
OFF, GROWN = 2e-3, 6e-3
# With which power of time it gets off: 2 for a push that begins at once, 3 for one that
# grows.
POWER = 2.5
# How much longer a flight may be at either end than feet show, and shorter [s].
LONGER, SHORTER = 0.16, 0.02
# Feet that leave or land so near to each other do so together [s].
TOGETHER = 0.16


class Flight(NamedTuple):
    """A time in the air.

    Attributes:
        start, end: when it begins and ends [s].
        leaves, lands: the feet from which it begins, and on which it ends.
    """

    start: float
    end: float
    leaves: tuple[str, ...]
    lands: tuple[str, ...]

    @property
    def duration(self) -> float:
        """How long it takes [s]."""
        return self.end - self.start

    @property
    def is_jump(self) -> bool:
        """Whether it goes from both feet to both."""
        return len(self.leaves) == len(self.lands) == len(FEET)

    def rise(self, gravity: float) -> float:
        """How high the center of mass gets above the ends [m]: g T^2 / 8."""
        return gravity * self.duration**2 / 8

    def speed(self, gravity: float) -> float:
        """Vertical speed with which it begins [m/s]."""
        return 0.5 * gravity * self.duration

    def sentence(self) -> str:
        """Why it is no jump."""
        way = [
            "both feet" if len(feet) > 1 else f"the {feet[0]} foot" if feet else "none"
            for feet in (self.leaves, self.lands)
        ]
        return (
            f"the body flies from {self.start:.2f} to {self.end:.2f} s, from {way[0]} "
            f"to {way[1]}"
        )


def find_flights(
    robot: RobotModel, t: np.ndarray, q: np.ndarray, found: FootContacts
) -> list[Flight]:
    """Flights with their feet.

    Args:
        robot: whose motion it is.
        t: (n,) times, evenly spaced [s].
        q: (n, nq) configurations, with a recorded base.
        found: which feet touch the ground.
    """
    if not found.flights:
        return []
    height = find_soles(robot, float(t[1] - t[0]), q).com[:, 2]
    flights = []
    for a, b in found.flights:
        start, end = _ends(t, height, a, b, robot.gravity)
        leaves, lands = [], []
        for foot, on in found.on.items():
            before, after = np.flatnonzero(on[:a]), np.flatnonzero(on[b:])
            if len(before) and start - t[before[-1]] < TOGETHER:
                leaves.append(foot)
            if len(after) and t[b + after[0]] - end < TOGETHER:
                lands.append(foot)
        flights.append(Flight(start, end, tuple(leaves), tuple(lands)))
    return flights


def inside(flights: Sequence[Flight], t: np.ndarray) -> list[Flight]:
    """Flights within times t of a recording."""
    return [f for f in flights if f.start > t[0] and f.end < t[-1]]


def _ends(
    t: np.ndarray, height: np.ndarray, a: int, b: int, gravity: float
) -> tuple[float, float]:
    """When a path leaves the parabola of its flight, before it and after it [s]."""
    dt, middle = t[1] - t[0], 0.5 * (a + b - 1)
    half = max(0.5 * MIDDLE * (b - a), 0.5 * FEWEST)
    rows = np.arange(
        max(0, int(np.ceil(middle - half))),
        min(len(t), int(np.floor(middle + half)) + 1),
    )
    since = t - t[rows].mean()
    fall = -2 * np.polynomial.Polynomial.fit(since[rows], height[rows], 2).convert()
    known = abs(fall.coef[2] / gravity - 1) < ALIKE
    straight = height + 0.5 * (gravity if known else fall.coef[2]) * since**2
    fit = np.polynomial.Polynomial.fit(since[rows], straight[rows], 1)
    # A push is up, and what is below the parabola is none.
    away = np.maximum(straight - fit(since), 0.0)
    out = []
    for edge, side in ((a, -1), (b - 1, 1)):
        first = edge - side * min(round(SHORTER / dt), (b - a) // 3)
        last = int(np.clip(edge + side * round(LONGER / dt), 0, len(t) - 1))
        out.append(_leaves(t, away, np.arange(first, last + side, side)))
    return out[0], out[1]


def _leaves(t: np.ndarray, away: np.ndarray, rows: np.ndarray) -> float:
    """When distances begin to grow, along rows outward; at the last if they do not."""
    beyond = np.flatnonzero(away[rows] > OFF)
    if not len(beyond):
        return float(t[rows[-1]])
    i = int(beyond[0])
    grown = np.flatnonzero(away[rows] > GROWN)
    j = max(int(grown[0]) if len(grown) else i, i + 1)
    if j >= len(rows):
        return float(t[rows[i]])
    x, y = (away[rows[k]] ** (1 / POWER) for k in (i, j))
    share = x / max(y - x, 1e-9)
    found = t[rows[i]] - share * (t[rows[j]] - t[rows[i]])
    return float(np.clip(found, *sorted((t[rows[0]], t[rows[i]]))))


def joined(
    t: np.ndarray, on: Mapping[str, np.ndarray], jumps: Sequence[Flight]
) -> dict[str, np.ndarray]:
    """(n,) whether a foot stands, by foot, where both leave and land together."""
    out = {foot: flags.copy() for foot, flags in on.items()}
    for jump in (flight for flight in jumps if flight.is_jump):
        for flags in out.values():
            flags[(t > jump.start - TOGETHER) & (t <= jump.start)] = True
            flags[(t >= jump.end) & (t < jump.end + TOGETHER)] = True
            flags[(t > jump.start) & (t < jump.end)] = False
    return out


def exact(
    planted: Sequence[tuple[float, float]], jumps: Sequence[Flight], dt: float
) -> tuple[tuple[float, float], ...]:
    """Times at which a foot stands, with those of jumps between samples.

    Args:
        planted: when it stands, at samples [s].
        jumps: when none does.
        dt: time between samples [s].
    """
    rows = [list(row) for row in planted]
    for jump in jumps:
        for before, after in itertools.pairwise(rows):
            ends = np.array([before[1] - jump.start, after[0] - jump.end])
            if (np.abs(ends) <= 1.01 * dt).all():
                before[1], after[0] = jump.start, jump.end
    return tuple((float(a), float(b)) for a, b in rows)


def declared_flights(
    planted: Mapping[str, Sequence[tuple[float, float]]],
) -> list[Flight]:
    """Times between those at which feet are declared to stand, on neither of them."""
    gaps = {
        foot: {(a, b) for (_, a), (b, _) in itertools.pairwise(rows)}
        for foot, rows in planted.items()
    }
    both = sorted(set.intersection(*gaps.values()))
    return [Flight(a, b, FEET, FEET) for a, b in both]


def check_jumps(flights: Sequence[Flight], where: str) -> None:
    """Refuses flights that are none of both feet.

    Raises:
        BackbeatError: one begins or ends on one foot.
    """
    for flight in flights:
        if not flight.is_jump:
            raise BackbeatError(
                f"{where}: {flight.sentence()}; a recording may jump from both feet to "
                "both, but not run or leap, so take another part with 'start' and "
                "'end'"
            )
