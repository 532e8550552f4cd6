"""The posture in which a robot starts on ground that is not as planned."""

from collections.abc import Mapping

import numpy as np
from pydrake.math import RigidTransform

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.reference.trajectory import Reference
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKTarget,
    InverseKinematics,
)

# Price of moving a joint that is not in a leg, to stand on uneven ground.
UPPER_BODY = 1e3


def stand_on(reference: Reference, soles: Mapping[str, RigidTransform]) -> np.ndarray:
    """(nq,) the start of a behavior with its soles on the ground as it is.

    The legs give way, the rest of the posture stays, and the center of mass is
    above the place where it should be.

    Args:
        reference: the behavior.
        soles: X_WC of every sole that stands.

    Raises:
        BackbeatError: the legs do not reach.
    """
    robot, start = reference.robot, reference.table.q[0]
    weights = np.full(robot.num_velocities, UPPER_BODY)
    weights[:6] = 0.1
    for name in soles:
        weights[6 + robot.contacts[name].limb] = 1.0
    places = [X.translation()[2] for X in soles.values()]
    planned = [
        reference.table.p_contact[0, reference.patches.index(n), 2] for n in soles
    ]
    lowered = start.copy()
    lowered[6] += min(np.subtract(places, planned))
    targets = {name: IKTarget(X) for name, X in soles.items()}
    ik = InverseKinematics(robot, joint_weights=weights)
    com = reference.table.com[0, 0, :2]
    solution = ik.solve(lowered, targets, com_xy=com, q_start=lowered)
    if not solution.is_reached:
        raise BackbeatError(
            f"scenario: the robot cannot start on this ground, {solution.worst} is "
            f"{solution.residual:.3f} m or rad from it; ask for less of "
            "world.step_height, tilt_deg or slope_deg"
        )
    return solution.q
