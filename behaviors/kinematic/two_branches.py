"""Two branches: the Jacobian of both stick tips, and inverses of it.

The torso carries two arms, so the tips' velocity is
[v_left; v_right] = [[J_lback, J_larm, 0], [J_rback, 0, J_rarm]] [back; larm; rarm].
"""

import numpy as np

from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

TIPS = ("l_stick_tip", "r_stick_tip")
ARMS = ("left arm", "right arm")


def seventeen(robot: RobotModel) -> np.ndarray:
    """(17,) joint indices in the order of the columns: torso, left arm, right arm."""
    return np.concatenate([robot.roles.joints(role) for role in ("waist", *ARMS)])


def two_branch_jacobian(configuration: Configuration) -> tuple[np.ndarray, np.ndarray]:
    """Jacobians of both tips by torso, left arm and right arm.

    Args:
        configuration: a robot with two sticks.

    Returns:
        (6, 17) of places, left above right [m/rad], and (6, 17) of rotations, world
        axes. The blocks of the other arm are zero by construction.
    """
    robot = configuration.robot
    waist = robot.roles.joints("waist")
    arms = [robot.roles.joints(arm) for arm in ARMS]
    back, columns = len(waist), [len(arm) for arm in arms]
    J_p, J_R = np.zeros((6, back + sum(columns))), np.zeros((6, back + sum(columns)))
    first = back
    for i, (tip, arm) in enumerate(zip(TIPS, arms, strict=True)):
        J = configuration.jacobian(tip)
        mine = np.r_[waist, arm] + robot.base_velocities
        at = np.r_[0:back, first : first + columns[i]]
        J_R[3 * i : 3 * i + 3, at] = J[:3, mine]
        J_p[3 * i : 3 * i + 3, at] = J[3:, mine]
        first += columns[i]
    return J_p, J_R


def smallest_value_gradient(J_p: np.ndarray, J_R: np.ndarray) -> np.ndarray:
    """(17,) change of the places' smallest singular value with each joint [m/rad^2].

    It is u' (dJ / dq) v with the singular vectors u, v of that value. Joints turn only,
    so that joint i turns the column of every joint j beyond it: dJ_j / dq_i is
    w_i x J_j, with the nearer joint's axis w and the farther one's column (Bruyninckx,
    De Schutter, "Symbolic differentiation of the velocity mapping for a serial
    kinematic chain", 1996).

    Args:
        J_p, J_R: (6, 17) Jacobians of places and rotations.
    """
    U, _, V = np.linalg.svd(J_p, full_matrices=False)
    u, v = U[:, -1], V[-1]
    gradient = np.zeros(J_p.shape[1])
    for side in range(len(TIPS)):
        rows = slice(3 * side, 3 * side + 3)
        # Joints of the other arm move nothing here: their columns are zero.
        J, w, push = J_p[rows].T, J_R[rows].T, u[rows]
        # turned[i, j] = push . (w_i x J_j)
        turned = np.cross(push, w) @ J.T
        near = np.triu(turned) + np.triu(turned, 1).T
        gradient += near @ v
    return gradient


def damped_inverse(J: np.ndarray, damping: float) -> np.ndarray:
    """(n, m) damped pseudo-inverse (J'J + g^2 I)^-1 J' of J (m, n).

    Computed as J'(JJ' + g^2 I)^-1, which is the same and smaller. No gain exceeds
    1 / (2 g). Without damping it is the Moore-Penrose inverse.

    Args:
        J: Jacobian.
        damping: g, in units of J, >= 0.
    """
    if damping == 0:
        return np.asarray(np.linalg.pinv(J))
    square = J @ J.T + damping**2 * np.eye(len(J))
    return np.asarray(np.linalg.solve(square, J).T)


def leakage_bound(J: np.ndarray, damping: float) -> float:
    """Most task speed per secondary joint speed that gets through 1 - J_w J.

    The damped projector is exact for g = 0 only: it lets singular values
    s g^2 / (s^2 + g^2) of J through, each at most g / 2.
    """
    s = np.linalg.svd(J, compute_uv=False)
    return float((s * damping**2 / (s**2 + damping**2 + 1e-300)).max(initial=0.0))
