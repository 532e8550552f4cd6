"""Recovery steps: when they are taken, what they obey, and that they save the robot."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.plans.stepping import covered, recovery_steps, standing
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.core import PredictiveCore
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.predictive.recovery import Recovery
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from tests.mpc.recovered import SOON, recovered
from tests.tolerances import PREDICTION

WEIGHTS = PredictiveWeights()
HARD, HARDER = 150.0, 180.0
AHEAD, BACK, LEFT, RIGHT = (1.0, 0, 0), (-1.0, 0, 0), (0, 1.0, 0), (0, -1.0, 0)
DIAGONAL = (0.7071, 0.7071, 0)


@pytest.fixture(scope="module")
def stand(built):
    return Reference(built("stand"))


@pytest.fixture(scope="module")
def program(stand):
    return PredictiveProgram(stand)


def fast(x=0.0, y=0.0):
    """A deviation: as after a push."""
    deviation = np.zeros(12)
    deviation[3:5] = x, y
    return deviation


def improved(program, deviation, elapsed=0.02):
    start = PlanStart(2.0, 2.0, deviation, np.zeros((2, 2)))
    before = replace(program.rest(2.0 - elapsed, 2.0 - elapsed), iterations=1)
    return Recovery().improve(program, start, program.solve(start), before, elapsed)


def test_who_stands_well_does_not_step(program):
    assert improved(program, fast(x=0.05)).steps == ()


@pytest.mark.parametrize(("y", "first"), [(1.0, 0), (-1.0, 1)])
def test_sideways_the_foot_ahead_goes_first(program, y, first):
    steps = improved(program, fast(y=y)).steps
    assert steps[0].contact == program.reference.soles[first]


def test_a_fall_ahead_is_stepped_after(program):
    plan = improved(program, fast(x=1.0))
    assert plan.steps
    assert plan.shift[:, :, 0].max() > 0.2


@pytest.mark.parametrize("velocity", [(0.6, 0.0), (0.0, 0.6), (0.0, -0.6)])
def test_no_foot_steps_right_before_its_own_step(built, velocity):
    """That one can go elsewhere, in all the time it has."""
    reference = Reference(built("walk-2"))
    program, recovery = PredictiveProgram(reference), Recovery()
    own = [(float(w[0]), c) for c in reference.soles for w in reference.swings[c]]
    asked = 0
    for s in np.arange(min(own)[0] - 0.4, max(own)[0] + 1.2, 0.13):
        start = PlanStart(s, s, fast(*velocity), np.zeros((2, 2)))
        before = replace(program.rest(s - 0.02, s - 0.02), iterations=1)
        plan = recovery.improve(program, start, program.solve(start), before, 0.02)
        if plan is None or not plan.steps:
            continue
        asked += 1
        last = plan.steps[-1]
        after = [c for begin, c in sorted(own) if begin >= last.end]
        assert not after or last.contact != after[0]
    assert asked > 2


@pytest.mark.parametrize(("astray", "steps"), [(0.05, False), (0.15, True)])
def test_who_stands_well_but_far_from_its_place_steps_back(program, astray, steps):
    deviation, shift = np.zeros(12), np.full((2, 2), [-astray, 0.0])
    deviation[0] = -astray
    start = PlanStart(2.0, 2.0, deviation, shift)
    plan = program.solve(start)
    assert np.abs(plan.shift + [astray, 0.0]).max() < PREDICTION
    plan = Recovery().improve(program, start, plan, program.rest(1.98, 1.98), 0.02)
    assert bool(plan.steps) == steps
    if steps:
        assert np.abs(plan.shift[-1]).max() < 0.1 * astray


@pytest.mark.parametrize(
    ("speed", "moved", "goes_on"),
    [(0.0, 0.0, False), (0.4, 0.0, True), (0.0, 0.2, True)],
)
def test_steps_to_come_are_given_up_once_all_is_well(
    stand, program, speed, moved, goes_on
):
    step, sample = PredictiveCore(program, recovery=Recovery()), stand.sample(2.0)
    steps = recovery_steps(stand.soles, 2.0, program.weights.spacing, [4] * 4)
    before = replace(program.rest(2.0, 2.0), steps=steps)
    q, v = sample.q.copy(), sample.v.copy()
    q[4] += moved
    v[3] += speed
    plan = step(2.0, q, v, replace(step.start(), plan=before)).plan
    assert plan.steps == (steps if goes_on else ())


def cut_short(program, start, plan):
    """What is left of a plan with steps for who was as far off the plan before."""
    deviation = np.tile(start.deviation, (len(plan.deviation), 1))
    before = replace(plan, deviation=deviation)
    return Recovery().cut_short(program, start, plan, before, 0.02)


@pytest.mark.parametrize(
    ("speed", "moved", "goes_on"),
    [(0.0, 0.0, False), (1.0, 0.0, True), (0.0, 0.2, True)],
)
def test_the_step_under_way_is_the_last_one_once_all_is_well(
    program, speed, moved, goes_on
):
    steps = recovery_steps(program.reference.soles, 1.9, 0.05, [4] * 4)
    deviation = fast(x=speed)
    deviation[0] = moved
    start = PlanStart(2.05, 2.05, deviation, np.full((2, 2), [moved, 0.0]))
    plan = program.solve_anew(start, steps)
    found = cut_short(program, start, plan)
    assert found.steps == (steps if goes_on else steps[:1])


@pytest.mark.parametrize(("speed", "goes_on"), [(0.0, False), (1.0, True)])
def test_steps_are_not_given_up_in_an_alarm(program, monkeypatch, speed, goes_on):
    """However little it would cost: steps were taken for more."""
    steps = recovery_steps(program.reference.soles, 1.9, 0.05, [4] * 4)
    deviation = fast(x=speed)
    start = PlanStart(2.05, 2.05, deviation, np.zeros((2, 2)))
    plan = program.solve_anew(start, steps)
    shorter = replace(plan, steps=steps[:1], objective=plan.objective - 1.0)
    monkeypatch.setattr(program, "solve_anew", lambda *_: shorter)
    found = cut_short(program, start, plan)
    assert found.steps == (steps if goes_on else steps[:1])


def test_who_is_in_a_crouch_gets_up_in_time(program):
    """What plans want of the height of the body goes on from plan to plan."""
    deviation, shift = np.zeros(12), np.zeros((2, 2))
    deviation[2] = -program.weights.com_lowering
    start = PlanStart(2.0, 2.0, deviation, shift)
    plan = program.solve(start)
    assert plan.com_lowering == 0.0
    at_once = plan.wrench[0, :, 5].sum()
    slowly = program.solve(replace(start, com_lowering=1.0))
    gentle = slowly.wrench[0, :, 5].sum()
    assert abs(gentle - 1.0) < 0.3 < abs(at_once - 1.0)
    heights = slowly.deviation[:, 2] / program.weights.com_lowering
    t = np.r_[0.0, np.cumsum(slowly.durations)]
    np.testing.assert_allclose(
        heights, np.minimum(0.0, t / WEIGHTS.rise_time - 1.0), atol=0.2
    )
    wanted, before = [], slowly
    for s in np.arange(2.02, 2.5, 0.02):
        start = PlanStart(s, s, before.deviation[0], shift).going_on(before)
        before = program.solve(start)
        wanted.append(before.com_lowering)
    ramp = np.maximum(
        0.0, 1.0 - np.arange(1, len(wanted) + 1) * 0.02 / WEIGHTS.rise_time
    )
    np.testing.assert_allclose(wanted, ramp, atol=0.02)
    # A fall asks for all of it again.
    assert program.solve(replace(start, deviation=fast(x=1.0))).com_lowering == 1.0


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_undecided_steps_are_given_up_for_much_whatever_is_tried_first(
    program, monkeypatch, order
):
    """For more than the price, not for a little less than that."""
    recovery, start = Recovery(), PlanStart(2.0, 2.0, fast(y=0.6), np.zeros((2, 2)))
    plan = program.solve(start)
    ours, others = (recovery_steps(o, 2.0, 0.05, [4] * 2) for o in ([0, 1], [1, 0]))
    monkeypatch.setattr(Recovery, "_sequences", lambda *_: [ours, others][order])
    undecided = replace(plan, steps=ours)
    for cheaper, kept in ((0.8, ours), (1.2, others)):
        costs = {ours: 1.0, others: 1.0 - cheaper * recovery.step_penalty}

        def solve(start, steps=(), before=None, costs=costs):
            return replace(plan, steps=steps, objective=costs[steps])

        for name in ("solve", "solve_anew"):
            monkeypatch.setattr(program, name, solve)
        before = program.rest(1.98, 1.98)
        best = recovery.improve(program, start, None, before, 0.02, undecided)
        assert best.steps == kept


def test_a_knob_that_is_turned_does_not_fill_the_memory(stand):
    """The latest programs are found again, and the first one always."""
    step = PredictiveCore(PredictiveProgram(stand))
    asked = [PlanSettings(beat_priority=k / 20) for k in range(20)]
    made = [step.program_for(settings) for settings in asked]
    assert [step.program_for(settings) for settings in asked[-4:]] == made[-4:]
    assert len(step._programs) < 10
    assert step.program_for(None) is step.program


def test_without_stepping_nobody_steps(stand):
    program = PredictiveProgram(stand, PredictiveWeights(stepping=False))
    assert improved(program, fast(x=1.0)).steps == ()
    assert program.solve(PlanStart(2.0, 2.0, fast(x=1.0))).shift.max() == 0.0


@pytest.mark.parametrize("deviation", [fast(x=1.2), fast(y=0.8), fast(x=-0.8, y=-0.5)])
def test_soles_move_in_the_air_alone_and_stay_within_reach(program, deviation):
    order = program.reference.soles if deviation[4] >= 0 else (1, 0)
    steps = recovery_steps(order, 2.0, 0.05, [4] * 4)
    plan = program.solve(PlanStart(2.0, 2.0, deviation), steps)
    w = program.weights
    for i, c in enumerate(program.reference.soles):
        for k in range(len(plan.durations)):
            middle = 0.5 * (plan.phases[k] + plan.phases[k + 1])
            moved = np.abs(plan.shift[k + 1, i] - plan.shift[k, i]).max()
            if not any(x.contact == c and x.start < middle < x.end for x in steps):
                assert moved < PREDICTION
                continue
            np.testing.assert_allclose(plan.wrench[k, c], 0.0, atol=PREDICTION)
    place = program.reference.sample(2.0).p_contact[:, :2]
    apart = (place[0] + plan.shift[:, 0]) - (place[1] + plan.shift[:, 1])
    assert np.abs(apart[:, 0]).max() <= w.max_step_length[0] + 0.01
    assert apart[:, 1].min() >= w.min_step_width - 0.01
    assert apart[:, 1].max() <= w.max_step_length[1] + 0.01


def test_products_of_deviations_are_taken_from_the_plan_before(program):
    """A plan about the plan before predicts a hard push better than one about rest."""
    start = PlanStart(2.0, 2.0, fast(x=0.9))
    steps = recovery_steps(program.reference.soles, 2.0, 0.05, [4] * 4)
    first = program.solve(start, steps)
    again = first
    for _ in range(4):
        again = program.solve(start, steps, again)
    assert error(program.reference, again) < 0.4 * error(program.reference, first)


@pytest.fixture(scope="module")
def march(built):
    return PredictiveProgram(Reference(built("march")))


@pytest.mark.parametrize("velocity", [fast(y=-0.6), fast(x=0.6), fast(x=-0.6)])
def test_who_falls_in_mid_swing_lands_earlier_and_steps_no_faster(march, velocity):
    """Without products of deviations no plan would see a use in hurrying."""
    s, reference = 3.3, march.reference
    now = PlanStart(s, s, velocity)
    ((c, end),) = [
        (c, end)
        for c in reference.soles
        for start, end in reference.swings[c]
        if start < s < end
    ]
    order = [x for x in reference.soles if x != c] + [c]
    steps = recovery_steps(order, end, march.weights.spacing, [4] * 2)
    first = march.solve(now, steps)
    plan = march.solve_anew(now, steps)
    assert landing(plan, end) < 0.75 * landing(first, end)
    middles = 0.5 * (plan.phases[:-1] + plan.phases[1:])
    rate = np.diff(plan.phases) / plan.durations
    added = np.any([covered(x, middles) for x in steps], axis=0)
    assert rate[added].max() <= WEIGHTS.max_step_rate + PREDICTION
    # It has settled: about itself it comes out as it is.
    again = march.solve(now, steps, plan)
    assert landing(again, end) == pytest.approx(landing(plan, end), abs=0.03)


def landing(plan, phase):
    """Time until a phase of a plan [s]."""
    times = np.r_[0.0, np.cumsum(plan.durations)]
    return float(np.interp(phase, plan.phases, times))


def error(reference, plan):
    """Largest error of the predicted angular momentum per mass, by Euler's law."""
    g, m, worst = reference.robot.gravity, reference.robot.total_mass, 0.0
    momentum = plan.deviation[0, 6:9]
    for k, h in enumerate(plan.durations):
        sample = reference.sample(0.5 * (plan.phases[k] + plan.phases[k + 1]))
        com = 0.5 * (plan.com[k] + plan.com[k + 1])
        for c, w in enumerate(plan.wrench[k]):
            R, place = sample.R_contact[c], sample.p_contact[c].copy()
            place[:2] += plan.shift[k + 1, c]
            moment = R @ w[:3] + np.cross(place - com, R @ w[3:])
            momentum = momentum + h * g * moment
        planned = reference.sample(plan.phases[k + 1]).momentum[0] / m
        off = momentum - planned - plan.deviation[k + 1, 6:9]
        worst = max(worst, float(np.abs(off).max()))
    return worst


