"""Explanations: they add up, agree with the multipliers, and name what a push does."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.cost_history import cost_history
from backbeat.mpc.analysis.run_explanation import explain_run
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.plans.explanation import LimitReport
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.core import PredictiveCore
from backbeat.mpc.predictive.plan_explanation import explain_plan
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.predictive.recovery import Recovery
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.whole_body.core import WholeBodyCore
from backbeat.mpc.whole_body.programs.assembly import recover
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram
from backbeat.mpc.whole_body.tick_explanation import explain_tick, report_tasks
from backbeat.optimization.terms.declared import costs_of
from backbeat.report.plots.costs import plot_costs
from tests.tolerances import PREDICTION, QP_RESIDUAL

T = 6.0


class Dancer:
    """Both controllers of a dance, in mid-dance."""

    def __init__(self, reference, time=T):
        self.reference, self.time = reference, time
        program = WholeBodyProgram(reference.robot, reference.patches, reference.points)
        self.tick = WholeBodyCore(program, reference)
        prediction = PredictiveProgram(reference)
        self.step = PredictiveCore(prediction, recovery=Recovery())
        self.sample = reference.sample(time)

    def plan(self, velocity=(0.0, 0.0, 0.0)):
        """Plan and state of a robot whose pelvis has a velocity of its own."""
        q, v = self.sample.q, self.sample.v.copy()
        v[3:6] += velocity
        t = self.time
        first = replace(self.step.start(), plan=self.step.program.rest(t, t))
        return self.step(t, q, v, first).plan, q, v

    def explain(self, velocity=(0.0, 0.0, 0.0)):
        plan, q, v = self.plan(velocity)
        return explain_tick(self.tick, self.time, q, v, plan)


@pytest.fixture(scope="module")
def dancer(groove):
    return Dancer(groove)


@pytest.fixture(scope="module")
def marcher(built):
    reference = Reference(built("march"))
    ((start, end), *_) = reference.swings[reference.soles[0]]
    return Dancer(reference, 0.5 * (start + end))


def names(limits: tuple[LimitReport, ...]) -> set[str]:
    return {x.name for x in limits}


@pytest.fixture(scope="module")
def sitter(drummer):
    """A drummer, whose seat no limb holds."""
    return Dancer(drummer)


@pytest.mark.parametrize("speed", [0.0, 0.4])
@pytest.mark.parametrize("who", ["dancer", "marcher", "sitter"])
def test_costs_of_tasks_add_up_to_the_programs(request, who, speed):
    """From one answer to another they change as the quadratic cost does."""
    dancer = request.getfixturevalue(who)
    plan, q, v = dancer.plan((speed, 0.0, 0.0))
    tick, program = dancer.tick, dancer.tick.program
    tick.aim(dancer.time, plan)
    middle = tick.middle(q, v)
    solution = program.solve(middle, v, tick.target)
    state, rng = program.workspace, np.random.default_rng(0)
    n = len(state.g) - 6 * len(program.contacts)
    nf = tick.robot.base_velocities
    by_contact = (solution.wrench + solution.swing_slack).ravel()
    best = np.r_[solution.vdot[nf:][program.model.free], by_contact]
    stands = tick.target.standing[:, None]
    costs = []
    for x in (best, best + rng.normal(size=len(best))):
        vdot, tau = np.zeros_like(solution.vdot), np.zeros_like(solution.tau)
        recover(program.model, tick.target, state, x, vdot, tau)
        rest = x[n:].reshape(-1, 6)
        wrench, off = np.where(stands, rest, 0.0), np.where(stands, 0.0, rest)
        other = replace(solution, vdot=vdot, wrench=wrench, swing_slack=off)
        tasks = report_tasks(program, other)
        total = sum(task.cost for task in tasks)
        costs.append((total, 0.5 * x @ state.H @ x + state.g @ x))
    (a, b), (c, d) = costs
    assert c - a == pytest.approx(d - b, rel=1e-6)
    assert a > 0


@pytest.mark.parametrize(
    "velocity", [(0.0, 0.0, 0.0), (0.5, 0, 0), (-0.4, 0, 0), (0, 0.4, 0)]
)
def test_limits_in_force_are_those_with_multipliers(dancer, velocity):
    """Every multiplier of the program is a named limit without slack, and no other."""
    found = dancer.explain(velocity)
    solution = dancer.tick.program.solve(
        dancer.tick.middle(*dancer.plan(velocity)[1:]),
        dancer.plan(velocity)[2],
        dancer.tick.target,
    )
    state = dancer.tick.program.workspace
    bounded = state.lower < state.upper
    prices = np.abs(solution.dual[bounded & (solution.dual != 0)])
    active = [x for x in found.limits if x.multiplier]
    assert sorted(x.multiplier for x in active) == pytest.approx(sorted(prices))
    assert all(x.slack < QP_RESIDUAL * max(x.scale, 1.0) for x in active)
    assert names(found.active) == names(active)
    assert found.nearest[0].slack <= found.nearest[-1].slack


@pytest.mark.parametrize("velocity", [(0.0, 0.0, 0.0), (0.5, 0, 0), (0, 0.4, 0)])
def test_a_limit_is_said_once(dancer, velocity):
    """Also where a cone has several rows for it, in force or not."""
    found = dancer.explain(velocity)
    of_yaw = [x for x in found.limits if x.name.startswith("yaw moment of l_foot")]
    assert len(of_yaw) == 8
    said = [x.name for x in (*found.active, *found.nearest)]
    assert len(said) == len(set(said))
    lines = str(found).splitlines()
    assert len(lines) == len({line.partition(":")[0] for line in lines})
    # Of several rows the one that binds most speaks for all.
    least = min(of_yaw, key=lambda x: (x.multiplier == 0, x.slack))
    told = next(x for x in (*found.active, *found.nearest) if x.name == least.name)
    assert told.slack == pytest.approx(least.slack)


def test_a_foot_in_the_air_is_said_to_be_off_its_path(marcher):
    tick, (plan, q, v) = marcher.tick, marcher.plan()
    before = {task.name: task.cost for task in marcher.explain().tasks}
    name = "path of l_foot in the air"
    assert name in before
    assert "path of r_foot in the air" not in before
    foot = tick.program.model.limb[0]
    v[tick.robot.base_velocities + foot] += 3.0
    after = explain_tick(tick, marcher.time, q, v, plan)
    costs = {task.name: task.cost for task in after.tasks}
    assert costs[name] > 10 * before[name]


def test_torques_and_limits_are_in_newton_meters(dancer):
    found = dancer.explain((0.5, 0.0, 0.0))
    robot = dancer.tick.robot
    for limit in found.limits:
        if limit.name == "torque of l_leg_kny at its upper limit":
            j = robot.joint_index("l_leg_kny")
            assert limit.bound == pytest.approx(robot.effort_limits[j])
            assert limit.value == pytest.approx(found.torques[j], rel=1e-6)
            return
    pytest.fail("no limit of the knee's torque")


def multiplier(found, edge):
    """What the dearest center of pressure at an edge costs; 0 if none is there."""
    of = f"at its {edge} edge"
    return max((x.multiplier for x in found.active if of in x.name), default=0.0)


@pytest.mark.parametrize(
    ("velocity", "edge"),
    [
        ((0.25, 0.0, 0.0), "front"),
        ((-0.25, 0.0, 0.0), "back"),
        ((0.0, 0.3, 0.0), "left"),
        ((0.0, -0.3, 0.0), "right"),
    ],
)
def test_a_push_brings_the_center_of_pressure_to_the_edge_it_goes_to(
    dancer, velocity, edge
):
    """A robot that moves too fast pushes itself back from that edge of its feet."""
    plan, q, v = dancer.plan(velocity)
    fast, slow = (
        explain_tick(dancer.tick, T, q, v, plan),
        explain_plan(dancer.step.program, plan, 0.0, dancer.step.program.rest(T, T)),
    )
    opposite = {"front": "back", "back": "front", "left": "right", "right": "left"}
    assert multiplier(slow, edge) > 2 * multiplier(slow, opposite[edge]), str(slow)
    # Of a tick friction may be the dearer limit: it brakes as hard as it can.
    assert fast.active
    assert all(x.multiplier > 0 for x in fast.active)
    calm = dancer.explain()
    assert not any("center of pressure" in n for n in names(calm.active))


def test_costs_of_a_plan_add_up_to_its_objective(dancer):
    for velocity in ((0.3, 0.0, 0.0), (0.0, 0.9, 0.0)):
        plan, _, _ = dancer.plan(velocity)
        found = explain_plan(
            dancer.step.program, plan, 0.0, dancer.step.program.rest(T, T)
        )
        total = sum(found.costs.values())
        assert total == pytest.approx(plan.objective, rel=0.02)
        assert all(cost >= 0 for cost in found.costs.values())


def test_bounds_of_a_plan_are_named_and_complementary(dancer):
    """What is said to be in force has no room left, at the knot that pays the most."""
    late = replace(dancer.step.program.rest(T, T - 0.5), iterations=0)
    plan = dancer.step.program.solve(PlanStart(T, T - 0.5, np.zeros(12)))
    found = explain_plan(dancer.step.program, plan, 0.0, late)
    assert "phase rate at its maximum" in names(found.active)
    weights, steps = dancer.step.program.weights, np.diff(plan.phases)
    assert (steps / plan.durations).max() == pytest.approx(
        weights.max_phase_rate, abs=1e-2
    )
    assert all(x.slack < 10 * PREDICTION for x in found.active)
    assert all(x.times[0] < x.times[1] for x in found.active)


def test_an_explanation_is_words(dancer):
    text = str(dancer.explain((0.5, 0.0, 0.0)))
    assert "stands on l_foot and r_foot" in text
    assert "center of mass (weight 10): off by" in text
    assert "active limits, by decreasing multiplier" in text
    assert "left (" in text


@pytest.fixture(scope="module")
def run_and_torques(built):
    """A run with a push, and the torques of its ticks by time [ms]."""
    torques, call = {}, WholeBodyCore.__call__

    def watched(self, t, *rest):
        memory = call(self, t, *rest)
        torques[round(1e3 * t)] = memory.command[: self.robot.num_joints]
        return memory

    scenario = Scenario.of(
        behavior="stand",
        lead_in=0.1,
        duration=0.5,
        pushes=[Push(0.2, 0.1, [70.0, 0.0, 0.0])],
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WholeBodyCore, "__call__", watched)
        return run_scenario(scenario, built("stand")), torques


@pytest.fixture
def run(run_and_torques):
    return run_and_torques[0]


def test_a_run_explains_itself_from_its_log(run_and_torques):
    """On samples on which ticks fell, they are those that were."""
    run, torques = run_and_torques
    calm, pushed = explain_run(run, 0.1), explain_run(run, 0.31)
    assert calm.time == pytest.approx(0.1)
    assert not calm.tick.active
    for found in (pushed.tick, pushed.plan):
        assert any("front edge" in x.name for x in found.active)
    assert "phase rate" in str(pushed)
    for found in (calm, pushed):
        assert found.tick.time == found.time
        assert found.plan.time == pytest.approx(found.plan.phase, abs=0.01)
        made = torques[round(1e3 * (found.time + run.scenario.timing.lead_in))]
        # Another warm start may end in another digit.
        np.testing.assert_allclose(found.tick.torques, made, rtol=1e-6, atol=1e-4)


def test_costs_over_time_are_those_of_the_explanations(run):
    """Each at its time, and a push costs most of all before or after it."""
    history = cost_history(run)
    found = explain_run(run, float(history.t[len(history.t) // 2]))
    at = len(history.t) // 2
    declared = {cost.name for cost, _ in costs_of(PredictiveWeights())}
    assert declared <= set(history.plan)
    for name, values in history.plan.items():
        assert values[at] == pytest.approx(found.plan.costs[name], rel=1e-9, abs=1e-15)
    for task in found.tick.tasks:
        # Programs that solved others before end in other digits.
        assert history.tick[task.name][at] == pytest.approx(task.cost, rel=1e-6)
    total = np.sum(list(history.plan.values()), axis=0)
    (push,) = run.scenario.disturbances.pushes
    assert history.t[np.nanargmax(total)] > push.time
    assert len(cost_history(run, push.time).t) < len(history.t)


def test_costs_over_time_are_drawn_by_name(run):
    history = cost_history(run, 0.35)
    plans, ticks = plot_costs(history).axes
    for axes, told in ((plans, history.plan), (ticks, history.tick)):
        lines = {line.get_label(): line for line in axes.get_lines()}
        used = [name for name, x in told.items() if np.nansum(x) > 0]
        if len(used) > len(lines):
            rest = lines.pop(f"{len(used) - len(lines) + 1} others")
            others = np.sum([told[name] for name in {*used} - {*lines}], axis=0)
            np.testing.assert_allclose(rest.get_ydata(), others)
        for name, line in lines.items():
            x = told[name]
            np.testing.assert_array_equal(line.get_ydata(), np.where(x > 0, x, np.nan))


def test_costs_of_a_time_without_states_are_refused(run):
    with pytest.raises(BackbeatError, match="the run has no state from 0 to"):
        cost_history(run, -0.05)


def test_a_run_knows_nothing_of_other_times(run):
    with pytest.raises(BackbeatError, match="the run goes from"):
        explain_run(run, 3.0)


def test_a_hand_that_is_held_elsewhere_is_explained_there(dancer):
    """Where it has got, the arm wants no more; where it has not, it still does."""
    plan, q, v = dancer.plan()
    hands = {"left hand": np.array([0.1, 0.0, 0.05])}
    tick = dancer.tick
    memory = tick(T, q, v, plan, tick.start(), hands)
    first = explain_tick(tick, T, q, v, plan, memory, hands)
    wanted = [tick.target.joints.copy()]
    there = explain_tick(tick, T, q, v, plan, hands=hands)
    wanted.append(tick.target.joints.copy())
    explain_tick(tick, T, q, v, plan)
    alone = tick.target.joints.copy()
    begun, settled = (np.abs(w[0] - alone[0]).max() for w in wanted)
    assert 0 < begun < 0.1 * settled
    assert np.abs(wanted[1][1] - alone[1]).max() < 1e-3
    assert np.isfinite(first.torques).all()
    assert np.isfinite(there.torques).all()
