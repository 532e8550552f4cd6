"""DenseTrajectory: a continuous motion, sampled on a fine grid."""

from dataclasses import dataclass

import numpy as np

from backbeat.models.robot.model import RobotModel


@dataclass(frozen=True)
class DenseTrajectory:
    """A motion on a fine grid; jumps appear twice, with their left and right limits.

    Attributes:
        t: (M,) times [s], not decreasing.
        q: (M, nq) configurations.
        v: (M, nv) velocities.
        vdot: (M, nv) accelerations.
        wrench: (M, C, 6) contact wrenches in contact axes [N m, N].
        standing: (M, C) whether a contact stands.
        R_WC: (M, C, 3, 3) rotation of the contact's support.
        p_WC: (M, C, 3) place of the contact's support [m].
        tau: (M, nj) joint torques, viscous friction included [N m].
        edge: (M, C) the edge on which a contact stands, or 0; see
            `backbeat.models.dynamics.edges`.
        contacts: contact names.
    """

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    wrench: np.ndarray
    standing: np.ndarray
    R_WC: np.ndarray
    p_WC: np.ndarray
    tau: np.ndarray
    edge: np.ndarray
    contacts: tuple[str, ...]


def unforced(
    robot: RobotModel,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    contacts: tuple[str, ...] = (),
) -> DenseTrajectory:
    """A motion without forces: nothing stands, and no joint works.

    Args:
        robot: whose motion it is.
        t: (M,) times, not decreasing [s].
        q, v: (M, nq), (M, nv) configurations and velocities.
        contacts: names of contacts that it has columns for.
    """
    M, C = len(t), len(contacts)
    return DenseTrajectory(
        t=t,
        q=q,
        v=v,
        vdot=np.zeros_like(v),
        wrench=np.zeros((M, C, 6)),
        standing=np.zeros((M, C), bool),
        R_WC=np.tile(np.eye(3), (M, C, 1, 1)),
        p_WC=np.zeros((M, C, 3)),
        tau=np.zeros((M, robot.num_joints)),
        edge=np.zeros((M, C), np.int8),
        contacts=contacts,
    )
