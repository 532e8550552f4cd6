"""Rolls of the steps of a recording: what each has of heel and toe."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from backbeat.behaviors.footsteps.step_rolls import StepRoll
from backbeat.behaviors.motion.time_law import minimum_jerk
from backbeat.behaviors.recording.contacts.foot_roll import FLAT, SHORT, FootRoll
from backbeat.models.dynamics.edges import HEEL, TOE

# Samples a second of a pitch.
RATE = 50.0
# Share of a roll in which it starts or ends that is longer in the recording.
RAMP = 0.5


def step_roll(
    roll: FootRoll | None, k: int, air: tuple[float, float], room: tuple[float, float]
) -> StepRoll | None:
    """How a foot rolls before and after a step.

    Args:
        roll: what the foot does; None if it stays flat.
        k: the stance before the step.
        air: when it leaves and lands [s].
        room: since when the other foot stands before the step, and until when it does
            after it [s].
    """
    if roll is None:
        return None
    off, on = air
    toe, heel = max(roll.toes[k], room[0]), min(roll.heels[k + 1], room[1])
    leaving, way, landing = (
        roll.at(np.linspace(*span, 2 + round(RATE * max(span[1] - span[0], 0.0))))
        for span in ((toe, off), (off, on), (on, heel))
    )
    if toe > roll.toes[k]:
        leaving *= minimum_jerk(np.linspace(0.0, 1 / RAMP, len(leaving)).clip(max=1.0))
    if heel < roll.heels[k + 1]:
        ramp = np.linspace(0.0, 1 / RAMP, len(landing)).clip(max=1.0)
        landing *= minimum_jerk(ramp)[::-1]
    rolls = {
        TOE: off - toe if TOE * leaving[-1] > FLAT else 0.0,
        HEEL: heel - on if HEEL * landing[0] > FLAT else 0.0,
    }
    times = {edge: time if time >= 0.5 * SHORT else 0.0 for edge, time in rolls.items()}
    if not any(times.values()):
        return None
    parts = (tuple(x.tolist()) for x in (leaving, way, landing))
    return StepRoll(times[TOE], times[HEEL], *parts)


def roll_notes(
    steps: Sequence[StepRoll | None], feet: Iterable[FootRoll | None], where: str
) -> Iterator[str]:
    """How many strikes and toe-offs are kept, and how many are laid flat.

    Args:
        steps: how feet roll in all steps.
        feet: what was found; None of feet that are to stay flat.
        where: names the recording.
    """
    kept = [r for r in steps if r is not None]
    strikes, leaves = sum(r.heel > 0 for r in kept), sum(r.toe > 0 for r in kept)
    if strikes or leaves:
        yield (
            f"{where}: feet roll over heel and toe: {_count(strikes, 'heel strike')} "
            f"and {_count(leaves, 'toe-off')} are kept"
        )
    tilted = sum(f.strikes + f.leaves + f.flattened for f in feet if f is not None)
    if left := tilted - strikes - leaves:
        yield (
            f"{where}: {_count(left, 'heel strike or toe-off')} too slight, too "
            "short, without the other foot on the ground, or with a foot that slides, "
            f"{'is' if left == 1 else 'are'} laid flat"
        )


def _count(number: int, what: str) -> str:
    """A number of things."""
    return f"{number} {what}{'s' * (number != 1)}"
