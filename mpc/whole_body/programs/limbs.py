"""Limbs: the joints that follow a contact, and the angles at which they can."""

from collections.abc import Sequence
from typing import NamedTuple
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


# Joints that follow the motion of one contact: as many as it has directions.
FOLLOWING = 6


class LimbJoints(NamedTuple):
    """Joints that follow contacts, and the others.

    Attributes:
        limb: (L, 6) joints that follow the contacts; -1 where a limb has no more.
        free: (na,) the other joints.
        coupled: (L, X) by their index in `free`, those that move a contact too; -1
            for no more.
        ranges: (2, L, 6) least and most angles of limb joints [rad] at which a limb
            yields in all directions in which it can.
    """

    limb: np.ndarray
    free: np.ndarray
    coupled: np.ndarray
    ranges: np.ndarray

    @staticmethod
    def none(joints: int) -> "LimbJoints":
        """No joints that follow, of so many."""
        none = np.zeros((0, FOLLOWING), np.int64)
        free = np.arange(joints)
        return LimbJoints(none, free, none, np.zeros((2, 0, FOLLOWING)))


# Found once for a robot, for every program of every loop asks for them.
_found: WeakKeyDictionary[RobotModel, dict[tuple[str, ...], LimbJoints]] = (
    WeakKeyDictionary()
)


def find_limbs(robot: RobotModel, contacts: Sequence[str]) -> LimbJoints:
    """The joints that follow contacts with a limb, and the angles at which they can.

    A straight knee cannot: near it the Jacobian of the foot loses a direction. On
    Atlas that is at 0.13 rad, inside the joint's range, and beyond it the knee bends
    the wrong way. Of a limb of more than six joints those six follow that do so best
    in the middle of their ranges, and of those that move several contacts none.
    """
    known = _found.setdefault(robot, {})
    if tuple(contacts) not in known:
        known[tuple(contacts)] = _find_limbs(robot, contacts)
    return LimbJoints(*(array.copy() for array in known[tuple(contacts)]))


def _find_limbs(robot: RobotModel, contacts: Sequence[str]) -> LimbJoints:
    chains = [set(_chain(robot, name)) for name in contacts]
    shared = {
        j
        for i, chain in enumerate(chains)
        for other in chains[:i]
        for j in chain & other
    }
    following = [_following(robot, name, shared) for name in contacts]
    limb = _padded(following, FOLLOWING)
    free = np.setdiff1d(np.arange(robot.num_joints), limb)
    others = [
        np.searchsorted(free, np.setdiff1d(_chain(robot, name), limb)).tolist()
        for name in contacts
    ]
    coupled = _padded(others, max(map(len, others), default=0))
    ranges = np.zeros((2, len(contacts), FOLLOWING))
    for c, name in enumerate(contacts):
        joints = np.array(following[c], np.int64)
        for i, j in enumerate(joints):
            ranges[:, c, i] = _yielding_range(robot, name, joints, int(j))
    return LimbJoints(limb, free, coupled, ranges)


def _padded(rows: list[list[int]], width: int) -> np.ndarray:
    out = np.full((len(rows), width), -1, np.int64)
    for to, row in zip(out, rows, strict=True):
        to[: len(row)] = row
    return out


def _chain(robot: RobotModel, name: str) -> list[int]:
    """All joints between the base and a contact."""
    j, tree = robot.frame(name).body - 1, robot.tree
    return [*tree.ancestor[j, : tree.num_ancestors[j]].tolist(), j] if j >= 0 else []


def _following(robot: RobotModel, name: str, shared: set[int]) -> list[int]:
    """The joints of a contact's limb that follow it alone, in order from the base."""
    limb = [j for j in robot.contacts[name].limb.tolist() if j not in shared]
    while len(limb) > FOLLOWING:
        joints, first = np.array(limb, np.int64), limb[0]
        J = _jacobians(robot, name, joints, first, _middle(robot)[first : first + 1])
        least = [
            np.linalg.svd(np.delete(J[0], i, axis=1), compute_uv=False).min()
            for i in range(len(limb))
        ]
        limb.pop(int(np.argmax(least)))
    return limb


