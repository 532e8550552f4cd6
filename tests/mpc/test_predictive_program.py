"""The predictive program against itself stated in full, and against mechanics."""

import dataclasses

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.plans.stepping import recovery_steps
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive import solver
from backbeat.mpc.predictive.plan_explanation import report_costs
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.predictive.solver import STEPS
from backbeat.mpc.reference.trajectory import Reference
from tests.mpc.dense_horizon import NX, DenseHorizon
from tests.tolerances import PREDICTION, SECOND_ORDER

PUSHED = np.array([0.01, -0.02, 0.0, 0.1, 0.15, 0, 0.02, -0.03, 0.01, 0.03, 0.02, 0.01])
PHASES = (0.0, 3.0, 9.03, 13.37, 21.9)
# Of the seated drummer, while both hands rest [s].
RESTING = np.arange(12.3, 13.2, 0.02)


@pytest.fixture(scope="module")
def program(groove):
    return PredictiveProgram(groove)


@pytest.fixture(scope="module")
def short(groove):
    return PredictiveProgram(groove, PredictiveWeights(knots=8))


@pytest.mark.parametrize("phase", [-0.4, *PHASES, 30.0])
def test_on_the_reference_nothing_is_corrected(program, phase):
    start = PlanStart(phase, phase, np.zeros(12))
    plan, rest = program.solve(start), program.rest(phase, phase)
    assert plan.rate == pytest.approx(1.0, abs=PREDICTION)
    np.testing.assert_allclose(plan.durations, rest.durations, atol=PREDICTION)
    assert np.abs(plan.deviation).max() < PREDICTION
    np.testing.assert_allclose(plan.wrench, rest.wrench, atol=PREDICTION)
    np.testing.assert_allclose(plan.com, rest.com, atol=PREDICTION)


@pytest.mark.parametrize("late", [0.0, 0.08, -0.08])
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("size", [0.1, 1.0])
def test_the_plan_is_the_optimum_of_the_program_stated_in_full(
    short, phase, late, size
):
    plan = short.solve(PlanStart(phase + late, phase, size * PUSHED))
    exact = DenseHorizon(short, plan.phases).solve(np.r_[size * PUSHED, late])
    assert np.abs(plan.deviation - exact.deviation).max() < PREDICTION
    assert np.abs(plan.wrench - exact.wrench).max() < PREDICTION
    dilation = plan.durations - np.diff(plan.phases)
    assert np.abs(dilation - exact.dilation).max() < PREDICTION


@pytest.mark.parametrize("late", [0.0, 0.08])
@pytest.mark.parametrize("phase", PHASES)
def test_every_declared_cost_is_that_of_the_program_stated_in_full(short, phase, late):
    plan = short.solve(PlanStart(phase + late, phase, PUSHED))
    solve = short.last_solve()
    dense = DenseHorizon(short, plan.phases)
    # Without the soles, which stay where they are.
    own = short.unknowns
    kept = np.r_[: dense.nu, own.num_inputs : own.num_inputs + NX]
    stated = dense.costs_of(np.r_[PUSHED, late], solve.x[:, kept])
    named = report_costs(short, solve)
    # Nothing is planned before, and no sole of this dance moves.
    rest = {"time spent out of place", "soles elsewhere", "moving soles"}
    assert set(named) == set(stated) | rest
    assert all(abs(named[name]) < 1e-12 for name in rest), named
    for name, value in stated.items():
        assert named[name] == pytest.approx(value, rel=1e-9, abs=1e-15), name
    assert min(stated.values()) > 0 or not late
    assert sum(named.values()) == pytest.approx(plan.objective, rel=1e-6)


@pytest.mark.parametrize("size", [0.0, 0.3, 1.0])
def test_who_saves_balance_first_takes_up_the_beat_when_calm(groove, size):
    """Of its price, as much counts as balance is not at stake."""
    weights = PredictiveWeights(knots=8).with_beat_priority(0.0)
    program = PredictiveProgram(groove, weights)
    plan = program.solve(PlanStart(9.1, 9.0, size * PUSHED))
    exact = DenseHorizon(program, plan.phases).solve(np.r_[size * PUSHED, 0.1])
    assert np.abs(plan.deviation - exact.deviation).max() < PREDICTION
    dilation = plan.durations - np.diff(plan.phases)
    assert np.abs(dilation - exact.dilation).max() < PREDICTION


