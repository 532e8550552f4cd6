"""Angular momentum of legs that go with their feet, which a cycle in place lacks.

Legs that swing forward turn the body the other way, unless the momentum that this takes
is planned. It is linear in the motion of the feet against the body: k = K V, with K of
the posture in which the robot stands.
"""

import numpy as np

from backbeat.models.state.configuration import Configuration
from backbeat.mpc.reference.trajectory import Reference


def leg_maps(reference: Reference) -> np.ndarray:
    """(2, 3, 6) angular momentum about the center of mass per velocity of each sole.

    The base is at rest, and velocities are [rad/s, m/s], in the axes of a robot that
    heads along x. Limbs with fewer than six joints go along as well as they can.
    """
    robot, first = reference.robot, reference.robot.base_velocities
    state, out = Configuration(robot, reference.table.q[0]), np.zeros((2, 3, 6))
    for i, c in enumerate(reference.soles):
        name = reference.patches[c]
        joints = first + np.array(robot.contacts[name].limb, int)
        motion = np.linalg.pinv(state.jacobian(name)[:, joints])
        out[i] = state.momentum_matrix[:3, joints] @ motion
    return out


def leg_momentum(
    maps: np.ndarray, motion: np.ndarray, own: np.ndarray, R: np.ndarray
) -> np.ndarray:
    """(2, M, 3) angular momentum of legs besides that of the cycle, and its rate.

    Args:
        maps: (2, 3, 6) as of `leg_maps`.
        motion: (M, 2, 2, 6) velocity and acceleration of each sole against the body.
        own: (M, 2, 2, 6) the same in the cycle, in its axes.
        R: (M, 3, 3) heading of the body.
    """
    in_body = np.einsum("mji,mkcaj->mkcai", R, motion.reshape(*motion.shape[:3], 2, 3))
    besides = in_body.reshape(own.shape) - own
    momentum = np.einsum("cij,mkcj->mki", maps, besides)
    return np.asarray(np.einsum("mij,mkj->kmi", R, momentum))
