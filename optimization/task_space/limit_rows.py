"""Limits of joints and contacts as rows of a program.

Unknowns z are coordinates of a `TorqueBasis`: weighted accelerations, then torques that
accelerate nothing. Torques are (moving, still) z in units.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from models.contact import PATCH_MARGIN, wrench_cone
from optimization.qp import INFINITY
from optimization.task_space.constrained_dynamics import TorqueBasis, solve_upper
from optimization.task_space.limits import JointLimits
from optimization.task_space.motion_tasks import ContactTask
from optimization.task_space.task_space import TaskSpace

# Rows C of a cone C F <= 0 in world axes, and where the contact's F is.
Cone = tuple[np.ndarray, slice]


@dataclass(frozen=True)
class LimitRows:
    """All limits of a robot at one state: lower <= A z <= upper.

    Attributes:
        A: (k, nj).
        lower, upper: (k,).
        reaction_0: (m,) forces of contacts without torques [N m, N].
        reaction: (m, nj) those of z.
    """

    A: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    reaction_0: np.ndarray
    reaction: np.ndarray

    def hold(self, z: np.ndarray) -> bool:
        """Whether z is within all of them."""
        there = self.A @ z
        return bool(((self.lower <= there) & (there <= self.upper)).all())


def contact_cones(space: TaskSpace, friction: float) -> list[Cone]:
    """Cones of the contacts that are patches or points of the robot."""
    cones, at = list[Cone](), 0
    for task in space.contacts:
        part = slice(at, at + task.dimension)
        at += task.dimension
        contact = space.robot.contacts.get(task.name)
        if not isinstance(task, ContactTask) or contact is None:
            continue
        if task.held == [3, 4, 5] and contact.is_point:
            cone = _pyramid(friction)
        elif task.held == [*range(6)] and not contact.is_point:
            cone = _patch_cone(contact.half_length, contact.half_width, friction)
        else:
            continue
        turned = cone.reshape(-1, 3) @ space.state.rotation(task.frame).T
        cones.append((turned.reshape(cone.shape), part))
    return cones


def limit_rows(
    space: TaskSpace, limits: JointLimits, cones: list[Cone], basis: TorqueBasis
) -> LimitRows:
    """Rows of torques, joint accelerations and cones.

    Args:
        space: up to date.
        limits: of the joints; the units of the basis are those of torques.
        cones: of the contacts.
        basis: unknowns.
    """
    base, dynamics = space.robot.base_velocities, space.dynamics
    one = np.where(np.isfinite(limits.effort), 1.0, INFINITY)
    X = np.hstack([basis.moving, basis.still])
    A, lower, upper = [X], [-one], [one]
    least, most = limits.accelerations(space.state.v[base:], space.joint_angles)
    ours = np.isfinite(least) | np.isfinite(most)
    if ours.any():
        there = solve_upper(dynamics.C, dynamics.contact_acceleration())[base:]
        joints = np.zeros(X.shape)
        joints[:, : basis.T.shape[1]] = solve_upper(dynamics.C, basis.T)[base:]
        A.append(joints[ours])
        lower.append((least - there)[ours])
        upper.append((most - there)[ours])
    reaction_0 = dynamics.reaction(np.zeros(len(X)))
    reaction = dynamics.reaction_map() @ (basis.unit[:, None] * X)
    for cone, part in cones:
        rows = cone / space.robot.weight
        A.append(rows @ reaction[part])
        lower.append(np.full(len(cone), -INFINITY))
        upper.append(-rows @ reaction_0[part])
    bounds = np.concatenate(lower), np.concatenate(upper)
    return LimitRows(np.vstack(A), *bounds, reaction_0, reaction)


@lru_cache(maxsize=32)
def _patch_cone(half_length: float, half_width: float, friction: float) -> np.ndarray:
    """(16, 6) rows of the cone of a patch in its own axes."""
    length, width = PATCH_MARGIN * half_length, PATCH_MARGIN * half_width
    return wrench_cone(length, width, friction)


@lru_cache(maxsize=32)
def _pyramid(friction: float) -> np.ndarray:
    """(5, 3) rows C of C f <= 0: no pulling, and friction inside its circle."""
    mu = friction / np.sqrt(2.0)
    return np.array(
        [[0, 0, -1], [1, 0, -mu], [-1, 0, -mu], [0, 1, -mu], [0, -1, -mu]], float
    )
