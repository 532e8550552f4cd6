"""RunningLoop: a closed loop in progress, whose settings may be changed by hand.

Runs and interactive shows are such loops; what is done by hand goes into the scenario.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pydrake.systems.framework import Context, EventStatus

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.closing import Closing
from backbeat.models.common.collectable_system import weak
from backbeat.models.world.simulator import make_simulator
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.disturbances.kinds.setting_event import SettingEvent, setting_event
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.predictive.controller import PredictiveController
from backbeat.mpc.scenario.requested_tempo import (
    check_times,
    requested_tempo,
    run_length,
)
from backbeat.mpc.scenario.settings import check_event
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.diagram import (
    STEPS,
    ClosedLoop,
    Progress,
    build_closed_loop,
)
from backbeat.mpc.simulation.loop_processes import LoopProcesses, Replacements
from backbeat.mpc.simulation.repeating import repeatable
from backbeat.mpc.simulation.run_log import RunLog
from backbeat.mpc.simulation.timeline import ROUNDING, advance_to
from backbeat.mpc.world.fall import has_fallen, has_run_away
from backbeat.mpc.world.joint_sample import Listener

# Called with the root Context after a step of the plant.
Watcher = Callable[[Context], None]


class RunningLoop(Closing):
    """A closed loop between the start of its lead-in and its end, or a fall.

    Attributes:
        behavior: what is tracked.
        scenario: its settings, with all that has been done by hand so far.
        loop: the diagram.
        simulator: advances it; see `context`.
        log: samples and plans so far.
        is_watching: whether forces that are not in the model are detected at present.
        fell_at: time of the fall [s], None without one.
        wall_time: wall time of all that was simulated [s].

    It is closed after use, for its planner may be a process and its log has files.
    """

    def __init__(
        self,
        behavior: Behavior,
        scenario: Scenario,
        replacements: Replacements | None = None,
        progress: Progress | None = None,
        by_hand: bool = True,
    ) -> None:
        """Builds the loop and puts it at its start.

        A first tick, in a Context that is thrown away, loads what is no robot's time.

        Args:
            behavior: what to track.
            scenario: how.
            replacements: what takes the place of parts of it; None for nothing.
            progress: called at each step of building, see `build_closed_loop`.
            by_hand: whether settings and pushes may be added by hand.

        Raises:
            BackbeatError: the scenario makes no sense, or not for this behavior.
        """
        scenario = scenario.check()
        placed = scenario.disturbances.placed(behavior.robot_model)
        scenario = scenario.changed(**placed)
        self.behavior, self.scenario, self._given = behavior, scenario, scenario
        instead = replacements or Replacements()
        self.weights = scenario.control.on_weights(instead.weights)
        check_times(scenario, behavior)
        self._by_hand = by_hand
        self.log = RunLog({})
        self.is_watching = scenario.monitoring.watch_forces
        self._watchers: list[Watcher] = []
        self._processes = LoopProcesses(behavior, scenario, self.weights, instead)
        try:
            self._processes.open()
            self.loop: ClosedLoop = build_closed_loop(
                behavior,
                scenario,
                self.weights,
                self._processes,
                progress,
                by_hand,
                instead,
            )
            if progress is not None:
                progress(STEPS, STEPS, "the first plan")
            self.restart()
            self._simulate(scenario.timing.plan_period)
            self.restart()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Forgets its log, and ends the planner's process or the link, if any."""
        self.log.close()
        self._processes.close()

    def plan_beside(self) -> None:
        """Starts a process that plans as soon as it can, if none does yet.

        Plans need a planning time for it to be worth it. They are the same to the last
        bit, wherever they are made. An error in starting it is one of `advance`.
        """
        self._processes.start_planner()

    @property
    def waits_for_planner(self) -> bool:
        """Whether a process that shall plan is still starting."""
        return self._processes.waits_for_planner

    def restart(self, held: SettingEvent | None = None) -> None:
        """Goes back to the start of the scenario that was given.

        Args:
            held: settings that hold from the start, at whatever time; None for those
                of the scenario.
        """
        events = list(self._given.disturbances.of(SettingEvent))
        if held is not None and held.values():
            events.append(replace(held, time=-self._given.timing.lead_in))
        self.scenario = self._given.changed(events=events)
        (loop := self.loop).controllers.tick_times.clear()
        own = loop.make_context()
        self.simulator = make_simulator(loop.diagram, own, loop.world.plant)
        self.simulator.Initialize()
        self._let_watch()
        self.watch_forces(self.is_watching)
        if len(events) > len(self._given.disturbances.of(SettingEvent)):
            source = loop.settings
            source.add(source.GetMyMutableContextFromRoot(self.context), events[-1])
        self.log.close()
        self.log = RunLog(loop.logs)
        self.fell_at: float | None = None
        self.wall_time = 0.0

    def watch(self, watcher: Watcher) -> None:
        """Calls a function with the root Context, to read, after every step."""
        self._watchers.append(watcher)
        self._let_watch()

    def watch_forces(self, on: bool) -> None:
        """Switches the detection of forces that are not in the model on or off.

        A run that was not watched throughout counts as one that was not.
        """
        detector = self.loop.detector
        self.is_watching = on and detector is not None
        if not self.is_watching:
            self.scenario = self.scenario.changed(watch_forces=False)
        if detector is not None:
            detector.watch(detector.GetMyMutableContextFromRoot(self.context), on)

    def listen(self, listener: Listener) -> None:
        """Calls a listener with state and torques now, and whenever it is due."""

        def tell(root: Context) -> None:
            t = float(root.get_time()) - self.scenario.timing.lead_in
            if listener.is_due(t):
                listener.take(self.loop.joint_sample(root, t))

        tell(self.context)
        self.watch(tell)

    def _let_watch(self) -> None:
        if self._watchers:
            self.simulator.set_monitor(weak(self._after_step))

    def _after_step(self, root: Context) -> EventStatus:
        for watcher in self._watchers:
            watcher(root)
        return EventStatus.DidNothing()

    @property
    def context(self) -> Context:
        """The root Context, which holds all memory of the loop."""
        return self.simulator.get_mutable_context()

    @property
    def time(self) -> float:
        """Time of the behavior [s]."""
        return float(self.context.get_time()) - self.scenario.timing.lead_in

    @property
    def end(self) -> float:
        """Time of the behavior at which the run ends [s]."""
        return run_length(self.scenario, self.behavior)

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to come."""
        return self.fell_at is not None or self.time >= self.end - ROUNDING

    def advance(self, duration: float) -> None:
        """Simulates for a while [s], up to the end or to a fall.

        Raises:
            BackbeatError: a process that plans does not start, or has ended.
        """
        began = time.perf_counter()
        if (come := self._processes.take_planner()) is not None:
            assert isinstance(self.loop.predictive, PredictiveController)
            self.loop.predictive.plan_with(come)
        timing, start = self.scenario.timing, self.context.get_time()
        period, end = timing.plan_period, timing.lead_in + self.end
        until = min(start + duration, end)
        while not self.is_over and self.context.get_time() < until - ROUNDING:
            target = min(period * (self.log.num_plans + 1), end)
            if until < target - ROUNDING:
                self._simulate(until)
                break
            self._simulate(target)
            self._note()
        self.wall_time += time.perf_counter() - began

    def _simulate(self, until: float) -> None:
        """Simulates up to a time of the Context [s]; a robot that runs away falls."""
        try:
            advance_to(self.loop, self.simulator, until)
        except RuntimeError:
            # Drake's solver gives up where numbers have left all bounds.
            if not has_run_away(self.loop, self.context):
                raise
            self.fell_at = self.time

    def _note(self) -> None:
        """Keeps the plan at the end of its period, and detects a fall."""
        system = self.loop.predictive
        context = system.GetMyContextFromRoot(self.context)
        plan: Plan = system.GetOutputPort("plan").Eval(context)
        self.log.add(plan, self.context)
        asked = requested_tempo(self.scenario.disturbances).phase(self.time)
        if self.fell_at is None and has_fallen(self.loop, self.context, asked):
            self.fell_at = self.time

    def apply(self, setting: str, value: Any) -> float:
        """Changes a setting from the next control tick on.

        Args:
            setting: one of `setting_event.SETTINGS`.
            value: its new value.

        Returns:
            When it takes effect, in time of the behavior [s].

        Raises:
            BackbeatError: unknown, a value that makes no sense, or not possible here.
        """
        event = setting_event(self.next_tick(), setting, value)
        known = self.scenario
        check_event(event, known, self.loop.reference, self.weights)
        source = self.loop.settings
        source.add(source.GetMyMutableContextFromRoot(self.context), event)
        events = [*known.disturbances.of(SettingEvent), event]
        self.scenario = known.changed(events=events)
        return event.time

    def set_drive(self, forward: float, left: float, turning: float) -> float:
        """Commands the velocity of a driven robot from the next tick on: when [s].

        Args:
            forward, left, turning: in body directions [m/s, m/s], to the left [rad/s].

        Raises:
            BackbeatError: the run is not driven, or numbers that make no sense.
        """
        return self.apply("drive", (forward, left, turning))

    def push(
        self, impulse: Sequence[float], duration: float = 0.1, body: str = ""
    ) -> float:
        """Pushes the robot from the next control tick on.

        Args:
            impulse: (3,) in world axes [N s].
            duration: length of the push [s].
            body: link that is pushed; "" for the base.

        Returns:
            When it begins, in time of the behavior [s].

        Raises:
            BackbeatError: an unknown body, or numbers that make no sense.
        """
        numbers = [float(x) for x in impulse]
        return self.disturb(Push(self.next_tick(), float(duration), numbers, str(body)))

    def disturb(self, item: Disturbance) -> float:
        """Adds a disturbance with forces, which is still to come.

        Returns:
            When it begins, in time of the behavior [s].

        Raises:
            BackbeatError: an unknown body, or numbers that make no sense.
        """
        item = item.placed(self.behavior.robot_model)
        key, known = item.list_key, self.scenario
        known.changed(**{key: [item]}, events=[]).check()
        system = self.loop.body.disturbance
        system.add(system.GetMyMutableContextFromRoot(self.context), item)
        items = [*known.disturbances.of(type(item)), item]
        self.scenario = known.changed(**{key: items})
        span = item.span()
        return span[0] if span else self.time

    def settings(self) -> dict[str, Any]:
        """Present values of all settings, by name, with those still to come.

        A hand is where it is going to be held, the tempo what is being reached.
        """
        source = self.loop.settings
        own = source.GetMyContextFromRoot(self.context)
        now = source.now(own)
        for event in source.pending(own):
            if event.time <= self.next_tick() + ROUNDING:
                now = now.after(event, event.time)
        return now.values()

    def scenario_so_far(self) -> Scenario:
        """What makes this run again, up to its last whole plan period, or all of it."""
        plans = None if self.is_over else self.log.num_plans
        return repeatable(self.scenario, self.behavior, plans)

    def next_tick(self) -> float:
        """Time of the behavior at the next control tick, never that of now [s]."""
        assert self._by_hand
        return self.scenario.timing.next_tick(self.context.get_time())
