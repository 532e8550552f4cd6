"""Steering: the steps to come, from a command and from where the feet are.

A foot lands where the body, moved at the command's velocity, will be in the middle of
its stance: it then travels as far over the foot before that as after. Each step begins
from the foot that really stands there, so that a robot that was pushed goes on from
where it is.
"""

from dataclasses import dataclass, replace

import numpy as np

from backbeat.mpc.walking.cycle import SteppingCycle
from backbeat.mpc.walking.walk import (
    STOP,
    PlanarPose,
    Velocity,
    Walk,
    WalkStep,
    advanced,
    compose,
    inverse,
)

# Steps that are planned ahead at least; the plan of two of them is followed.
PREVIEW = 4
# Time before a lift-off in which the step is settled, besides that until the next plan,
# for a scale of one [s].
SETTLED = 0.04
# Exponent of the norm of a command that is as large as can be.
ROUND = 4
# Time from a command until a standing robot begins to shift its weight [s].
BEGIN = 0.02


@dataclass(frozen=True)
class StepLimits:
    """What steps and commands are kept to.

    Attributes:
        forward: largest distance of the soles forward [m].
        sideways: least and largest distance of the soles sideways [m].
        turn: largest angle between them [rad].
        acceleration: largest change of a command per time, forward, to the left and
            turning [m/s^2, rad/s^2].
    """

    forward: float
    sideways: tuple[float, float]
    turn: float
    acceleration: Velocity

    def fastest(self, period: float) -> Velocity:
        """The largest velocity of each kind that steps of a period [s] can hold."""
        least, most = self.sideways
        return (
            self.forward / period,
            0.5 * (most - least) / period,
            self.turn / period,
        )

    def held(self, command: Velocity, period: float) -> Velocity:
        """A command, reduced to what can be held, in the same direction.

        What is used of one component is lost for the others at the ends alone: the
        largest velocities go to the corners of a box that is round there.
        """
        shares = np.divide(command, self.fastest(period))
        used = max(1.0, float((shares**ROUND).sum() ** (1 / ROUND)))
        x, y, turn = (v / used for v in command)
        return x, y, turn


def standing_walk(cycle: SteppingCycle) -> Walk:
    """A robot that stands where the behavior begins."""
    return Walk(cycle.feet)


def steer(
    cycle: SteppingCycle,
    limits: StepLimits,
    walk: Walk,
    phase: tuple[float, float],
    command: Velocity,
    feet: tuple[PlanarPose, PlanarPose],
) -> Walk:
    """The walk from a phase on; the same one where nothing is to be decided.

    Args:
        cycle: the stepping cycle.
        limits: of steps and commands.
        walk: so far.
        phase: now, and that at which the next plan can decide [s].
        command: velocity asked for.
        feet: where the soles are, or those in the air are going to land.
    """
    s, later = phase
    held, number = limits.held(command, cycle.period), walk.settled
    if number == len(walk.steps):
        is_moving = bool(walk.steps) and s < _end(cycle, walk)
        if held == STOP or is_moving:
            return walk
        return _planned(cycle, limits, Walk(feet), s + BEGIN, held)
    step = walk.steps[number]
    if later + SETTLED < step.start + cycle.swings[step.piece][0]:
        return walk
    # The feet stand where they are, whatever was planned.
    kept = walk.steps[max(0, number - 2) : number]
    placed = tuple(
        replace(w, foothold=feet[w.contact])
        if w.contact not in [x.contact for x in kept[i + 1 :]]
        else w
        for i, w in enumerate(kept)
    )
    before = walk.feet_before(number - len(kept))
    for c in range(2):
        if c not in [w.contact for w in kept]:
            before[c] = feet[c]
    begun = Walk((before[0], before[1]), placed, len(placed))
    return _planned(cycle, limits, begun, step.start, held)


def _end(cycle: SteppingCycle, walk: Walk) -> float:
    """Phase at which a walk rests again [s]."""
    last = walk.steps[-1]
    return last.start + cycle.length(last.piece)


def _planned(
    cycle: SteppingCycle,
    limits: StepLimits,
    begun: Walk,
    start: float,
    command: Velocity,
) -> Walk:
    """A walk with the steps to come from a phase on, the first of them settled.

    It ends at rest, when the command does, and otherwise comes to rest beyond what is
    followed.
    """
    steps, settled = list(begun.steps), len(begun.steps)
    velocity = steps[-1].velocity if steps else STOP
    feet = begun.feet_before(settled)
    while True:
        velocity = _ramped(velocity, command, limits, cycle.period)
        ends = command == velocity == STOP or len(steps) - settled + 1 >= PREVIEW
        piece = cycle.after(steps[-1].piece, ends) if steps else 0
        contact = cycle.contacts[piece]
        feet[contact] = _foothold(cycle, limits, feet, contact, velocity)
        steps.append(WalkStep(contact, piece, start, feet[contact], velocity))
        if piece == cycle.last:
            return replace(begun, steps=tuple(steps), settled=settled + 1)
        start += cycle.length(piece)


def _ramped(
    velocity: Velocity, command: Velocity, limits: StepLimits, period: float
) -> Velocity:
    """The velocity of the next step, on the way to a command."""
    x, y, turn = (
        v + min(max(c - v, -a * period), a * period)
        for v, c, a in zip(velocity, command, limits.acceleration, strict=True)
    )
    return x, y, turn


def _foothold(
    cycle: SteppingCycle,
    limits: StepLimits,
    feet: list[PlanarPose],
    contact: int,
    velocity: Velocity,
) -> PlanarPose:
    """Where a foot lands, with the other one where it is."""
    stands = feet[1 - contact]
    body = compose(stands, inverse(_beside(cycle, limits, 1 - contact, velocity)))
    body = compose(body, advanced(velocity, cycle.period))
    landing = compose(body, _beside(cycle, limits, contact, velocity))
    x, y, turn = compose(inverse(stands), landing)
    side = np.sign(cycle.feet[contact][1] - cycle.feet[1 - contact][1])
    least, most = limits.sideways
    x = float(np.clip(x, -limits.forward, limits.forward))
    y = float(side * np.clip(side * y, least, most))
    turn = float(np.clip(turn, -limits.turn, limits.turn))
    return compose(stands, (x, y, turn))


def _beside(
    cycle: SteppingCycle, limits: StepLimits, contact: int, velocity: Velocity
) -> PlanarPose:
    """Where a foot is beside the body: far enough for the other to close up to it."""
    x, y, turn = cycle.feet[contact]
    other = cycle.feet[1 - contact][1]
    width = limits.sideways[0] + abs(velocity[1]) * cycle.period
    return x, float(np.sign(y - other) * max(abs(y - other), width) / 2), turn
