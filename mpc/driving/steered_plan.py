"""The plan in force on the walk that a command asks for, and what limits both."""

import numpy as np

from backbeat.models.state.configuration import Configuration
from backbeat.mpc.driving.carried_plan import on_walk
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.walking.steering import StepLimits, standing_walk, steer
from backbeat.mpc.walking.walk import PlanarPose, Velocity, Walk
from backbeat.mpc.walking.writer import reference_on, writer_of

# Shares of the largest steps of the predictive program that a command may use; the
# rest is for balance.
FORWARD, SIDEWAYS = 0.75, 0.75
# Largest angle between the soles after a step [rad].
TURN = 0.4
# Largest change of a command per time; lengths are for a scale of one.
ACCELERATION = (0.5, 0.4, 1.0)


def steered(
    behavior: Reference,
    before: Plan,
    phase: tuple[float, float],
    now: Configuration,
    command: Velocity,
    weights: PredictiveWeights,
) -> Plan:
    """The plan in force, on the walk that a command asks for.

    Args:
        behavior: what is walked with.
        before: the plan in force.
        phase: now, and that at which the next plan will be in force [s].
        now: the robot.
        command: velocity asked for.
        weights: of the predictive program, whose limits of steps hold.
    """
    cycle = writer_of(behavior).cycle
    walk = before.walk or standing_walk(cycle)
    if before.steps and walk.settled == len(walk.steps):
        # A robot that recovers from standing begins to walk afterwards.
        return on_walk(before, behavior, walk)
    feet = _feet(reference_on(behavior, walk), before, phase[0], now, walk)
    limits = step_limits(weights, behavior.scale.length)
    found = steer(cycle, limits, walk, phase, command, feet)
    return on_walk(before, behavior, found)


def _feet(
    reference: Reference, before: Plan, s: float, now: Configuration, walk: Walk
) -> tuple[PlanarPose, PlanarPose]:
    """Where the soles are, or those in the air are going to land."""
    found = []
    for c in reference.soles:
        name = reference.patches[c]
        swing = next((w for w in before.swings if w.contact == c), None)
        if swing is not None and swing.is_under_way(s):
            sample = reference.sample(swing.end)
            place, R = sample.p_contact[c].copy(), sample.R_contact[c].copy()
            place[:2] += swing.landing
        else:
            place, R = now.place(now.touching(name)), now.rotation(name)
        # Headings of a walk count turns, which rotations do not.
        near = walk.feet_before(walk.settled)[c][2]
        turned = _yaw(R) - near
        yaw = near + float(np.arctan2(np.sin(turned), np.cos(turned)))
        found.append((float(place[0]), float(place[1]), yaw))
    return found[0], found[1]


def _yaw(R: np.ndarray) -> float:
    """Heading of an upright frame [rad]."""
    return float(np.arctan2(R[1, 0], R[0, 0]))


def step_limits(weights: PredictiveWeights, scale: float) -> StepLimits:
    """Limits of steps within what a predictive program allows.

    Args:
        weights: of the program, for the robot's size.
        scale: of its lengths.
    """
    forward, sideways = weights.max_step_length
    x, y, turn = ACCELERATION
    return StepLimits(
        FORWARD * forward,
        (weights.min_step_width, SIDEWAYS * sideways),
        TURN,
        (scale**0.5 * x, scale**0.5 * y, turn),
    )
