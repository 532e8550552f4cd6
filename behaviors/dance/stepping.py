"""Stepping: the steps of all moves become one row of footsteps on the knots."""

from collections.abc import Sequence
from typing import NamedTuple

from backbeat.behaviors.dance.arrangement import PlacedMove
from backbeat.behaviors.dance.knots import LEAST_KNOTS
from backbeat.behaviors.footsteps.specification import FootstepSpecification
from backbeat.behaviors.footsteps.step import Step
from backbeat.behaviors.footsteps.step_rolls import StepRoll
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.models.common.errors import BackbeatError

OTHER = {"left": "right", "right": "left", "none": "none"}


class DanceSwing(NamedTuple):
    """A time at which not all feet stand.

    Attributes:
        start, end: first and last knot.
        step: which feet stand, and where the others go.
        placed: the move that it belongs to.
        roll: how the foot in the air rolls over heel and toe, in beats; None if it
            stays flat.
    """

    start: int
    end: int
    step: Step
    placed: PlacedMove
    roll: StepRoll | None = None


def swings(placed: Sequence[PlacedMove], knots_per_beat: int) -> list[DanceSwing]:
    """All steps in order of time, on the knots nearest to their beats."""
    found = []
    for p in placed:
        length = p.move.length(p.values)
        for cycle in range(p.cycles):
            for step in p.move.steps:
                begin = p.start + cycle * length
                a, b = (
                    round((begin + s * length) * knots_per_beat)
                    for s in (step.start, step.end)
                )
                if step.feet == "none":
                    # How high a jump gets is up to how long it takes.
                    b = a + round((step.end - step.start) * length * knots_per_beat)
                side = -1.0 if p.mirror else 1.0
                forward, left = (e(p.values) for e in step.to)
                via = [[e(p.values) for e in place] for place in step.via]
                each = {
                    (OTHER[foot] if p.mirror else foot): [x, side * y, side * turn]
                    for foot, (x, y, turn) in step.each.items()
                }
                found.append(
                    DanceSwing(
                        a,
                        b,
                        Step(
                            feet=OTHER[step.feet] if p.mirror else step.feet,
                            to=[forward, side * left],
                            turn=side * step.turn(p.values),
                            each=each,
                            via=[[x, side * y, z] for x, y, z in via],
                            clearance=step.clearance(p.values),
                        ).scaled(p.scale),
                        p,
                        step.roll and step.roll.slower(length),
                    )
                )
    return sorted(found, key=lambda s: (s.start, s.end))


def rolls(
    found: Sequence[DanceSwing], tempo: Tempo, knots_per_beat: int
) -> dict[int, StepRoll]:
    """How feet roll, by the step of `footsteps` in which they are in the air.

    Args:
        found: the steps.
        tempo: of the dance.
        knots_per_beat: knots of a beat.
    """
    return {
        2 * i + 1: swing.roll.slower(60.0 / tempo.bpm_at(swing.start / knots_per_beat))
        for i, swing in enumerate(found)
        if swing.roll is not None
    }


def swing_name(swing: DanceSwing, knots_per_beat: int, name: str) -> str:
    """A step for people."""
    beat = swing.start / knots_per_beat
    return f"{name}, beat {beat:g}: a step of {swing.placed.move.name}"


def footsteps(
    found: Sequence[DanceSwing], knots: int, knots_per_beat: int, bpm: float, name: str
) -> FootstepSpecification:
    """The footsteps of a dance of so many knots, both feet standing in between.

    Raises:
        BackbeatError: steps overlap, or there is no time for one.
    """
    steps: list[Step] = []
    last = 0
    for swing in found:
        where = swing_name(swing, knots_per_beat, name)
        if swing.start - last < LEAST_KNOTS:
            raise BackbeatError(
                f"{where} begins {(swing.start - last) / knots_per_beat:.2g} beats "
                f"after the one before; it takes at least "
                f"{LEAST_KNOTS / knots_per_beat:.2g} with both feet standing"
            )
        if swing.end - swing.start < LEAST_KNOTS:
            raise BackbeatError(
                f"{where} has {(swing.end - swing.start) / knots_per_beat:.2g} beats; "
                f"it needs at least {LEAST_KNOTS / knots_per_beat:.2g}"
            )
        steps.append(_stand((swing.start - last) / knots_per_beat))
        swing.step.beats = (swing.end - swing.start) / knots_per_beat
        steps.append(swing.step)
        last = swing.end
    if knots - last < LEAST_KNOTS:
        raise BackbeatError(
            f"{name}: the last step ends at beat {last / knots_per_beat:g}; leave a "
            "beat or two to come to rest"
        )
    steps.append(_stand((knots - last) / knots_per_beat))
    return FootstepSpecification(
        name=name, bpm=bpm, steps=steps, knot_spacing=60.0 / bpm / knots_per_beat
    )


def _stand(beats: float) -> Step:
    return Step(feet="both", beats=beats)
