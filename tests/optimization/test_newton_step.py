"""The banded Newton step against a dense one built from finite differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg.lapack import dpbtrf, dpbtrs

from backbeat.optimization.interior_point.newton_arrays import (
    Multipliers,
    NewtonSystem,
    make_step,
)
from backbeat.optimization.interior_point.normal_equations import assemble
from backbeat.optimization.interior_point.step_recovery import recover
from backbeat.optimization.transcription.transcribe import Transcription
from tests.optimization.points import Point
from tests.optimization.problems import jump, squat, stroke, uneven
from tests.tolerances import NEWTON_STEP

DELTA, DAMPING = 1e-2, 0.3
# Loads of feet in the air have no other cost; see normal_equations.
LOAD_FLOOR = 1e-4
PROBLEMS = {
    "squat": lambda: squat(6),
    "uneven": uneven,
    "jump": lambda: jump(8),
    "stroke": lambda: stroke(7),
    "seated": lambda: stroke(7, seated=True),
    "moving at the end": lambda: squat(6, end_at_rest=False),
}


class Dense:
    """Gauss-Newton matrix and gradient with every variable in one vector.

    Jacobians are finite differences, but for the two places where the solver takes
    an approximation on purpose: the mean velocity of the base rotation changes as if
    rotations added up, and so does the middle of two knots.
    """

    def __init__(self, point, values, derivatives, multipliers, stiffness, pull):
        self.point, program = point, point.program
        J = point.differences()
        N, nb, nv = len(program.dt), point.nb, point.nv
        velocity = np.zeros((N, nv, point.size))
        F = len(program.collisions.body)
        rows = J["rows"].copy()
        for k in range(1, N):
            for b, sign in ((k, 1.0), (k - 1, -1.0)):
                columns = slice(b * nb, b * nb + nv)
                velocity[k][:, columns] = sign * np.eye(nv) / program.span[k - 1]
                midpoint = slice(program.rows.midpoint, program.rows.midpoint + F)
                rows[k, midpoint, columns] = 0.5 * derivatives.midpoint[k]
        self.J = J | {"rows": rows, "velocity": velocity}
        self.H, self.gradient = np.zeros((point.size,) * 2), np.zeros(point.size)

        dt, h = program.dt[:, None], program.span[:, None]
        nj, nq = len(program.effort), point.q.shape[1] - len(program.effort)
        posture = rows[:, program.rows.position : program.rows.position + nj]
        self.add(J["frame"], dt[:, :, None] * program.frame_weight, values.frame)
        com = values.com - program.com_target
        self.add(J["com"], dt * program.com_weight, com)
        away = point.q[:, nq:] - program.posture
        self.add(posture, dt * program.posture_weight, away)
        first = program.rows.torque
        joints = slice(first, first + nj)
        effort = np.repeat(dt * program.effort_weight, nj, axis=1)
        self.add(rows[:, joints], effort, values.rows[:, joints])
        weight = h * program.velocity_weight
        self.add(velocity[1:], weight, values.velocity[1:])
        a = point.acceleration(values)
        self.add(J["acceleration"], dt * program.acceleration_weight, a)
        for n, (k, c, i) in enumerate(point.slots):
            x = program.dt[k] * program.wrench_weight[i]
            self.H[N * nb + n, N * nb + n] += x
            self.gradient[N * nb + n] += x * point.w[k, c, i]

        self.add(rows, stiffness, None)
        self.pull(rows, pull)
        for name, lam, on in (
            ("equality", multipliers.equality, np.ones_like(values.equality)),
            ("frame", multipliers.frame, program.frame_equal),
        ):
            self.add(J[name], on / DELTA, getattr(values, name))
            self.pull(J[name], on * lam)
        if program.rest_scale > 0:
            R = program.rest_scale * velocity[-1]
            self.add(R, np.full(nv, 1 / DELTA), values.rest)
            self.pull(R, multipliers.rest)
        for k in range(2, N):
            at = np.arange(k * nb, (k + 1) * nb)
            self.H[at[:nv], at[:nv]] += DAMPING
            self.H[at[nv:], at[nv:]] += LOAD_FLOOR

    def add(self, J, weight, residual):
        """Adds J' W J and, with a residual, J' W r."""
        J = J.reshape(-1, self.point.size)
        self.H += J.T @ (weight.reshape(-1, 1) * J)
        if residual is not None:
            self.pull(J, weight * residual)

    def pull(self, J, force):
        self.gradient += J.reshape(-1, self.point.size).T @ force.ravel()

    def solve(self):
        """Step of all variables; the first two knots are given."""
        free = np.arange(2 * self.point.nb, self.point.size)
        step = np.zeros(self.point.size)
        step[free] = -np.linalg.solve(self.H[np.ix_(free, free)], self.gradient[free])
        return step


@pytest.fixture(params=PROBLEMS)
def point(request):
    return Point(Transcription(PROBLEMS[request.param]()), seed=1)


def test_the_step_solves_the_dense_system(point):
    program = point.program
    values, derivatives = point.linearize()
    rng = np.random.default_rng(2)
    multipliers = Multipliers(
        rng.normal(size=values.equality.shape),
        rng.normal(size=values.frame.shape),
        rng.normal(size=values.rest.shape),
    )
    # As the barrier leaves them: no force where there is no bound.
    bounded = (np.abs(program.lower) < 1e29) | (np.abs(program.upper) < 1e29)
    stiffness = np.where(bounded, rng.uniform(0.1, 2.0, bounded.shape), 0.0)
    pull = np.where(bounded, rng.normal(size=bounded.shape), 0.0)

    step = make_step(program)
    system = NewtonSystem(values, derivatives, multipliers, stiffness, pull, DELTA)
    assemble(program, point.w, system, DAMPING, step)
    factor, info = dpbtrf(step.band.T, lower=1)
    assert info == 0
    dx, info = dpbtrs(factor, step.rhs, lower=1)
    step.dx[2:] = dx.reshape(len(step.dx) - 2, -1)
    recover(program, values, derivatives, step)

    dense = Dense(point, values, derivatives, multipliers, stiffness, pull)
    expected = dense.solve()
    blocks = expected[: step.dx.size].reshape(step.dx.shape)
    scale = np.abs(expected).max()
    assert_allclose(step.dx, blocks, rtol=0, atol=NEWTON_STEP * scale)
    found = np.array([step.dw[slot] for slot in point.slots])
    assert_allclose(found, expected[step.dx.size :], rtol=0, atol=NEWTON_STEP * scale)

    # What the step says the rows will change by.
    for name, changes in (("rows", step.d_rows), ("frame", step.d_frame)):
        change = dense.J[name] @ expected
        if name == "rows":
            change, changes = change[bounded], changes[bounded]
        size = np.abs(change).max()
        assert_allclose(changes, change, rtol=0, atol=NEWTON_STEP * size)
    change = dense.J["equality"][1:-1] @ expected
    size = np.abs(change).max(initial=1.0)
    assert_allclose(step.d_equality[1:-1], change, rtol=0, atol=NEWTON_STEP * size)