def test_who_is_calm_but_out_of_place_is_in_no_better_place_for_waiting(built):
    """Costs are of time: a plan about one before counts what its seconds cost."""
    march = Reference(built("march"))
    program, s, shift = PredictiveProgram(march), 2.5, np.array([[0.5, 0.0]] * 2)
    deviation = np.zeros(12)
    deviation[0] = 0.5
    start = PlanStart(s, s, deviation, shift)
    first = program.solve(start)
    again = program.solve(start, (), first)
    assert (
        np.hypot(*program.off_balance(deviation, shift)) < program.weights.dcm_error_low
    )
    assert again.durations.sum() < first.durations.sum()
    assert again.rate > first.rate + 0.05
    # On the behavior a second costs nothing.
    rest = program.rest(s, s)
    held = program.solve(PlanStart(s, s, np.zeros(12)), (), rest)
    assert held.rate == pytest.approx(1.0, abs=PREDICTION)


def test_the_whole_horizon_is_solved_as_well(program):
    plan = program.solve(PlanStart(9.0, 9.0, PUSHED))
    exact = DenseHorizon(program, plan.phases).solve(np.r_[PUSHED, 0.0])
    assert np.abs(plan.deviation - exact.deviation).max() < PREDICTION
    assert np.abs(plan.wrench - exact.wrench).max() < PREDICTION


def integrated(groove, plan, deviation):
    """(N, 9) deviations at the knots by Newton and Euler, nothing linearized."""
    g, m = groove.robot.gravity, groove.robot.total_mass

    def reference(phase):
        sample = groove.sample(phase)
        return np.r_[sample.com[0], sample.com[1], sample.momentum[0] / m]

    x, found = reference(plan.phases[0]) + deviation[:9], []
    for k, (duration, wrench) in enumerate(
        zip(plan.durations, plan.wrench, strict=True)
    ):
        sample = groove.sample(0.5 * (plan.phases[k] + plan.phases[k + 1]))
        force = np.einsum("cij,cj->ci", sample.R_contact, wrench[:, 3:])
        moment = np.einsum("cij,cj->ci", sample.R_contact, wrench[:, :3])
        place = sample.p_contact.copy()

        def rate(t, x, force=force, moment=moment, place=place):
            acceleration = g * force.sum(0) - [0, 0, g]
            turning = moment + np.cross(place - x[:3], force)
            return np.r_[x[3:6], acceleration, g * turning.sum(0)]

        x = solve_ivp(rate, (0, duration), x, rtol=1e-9, atol=1e-11).y[:, -1]
        found.append(x - reference(plan.phases[k + 1]))
    return np.array(found)


@pytest.mark.parametrize("late", [0.0, 0.02])
def test_the_prediction_is_right_to_first_order(groove, program, late):
    """Of a small deviation from the behavior, and from its timing."""
    s, small = 9.0, 0.02
    plan = program.solve(PlanStart(s + small * late, s, small * PUSHED))
    found = integrated(groove, plan, small * PUSHED)
    # What a midpoint rule makes of the behavior itself is not meant here.
    found -= integrated(groove, program.rest(s, s), np.zeros(12))
    for block in (slice(0, 3), slice(3, 6), slice(6, 9)):
        wanted = plan.deviation[1:, block]
        error = np.abs(found[:, block] - wanted).max()
        assert error < SECOND_ORDER * np.abs(wanted).max()


@pytest.mark.parametrize("phase", PHASES)
def test_planned_wrenches_can_be_carried(program, phase):
    plan = program.solve(PlanStart(phase, phase, 2 * PUSHED))
    mu, slack = program.weights.friction, 1e-3
    for w in plan.wrench.reshape(-1, 6):
        assert np.hypot(w[3], w[4]) <= mu * w[5] + slack
        assert 0 - slack <= w[5] <= program.weights.max_force + slack
        for axis, half in ((0, 0.0643), (1, 0.1302)):
            assert abs(w[axis]) <= half * w[5] + slack


@pytest.mark.parametrize("late", [0.3, -0.3])
def test_timing_stays_between_its_bounds(program, late):
    plan = program.solve(PlanStart(9.0 + late, 9.0, PUSHED))
    rates = np.diff(plan.phases) / plan.durations
    w = program.weights
    assert (rates >= w.min_phase_rate - 1e-9).all()
    assert (rates <= w.max_phase_rate + 1e-9).all()
    # Late hurries, early waits.
    assert (plan.rate - 1) * late > 0