def pushed(behavior, size, direction, time=0.5, lasts=4.2, **switches):
    """A run that goes on for so long after the push [s], and how it was judged."""
    impulse = [size * x for x in direction]
    scenario = Scenario.of(
        behavior=behavior.name,
        lead_in=0.3,
        duration=time + 0.1 + lasts,
        pushes=[Push(time, 0.1, impulse)],
        **switches,
    )
    run = run_scenario(scenario, behavior)
    (push,) = run_metrics(run)["pushes"]
    return run, push["survived"]


def test_steps_save_what_falls_without(built):
    run, _ = pushed(built("stand"), HARD, AHEAD, time=0.1, lasts=SOON + 0.2)
    assert recovered(run)
    assert any(plan.steps for plan in run.plans)
    # The soles have gone with the push, and come back as far as steps were needed.
    gone = max(plan.shift[0, :, 0].min() for plan in run.plans)
    back = run.plans[-1].shift[0, :, 0].min()
    assert gone > 0.1 > back
    assert not run.plans[-1].steps
    run, _ = pushed(built("stand"), HARD, AHEAD, time=0.1, steps=False)
    assert run.fell
    assert not any(plan.steps for plan in run.plans)


@pytest.mark.slow
@pytest.mark.parametrize("contact_model", ["lagged", "sap"])
@pytest.mark.parametrize(
    ("size", "direction"),
    [
        *((HARDER, d) for d in (AHEAD, BACK, DIAGONAL)),
        *((HARD, d) for d in (LEFT, RIGHT)),
    ],
)
def test_hard_pushes_are_survived_with_steps(built, size, direction, contact_model):
    _, survived = pushed(built("stand"), size, direction, contact_model=contact_model)
    assert survived


