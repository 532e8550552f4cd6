"""Footprints: where feet are after every step, and where feet and body are between."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix

from backbeat.behaviors.footsteps.heel_and_toe import (
    Roll,
    find_rolls,
    pitches,
    split,
    strides,
)
from backbeat.behaviors.footsteps.step import FEET, STANDING, Step
from backbeat.behaviors.motion.time_law import minimum_jerk
from backbeat.models.dynamics.edges import HEEL, TOE
from backbeat.optimization.problem.contact_schedule import ContactSchedule, Phase

# Fewest intervals between knots of a phase: a foot that lands or leaves is still
# for one on either side, and moves in between.
LEAST_INTERVALS = 4


@dataclass
class Footprint:
    """Where a foot is.

    Attributes:
        p: (3,) place [m].
        yaw: heading, left of x [rad].
        R: rotation of the foot with the heading taken off.
    """

    p: np.ndarray
    yaw: float
    R: RotationMatrix

    def pose(self) -> RigidTransform:
        """Pose of the contact in the world."""
        turn = RotationMatrix(RollPitchYaw(0.0, 0.0, self.yaw))
        return RigidTransform(turn @ self.R, self.p)


class Footprints:
    """Where each foot of a robot is after every step, and when.

    Attributes:
        steps: the steps.
        lengths: how long they take [s].
        feet: contacts of the feet, by side.
        counts: intervals between knots in each.
        places: footprints of each foot, before the first step and after every one.
        rolls: feet that roll over their edges.
        tilts: (n,) pitch of feet in the air at even shares of their time, by step and
            foot [rad]; of others it goes smoothly from one roll to the next.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        lengths: Sequence[float],
        knot_spacing: float,
        feet: Mapping[str, str],
        poses: Mapping[str, RigidTransform],
        heading: float = 0.0,
    ) -> None:
        """Lays out the steps.

        Args:
            steps: the steps.
            lengths: how long they take [s].
            knot_spacing: about the time from knot to knot [s].
            feet: contacts of the feet, by side.
            poses: of the contacts where the steps start.
            heading: where the robot faces there, left of x [rad].
        """
        ahead = RotationMatrix(RollPitchYaw(0.0, 0.0, -heading))
        self.steps, self.lengths, self.feet = steps, lengths, feet
        self.places = {
            foot: [Footprint(X.translation(), heading, ahead @ X.rotation())]
            for foot, X in ((f, poses[feet[f]]) for f in FEET)
        }
        self.counts = [max(LEAST_INTERVALS, round(T / knot_spacing)) for T in lengths]
        self.rolls: list[Roll] = []
        self.tilts: dict[tuple[int, str], np.ndarray] = {}
        self._go()

    def _go(self) -> None:
        """Notes where each foot is after every step."""
        for step in self.steps:
            heading = np.mean([p[-1].yaw for p in self.places.values()])
            c, s = np.cos(heading), np.sin(heading)
            for foot, places in self.places.items():
                last = places[-1]
                if foot in STANDING[step.feet]:
                    places.append(last)
                    continue
                x, y, turn = step.way(foot)
                p = last.p + [c * x - s * y, s * x + c * y, 0.0]
                places.append(Footprint(p, last.yaw + turn, last.R))

    @cached_property
    def starts(self) -> np.ndarray:
        """(steps + 1,) knot at which each step starts, and the last knot."""
        return np.r_[0, np.cumsum(self.counts)]

    @cached_property
    def times(self) -> np.ndarray:
        """(N,) knot times, evenly spaced within each step."""
        ends = np.cumsum(self.lengths)
        parts = [
            np.linspace(end - T, end, n + 1)[1:]
            for T, end, n in zip(self.lengths, ends, self.counts, strict=True)
        ]
        return np.r_[0.0, np.concatenate(parts)]

    def retime(self, times: np.ndarray) -> None:
        """Moves the knots to other times.

        Args:
            times: (N,) of all knots, from 0 [s].
        """
        self.times = times
        self.lengths = np.diff(times[self.starts]).tolist()

    def roll(self, leg: float, gravity: float) -> None:
        """Has feet that go forward roll over heel and toe.

        Args:
            leg: length of the robot's legs [m].
            gravity: [m/s^2].
        """
        feet = self.places.values()
        yaw = np.mean([[p.yaw for p in places] for places in feet], axis=0)
        places = {f: [p.p for p in ps] for f, ps in self.places.items()}
        forward = strides(self.steps, places, yaw)
        self.rolls = find_rolls(
            self.steps, self.lengths, self.counts, forward, leg, gravity
        )

    def roll_of(self, i: int, foot: str, edge: int) -> Roll | None:
        """How a foot rolls over an edge in a step."""
        asked = i, foot, edge
        return next((r for r in self.rolls if (r.step, r.foot, r.edge) == asked), None)

    def pitches(self, i: int, foot: str, u: np.ndarray) -> np.ndarray:
        """(n,) pitch of a foot in the air at shares u of a step [rad]."""
        if (i, foot) in self.tilts:
            path = self.tilts[i, foot]
            return np.interp(u, np.linspace(0.0, 1.0, len(path)), path)
        rolls = self.roll_of(i - 1, foot, TOE), self.roll_of(i + 1, foot, HEEL)
        return pitches(u, *(r.pitch if r else 0.0 for r in rolls))

    def schedule(self) -> ContactSchedule:
        """Contact schedule of the feet, with their places."""
        return ContactSchedule(tuple(self._phases()))

    def parts(self, i: int) -> list[tuple[int, dict[str, int]]]:
        """Phases of a step: intervals between knots, and edges by foot."""
        return list(split(self.counts[i], [r for r in self.rolls if r.step == i]))

    def _phases(self) -> Iterator[Phase]:
        for i, step in enumerate(self.steps):
            first = self.starts[i]
            stands = STANDING[step.feet]
            poses = {self.feet[f]: self.places[f][i].pose() for f in stands}
            for count, edges in self.parts(i):
                duration = self.times[first + count] - self.times[first]
                first += count
                by_name = {self.feet[f]: edge for f, edge in edges.items()}
                yield Phase(duration, poses, step.feet, by_name)

    def body(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where the body is taken at every knot.

        Returns:
            (N, 3) middle of the feet with the lowering [m], (N,) heading [rad], (N,)
            how far the left foot is ahead of the right one [m].
        """
        N = len(self.times)
        middle, yaw, apart = np.zeros((N, 3)), np.zeros(N), np.zeros(N)
        lower = 0.0
        for i, step in enumerate(self.steps):
            a, b = self.starts[i], self.starts[i + 1]
            s = minimum_jerk(np.linspace(0.0, 1.0, b - a + 1))
            ends = []
            for j in (i, i + 1):
                feet = [p[j] for p in self.places.values()]
                along = [np.cos(feet[0].yaw), np.sin(feet[0].yaw)]
                between = (feet[0].p - feet[1].p)[:2] @ along
                place = np.mean([f.p for f in feet], axis=0)
                ends.append((place, np.mean([f.yaw for f in feet]), between))
            rows = slice(a, b + 1)
            middle[rows] = ends[0][0] + s[:, None] * (ends[1][0] - ends[0][0])
            middle[rows, 2] = -(lower + s * step.lower)
            yaw[rows] = ends[0][1] + s * (ends[1][1] - ends[0][1])
            apart[rows] = ends[0][2] + s * (ends[1][2] - ends[0][2])
            lower += step.lower
        return middle, yaw, apart


def swing_path(
    a: Footprint, b: Footprint, step: Step, u: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(n, 3) places of a foot in the air, and (n,) heights above the ground.

    Args:
        a, b: where it leaves and lands, flat.
        step: how it gets from one to the other.
        u: (n,) shares of the time.
    """
    s = minimum_jerk(u)[:, None]
    if step.via:
        c, d = np.cos(a.yaw), np.sin(a.yaw)
        turn = np.array([[c, -d, 0], [d, c, 0], [0, 0, 1]])
        points = [a.p, *(a.p + turn @ v for v in step.via), b.p]
        through = scipy.interpolate.CubicSpline(
            np.linspace(0, 1, len(points)), points, bc_type="clamped"
        )
        path = through(u)
        return path, path[:, 2] - a.p[2]
    path = a.p + s * (b.p - a.p)
    height = step.clearance * np.sin(np.pi * u) ** 2
    path[:, 2] += height
    return path, height
