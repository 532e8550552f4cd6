"""Reference table: a behavior's motion, and what a tick needs of it, as arrays."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.compiled.arrays import Array3, Array4, FlagMatrix, Matrix, Vector
from backbeat.models.dynamics.edges import WHOLE, edge_offset
from backbeat.models.dynamics.rolling import add_pivot_acceleration, roll
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.frame_trajectories import frame_trajectories


class ReferenceTable(NamedTuple):
    """A behavior's motion as arrays over its grid of M phases."""

    t: Vector  # (M,)
    q: Matrix  # (M, nq)
    v: Matrix  # (M, nv)
    vdot: Matrix  # (M, nv)
    com: Array3  # (M, 3, 3) position, velocity, acceleration
    momentum: Array3  # (M, 2, 3) angular momentum about the CoM and its rate
    R_trunk: Array3  # (M, 3, 3)
    trunk: Array3  # (M, 2, 3) angular velocity and acceleration
    point: Array4  # (M, 3, P, 3) position, velocity, acceleration
    point_force: Array3  # (M, P, 3) planned load on points, world axes [N]
    wrench: Array3  # (M, C, 6) patch wrenches [weights]
    standing: FlagMatrix  # (M, C)
    # Without the roll of soles that roll; of patches on an edge their flat support.
    R_contact: Array4  # (M, C, 3, 3)
    p_contact: Array3  # (M, C, 3) where they touch, or the middle of that support
    contact_motion: Array4  # (M, 2, C, 6) velocity, acceleration of patches
    edge: Matrix  # (M, C) how far ahead the edge is on which a patch stands [m], or 0
    pitch: Matrix  # (M, C) of patches on an edge, toe down [rad]
    inertia: Array3  # (M, 3, 3)


def make_table(
    behavior: Behavior, patches: Sequence[str], points: Sequence[str]
) -> ReferenceTable:
    """The table of a behavior.

    Args:
        behavior: the behavior.
        patches: names of its contacts that can carry the robot, in order.
        points: names of its point contacts, in order.
    """
    robot, motion = behavior.robot_model, behavior.motion
    names = list(motion.contacts)
    table = _allocate(behavior, [names.index(n) for n in patches], len(points))
    table.com[:, 0] = behavior.com
    table.com[:, 1] = behavior.momentum[:, 3:] / robot.total_mass
    table.momentum[:, 0] = behavior.momentum[:, :3]
    for p, name in enumerate(points):
        if name in names:
            c = names.index(name)
            table.point_force[:, p] = np.einsum(
                "mij,mj->mi", motion.R_WC[:, c], motion.wrench[:, c, 3:]
            )
    _fill_frames(table, robot, patches, points)
    for c, name in enumerate(patches):
        if motion.edge[:, names.index(name)].any():
            _put_on_edge(table, behavior, c, names.index(name))
    _fill_rates(table, behavior, patches)
    _add_pedal_loads(table, behavior, points)
    return table


def _add_pedal_loads(
    table: ReferenceTable, behavior: Behavior, points: Sequence[str]
) -> None:
    """Writes what boards of pedals press on the toes that move them.

    Toes move on their boards; where those fly ahead or lag, nothing presses.
    """
    if not behavior.scene.name:
        return
    for pedal in behavior.scene.drum_kit().pedals():
        toe = f"{pedal.foot[0]}_toe"
        if toe not in points:
            continue
        p, X_HW = points.index(toe), pedal.X_WH.inverse()
        place = X_HW.multiply(table.point[:, 0, p].T).T
        lever = np.hypot(place[:, 0], place[:, 2])
        angle = np.arctan2(place[:, 2], place[:, 0])
        normal = np.stack([-np.sin(angle), np.zeros(len(angle)), np.cos(angle)], 1)
        normal = normal @ X_HW.rotation().matrix()
        rate, acceleration = (
            np.einsum("mi,mi->m", table.point[:, k, p], normal) / lever for k in (1, 2)
        )
        motion = zip(angle, rate, acceleration, strict=True)
        torque = np.array([pedal.press(*map(float, now)) for now in motion])
        table.point_force[:, p] = (torque / lever)[:, None] * normal


def _allocate(behavior: Behavior, patch: Sequence[int], P: int) -> ReferenceTable:
    """A table with what is copied; `patch` are indices of patches among contacts."""
    motion, M, C = behavior.motion, len(behavior.motion.t), len(patch)
    return ReferenceTable(
        t=motion.t,
        q=motion.q,
        v=motion.v,
        vdot=motion.vdot,
        com=np.zeros((M, 3, 3)),
        momentum=np.zeros((M, 2, 3)),
        R_trunk=np.zeros((M, 3, 3)),
        trunk=np.zeros((M, 2, 3)),
        point=np.zeros((M, 3, P, 3)),
        point_force=np.zeros((M, P, 3)),
        wrench=np.ascontiguousarray(
            motion.wrench[:, patch] / behavior.robot_model.weight
        ),
        standing=np.ascontiguousarray(motion.standing[:, patch]),
        R_contact=np.zeros((M, C, 3, 3)),
        p_contact=np.zeros((M, C, 3)),
        contact_motion=np.zeros((M, 2, C, 6)),
        edge=np.zeros((M, C)),
        pitch=np.zeros((M, C)),
        inertia=behavior.inertia,
    )


