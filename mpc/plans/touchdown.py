"""Early and late touchdowns, against the plan.

A foot stands where the force under it exceeds a threshold. One that meets the ground in
the last third of its swing carries weight from then on, while it does; one that does
not meet it in time goes on downwards, and carries none. Neither changes the tempo by
itself, but the predictive program has the measured contacts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from backbeat.mpc.plans.stepping import (
    UNLOADING,
    AddedStep,
    let_wait,
    swing_of,
    waiting,
)
from backbeat.mpc.reference.trajectory import Reference

# Forces under a foot that has landed early, that has landed after all, and that is in
# the air again [N]: edges of a foot that drags touch the ground too.
EARLY, LANDED, LEFT = 60.0, 20.0, 10.0
# Share of a swing after which a touch is a touchdown, and longest wait for one [s].
EARLIEST, LATEST = 0.65, 0.15
# One that has farther to go touches the ground in passing [m].
NEAR = 0.1


@dataclass(frozen=True)
class Touchdown:
    """A foot that stands although the plan has it in the air, or the other way.

    Attributes:
        contact: index of the patch.
        start, end: phases between which that is so [s].
        stands: whether it stands.
        place: (3,) where the behavior lands it [m].
        is_put_down: that the plan lands it early to keep balance, at a start that may
            be to come.
    """

    contact: int
    start: float
    end: float
    stands: bool
    place: np.ndarray
    is_put_down: bool = False

    def is_to_come(self, s: float) -> bool:
        """Whether the foot is still on its way down at phase s."""
        return self.stands and s < self.start

    def ends_standing(self, s: float) -> bool:
        """Whether the foot has stood, and what the behavior has goes on, by phase s."""
        return self.stands and self.end < s


def put_down(reference: Reference, contact: int, start: float, end: float) -> Touchdown:
    """The touchdown of a foot that goes straight down from where the behavior has it.

    Args:
        reference: the behavior.
        contact: index of the patch.
        start: phase of the touchdown [s].
        end: phase at which the behavior lands the foot [s].
    """
    place = reference.sample(start).p_contact[contact].copy()
    place[2] = reference.sample(end).p_contact[contact, 2]
    return Touchdown(contact, start, end, True, place, True)


def behind(reference: Reference, down: Touchdown) -> np.ndarray:
    """(2,) from where the behavior lands a foot to where it was put down [m]."""
    landed = reference.sample(down.end).p_contact[down.contact]
    return np.asarray(down.place[:2] - landed[:2])


def find_touchdowns(
    reference: Reference,
    steps: Sequence[AddedStep],
    before: Sequence[Touchdown],
    s: float,
    ahead: float,
    force: np.ndarray,
    way: np.ndarray,
) -> tuple[Touchdown, ...]:
    """Touchdowns that are early or late at phase s.

    Args:
        reference: the behavior.
        steps: steps that the behavior does not make.
        before: touchdowns of the plan so far.
        s: phase now [s].
        ahead: phase for which a missing foot is taken to be in the air still [s].
        force: (C,) normal forces on the patches [N].
        way: (C,) how far feet in the air have to go [m].
    """
    found, scale = find_waiting(reference, steps, s), reference.scale
    stays = {d.contact for d in found}
    for c in (c for c in reference.soles if c not in stays):
        old = next((d for d in before if d.contact == c), None)
        swing = swing_of(reference, steps, c, s)
        if swing is not None:
            start, end, _ = swing
            is_known = old is not None and old.stands and old.end == end
            if old is not None and is_known and old.is_put_down:
                found.append(_going_down(old, start, s, ahead, force[c] / scale.weight))
                continue
            since = old.start if old is not None and is_known else s
            is_near = _may_land(s, start, end) and way[c] < scale.length * NEAR
            least = scale.weight * (LEFT if is_known else EARLY)
            if force[c] > least and is_near:
                place = reference.sample(end).p_contact[c].copy()
                found.append(Touchdown(c, since, end, True, place))
            continue
        end = _last_touchdown(reference, steps, c, s)
        is_new = s - end < ahead and old is None
        is_waiting = old is not None and not old.stands
        if old is not None and is_waiting:
            end = old.start
        if (
            force[c] < scale.weight * LANDED
            and s - end < scale.time * LATEST
            and (is_new or is_waiting)
        ):
            place = reference.sample(end).p_contact[c].copy()
            found.append(Touchdown(c, end, s + ahead, False, place))
    return tuple(found)


def find_waiting(
    reference: Reference, steps: Sequence[AddedStep], s: float
) -> list[Touchdown]:
    """Feet that stand at phase s where the behavior would have lifted them."""
    found = []
    for c in reference.soles:
        wait = waiting(steps, c, s)
        if wait is not None:
            place = reference.sample(wait.start).p_contact[c].copy()
            found.append(Touchdown(c, wait.start, wait.end, True, place))
    return found


def _may_land(s: float, start: float, end: float) -> bool:
    """Whether a touch at phase s of a swing may be its touchdown."""
    return s > start + EARLIEST * (end - start)


def _going_down(
    down: Touchdown, lifted: float, s: float, ahead: float, force: float
) -> Touchdown:
    """A foot that is put down: it may land early or late, and then stays.

    Its force [N] is that of a robot of scale one.
    """
    if s < down.start:
        # One that has only just been lifted still carries weight.
        is_early = _may_land(s, lifted, down.start) and force > EARLY
        return replace(down, start=s) if is_early else down
    is_late = force < LANDED and s - down.start < ahead
    return replace(down, start=s + 0.5 * ahead) if is_late else down


def delay_steps(
    reference: Reference,
    steps: Sequence[AddedStep],
    touchdowns: Sequence[Touchdown],
    s: float,
    can_wait: bool,
) -> tuple[AddedStep, ...]:
    """Added steps that are not over; those to come wait for a foot that is late.

    Steps that would still be under way when the behavior lifts the next foot let it
    wait, or are given up: two feet in the air at once are no steps.

    Args:
        reference: the behavior.
        steps: added steps so far.
        touchdowns: feet that are early or late.
        s: phase now [s].
        can_wait: whether feet may leave the ground later than the behavior has it.
    """
    steps = tuple(w for w in steps if w.end > s)
    landings = [d.end for d in touchdowns if not d.stands]
    landings += [d.start for d in touchdowns if d.is_to_come(s)]
    late = max(landings, default=-np.inf)
    first = min((w.start for w in steps if w.start > s), default=np.inf)
    delay = late + reference.scale.time * UNLOADING - first
    if delay <= 0 or np.isinf(delay):
        return steps
    delayed = tuple(
        replace(w, start=w.start + delay, end=w.end + delay)
        if w.start > s and not w.stands
        else w
        for w in steps
    )
    found = let_wait(reference, delayed, s, can_wait)
    if found is None:
        return tuple(w for w in steps if w.start <= s)
    return found


def _last_touchdown(
    reference: Reference, steps: Sequence[AddedStep], contact: int, s: float
) -> float:
    """Phase of the last planned touchdown of a patch before s; -inf for none."""
    ends = [float(end) for _, end in reference.swings[contact] if end <= s]
    own = (w for w in steps if w.contact == contact and not w.stands)
    ends += [step.end for step in own if step.end <= s]
    return max(ends, default=-np.inf)
