"""Programs of levels in limits far from singularities, compiled.

Unknowns are those of `nonsingular_limits.py`, the programs those of `program.py`. A
level that decides all that is left is a projection there: H is diagonal.
"""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Flags, Matrix, Vector
from backbeat.optimization.qp.cholesky import factor
from backbeat.optimization.task_space.levels.nonsingular_factors import (
    TORQUES,
    WHOLE,
    Factors,
)
from backbeat.optimization.task_space.levels.nonsingular_levels import decided_change


class LevelTasks(NamedTuple):
    """Desired values of levels at a state.

    Attributes:
        wish: (m,) desired accelerations, less their bias.
        weight: (m,) weights of tasks.
        even: (n,) whether those of a level are alike.
        x_0: (nv,) accelerations without torques, of `start_levels`.
        Y: (n, r) what levels add without limits.
    """

    wish: Vector
    weight: Vector
    even: Flags
    x_0: Vector
    Y: Matrix


class LevelProgram(NamedTuple):
    """What is written of a `SettlingProgram`."""

    H: Matrix
    g: Vector
    near: Matrix
    toward: Vector


@compiled
def _shape_whole(of, level, left, tasks, missing, J):
    """Rows J of a level of less rank than there is left, and its residual.

    Args:
        of, level, left, tasks: as of `level_program`.
        missing: (m,) accelerations missing; written: as they are measured.
        J: (d, d) written: in the first coordinates that are left.
    """
    first, end, held = of.ends[level - 1], of.ends[level], of.ends[0]
    B, diagonal, weight, d = of.B, of.diagonal, tasks.weight, end - first
    for i in range(d):
        for k in range(d):
            J[i, k] = B[first + i, left + k] if k < i else 0.0
        J[i, i] = diagonal[first + i]
    if not tasks.even[level]:
        most = 0.0
        for i in range(first, end):
            most = max(most, weight[i])
        for i in range(d):
            root = np.sqrt(weight[first + i] / most)
            missing[first + i] *= root
            for k in range(d):
                J[i, k] *= root
        return
    # As a kinetic energy: R = L_0^-1, L_0 L_0' the compliance with no level above.
    S = np.empty((d, d))
    for i in range(d):
        for j in range(i, d):
            s = 0.0
            for k in range(held, first + i):
                s += B[first + i, k] * B[first + j, k]
            last = diagonal[first + j] if i == j else B[first + j, first + i]
            S[i, j] = s + diagonal[first + i] * last
    factor(S)
    for i in range(d):
        for m in range(i):
            missing[first + i] -= S[m, i] * missing[first + m]
            for k in range(d):
                J[i, k] -= S[m, i] * J[m, k]
        missing[first + i] *= S[i, i]
        for k in range(d):
            J[i, k] *= S[i, i]


@compiled
def _aim_whole(of, level, left, tasks, x, out):
    """Writes H and toward of a level that is WHOLE; returns their average size.

    Args:
        of, level, left, tasks, out: as of `level_program`.
        x: (nv,) accelerations there.
    """
    first, end, wish = of.ends[level - 1], of.ends[level], tasks.wish
    rows, missing = end - first, wish.copy()
    for i in range(first, end):
        for k in range(i):
            missing[i] -= of.B[i, k] * x[k]
        missing[i] -= of.diagonal[i] * x[i]
    J = np.empty((rows, rows))
    _shape_whole(of, level, left, tasks, missing, J)
    size = 0.0
    for i in range(rows):
        for a in range(rows):
            size += J[i, a] * J[i, a]
            out.toward[a] += J[i, a] * missing[first + i]
            for b in range(rows):
                out.H[a, b] += J[i, a] * J[i, b]
    return size / rows


@compiled
def level_program(
    of: Factors,
    level: int,
    left: int,
    tasks: LevelTasks,
    z: Vector,
    small: Vector,
    out: LevelProgram,
) -> None:
    """Program of one level for changes of the unknowns that levels above leave.

    Args:
        of: of `factor_levels`.
        level: the level.
        left: coordinates that levels above decide.
        tasks: desired values of levels.
        z: (nj,) unknowns there.
        small: (2,) small weights of accelerations, and of torques that make none,
            against a wish of average size.
        out: written.
    """
    H, g, near, toward = out
    kind, held, r = of.kinds[level], of.ends[0], of.D.shape[0]
    n, moving = H.shape[0], r - (left - held)
    x = tasks.x_0.copy()
    for k in range(r):
        x[held + k] += z[k]
    H[:] = 0.0
    near[:] = 0.0
    toward[:] = 0.0
    average = float(moving) / x.shape[0]
    if kind == WHOLE and moving:
        average = _aim_whole(of, level, left, tasks, x, out)
    elif moving:
        change = tasks.Y[level].copy()
        if kind != TORQUES:
            average = float(moving) / r
            decided_change(of, level, left, tasks.wish, x, change)
        for a in range(moving):
            toward[a] = change[left - held + a]
            H[a, a] = 1.0
    for a in range(n):
        is_still = a >= moving
        near[a, a] = max(average, 1e-12) * small[1 if is_still else 0]
        H[a, a] += near[a, a]
        g[a] = -toward[a]
        if is_still:
            g[a] += near[a, a] * z[left - held + a]