def _fill_frames(
    table: ReferenceTable,
    robot: RobotModel,
    patches: Sequence[str],
    points: Sequence[str],
) -> None:
    """Writes how trunk, patches and points move."""
    frames = [robot.trunk, *(robot.frame(name) for name in (*patches, *points))]
    found = frame_trajectories(robot, frames, table.q, table.v, table.vdot)
    P, end = slice(1, 1 + len(patches)), slice(1 + len(patches), None)
    table.R_trunk[:] = found.R_WF[:, 0]
    table.trunk[:, 0], table.trunk[:, 1] = found.V_WF[:, 0, :3], found.A_WF[:, 0, :3]
    table.R_contact[:], table.p_contact[:] = found.R_WF[:, P], found.p_WF[:, P]
    table.contact_motion[:, 0], table.contact_motion[:, 1] = (
        found.V_WF[:, P],
        found.A_WF[:, P],
    )
    for c, name in enumerate(patches):
        if robot.contacts[name].rolls:
            _roll(table, c, robot.contacts[name].half_width)
    table.point[:, 0] = found.p_WF[:, end]
    table.point[:, 1] = found.V_WF[:, end, 3:]
    table.point[:, 2] = found.A_WF[:, end, 3:]


def _roll(table: ReferenceTable, c: int, half_width: float) -> None:
    """Has patch c, which rolls about its length, at its pivot and without that roll.

    `backbeat.models.dynamics.rolling` has the equations.
    """
    R, (V, A) = table.R_contact[:, c], table.contact_motion[:, :, c].swapaxes(0, 1)
    x, w = R[:, :, 0], V[:, :3]
    to_pivot, to_place, up = np.empty((len(R), 3)), np.empty(3), np.array([0.0, 0, 1])
    for i in range(len(R)):
        roll(R[i], up, half_width, to_pivot[i], to_place)
        add_pivot_acceleration(R[i], up, half_width, w[i], A[i, 3:])
    table.p_contact[:, c] += to_pivot
    V[:, 3:] += np.cross(w, to_pivot)
    A[:, 3:] += np.cross(A[:, :3], to_pivot) + np.cross(w, np.cross(w, to_pivot))
    normal = up - x[:, 2:] * x
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    R[:, :, 1], R[:, :, 2] = np.cross(normal, x), normal


def _put_on_edge(table: ReferenceTable, behavior: Behavior, c: int, k: int) -> None:
    """Has patch c, contact k of the motion, at its support where it is on an edge."""
    motion = behavior.motion
    contact = behavior.robot_model.contacts[motion.contacts[k]]
    on = motion.edge[:, k] != WHOLE
    table.edge[:, c] = edge_offset(contact, motion.edge[:, k])
    S, x = motion.R_WC[on, k], table.R_contact[on, c, :, 0]
    ahead, up = (np.einsum("mi,mi->m", x, S[:, :, axis]) for axis in (0, 2))
    table.pitch[on, c] = np.arctan2(-up, ahead)
    table.R_contact[on, c], table.p_contact[on, c] = S, motion.p_WC[on, k]


def _fill_rates(
    table: ReferenceTable, behavior: Behavior, patches: Sequence[str]
) -> None:
    """Writes what gravity and planned forces do to the momentum."""
    motion, m = behavior.motion, behavior.robot_model.total_mass
    total, moment = np.zeros((2, len(motion.t), 3))
    total[:, 2] = -m * behavior.robot_model.gravity
    for c, name in enumerate(patches):
        k = motion.contacts.index(name)
        on = motion.standing[:, k][:, None]
        # (M, 2, 3) moment and force in world axes.
        W = np.einsum(
            "mij,mkj->mki", motion.R_WC[:, k], motion.wrench[:, k].reshape(-1, 2, 3)
        )
        arm = table.p_contact[:, c] - behavior.com
        total += np.where(on, W[:, 1], 0.0)
        moment += np.where(on, W[:, 0] + np.cross(arm, W[:, 1]), 0.0)
    # Sticks press with some newtons, heels of feet on pedals carry their legs.
    arms = table.point[:, 0] - behavior.com[:, None]
    total += table.point_force.sum(1)
    moment += np.cross(arms, table.point_force).sum(1)
    table.com[:, 2], table.momentum[:, 1] = total / m, moment
