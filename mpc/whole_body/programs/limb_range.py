"""Range of a limb: the angles of its joints at which it yields in every direction."""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Indices, MatrixView, Vector
from backbeat.models.dynamics import kinematics
from backbeat.models.dynamics.kinematic_tree import (
    KinematicTree,
    Workspace,
    make_workspace,
)
from backbeat.models.dynamics.recursion import forward_pass
from backbeat.models.robot.model import RobotModel

# A limb yields where the least singular value of its Jacobian is at least this share of
# the largest that a joint can make it; and joints keep off their stops [rad].
YIELDING, LIMB_MARGIN = 0.12, 0.03


# Computed once for a robot and shared by all programs.
_found: WeakKeyDictionary[RobotModel, dict[tuple[str, ...], np.ndarray]] = (
    WeakKeyDictionary()
)


def limb_ranges(robot: RobotModel, contacts: Sequence[str]) -> np.ndarray:
    """(2, L, 6) least and most angles of limb joints [rad] at which a limb yields.

    A straight knee cannot: near it the Jacobian of the foot loses a direction. On
    Atlas that is at 0.13 rad, inside the joint's range, and beyond it the knee bends
    the wrong way.
    """
    known = _found.setdefault(robot, {})
    if tuple(contacts) not in known:
        known[tuple(contacts)] = _find_ranges(robot, contacts)
    return known[tuple(contacts)].copy()


def _find_ranges(robot: RobotModel, contacts: Sequence[str]) -> np.ndarray:
    out = np.zeros((2, len(contacts), 6))
    middle = np.zeros(robot.num_positions)
    if robot.floating:
        middle[0] = 1.0
    half = 0.5 * (robot.position_lower + robot.position_upper)
    middle[robot.base_positions :] = half
    workspace = make_workspace(robot.tree)
    for c, name in enumerate(contacts):
        limb = np.array(robot.contacts[name].limb, np.int64)
        frame = robot.frame(name)
        for i, j in enumerate(limb):
            angles = np.linspace(robot.position_lower[j], robot.position_upper[j], 101)
            J = np.empty((len(angles), 6, len(limb)))
            _limb_jacobians(
                robot.tree,
                workspace,
                middle.copy(),
                int(robot.base_positions + j),
                angles,
                frame.body,
                frame.R_PF,
                frame.p_PF,
                robot.base_velocities + limb,
                J,
            )
            least = np.linalg.svd(J, compute_uv=False).min(axis=1)
            stiff = np.flatnonzero(least < YIELDING * least.max())
            low = stiff[stiff < 50].max(initial=-1) + 1
            high = stiff[stiff >= 50].min(initial=len(angles)) - 1
            out[:, c, i] = angles[low] + LIMB_MARGIN, angles[high] - LIMB_MARGIN
    return out


@compiled
def _limb_jacobians(
    tree: KinematicTree,
    ws: Workspace,
    q: Vector,
    joint: int,
    angles: Vector,
    body: int,
    R_PF: MatrixView,
    p_PF: Vector,
    columns: Indices,
    out: Array3,
) -> None:
    """Writes columns of a frame's Jacobian for each angle of one position of q."""
    nv = ws.S.shape[0]
    still, J = np.zeros(nv), np.empty((6, nv))
    R, r = np.empty((3, 3)), np.empty(3)
    for k in range(angles.shape[0]):
        q[joint] = angles[k]
        forward_pass(tree, q, still, still, 0.0, ws, False)
        kinematics.frame_pose(tree, ws, q, body, R_PF, p_PF, R, r)
        kinematics.frame_jacobian(tree, ws, body, r, J)
        for i in range(6):
            for c in range(columns.shape[0]):
                out[k, i, c] = J[i, columns[c]]
