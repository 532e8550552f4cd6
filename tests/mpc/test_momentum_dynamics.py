"""The dynamics of deviations against the products that they linearize."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from backbeat.mpc.horizon.momentum_dynamics import dynamics_pattern, linearize_dynamics
from backbeat.mpc.horizon.sampling import BODY, Horizon
from tests.tolerances import EXACT

MASS, GRAVITY, INTERVALS, CONTACTS = 170.0, 9.81, 4, 2
DIFFERENCE = 1e-6


def some_horizon(rng, tempo=1.0, is_planned=True, soles=2):
    """A horizon without a behavior: numbers of the right shapes."""
    N, C = INTERVALS, CONTACTS
    R = np.linalg.qr(rng.normal(size=(N, C, 3, 3)))[0]
    root = rng.normal(size=(N, 3, 3))
    deviation = rng.normal(size=(N, BODY + 2 * soles))
    deviation[:, 12] = 0.0
    h = rng.uniform(0.02, 0.07, N)
    return Horizon(
        phases=np.cumsum(np.r_[0.0, h * tempo]),
        h=h,
        com=rng.normal(size=(N + 1, 3)),
        velocity=rng.normal(size=(N + 1, 3)),
        momentum=rng.normal(size=(N + 1, 3)),
        wrench=rng.normal(size=(N, 6 * C)),
        standing=np.ones((N, C), bool),
        R=R,
        p=rng.normal(size=(N, C, 3)),
        edge=np.zeros((N, C)),
        inverse_inertia=np.eye(3) + root @ root.transpose(0, 2, 1),
        soles=rng.normal(size=(N + 1, soles, 3)),
        heading=np.tile(np.eye(2), (N + 1, 1, 1)),
        com_shift=rng.normal(size=(N, 3)),
        sole_shift=rng.normal(size=(N, C, 3)) * [1.0, 1.0, 0.0],
        wrench_shift=rng.normal(size=(N, 6 * C)),
        deviation=deviation,
        dilation=0.01 * rng.normal(size=N),
        is_planned=is_planned,
        replaced=rng.normal(size=(N, soles, 2)),
        external=rng.normal(size=(N, 3)),
        tempo=tempo,
    )


def rate(horizon, k, x, u):
    """x' of interval k with all products of deviations, wrenches (6 C,) changed by u.

    Where a plan was before, deviations of places are those of its middle.
    """
    h, out = horizon, np.zeros(len(x))
    out[:3] = x[3:6]
    out[3:6] = h.external[k]
    share = (1 / h.tempo**2 - 1) / h.h[k]
    out[3:6] += share * (h.velocity[k + 1] - h.velocity[k])
    out[6:9] += share * (h.momentum[k + 1] - h.momentum[k])
    out[9:12] = MASS * h.inverse_inertia[k] @ x[6:9]
    middle = 0.5 * (h.com[k] + h.com[k + 1])
    for c in range(CONTACTS):
        R, arm = h.R[k, c], h.p[k, c] - middle
        f, df = (R @ w[6 * c + 3 : 6 * c + 6] for w in (h.wrench[k], u))
        place = np.r_[x[BODY + 2 * c :][:2], 0.0]
        out[3:6] += GRAVITY * df
        turned = np.cross(arm + place - x[:3], f + df) - np.cross(arm, f)
        out[6:9] += GRAVITY * (turned + R @ u[6 * c : 6 * c + 3])
    return out


def plan_before(horizon, k):
    """State and wrenches about which interval k is linearized."""
    x = horizon.deviation[k].copy()
    x[:3] = horizon.com_shift[k]
    x[BODY:] = horizon.sole_shift[k, :, :2].ravel()
    return x, horizon.wrench_shift[k]


@pytest.mark.parametrize("tempo", [1.0, 1.3])
def test_products_are_linearized_about_the_plan_before(tempo):
    rng = np.random.default_rng(3)
    horizon = some_horizon(rng, tempo)._replace(dilation=np.zeros(INTERVALS))
    found = linearize_dynamics(horizon, horizon.deviation[0], [0, 1], MASS, GRAVITY)
    t = 6 * CONTACTS
    for k in range(INTERVALS):
        x0, u0 = plan_before(horizon, k)
        ends = np.eye(len(x0)), np.eye(t)
        A, B = (
            np.column_stack(
                [
                    (step(DIFFERENCE * d) - step(-DIFFERENCE * d)) / (2 * DIFFERENCE)
                    for d in directions
                ]
            )
            for step, directions in (
                (lambda d, k=k, x=x0, u=u0: rate(horizon, k, x + d, u), ends[0]),
                (lambda d, k=k, x=x0, u=u0: rate(horizon, k, x, u + d), ends[1]),
            )
        )
        h, one = horizon.h[k], np.eye(len(x0))
        held = rate(horizon, k, x0, u0) - A @ x0 - B @ u0
        transition = h * one + 0.5 * h**2 * A
        assert_allclose(found.A[k], one + transition @ A, atol=1e-7)
        assert_allclose(found.B[k, :, :t], transition @ B, atol=1e-7)
        held = transition @ held
        held[BODY:] += horizon.replaced[k].ravel()
        assert_allclose(found.e[k], held, atol=1e-7)


def test_time_counts_as_much_as_what_happens_in_it():
    """x+ changes with the interval's length as the sum over it does."""
    rng = np.random.default_rng(4)
    horizon = some_horizon(rng)
    x, t = horizon.deviation, 6 * CONTACTS

    def after(k, dilation):
        """x+ of what was planned, in another time, the behavior's own change apart."""
        at = horizon._replace(dilation=np.full(INTERVALS, dilation), is_planned=False)
        found = linearize_dynamics(at, x[0], [0, 1], MASS, GRAVITY)
        u = horizon.wrench_shift[k]
        return found.A[k] @ x[k] + found.B[k, :, :t] @ u + found.e[k]

    found = linearize_dynamics(horizon, x[0], [0, 1], MASS, GRAVITY)
    references = np.hstack([horizon.com, horizon.velocity, horizon.momentum])
    for k in range(INTERVALS):
        s = horizon.dilation[k]
        expected = (after(k, s + DIFFERENCE) - after(k, s - DIFFERENCE)) / (
            2 * DIFFERENCE
        )
        expected[:9] += (references[k + 1] - references[k]) / horizon.h[k]
        expected[12] += 1.0
        assert_allclose(found.B[k, :, t], expected, atol=1e-7)
        value = found.A[k] @ x[k] + found.B[k, :, :t] @ horizon.wrench_shift[k]
        value += found.e[k]
        growth = found.B[k, :, t].copy()
        growth[:9] -= (references[k + 1] - references[k]) / horizon.h[k]
        growth[12] -= 1.0
        # Linear in the time about the plan's own.
        assert_allclose(value + s * growth, after(k, s), atol=EXACT)


def test_soles_that_are_no_states_stay_where_they_are():
    rng = np.random.default_rng(5)
    horizon = some_horizon(rng, soles=0)
    found = linearize_dynamics(horizon, horizon.deviation[0], [], MASS, GRAVITY)
    assert found.A.shape == (INTERVALS, BODY, BODY)
    assert found.B.shape == (INTERVALS, BODY, 6 * CONTACTS + 1)


@pytest.mark.parametrize("soles", [[0, 1], []])
def test_entries_are_zero_where_a_program_has_none(soles):
    states, inputs = dynamics_pattern(CONTACTS, soles)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        for tempo, is_planned in ((1.0, True), (1.2, False)):
            horizon = some_horizon(rng, tempo, is_planned, len(soles))
            x0 = horizon.deviation[0]
            found = linearize_dynamics(horizon, x0, soles, MASS, GRAVITY)
            assert not found.A[:, ~states].any()
            assert not found.B[:, ~inputs].any()
    # Two thirds of them are.
    assert states.sum() + inputs.sum() < 0.5 * (states.size + inputs.size)
