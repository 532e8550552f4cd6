"""Rolls of steps whose pitch is given, as that of a recording is, on the knots.

A foot leaves over its toe and lands on its heel while the other one stands as well. So
it rolls for as many knots as both do at most, and where the same foot has landed it is
flat again before it leaves.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from backbeat.behaviors.footsteps.footprints import Footprints
from backbeat.behaviors.footsteps.heel_and_toe import INTERVALS, Roll
from backbeat.behaviors.footsteps.step import FEET, STANDING
from backbeat.behaviors.motion.time_law import minimum_jerk
from backbeat.models.dynamics.edges import HEEL, TOE

# Share of its time in the air in which a foot gets level that leaves or lands so.
LEVELED = 0.3
# The most that a foot pitches [rad].
MOST = 0.7


@dataclass(frozen=True)
class StepRoll:
    """How a foot pitches that takes a step; toe down is positive [rad].

    Attributes:
        toe: how long it is on its toe before it leaves, 0 if it leaves flat [s].
        heel: how long it is on its heel after it has landed [s].
        leaving: (n,) its pitch at even shares of the first time.
        way: (m,) the same in the air.
        landing: (k,) the same of the last time.
    """

    toe: float
    heel: float
    leaving: tuple[float, ...]
    way: tuple[float, ...]
    landing: tuple[float, ...]

    def slower(self, factor: float) -> "StepRoll":
        """The same in so many times the time, or in another unit of time."""
        return replace(self, toe=factor * self.toe, heel=factor * self.heel)


def lay_rolls(prints: Footprints, given: Mapping[int, StepRoll]) -> None:
    """Has feet roll as given.

    Args:
        prints: the steps; their rolls are replaced.
        given: how the foot rolls that is in the air, by step.
    """
    rolls = [r for i, roll in given.items() for r in _on_knots(prints, i, roll)]
    for i in range(len(prints.steps)):
        rolls = [r for r in rolls if r.step != i] + _fitting(
            [r for r in rolls if r.step == i], prints.counts[i]
        )
    prints.rolls = sorted(rolls, key=lambda r: (r.step, -r.edge))
    for i, roll in given.items():
        foot = _moving(prints, i)
        leaves = prints.roll_of(i - 1, foot, TOE)
        lands = prints.roll_of(i + 1, foot, HEEL)
        if leaves or lands:
            way = np.clip(roll.way, -MOST, MOST)
            share = np.linspace(0.0, 1.0, len(way)) / LEVELED
            if not leaves:
                way *= minimum_jerk(np.clip(share, 0.0, 1.0))
            if not lands:
                way *= minimum_jerk(np.clip(share[::-1], 0.0, 1.0))
            prints.tilts[i, foot] = way


def _moving(prints: Footprints, i: int) -> str:
    """The foot that is in the air in a step."""
    return next(f for f in FEET if f not in STANDING[prints.steps[i].feet])


def _on_knots(prints: Footprints, i: int, roll: StepRoll) -> Iterator[Roll]:
    """Rolls before and after a step."""
    for edge, j, time, path in (
        (TOE, i - 1, roll.toe, roll.leaving),
        (HEEL, i + 1, roll.heel, roll.landing),
    ):
        if time <= 0.0:
            continue
        count = prints.counts[j]
        spacing = prints.lengths[j] / count
        knots = min(count, max(INTERVALS, round(time / spacing)))
        # A heel is flat at its last knot, and a toe at the knot before its first.
        shares = (np.arange(knots) + (edge == TOE)) / knots
        pitch = np.interp(shares, np.linspace(0.0, 1.0, len(path)), path)
        at = tuple(np.clip(pitch, -MOST, MOST).tolist())
        extreme = at[-1] if edge == TOE else at[0]
        yield Roll(j, _moving(prints, i), edge, knots, extreme, at)


def _fitting(rolls: list[Roll], count: int) -> list[Roll]:
    """Rolls of a step of so many intervals that leave each other room."""
    heels = [r for r in rolls if r.edge == HEEL]
    toes = [r for r in rolls if r.edge == TOE]
    for heel in heels:
        for toe in toes:
            if heel.foot == toe.foot and heel.knots + toe.knots >= count:
                less = min(heel, toe, key=lambda r: abs(r.pitch))
                rolls = [r for r in rolls if r is not less]
    return rolls