@pytest.mark.slow
@pytest.mark.parametrize("direction", [AHEAD, BACK, LEFT, RIGHT])
def test_a_push_in_mid_swing_is_survived(built, direction):
    """To the left as well, where the foot in the air would have to cross."""
    _, survived = pushed(built("march"), 100.0, direction, time=2.1)
    assert survived


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "direction"), [(280.0, AHEAD), (260.0, BACK), (180.0, RIGHT)]
)
def test_timing_saves_what_falls_without(built, size, direction):
    """Once decided on, steps to come are not taken back and decided on again."""
    hardware = {"state": "estimated", "actuator_lag": 0.005, "seed": 1}
    run, survived = pushed(built("march"), size, direction, time=3.265, **hardware)
    assert survived
    behavior = [p for p in run.plans if 3.7 < p.time < 4.2]
    changes = np.diff([bool(p.steps) for p in behavior])
    assert np.count_nonzero(changes) <= 1
    _, survived = pushed(
        built("march"), size, direction, time=3.265, timing=False, **hardware
    )
    assert not survived


@pytest.mark.slow
def test_the_foot_that_is_next_waits_for_a_recovery_step(built):
    """So that no plan has both feet in the air."""
    hardware = {"state": "estimated", "actuator_lag": 0.005, "seed": 0}
    run, survived = pushed(built("march"), 280.0, BACK, time=3.265, **hardware)
    assert survived
    assert any(step.stands for plan in run.plans for step in plan.steps)
    reference = Reference(built("march"))
    for plan in run.plans:
        middles = 0.5 * (plan.phases[:-1] + plan.phases[1:])
        planned = reference.table.standing[reference.grid(middles)[0]]
        on = standing(planned, middles, plan.changes)
        assert on[:, list(reference.soles)].any(axis=1).all()


