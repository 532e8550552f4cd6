"""Heel and toe: feet that go forward land on their heels and leave over their toes.

While both feet stand, the one that has landed rolls flat over its heel and the one that
is about to leave rolls over its toe, the longer its step the farther: in step lengths
of people the angle of a foot goes with that of its leg.

Source
    Perry, Burnfield, "Gait Analysis: Normal and Pathological Function", 2010 (the
    rockers of heel and forefoot).
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw

from backbeat.behaviors.footsteps.step import FEET, STANDING, Step
from backbeat.behaviors.motion.time_law import minimum_jerk
from backbeat.models.dynamics.edges import HEEL, TOE

# Shares of the time with both feet on the ground in which they roll; and the most of
# that time that counts, in times of a pendulum as long as the leg.
SHARES, LONGEST = {HEEL: 0.5, TOE: 0.75}, 1.2
# Fewest intervals between knots of an edge: it is still at either end, and turns.
INTERVALS = 4
# Pitch of a foot on an edge per angle of its leg from the vertical, and the most [rad].
PITCH, MOST = {HEEL: -0.8, TOE: 1.5}, 0.7
# Feet that get less far do not roll [leg lengths].
SHORT = 0.1


@dataclass(frozen=True)
class Roll:
    """A foot that rolls over an edge.

    Attributes:
        step: in which step.
        foot: which foot.
        edge: over which edge.
        knots: intervals between knots that it takes, at the start for a heel and at the
            end for a toe.
        pitch: of the foot when it lands or leaves, toe down positive [rad].
        path: (knots,) pitch at each knot at which it is not flat [rad]; smoothly from
            none or to none where it is empty.
    """

    step: int
    foot: str
    edge: int
    knots: int
    pitch: float
    path: tuple[float, ...] = ()

    def pitches(self) -> np.ndarray:
        """(knots,) pitch at each knot at which it is not flat [rad]."""
        if self.path:
            return np.array(self.path)
        share = 1.0 - np.arange(self.knots) / self.knots
        return self.pitch * minimum_jerk(share[::-1] if self.edge == TOE else share)


def find_rolls(
    steps: Sequence[Step],
    lengths: Sequence[float],
    counts: Sequence[int],
    strides: Sequence[Mapping[str, float]],
    leg: float,
    gravity: float,
) -> list[Roll]:
    """Which feet roll, of steps that go forward.

    Args:
        steps: the steps.
        lengths: how long they take [s].
        counts: intervals between knots in each.
        strides: how far forward each foot gets in each step [m].
        leg: length of the legs [m].
        gravity: [m/s^2].
    """
    most = LONGEST * float(np.sqrt(leg / gravity))
    found = []
    for i, step in enumerate(steps):
        if step.feet != "both":
            continue
        landed = _far(strides[i - 1], leg) if i > 0 else {}
        leaving = _far(strides[i + 1], leg) if i + 1 < len(steps) else {}
        for edge, feet in ((HEEL, landed), (TOE, leaving)):
            share = SHARES[edge] * min(lengths[i], most) / lengths[i]
            knots = max(INTERVALS, round(share * counts[i]))
            if knots > counts[i]:
                continue
            for foot, stride in feet.items():
                if foot in landed and foot in leaving:
                    continue
                tilt = np.arcsin(min(1.0, 0.25 * stride / leg))
                pitch = float(np.clip(PITCH[edge] * tilt, -MOST, MOST))
                found.append(Roll(i, foot, edge, knots, pitch))
    return found


def _far(strides: Mapping[str, float], leg: float) -> dict[str, float]:
    """How far those feet get that get far [m]."""
    return {foot: way for foot, way in strides.items() if way > SHORT * leg}


def split(count: int, rolls: Sequence[Roll]) -> Iterator[tuple[int, dict[str, int]]]:
    """Parts of a step in which the same feet roll: intervals of each, edges by foot."""
    spans = {
        r.foot: (0, r.knots, r.edge)
        if r.edge == HEEL
        else (count - r.knots, count, r.edge)
        for r in rolls
    }
    cuts = sorted({0, count, *(k for a, b, _ in spans.values() for k in (a, b))})
    for a, b in itertools.pairwise(cuts):
        yield b - a, {f: edge for f, (c, d, edge) in spans.items() if c <= a and b <= d}


def tilted(X_WS: RigidTransform, e: float, pitch: float) -> RigidTransform:
    """A sole with a support, pitched about an edge e ahead of its middle [m, rad]."""
    turned = RigidTransform(RollPitchYaw(0.0, pitch, 0.0), [0.0, 0.0, 0.0])
    edge = RigidTransform([e, 0.0, 0.0])
    return X_WS @ edge @ turned @ edge.inverse()


def pitches(u: np.ndarray, start: float, end: float) -> np.ndarray:
    """(n,) pitch of a foot on its way at shares u of the time [rad]."""
    s = minimum_jerk(u)
    return np.asarray((1 - s) * start + s * end)


def strides(
    steps: Sequence[Step], places: Mapping[str, Sequence[np.ndarray]], yaw: np.ndarray
) -> list[dict[str, float]]:
    """How far forward each foot in the air gets in each step [m].

    Args:
        steps: the steps.
        places: (3,) of each foot before the first step and after every one [m].
        yaw: (steps + 1,) where the robot faces [rad].
    """
    found = []
    for i, step in enumerate(steps):
        ahead = np.array([np.cos(yaw[i]), np.sin(yaw[i]), 0.0])
        found.append(
            {
                foot: float(ahead @ (places[foot][i + 1] - places[foot][i]))
                for foot in FEET
                if foot not in STANDING[step.feet] and step.feet != "none"
            }
        )
    return found
