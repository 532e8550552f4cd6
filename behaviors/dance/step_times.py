"""Recorded steps: when they are taken, with time on both feet between them.

A person stands on both feet for a tenth of a second between two steps. A plan needs
four knots for that, so that knots are as near to each other as a recording's steps take
and a tempo has them; where that is not near enough, steps are shortened, and where that
is too much, the recording is slowed down.
"""

import itertools
from collections.abc import Sequence

from backbeat.behaviors.dance.knots import KNOTS_PER_BEAT, ROUNDED_KNOTS
from backbeat.behaviors.dance.vocabulary.expression import Expression
from backbeat.behaviors.dance.vocabulary.move import MoveStep
from backbeat.behaviors.recording.steps import RecordedStep
from backbeat.models.common.errors import BackbeatError

# Time on both feet between steps [s], where knots are near enough.
BOTH = 0.13
# Share of its own time that a step has at least, where others are too near; and what
# is left of it where a recording may have its own time [s], of which it has at least
# a share.
LEAST_SHARE, EASY, SLOWEST = 0.5, 0.35, 0.5
# Knots of a recorded jump, whose height is up to how long it takes to the nearest one.
KNOTS_OF_FLIGHT = 14
# Which foot stands, by those in the air.
STANDS = {"left": "right", "right": "left", "both": "none"}


def least_stance(beat: float) -> float:
    """Least time on both feet between steps, at a length of a beat [s]."""
    return max(BOTH, ROUNDED_KNOTS * beat / KNOTS_PER_BEAT[-1])


def fastest(steps: Sequence[RecordedStep], stance: float) -> float:
    """How much of its own speed a recording may have, so that its steps fit.

    Args:
        steps: in order of time.
        stance: least time on both feet between them [s].
    """
    speed = 1.0
    while speed > SLOWEST:
        ends = _apart(steps, stance * speed)
        least = [
            max(LEAST_SHARE * own, min(EASY * speed, own))
            for own in (s.end - s.start for s in steps)
        ]
        if all(b - a >= x for (a, b), x in zip(ends, least, strict=True)):
            return speed
        speed -= 0.02
    return 1.0


def move_steps(
    steps: Sequence[RecordedStep], own: float, stance: float, lead: float, where: str
) -> tuple[MoveStep, ...]:
    """Steps in shares of a move, with time on both feet between them.

    Args:
        steps: in order of time.
        own: length of the recording [s].
        stance: least time on both feet between steps, in the recording's time [s].
        lead: share of the move before and after the recording.
        where: names the recording in errors.

    Raises:
        BackbeatError: too little time is left of a step.
    """
    found = []
    for step, (start, end) in zip(steps, _apart(steps, stance), strict=True):
        if end - start < LEAST_SHARE * (step.end - step.start):
            raise BackbeatError(
                f"{where}: the {step.foot} foot is in the air from {step.start:.2f} to "
                f"{step.end:.2f} s, too soon after or before the other one; both feet "
                f"stand for at least {stance:.2f} s between steps, so stretch it with "
                "'beats'"
            )
        a, b = (lead + (1 - 2 * lead) * x / own for x in (start, end))
        x, y = (Expression(v) for v in step.to)
        way = step.via.tolist()
        stands = STANDS[step.foot]
        turn, rise = Expression(step.turn), Expression(step.rise)
        via = tuple((Expression(p[0]), Expression(p[1]), Expression(p[2])) for p in way)
        roll = step.roll and step.roll.slower((1 - 2 * lead) / own)
        found.append(MoveStep(a, b, stands, (x, y), turn, rise, via, roll, step.each))
    return tuple(found)


def knot_spacing(steps: Sequence[MoveStep], length: float) -> float:
    """Most time between knots that all steps, and times between them, take [s].

    Args:
        steps: of a move.
        length: of the move [s].
    """
    swings = [s.end - s.start for s in steps]
    stances = [b.start - a.end for a, b in itertools.pairwise(steps)]
    flights = [s.end - s.start for s in steps if s.feet == "none"]
    most = [x / ROUNDED_KNOTS for x in (*swings, *stances)]
    return min([*most, *(x / KNOTS_OF_FLIGHT for x in flights)], default=0.0) * length


def _apart(steps: Sequence[RecordedStep], stance: float) -> list[list[float]]:
    """Starts and ends of steps, with time on both feet between them."""
    ends = [[s.start, s.end] for s in steps]
    for before, after in itertools.pairwise(ends):
        short = max(0.0, stance - (after[0] - before[1]))
        before[1] -= 0.5 * short
        after[0] += 0.5 * short
    return ends