def _middle(robot: RobotModel) -> np.ndarray:
    """(nj,) the middle of each joint's range [rad]."""
    lower, upper = _searched(robot)
    return np.asarray(0.5 * (lower + upper))


def _searched(robot: RobotModel) -> tuple[np.ndarray, np.ndarray]:
    """(nj,) least and most angles at which joints are tested [rad].

    These are the ends of the range; for a joint without a stop, half a turn from the
    posture `stand`.
    """
    stand = np.zeros(robot.num_joints)
    if "stand" in robot.posture_names:
        stand = robot.posture("stand")[robot.base_positions :]
    lower, upper = robot.position_lower, robot.position_upper
    low = np.where(np.isinf(lower), np.minimum(stand, upper) - np.pi, lower)
    return low, np.where(np.isinf(upper), np.maximum(stand, low) + np.pi, upper)


def _yielding_range(
    robot: RobotModel, name: str, limb: np.ndarray, joint: int
) -> tuple[float, float]:
    """Least and most angle [rad] of one joint at which a limb yields."""
    lower, upper = (float(ends[joint]) for ends in _searched(robot))
    angles = np.linspace(lower, upper, 101)
    J = _jacobians(robot, name, limb, joint, angles)
    least = np.linalg.svd(J, compute_uv=False).min(axis=1)
    stiff = np.flatnonzero(least < YIELDING * least.max())
    low = stiff[stiff < 50].max(initial=-1) + 1
    high = stiff[stiff >= 50].min(initial=len(angles)) - 1
    least_angle, most_angle = angles[low] + LIMB_MARGIN, angles[high] - LIMB_MARGIN
    # A joint without a stop has an end only where its limb would not yield.
    if low == 0 and np.isinf(robot.position_lower[joint]):
        least_angle = -np.inf
    if high == len(angles) - 1 and np.isinf(robot.position_upper[joint]):
        most_angle = np.inf
    return least_angle, most_angle


def _jacobians(
    robot: RobotModel, name: str, limb: np.ndarray, joint: int, angles: np.ndarray
) -> np.ndarray:
    """(K, 6, n) columns of a contact's limb for angles of a joint, others midway."""
    q = np.zeros(robot.num_positions)
    if robot.floating:
        q[0] = 1.0
    q[robot.base_positions :] = _middle(robot)
    frame, J = robot.frame(name), np.empty((len(angles), 6, len(limb)))
    _limb_jacobians(
        robot.tree,
        make_workspace(robot.tree),
        q,
        int(robot.base_positions + joint),
        angles,
        FrameColumns(frame.body, frame.R_PF, frame.p_PF, robot.base_velocities + limb),
        J,
    )
    return J


class FrameColumns(NamedTuple):
    """A frame on a body, and columns of its Jacobian."""

    body: int
    R_PF: MatrixView  # (3, 3)
    p_PF: Vector  # (3,)
    columns: Indices


@compiled
def _limb_jacobians(
    tree: KinematicTree,
    ws: Workspace,
    q: Vector,
    joint: int,
    angles: Vector,
    frame: FrameColumns,
    out: Array3,
) -> None:
    """Writes columns of a frame's Jacobian for each angle of one position of q."""
    nv = ws.S.shape[0]
    still, J = np.zeros(nv), np.empty((6, nv))
    R, r = np.empty((3, 3)), np.empty(3)
    for k in range(angles.shape[0]):
        q[joint] = angles[k]
        forward_pass(tree, q, still, still, 0.0, ws, False)
        kinematics.frame_pose(tree, ws, q, frame.body, frame.R_PF, frame.p_PF, R, r)
        kinematics.frame_jacobian(tree, ws, frame.body, r, J)
        for i in range(6):
            for c in range(frame.columns.shape[0]):
                out[k, i, c] = J[i, frame.columns[c]]
