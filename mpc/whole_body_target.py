"""The target of a tick: the behavior, retimed, plus what the plan adds."""

from collections.abc import Sequence

import numpy as np

from models.robot import RobotModel
from mpc.plan import Plan
from mpc.reference import ReferenceSample
from mpc.stepping import standing
from mpc.target_filling import fill
from mpc.whole_body_assembly import Target


def take_accelerations(sample: ReferenceSample, ahead: ReferenceSample) -> None:
    """Overwrites the accelerations of a sample by those of a later one."""
    sample.vdot[:] = ahead.vdot
    sample.com[2], sample.momentum[1] = ahead.com[2], ahead.momentum[1]
    sample.trunk[1], sample.point[2] = ahead.trunk[1], ahead.point[2]
    sample.contact_motion[1] = ahead.contact_motion[1]


def places_of(
    plan: Plan, sample: ReferenceSample, shift: np.ndarray, soles: Sequence[int]
) -> np.ndarray:
    """(C, 3) where a plan has the patches of a behavior [m].

    Args:
        plan: the plan.
        sample: the behavior.
        shift: (S, 2) of the soles [m].
        soles: which patches those are.
    """
    places = sample.p_contact.copy()
    for touchdown in plan.touchdowns:
        places[touchdown.contact] = touchdown.place
    if len(shift):
        places[list(soles), :2] += shift
    places[:, 2] += plan.ground
    return places


def fill_target(
    target: Target,
    sample: ReferenceSample,
    rate: float,
    deviation: np.ndarray,
    wrench: np.ndarray,
    places: np.ndarray,
    robot: RobotModel,
) -> None:
    """Writes the target of a tick: the behavior, retimed, plus the plan's deviation.

    Rates of the behavior are per phase: with phase rate r, velocities scale by r
    and accelerations by r^2.

    Args:
        target: written.
        sample: the behavior at the phase of the tick.
        rate: phase rate [-].
        deviation: (12,) CoM, CoM velocity, momentum per mass, body rotation.
        wrench: (C, 6) planned patch wrenches [weights].
        places: (C, 3) where the plan has the patches that carry them [m].
        robot: the robot.
    """
    mass, gravity = robot.total_mass, robot.gravity
    fill(target, sample, rate, deviation, wrench, places, mass, gravity, robot.floating)


def turn_body(target: Target, turning: np.ndarray) -> None:
    """Adds what the plan turns the body by to the motion of base and trunk.

    Without it their damping would be against the angular momentum that the plan wants.

    Args:
        target: a target that `fill_target` has filled.
        turning: (2, 3) angular velocity and acceleration [rad/s, rad/s^2].
    """
    target.base[:] += turning
    target.trunk[:] += turning


def move_soles(target: Target, plan: Plan, s: float) -> None:
    """Writes what the plan changes about the soles: who stands, and where they go.

    Args:
        target: a target that `fill_target` has filled.
        plan: the plan.
        s: phase of the tick [s].
    """
    planned, now = target.standing[None], np.array([s])
    target.standing[:] = standing(planned, now, plan.changes)[0]
    for touchdown in plan.touchdowns:
        if touchdown.stands and touchdown.start <= s < touchdown.end:
            target.contact_motion[:, touchdown.contact] = 0.0
    for swing in plan.swings:
        if swing.is_under_way(s):
            offset = swing.offset(s)
            target.contact[swing.contact] += offset[0]
            target.contact_motion[0, swing.contact, 3:] += plan.rate * offset[1]
            target.contact_motion[1, swing.contact, 3:] += plan.rate**2 * offset[2]
