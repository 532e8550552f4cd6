"""Range of a limb: the angles of its joints at which it yields in every direction."""

from collections.abc import Sequence

import numpy as np

from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# A limb yields where the least singular value of its Jacobian is at least this share of
# the largest that a joint can make it; and joints keep off their stops [rad].
YIELDING, LIMB_MARGIN = 0.12, 0.03


def limb_ranges(robot: RobotModel, contacts: Sequence[str]) -> np.ndarray:
    """(2, L, 6) least and most angles of limb joints [rad] at which a limb yields.

    A straight knee cannot: near it the Jacobian of the foot loses a direction. On
    Atlas that is at 0.13 rad, inside the joint's range, and beyond it the knee bends
    the wrong way.
    """
    out = np.zeros((2, len(contacts), 6))
    middle = np.zeros(robot.num_positions)
    if robot.floating:
        middle[0] = 1.0
    half = 0.5 * (robot.position_lower + robot.position_upper)
    middle[robot.base_positions :] = half
    state = Configuration(robot, middle)
    for c, name in enumerate(contacts):
        limb = np.array(robot.contacts[name].limb)
        for i, j in enumerate(limb):
            angles = np.linspace(robot.position_lower[j], robot.position_upper[j], 101)
            least = np.zeros(len(angles))
            for k, angle in enumerate(angles):
                q = middle.copy()
                q[robot.base_positions + j] = angle
                J = state.update(q).jacobian(name)
                columns = J[:, robot.base_velocities + limb]
                least[k] = np.linalg.svd(columns, compute_uv=False).min()
            stiff = np.flatnonzero(least < YIELDING * least.max())
            low = stiff[stiff < 50].max(initial=-1) + 1
            high = stiff[stiff >= 50].min(initial=len(angles)) - 1
            out[:, c, i] = angles[low] + LIMB_MARGIN, angles[high] - LIMB_MARGIN
    return out