@pytest.mark.slow
@pytest.mark.parametrize("friction", [0.0, 0.03])
@pytest.mark.parametrize(
    ("size", "direction"),
    [(HARDER, AHEAD), (HARDER, BACK), (HARD, LEFT), (HARD, RIGHT)],
)
def test_hard_pushes_are_survived_on_sensors_and_motors(
    built, size, direction, friction
):
    """Noise and delay of the sensors, lag of the motors, friction in the joints."""
    hardware = {"state": "estimated", "actuator_lag": 0.005, "joint_friction": friction}
    _, survived = pushed(built("stand"), size, direction, **hardware)
    assert survived


@pytest.mark.slow
@pytest.mark.parametrize("direction", [AHEAD, BACK, LEFT, RIGHT])
@pytest.mark.parametrize(
    ("pushes", "steps"),
    [
        ([Push(0.5, 0.15, [52.5], "utorso")], False),
        ([Push(0.5, 1.0, [200.0])], True),
        ([Push(0.5, 0.2, [60.0]), Push(1.7, 0.2, [42.0])], False),
    ],
    ids=["at the chest", "for a second", "twice"],
)
def test_long_and_repeated_pushes_are_survived(built, pushes, steps, direction):
    pushes = [
        replace(p, impulse=[p.impulse[0] * float(x) for x in direction]) for p in pushes
    ]
    scenario = Scenario.of(
        "stand",
        lead_in=0.3,
        duration=pushes[-1].time + pushes[-1].duration + 4.2,
        pushes=pushes,
        steps=steps,
        state="estimated",
        actuator_lag=0.005,
    )
    run = run_scenario(scenario, built("stand"))
    assert run_metrics(run)["survived"]
