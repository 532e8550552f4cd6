"""Rolls of the steps of a recording: what each has of heel and toe."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from backbeat.behaviors.footsteps.step_rolls import StepRoll
from backbeat.behaviors.motion.time_law import minimum_jerk
from backbeat.behaviors.recording.contacts.foot_roll import FLAT, SHORT, FootRoll
from backbeat.models.dynamics.edges import HEEL, TOE

# Samples a second of a pitch.
RATE = 50.0
# Least time on both feet that steps get, in which they roll [s].
BOTH = 0.12
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
    # Before it leaves and after it lands, each from the air to where it is flat.
    toe, leaving = _rolled(roll, TOE, off, roll.toes[k], off - room[0])
    heel, landing = _rolled(roll, HEEL, on, roll.heels[k + 1], room[1] - on)
    if not toe and not heel:
        return None
    way = roll.at(np.linspace(off, on, _samples(on - off)))
    parts = (tuple(x.tolist()) for x in (leaving[::-1], way, landing))
    return StepRoll(toe, heel, *parts)


def _rolled(
    roll: FootRoll, edge: int, air: float, flat: float | None, room: float
) -> tuple[float, np.ndarray]:
    """How long a foot rolls [s], and its pitch from the air to where it is flat [rad].

    Args:
        roll: what the foot does.
        edge: over which edge.
        air: when it leaves or lands [s].
        flat: when it is flat; None if it does not roll [s].
        room: for how long the other foot stands too [s].
    """
    away, room = -edge, max(room, BOTH)
    if flat is None or edge * roll.at(np.array([air]))[0] < FLAT:
        return 0.0, np.zeros(2)
    own = max(away * (flat - air), SHORT)
    time = min(own, room)
    pitch = roll.at(np.linspace(air, air + away * time, _samples(time)))
    if abs(pitch[-1]) > FLAT:
        ramp = np.linspace(1 / RAMP, 0.0, len(pitch)).clip(max=1.0)
        pitch *= minimum_jerk(ramp)
    return max(time, BOTH), pitch


def _samples(time: float) -> int:
    """Samples of a pitch over some time [s]."""
    return 2 + round(RATE * max(time, 0.0))


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
    tilted = sum(f.tilted for f in feet if f is not None)
    if left := tilted - strikes - leaves:
        yield (
            f"{where}: feet are tilted too briefly, or slide or stand alone as they "
            f"tilt, at {_count(left, 'more landing or lift-off')}, and are laid flat "
            "there"
        )


def _count(number: int, what: str) -> str:
    """A number of things."""
    several = what.replace(" or ", "s or ") + "s"
    return f"{number} {what if number == 1 else several}"
