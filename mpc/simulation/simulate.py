"""Running a scenario: the closed loop from start to end or to a fall."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from backbeat.behaviors.library.behavior import Behavior
from backbeat.mpc.control.controllers import MakeControllers
from backbeat.mpc.control.outside import ConnectControllers
from backbeat.mpc.control.task_space_setup import task_space_behavior
from backbeat.mpc.control.user_code import UserCode
from backbeat.mpc.engines.engine_setup import MakeEngine
from backbeat.mpc.moved_base.robot import MovedRobot
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.diagram import ClosedLoop
from backbeat.mpc.simulation.loop_processes import Replacements
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.simulation.running_loop import RunningLoop
from backbeat.mpc.weights.controller_weights import AnyWeights
from backbeat.mpc.world.fall import samples_before_runaway
from backbeat.mpc.world.joint_sample import Listener

# Called with the share of the run that is done.
Progress = Callable[[float], None]


def run_scenario(
    scenario: Scenario,
    behavior: Behavior,
    weights: AnyWeights = None,
    progress: Progress | None = None,
    remote: ConnectControllers | None = None,
    listener: Listener | None = None,
    engine: MakeEngine | None = None,
    controller: MakeControllers | UserCode | None = None,
) -> SimulationRun:
    """Simulates a behavior in closed loop.

    Args:
        scenario: settings; its behavior name is not looked up again.
        behavior: what to track.
        weights: of the controllers, or of the predictive program alone, on which are
            those of the scenario; None for those that ship.
        progress: called some ten times a second of simulated time.
        remote: connects to controllers that are elsewhere, for instance
            `backbeat.mpc.remote.controller.remote_controllers`; None for inside.
        listener: told of states and torques on the way; None for nothing.
        engine: makes the engine of a scenario whose engine is `own`.
        controller: makes what takes the place of either controller, see
            `backbeat.mpc.control.own_controllers`; None for ours.

    Raises:
        BackbeatError: the scenario makes no sense, its planner process fails, or
            no controller answers.
    """
    # The matrices are small: threads of the BLAS would only wait for each other.
    instead = Replacements(engine, controller, remote, weights)
    loop = RunningLoop(behavior, scenario, instead, by_hand=False)
    with loop as running, threadpool_limits(1):
        timing = running.scenario.timing
        length = timing.lead_in + running.end
        if listener is not None:
            running.listen(listener)
        while not running.is_over:
            running.advance(timing.plan_period)
            done = running.log.num_plans
            if progress and done % 5 == 1:
                progress(min(1.0, done * timing.plan_period / length))
        return collect_run(running)


def run_task_space(
    scenario: Scenario,
    remote: ConnectControllers | None = None,
    engine: MakeEngine | None = None,
) -> SimulationRun:
    """Simulates a hand in task space, until the end or until joints run away.

    Args:
        scenario: with `task_space`.
        remote, engine: as of `run_scenario`.

    Raises:
        BackbeatError: the scenario makes no sense, or no controller answers.
    """
    behavior = task_space_behavior(scenario)
    return run_scenario(scenario, behavior, remote=remote, engine=engine)


def collect_run(running: RunningLoop) -> SimulationRun:
    """What has happened so far in a loop, up to its last whole plan period."""
    loop, context, scenario = running.loop, running.context, running.scenario_so_far()
    timing = scenario.timing
    logs = {name: running.log.samples(name, context) for name in loop.logs}
    plans = running.log.plans()
    t = logs["state"][0] - timing.lead_in
    # Under way, a run is what its scenario makes again.
    end = np.inf if running.is_over else timing.duration + 1e-9
    speeds = logs["state"][1][:, running.behavior.robot_model.num_positions :]
    n = min(int(np.searchsorted(t, end)), samples_before_runaway(speeds))
    record = loop.controllers.record(context)
    detection = None
    if loop.detector is not None and scenario.monitoring.watch_forces:
        own = loop.detector.GetMyContextFromRoot(context)
        detection = loop.detector.GetOutputPort("memory").Eval(own)
    samples = {name: rows[:n] for name, (_, rows) in logs.items()}
    contact = samples["contact"]
    strike_t, strikes = np.zeros(0), np.zeros((0, 0))
    if "strike" in logs:
        strike_t = logs["strike"][0] - timing.lead_in
        strike_t = strike_t[strike_t < end]
        strikes = logs["strike"][1][: len(strike_t)]
    return SimulationRun(
        scenario=scenario,
        behavior=running.behavior,
        t=t[:n],
        x=samples["state"],
        sensed=samples["sensed"],
        effort=samples["effort"],
        contact=contact.reshape(len(contact), -1, 6),
        push=samples["push"],
        strike_t=strike_t,
        strikes=strikes,
        tips=loop.contact_log.tips,
        members=loop.contact_log.members,
        plans=plans,
        tick_ms=np.array(loop.controllers.tick_times) * 1e3,
        plan_ms=np.array([p.solve_time for p in plans if p.solve_time]) * 1e3,
        failures=record.tick_safety.count,
        fell_at=running.fell_at,
        wall_time=running.wall_time,
        tick_safety=record.tick_safety,
        plan_safety=record.plan_safety,
        link_safety=record.link_safety,
        detection=detection,
        weights=running.weights,
        ticks_lost=record.lost,
        **_in_task_space(loop, samples),
        controller=own.story() if (own := loop.controllers.own) else None,
    )


def _in_task_space(
    loop: ClosedLoop, samples: Mapping[str, np.ndarray]
) -> dict[str, Any]:
    """Where the target was, and what legs with welded feet gave, if there are any."""
    body, found = loop.body, dict[str, Any]()
    if "target" in samples:
        found["target"] = samples["target"][:, :3]
    if isinstance(body, MovedRobot) and body.legs is not None:
        whole, joints = body.legs.robot, body.legs.joints
        found["leg_effort"] = samples["leg_effort"]
        found["legs"] = tuple(whole.joint_names[j] for j in joints)
    return found
