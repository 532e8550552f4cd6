"""Limits of joints and contacts as rows of a program.

Unknowns z are coordinates of a `TorqueBasis`: weighted accelerations, then torques that
accelerate nothing. Torques are (moving, still) z in units.
"""

from dataclasses import dataclass

import numpy as np

from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.limited.limits import JointLimits
from backbeat.optimization.task_space.tasks.constrained_dynamics import (
    TorqueBasis,
    solve_upper,
)


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


def limit_rows(
    space: TaskSpace, limits: JointLimits, cones: np.ndarray, basis: TorqueBasis
) -> LimitRows:
    """Rows of torques, joint accelerations and cones.

    Args:
        space: up to date.
        limits: of the joints; the units of the basis are those of torques.
        cones: (k, m) rows of `ContactCones`.
        basis: unknowns.
    """
    base, dynamics = space.robot.base_velocities, space.dynamics
    efforts = (side / basis.unit for side in limits.efforts(space.state.v[base:]))
    low, high = (np.clip(side, -UNBOUNDED, UNBOUNDED) for side in efforts)
    X = np.hstack([basis.moving, basis.still])
    A, lower, upper = [X], [low], [high]
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
    rows = cones / space.robot.weight
    A.append(rows @ reaction)
    lower.append(np.full(len(cones), -UNBOUNDED))
    upper.append(-rows @ reaction_0)
    bounds = np.concatenate(lower), np.concatenate(upper)
    return LimitRows(np.vstack(A), *bounds, reaction_0, reaction)
