"""The target of a tick: the behavior, retimed, plus what the plan adds."""

from collections.abc import Sequence

import numpy as np

from models.robot import RobotModel
from models.rotations import quaternion_to_matrix, rotation_exp
from mpc.plan import Plan
from mpc.reference import ReferenceSample
from mpc.stepping import standing
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
    nq, nv, m = robot.base_positions, robot.base_velocities, robot.total_mass
    target.joints[0] = sample.q[nq:]
    target.joints[1] = rate * sample.v[nv:]
    target.joints[2] = rate**2 * sample.vdot[nv:]
    target.standing[:] = sample.standing
    target.R_contact[:] = sample.R_contact
    target.contact[:] = sample.p_contact
    target.contact_motion[0] = rate * sample.contact_motion[0]
    target.contact_motion[1] = rate**2 * sample.contact_motion[1]
    target.point[0] = sample.point[0]
    target.point[1] = rate * sample.point[1]
    target.point[2] = rate**2 * sample.point[2]
    target.point_force[:] = sample.point_force
    # A point that carries a planned load rests; the others are held to their path.
    target.point_on[:] = ~(sample.point_force != 0).any(axis=1)
    target.trunk[0] = rate * sample.trunk[0]
    target.trunk[1] = rate**2 * sample.trunk[1]
    target.R_trunk[:] = sample.R_trunk
    if not robot.floating:
        return
    turn = np.zeros((3, 3))
    rotation_exp(deviation[9:12], turn)
    quaternion_to_matrix(sample.q, target.R_base)
    target.R_base[:] = turn @ target.R_base
    target.R_trunk[:] = turn @ target.R_trunk
    target.base[0] = rate * sample.v[:3]
    target.base[1] = rate**2 * sample.vdot[:3]
    target.com[0] = sample.com[0] + deviation[:3]
    target.com[1] = rate * sample.com[1] + deviation[3:6]
    target.momentum[0] = rate * sample.momentum[0] + m * deviation[6:9]
    target.wrench[:] = wrench
    # The plan's forces are its accelerations.
    force, moment = np.array([0.0, 0.0, -robot.gravity]), np.zeros(3)
    for c in range(len(wrench)):
        R = sample.R_contact[c]
        f = robot.gravity * R @ wrench[c, 3:]
        force += f
        arm = places[c] - target.com[0]
        moment += robot.gravity * R @ wrench[c, :3] + np.cross(arm, f)
    target.com[2] = force
    target.momentum[1] = m * moment


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
        if touchdown.stands and s < touchdown.end:
            target.contact_motion[:, touchdown.contact] = 0.0
    for swing in plan.swings:
        if swing.is_under_way(s):
            offset = swing.offset(s)
            target.contact[swing.contact] += offset[0]
            target.contact_motion[0, swing.contact, 3:] += plan.rate * offset[1]
            target.contact_motion[1, swing.contact, 3:] += plan.rate**2 * offset[2]
