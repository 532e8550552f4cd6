"""Steps that a behavior does not make, and who stands when.

A behavior lifts feet by itself; a plan may lift one that the behavior leaves standing:
a recovery step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mpc.reference import Reference

# Weight leaves the foot before the foot leaves the ground [s].
LIFT = 0.05


@dataclass(frozen=True)
class Step:
    """A step that the behavior does not make.

    Attributes:
        contact: index of the patch that leaves the ground.
        start, end: phases of lift-off and touchdown [s].
        stands: that it does not stand in between.
    """

    contact: int
    start: float
    end: float
    stands: bool = False


def recovery_steps(
    first: Sequence[int], s: float, spacing: float, intervals: int, count: int
) -> tuple[Step, ...]:
    """Steps in turn from phase s.

    Args:
        first: patches in the order in which they step.
        s: phase now [s].
        spacing: distance of knots in phase [s].
        intervals: how many of them a swing takes; one of standing lies between.
        count: number of steps.
    """
    steps, start = [], s + LIFT
    for i in range(count):
        end = start + intervals * spacing
        steps.append(Step(first[i % len(first)], start, end))
        start = end + spacing
    return tuple(steps)


class Stretch(Protocol):
    """Phases between which a patch stands or does not, whatever the behavior says."""

    @property
    def contact(self) -> int:
        """Index of the patch."""

    @property
    def start(self) -> float:
        """First phase [s]."""

    @property
    def end(self) -> float:
        """Last phase [s]."""

    @property
    def stands(self) -> bool:
        """Whether it stands."""


def covered(change: Stretch, phases: np.ndarray) -> np.ndarray:
    """(n,) which phases lie in a stretch."""
    return np.asarray((phases > change.start) & (phases < change.end))


def standing(
    planned: np.ndarray, phases: np.ndarray, changes: Sequence[Stretch]
) -> np.ndarray:
    """(n, C) which patches stand at phases.

    Args:
        planned: (n, C) which stand in the behavior.
        phases: (n,) phases [s].
        changes: added steps, early and late touchdowns; the last one counts.
    """
    out = planned.copy()
    for change in changes:
        out[covered(change, phases), change.contact] = change.stands
    return out


def change_standing(on: np.ndarray, s: float, changes: Sequence[Stretch]) -> None:
    """`standing` at one phase s, in place of (C,) which patches stand."""
    for change in changes:
        if change.start < s < change.end:
            on[change.contact] = change.stands


def swing_of(
    reference: Reference, steps: Sequence[Step], contact: int, s: float
) -> tuple[float, float, bool] | None:
    """Start, end and whether it is an added step, of a swing at phase s."""
    for step in steps:
        if step.contact == contact and step.start <= s < step.end:
            return step.start, step.end, True
    for start, end in reference.swings[contact]:
        if start <= s < end:
            return float(start), float(end), False
    return None
