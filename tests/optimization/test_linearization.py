"""Every derivative of a program against finite differences on the manifold."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.math import RigidTransform, RotationMatrix

from backbeat.models.collision.shapes import FAR
from backbeat.models.dynamics.frames import Frame
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.transcription.transcribe import Transcription
from tests.optimization.points import Point, missing_forces
from tests.optimization.problems import jump, rolled, squat, stroke, uneven
from tests.tolerances import EXACT, FINITE_DIFFERENCE, RECURSION, SWEEP_ROTATION

ELECTRIC = Path(__file__).parents[1] / "data" / "electric_atlas.yaml"
PROBLEMS = {
    "squat": lambda: squat(5),
    "uneven": uneven,
    "rolled": rolled,
    "jump": lambda: jump(7),
    "stroke": lambda: stroke(7),
    "electric": lambda: squat(5, robot=RobotModel(ELECTRIC)),
    "seated": lambda: stroke(7, seated=True),
}


class Case:
    def __init__(self, name: str):
        self.point = Point(Transcription(PROBLEMS[name]()), seed=len(name))
        self.program, self.nb = self.point.program, self.point.nb
        self.values, self.derivatives = self.point.linearize()
        self.differences = self.point.differences()
        self.N = len(self.program.dt)

    def block(self, k: int) -> slice:
        return slice(k * self.nb, (k + 1) * self.nb)


@pytest.fixture(scope="module", params=PROBLEMS)
def case(request):
    return Case(request.param)


def close(a, b):
    assert_allclose(a, b, rtol=0, atol=FINITE_DIFFERENCE * max(1.0, np.abs(b).max()))


def test_dynamics_are_those_of_drake(case):
    """Base rows in weights of the robot, joint rows in shares of their limits."""
    program, rows = case.program, case.program.rows
    nf, nj = (6 if program.tree.floating else 0), len(program.effort)
    for k in range(1, case.N - 1):
        tau = missing_forces(case.point, case.values, k)
        base, joints = case.values.equality[k, :nf], case.values.rows[k, :nj]
        assert rows.torque == 0
        for found, expected in (
            (base, tau[:nf] / program.weight),
            (joints, tau[nf:] / program.effort),
        ):
            if len(found):
                scale = max(1.0, np.abs(expected).max())
                assert_allclose(found, expected, rtol=0, atol=RECURSION * scale)


def test_motors_are_seen_at_the_speed_of_a_knot(case):
    """Torques by Drake, and the mean speed of the intervals beside a knot."""
    program, first = case.program, case.program.rows.motor
    robot, h = case.point.transcription.problem.robot, case.program.h
    count, nf = len(program.motor_torque), robot.base_velocities
    assert count == (2 * 8 + 4 + 4 if robot.name == "electric_atlas" else 0)
    limits = robot.motors.rows(case.point.transcription.problem.limits.torque)
    for k in range(1, case.N - 1) if count else ():
        tau = missing_forces(case.point, case.values, k)[nf:]
        before, after = case.values.velocity[k : k + 2, nf:]
        v = (h[k] * before + h[k - 1] * after) / (h[k - 1] + h[k])
        expected = limits.torque @ tau + limits.speed @ v
        found = case.values.rows[k, first : first + count]
        scale = max(1.0, np.abs(expected).max())
        assert_allclose(found, expected, rtol=0, atol=RECURSION * scale)


def test_frame_residuals_are_those_of_drake(case):
    """Log of the rotation and place of each frame, in the axes of its target."""
    program, point = case.program, case.point
    for k in range(case.N):
        state = Configuration(point.transcription.problem.robot, point.q[k])
        for p in np.where(program.frame_used[k])[0]:
            body = int(program.frame_body[p])
            frame = Frame("", body, program.frame_R[p], program.frame_p[p])
            X_WG = RigidTransform(
                RotationMatrix(program.R_WG[k, p]), program.p_WG[k, p]
            )
            X_GF = X_WG.inverse() @ state.pose(frame)
            e = np.array([program.frame_edge[k, p], 0.0, 0.0])
            place = X_GF @ e - e
            turn = X_GF.rotation().ToAngleAxis()
            expected = np.r_[turn.angle() * turn.axis(), place]
            assert_allclose(case.values.frame[k, p], expected, rtol=0, atol=RECURSION)


def test_dynamics_torques_and_loads(case):
    """Against the blocks before, at and after each knot, its wrenches, and no other."""
    program, nb = case.program, case.nb
    nf = 6 if program.tree.floating else 0
    rows, nj = program.rows, len(program.effort)
    for k in range(1, case.N - 1):
        expected = np.concatenate(
            [
                case.differences["equality"][k, :nf],
                case.differences["rows"][k, rows.torque : rows.torque + nj],
                case.differences["equality"][k, nf:],
                case.differences["rows"][k, rows.motor : rows.rate],
            ]
        )
        full = np.zeros_like(expected)
        D = case.derivatives.dynamics[k]
        for b in range(3):
            full[:, case.block(k - 1 + b)] = D[:, b * nb : (b + 1) * nb]
        for c, start in enumerate(program.wrench_start[k]):
            first = program.wrench_first[c]
            for i in range(first, 6) if start >= 0 else ():
                column = case.point.column(k, c, i)
                full[:, column] = D[:, 3 * nb + start + i - first]
        close(full, expected)


def test_frames_and_center_of_mass(case):
    """Against the block of their own knot and no other."""
    nv = case.point.nv
    for k in range(case.N):
        for name in ("frame", "com"):
            found, expected = (
                getattr(case.derivatives, name)[k],
                case.differences[name][k],
            )
            if name == "frame":
                used = case.program.frame_used[k]
                found, expected = found[used], expected[used]
            full = np.zeros_like(expected)
            full[..., k * case.nb : k * case.nb + nv] = found
            close(full, expected)


def test_velocities(case):
    """Of the base rotation through the Jacobians of SO(3), of the rest by h."""
    nv, nr = case.point.nv, 3 if case.point.floating else 0
    for k in range(1, case.N):
        h = case.program.span[k - 1]
        here, last = np.eye(nv) / h, -np.eye(nv) / h
        here[:nr, :nr] = case.derivatives.left[k, :nr, :nr] / h
        last[:nr, :nr] = -case.derivatives.right[k, :nr, :nr] / h
        full = np.zeros((nv, case.point.size))
        full[:, k * case.nb : k * case.nb + nv] = here
        full[:, (k - 1) * case.nb : (k - 1) * case.nb + nv] = last
        close(full, case.differences["velocity"][k])


@pytest.mark.parametrize("case", ["stroke", "seated"], indirect=True)
def test_distances(case):
    """Of spheres at the knots, and half way by half a step of either end."""
    rows, nv = case.program.rows, case.point.nv
    F = len(case.program.collisions.body)
    near = 0
    for k in range(case.N):
        for first, D in (
            (rows.collision, case.derivatives.collision[k]),
            (rows.midpoint, case.derivatives.midpoint[k]),
        ):
            expected = case.differences["rows"][k, first : first + F]
            distance = case.values.rows[k, first : first + F]
            near += int((distance < FAR).sum()) if k > 1 else 0
            full = np.zeros_like(expected)
            if first == rows.collision:
                full[:, k * case.nb : k * case.nb + nv] = D
            elif k > 0:
                full[:, k * case.nb : k * case.nb + nv] = 0.5 * D
                full[:, (k - 1) * case.nb : (k - 1) * case.nb + nv] = 0.5 * D
                # Half of two rotations is not half of their vectors.
                turns = np.arange(3 if case.point.floating else 0)
                for b in (k - 1, k):
                    at = b * case.nb + turns
                    assert_allclose(full[:, at], expected[:, at], atol=SWEEP_ROTATION)
                    full[:, at] = expected[:, at]
            close(full, expected)
    assert near > 0


def test_rows_that_are_linear(case):
    """Positions, speeds, cones, normal forces, load rates and totals."""
    program, rows, values = case.program, case.program.rows, case.values
    nj, nf = len(program.effort), 6 if program.tree.floating else 0
    nq = 7 if program.tree.floating else 0
    q, w, phi = case.point.q, case.point.w, case.point.phi
    for k in range(case.N):
        g = values.rows[k]
        assert_allclose(g[rows.position : rows.position + nj], q[k, nq:])
        speed = (q[k, nq:] - q[k - 1, nq:]) / program.span[k - 1] if k else np.zeros(nj)
        assert_allclose(g[rows.velocity : rows.velocity + nj], speed, atol=EXACT)
        assert_allclose(values.velocity[k, nf:], speed, atol=EXACT)
        for c in range(len(program.wrench_first)):
            first = rows.cone + 16 * c
            assert_allclose(
                g[first : first + 16],
                program.cone[program.cone_of[k, c], c] @ w[k, c],
                atol=EXACT,
            )
            assert g[rows.normal + c] == w[k, c, 5]
        rate = phi[k] - phi[k - 1] if k else np.zeros(case.point.n_phi)
        assert_allclose(g[rows.rate : rows.total], rate, atol=EXACT)
        assert_allclose(g[rows.total], phi[k].sum(), atol=EXACT)


def test_the_cost_is_the_sum_of_its_squares(case):
    """Costs per second times time, of tasks, posture, motion and wrenches."""
    program, values, point = case.program, case.values, case.point
    nq = 7 if program.tree.floating else 0
    cost, _ = point.evaluate()
    dt, h = program.dt, program.span
    com = values.com - program.com_target
    posture = point.q[:, nq:] - program.posture
    first = program.rows.torque
    torque = values.rows[:, first : first + len(program.effort)]
    parts = [
        np.einsum("k,kpi,kpi->", dt, program.frame_weight, values.frame**2),
        np.einsum("k,ki,ki->", dt, program.com_weight, com**2),
        np.einsum("k,ki,ki->", dt, program.posture_weight, posture**2),
        np.einsum("k,i,ki->", h, program.velocity_weight, values.velocity[1:] ** 2),
        np.einsum(
            "k,i,ki->", dt, program.acceleration_weight, point.acceleration(values) ** 2
        ),
        np.einsum("k,i,kci->", dt, program.wrench_weight, point.w**2),
        program.effort_weight * np.einsum("k,kj->", dt, torque**2),
    ]
    assert cost == pytest.approx(0.5 * sum(parts), rel=EXACT)