@pytest.mark.parametrize("rate", [0.8, 1.0, 1.6])
@pytest.mark.parametrize("late", [0.3, -0.3])
def test_the_tempo_goes_on_from_what_it_was(program, rate, late):
    """Steps that no plan before had are no reason for a jump."""
    elapsed, w = 0.02, program.weights
    start = PlanStart(9.0 + late, 9.0, PUSHED, rate=rate, elapsed=elapsed)
    steps = recovery_steps(list(program.reference.soles), 9.0, w.spacing, [4] * 2)
    anew = program.solve_anew(start, steps)
    for plan in (program.solve(start), program.solve(start, steps), anew):
        assert abs(1 / plan.rate - 1 / rate) <= w.max_phase_rate_change * elapsed + 1e-9


@pytest.mark.parametrize(("height", "speed"), [(0, 0), (-0.05, -0.2), (0, 2), (0.1, 1)])
def test_legs_push_nobody_up_to_where_they_are_straight(program, height, speed):
    """Who is nearly lost would be pushed up for more load, and so for more grip.

    Nothing holds down who flies there already.
    """
    w, g = program.weights, program.reference.robot.gravity
    start = PlanStart(9.0, 9.0, np.zeros(12))
    start.deviation[[1, 2, 4, 5]] = 0.2, height, 1.4, speed
    steps = recovery_steps(list(program.reference.soles), 9.0, w.spacing, [4] * 4)
    plan = program.solve_anew(start, steps)
    flight = height + max(speed, 0.0) ** 2 / (2 * g)
    highest = plan.deviation[1:, 2].max()
    assert highest <= max(w.max_com_rise, flight + w.rise_margin) + PREDICTION
    if speed <= 0:
        free = PredictiveProgram(
            program.reference, dataclasses.replace(w, max_com_rise=1.0)
        )
        other = free.solve_anew(start, steps)
        assert other.deviation[1:, 2].max() > highest + 0.05


@pytest.mark.parametrize(("height", "speed"), [(0, 0), (0.02, 0.12), (-0.01, 0.0)])
def test_a_phase_lands_when_the_body_does(built, height, speed):
    """A body that was thrown higher than planned falls for longer."""
    reference = Reference(built("squat-jump"))
    flies = ~reference.table.standing.any(axis=1)
    first, last = reference.table.t[flies][[0, -1]]
    now, landing = 0.5 * (first + last), last + 1e-6
    start = PlanStart(now, now, np.zeros(12))
    start.deviation[[2, 5]] = height, speed
    plan = PredictiveProgram(reference).solve(start)
    fall = plan.time_to(landing)
    com, gravity = reference.sample(now).com[:, 2], reference.robot.gravity
    lands = com[0] + height + (com[1] + speed) * fall - 0.5 * gravity * fall**2
    assert lands == pytest.approx(reference.sample(landing).com[0, 2], abs=3e-3)
    assert (fall - (landing - now)) * (height + speed) >= 0.0


def test_with_timing_off_the_tempo_is_kept(groove):
    weights = PredictiveWeights(min_phase_rate=1.0, max_phase_rate=1.0)
    plan = PredictiveProgram(groove, weights).solve(PlanStart(9.2, 9.0, PUSHED))
    assert plan.rate == 1.0
    np.testing.assert_array_equal(plan.durations, np.diff(plan.phases))


def test_time_helps_against_a_push(groove, program):
    """With timing the cost of the same state is lower: it is one more freedom."""

    def cost(weights):
        start = PlanStart(9.0, 9.0, 2 * PUSHED)
        return PredictiveProgram(groove, weights).solve(start).objective

    fixed = dataclasses.replace(program.weights, min_phase_rate=1.0, max_phase_rate=1.0)
    assert cost(program.weights) < cost(fixed)


