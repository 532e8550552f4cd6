"""Steps that a behavior does not make, and which patches are in contact when.

A behavior has swings of its own. A plan may add one for a foot in stance, a recovery
step, and delay a swing of the behavior that would begin meanwhile.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from backbeat.mpc.reference.trajectory import Reference

# Weight leaves the foot before the foot leaves the ground [s]. Times here are for a
# scale of one.
UNLOADING = 0.05
# What a foot that has waited needs at least for the rest of its swing [s].
SHORTEST = 0.35

# A swing that never comes.
_NEVER = np.inf, np.inf, -1


@dataclass(frozen=True)
class AddedStep:
    """A step that the behavior does not make, or a foot that waits for some.

    Attributes:
        contact: index of the patch that leaves the ground, or stays there.
        start, end: phases of lift-off and touchdown [s], or between which it waits.
        stands: whether it waits.
    """

    contact: int
    start: float
    end: float
    stands: bool = False


def recovery_steps(
    order: Sequence[int],
    s: float,
    spacing: float,
    intervals: Sequence[int],
    second: float = -np.inf,
    unloading: float = UNLOADING,
) -> tuple[AddedStep, ...]:
    """Steps in turn from phase s.

    Args:
        order: patches in the order in which they step.
        s: phase now [s].
        spacing: distance of knots in phase [s].
        intervals: how many of them each swing takes; one of standing lies between.
        second: phase before which the second step does not begin [s].
        unloading: time in which weight leaves the first foot [s].
    """
    steps, start = [], s + unloading
    for i, count in enumerate(intervals):
        start = max(start, second) if i == 1 else start
        end = start + count * spacing
        steps.append(AddedStep(order[i % len(order)], start, end))
        start = end + spacing
    return tuple(steps)


class ContactOverride(Protocol):
    """Phases in which the contact of a patch is other than in the behavior."""

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


def covered(change: ContactOverride, phases: np.ndarray) -> np.ndarray:
    """(n,) which phases an override covers."""
    return np.asarray((phases > change.start) & (phases < change.end))


def standing(
    planned: np.ndarray, phases: np.ndarray, changes: Sequence[ContactOverride]
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


def change_standing(
    on: np.ndarray, s: float, changes: Sequence[ContactOverride]
) -> None:
    """`standing` at one phase s, in place of (C,) which patches stand."""
    for change in changes:
        if change.start < s < change.end:
            on[change.contact] = change.stands


def let_wait(
    reference: Reference, steps: Sequence[AddedStep], s: float, can_wait: bool = True
) -> tuple[AddedStep, ...] | None:
    """Steps, and the foot that the behavior would lift before they are over, waiting.

    Args:
        reference: the behavior.
        steps: steps in order; a wait among them goes on.
        s: phase now [s].
        can_wait: whether feet may leave the ground later than the behavior has it.

    Returns:
        None where a foot would have to wait that may not, or not so long.
    """
    moving = tuple(w for w in steps if not w.stands)
    waits = [w for w in steps if w.stands and w.end > s]
    over = max((w.end for w in moving), default=-np.inf)
    since = min((w.start for w in waits), default=s)
    swings = [(*w, c) for c in reference.soles for w in reference.swings[c]]
    begin, end, contact = min((w for w in swings if w[0] >= since), default=_NEVER)
    if over <= begin + 1e-6 and not waits:
        return moving
    time = reference.scale.time
    until = max([over + time * UNLOADING] + [w.end for w in waits])
    steps_again = bool(moving) and moving[-1].contact == contact
    if not can_wait or end - until < time * SHORTEST or steps_again:
        return None
    return (*moving, AddedStep(contact, float(begin), float(until), True))


def waiting(steps: Sequence[AddedStep], contact: int, s: float) -> AddedStep | None:
    """The wait of a contact at phase s, None for none."""
    waits = (w for w in steps if w.stands and w.contact == contact)
    return next((w for w in waits if w.start <= s < w.end), None)


def swing_of(
    reference: Reference, steps: Sequence[AddedStep], contact: int, s: float
) -> tuple[float, float, bool] | None:
    """Start, end and whether it is an added step, of a swing at phase s."""
    own = [w for w in steps if w.contact == contact]
    for step in own:
        if step.start <= s < step.end:
            return None if step.stands else (step.start, step.end, True)
    for start, end in reference.swings[contact]:
        if start <= s < end:
            waits = [w.end for w in own if w.stands and start <= w.start < end]
            return max([float(start), *waits]), float(end), False
    return None
