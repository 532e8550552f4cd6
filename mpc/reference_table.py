"""Reference table: a behavior's motion, and what a tick needs of it, as arrays."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from behaviors.behavior import Behavior
from models.arrays import Array3, Array4, FlagMatrix, Matrix, Vector
from models.configuration import Configuration


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
    R_contact: Array4  # (M, C, 3, 3)
    p_contact: Array3  # (M, C, 3)
    contact_motion: Array4  # (M, 2, C, 6) velocity, acceleration of patches
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
    state = Configuration(robot, motion.q[0])
    for i in range(len(motion.t)):
        state.update(motion.q[i], motion.v[i])
        _fill_trunk_and_points(table, i, state, points)
        _fill_patches(table, i, state, patches)
        _fill_rates(table, i, behavior, patches)
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
        inertia=behavior.inertia,
    )


def _fill_trunk_and_points(
    table: ReferenceTable, i: int, state: Configuration, points: Sequence[str]
) -> None:
    """Writes row i of how trunk and points move; the state is that of the row."""
    v, vdot, trunk = table.v[i], table.vdot[i], state.robot.trunk
    table.R_trunk[i] = state.pose(trunk).rotation().matrix()
    J, Jdv = state.jacobian(trunk), state.bias_acceleration(trunk)
    table.trunk[i] = [J[:3] @ v, J[:3] @ vdot + Jdv[:3]]
    for p, name in enumerate(points):
        J, Jdv = state.jacobian(name), state.bias_acceleration(name)
        place = state.pose(name).translation()
        table.point[i, :, p] = [place, J[3:] @ v, J[3:] @ vdot + Jdv[3:]]


def _fill_patches(
    table: ReferenceTable, i: int, state: Configuration, patches: Sequence[str]
) -> None:
    """Writes row i of where patches are and how they move."""
    v, vdot = table.v[i], table.vdot[i]
    for c, name in enumerate(patches):
        X = state.pose(name)
        J, Jdv = state.jacobian(name), state.bias_acceleration(name)
        table.R_contact[i, c] = X.rotation().matrix()
        table.p_contact[i, c] = X.translation()
        table.contact_motion[i, :, c] = [J @ v, J @ vdot + Jdv]


def _fill_rates(
    table: ReferenceTable, i: int, behavior: Behavior, patches: Sequence[str]
) -> None:
    """Writes row i of what gravity and planned wrenches do to the momentum."""
    motion, m = behavior.motion, behavior.robot_model.total_mass
    g = behavior.robot_model.gravity
    force, moment = np.array([0, 0, -m * g]), np.zeros(3)
    for c, name in enumerate(patches):
        k = motion.contacts.index(name)
        if motion.standing[i, k]:
            w, R = motion.wrench[i, k], motion.R_WC[i, k]
            force += R @ w[3:]
            arm = table.p_contact[i, c] - behavior.com[i]
            moment += R @ w[:3] + np.cross(arm, R @ w[3:])
    # Sticks press with some newtons, heels of feet on pedals carry their legs.
    for f, p in zip(table.point_force[i], table.point[i, 0], strict=True):
        force, moment = force + f, moment + np.cross(p - behavior.com[i], f)
    table.com[i, 2], table.momentum[i, 1] = force / m, moment