def test_a_program_remembers_nothing(groove, program):
    """Equal calls give equal plans, also on a program that has solved others."""
    first = program.solve(PlanStart(9.0, 9.0, PUSHED))
    for phase in PHASES:
        program.solve(PlanStart(phase, phase, -PUSHED))
    second = program.solve(PlanStart(9.0, 9.0, PUSHED))
    fresh = PredictiveProgram(groove).solve(PlanStart(9.0, 9.0, PUSHED))
    for plan in (second, fresh):
        for name in ("durations", "deviation", "wrench", "com", "iterations"):
            np.testing.assert_array_equal(getattr(plan, name), getattr(first, name))


def test_plans_of_who_sits_are_found_by_shorter_steps_too(built, monkeypatch):
    """There feet carry next to nothing, and many bounds are nearly without a price.

    Long steps may go round in circles then. Here they are given up early, and the plans
    have to be the same.
    """
    program = PredictiveProgram(Reference(built("outstanding")))

    def plans():
        return [program.solve(PlanStart(s, s, np.zeros(12))) for s in RESTING]

    long = plans()
    (share, _), shorter = STEPS
    most = 5
    monkeypatch.setattr(solver, "STEPS", ((share, most), shorter))
    short = plans()
    assert all(plan is not None for plan in (*long, *short))
    assert all(plan.iterations > most for plan in short)
    for a, b in zip(long, short, strict=True):
        np.testing.assert_allclose(b.com, a.com, atol=PREDICTION)
        np.testing.assert_allclose(b.rate, a.rate, atol=PREDICTION)


def test_the_first_interval_is_never_a_sliver(program):
    spacing = program.weights.spacing
    for phase in np.linspace(2.0, 2.2, 101):
        first = np.diff(program.rest(phase, phase).phases)
        assert first[0] >= 0.3 * spacing - 1e-9
        np.testing.assert_allclose(first[1:], spacing)


def test_switches_of_contacts_are_knots_of_the_horizon(built):
    """A foot at 98 BPM lands between multiples of the spacing."""
    reference = Reference(built("march"))
    program, table = PredictiveProgram(reference), reference.table
    jumps = np.flatnonzero((table.standing[1:] != table.standing[:-1]).any(axis=1))
    switches = table.t[jumps + 1]
    h = program.weights.spacing
    assert np.abs(switches / h - np.round(switches / h)).max() > 0.2
    for s in np.arange(-0.5, reference.duration + 0.5, 0.0137):
        phases = program.rest(0.0, s).phases
        assert phases[0] == s
        inside = switches[(switches > s + 0.02 * h) & (switches <= phases[-1])]
        assert np.isin(inside, phases).all()
        steps = np.diff(phases)
        assert steps[0] >= min(0.02 * h, steps[1:].min())
        assert steps[0] <= 1.81 * h
        assert steps[1:].min() >= 0.5 * h
        assert steps[1:].max() <= 1.5 * h + 1e-9


@pytest.mark.parametrize("phase", [2.0, 2.3])
def test_solved_about_itself_a_plan_predicts_what_happens(built, phase):
    """Products of deviations, with each other and with time, are accounted for."""
    reference = Reference(built("march"))
    program = PredictiveProgram(reference, PredictiveWeights(stepping=False))
    state = np.array([0.01, 0.015, 0, 0.15, 0.15, 0, 0.02, -0.02, 0.01, 0.02, 0.02, 0])
    rest = integrated(reference, program.rest(phase, phase), np.zeros(12))
    plan, errors = None, []
    for _ in range(6):
        plan = program.solve(PlanStart(phase + 0.2, phase, state), previous=plan)
        found = integrated(reference, plan, state) - rest
        errors.append(np.abs(found[:, :6] - plan.deviation[1:, :6]).max())
    assert np.abs(plan.durations / np.diff(plan.phases) - 1).max() > 0.1
    assert errors[-1] < 0.2 * errors[0]


def test_the_musical_knob_goes_from_balance_to_beat():
    usual = PredictiveWeights()
    knob = [usual.with_beat_priority(p) for p in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert knob[2] == usual
    assert (knob[-1].min_phase_rate, knob[-1].max_phase_rate) == (1.0, 1.0)
    assert (np.diff([w.beat for w in knob]) > 0).all()
    # Who is calm takes the beat up again, even at the balance's end.
    assert all(w.balanced_beat == max(w.beat, usual.beat) for w in knob)
    assert (np.diff([w.min_phase_rate for w in knob]) >= 0).all()
    assert (np.diff([w.max_phase_rate for w in knob]) <= 0).all()
