"""The state a while after a sample, at constant accelerations, compiled."""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector
from backbeat.models.dynamics.rotations import box_plus
from backbeat.mpc.estimation.invariant_filter import BaseEstimate


@compiled
def carry_on(
    floating: bool,
    base: BaseEstimate,
    joints: Matrix,
    motion: Matrix,
    horizon: float,
    q: Vector,
    v: Vector,
) -> None:
    """Writes the state `horizon` later, at constant accelerations."""
    nj = joints.shape[1]
    first = v.shape[0] - nj
    now, step = np.empty(q.shape[0]), np.empty(v.shape[0])
    for j in range(nj):
        now[q.shape[0] - nj + j] = joints[0, j]
        v[first + j] = joints[1, j] + horizon * joints[2, j]
        step[first + j] = 0.5 * horizon * (joints[1, j] + v[first + j])
    if floating:
        for i in range(7):
            now[i] = base.q[i]
        for i in range(3):
            v[i] = motion[0, i]
            v[3 + i] = base.x[0, i] + horizon * motion[1, i]
            step[i] = horizon * motion[0, i]
            step[3 + i] = horizon * base.x[0, i]
            step[3 + i] += 0.5 * horizon * horizon * motion[1, i]
    box_plus(now, step, 1.0, floating, q)
