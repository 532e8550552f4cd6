"""LiveSimulation: the closed loop, advanced in small steps while it is watched."""

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from pydrake.systems.framework import Context

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.collectable_system import weak
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.drumming.hits import SILENCE
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.control.own_controllers import OwnControllers
from backbeat.mpc.control.task_space_setup import hand_place
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.disturbances.kinds.setting_event import SettingEvent
from backbeat.mpc.driving.speed import limits_of
from backbeat.mpc.horizon.prediction import predict
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.runs.file import save_run
from backbeat.mpc.safety.fail_safe import Mode
from backbeat.mpc.scenario.requested_tempo import RequestedTempo, requested_tempo
from backbeat.mpc.scenario.specification import TASK_SPACE, Scenario
from backbeat.mpc.simulation.loop_processes import Replacements
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.simulation.running_loop import RunningLoop
from backbeat.mpc.simulation.simulate import collect_run
from backbeat.mpc.walking.walk import Velocity
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.mpc.world.joint_sample import Listener
from backbeat.mpc.world.stick_contacts import FORCE, MEMBER, ROW
from backbeat.stage.frames.frame import ContactForce, StageFrame
from backbeat.stage.frames.marks import marks_at
from backbeat.stage.frames.plan_view import com_error, planned_forces, solver_in_words
from backbeat.stage.frames.strikes import (
    FORCE_SHOWN,
    Strike,
    flashes,
    greatest_tip_forces,
    loudness,
)
from backbeat.stage.sources.kinds import followed_configuration
from backbeat.stage.sources.measured_motion import (
    measured_capture_point,
    measured_forces,
)
from backbeat.stage.web.savings import Saving


class LiveSimulation:
    """A closed loop of which only the present is known.

    Attributes:
        is_over: whether it has come to its end, or the robot has fallen.
    """

    def __init__(
        self,
        behavior: Behavior,
        scenario: Scenario,
        progress: Callable[[int, int, str], None] | None = None,
        instead: Replacements | None = None,
    ) -> None:
        """Builds the loop at the start of its lead-in.

        Args:
            behavior: what to track.
            scenario: how.
            progress: as of `RunningLoop`.
            instead: what takes the place of parts of the loop; None for nothing.
        """
        self.behavior = behavior
        self._running = RunningLoop(behavior, scenario, instead, progress)
        self._loop = self._running.loop
        self._robot = behavior.robot_model
        self._kit = behavior.scene.drum_kit()
        self.start = -scenario.timing.lead_in
        self._held: dict[str, Any] = {}
        self.restart()
        if self._loop.contact_log.tips:
            self._running.watch(weak(self._note_strikes))

    def restart(self) -> None:
        """Goes back to the start; what was changed by hand stays as it is."""
        self._running.restart(SettingEvent(**self._held))
        self._context = self._running.context
        self._state = Configuration(self._robot, *self._posture())
        self._strikes: dict[int, Strike] = {}
        self._rows: deque[tuple[float, np.ndarray]] = deque()
        self._touched = np.full(len(self._loop.contact_log.tips), -np.inf)

    def listen(self, listener: Listener) -> None:
        """Tells a listener of state and torques; see `RunningLoop.listen`."""
        self._running.listen(listener)

    def save(self, savings: Collection[Saving]) -> None:
        """Does without what is saved from now on, as far as it can under way."""
        self._running.watch_forces(Saving.WATCH not in savings)
        if Saving.PLANNER in savings:
            self._running.plan_beside()

    @property
    def is_untouched(self) -> bool:
        """Whether nothing has been done to it by hand."""
        scenario = self._running.scenario
        return not (self._held or scenario.disturbances.everything())

    @property
    def waits_for_planner(self) -> bool:
        """Whether a process that shall plan is still starting."""
        return self._running.waits_for_planner

    @property
    def engine(self) -> str:
        """What moves the robot."""
        return self.scenario.world.engine

    @property
    def fastest(self) -> Velocity | None:
        """The most that it can be commanded to walk at; None if it is not driven."""
        if self.scenario.control.drive is None:
            return None
        limits, period = limits_of(self._loop.reference, self.weights.predictive)
        return limits.fastest(period)

    @property
    def time_step(self) -> float:
        """Step of the plant [s]."""
        return self.scenario.timing.time_step

    def close(self) -> None:
        """Ends what runs beside it; nothing can be simulated after."""
        self._running.close()

    @property
    def time(self) -> float:
        """Time of the behavior [s]."""
        return float(self._context.get_time()) + self.start

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to come."""
        return self._running.is_over

    @property
    def end(self) -> float:
        """Time of the behavior at which the run ends, at the tempo asked for [s]."""
        return self._running.end

    @property
    def tempo(self) -> RequestedTempo:
        """Tempo that has been asked for so far."""
        return requested_tempo(self.scenario.disturbances)

    def advance(self, duration: float) -> None:
        """Simulates for a while [s]; stops at the end."""
        self._running.advance(duration)

    def apply(self, setting: str, value: Any) -> float:
        """Changes a setting from the next control tick on; see `RunningLoop.apply`.

        It stays so when the simulation begins again, but for a command to walk.
        """
        when = self._running.apply(setting, value)
        if setting != "drive":
            more = self._held.get(setting) if setting == "weights" else None
            self._held[setting] = {**more, **value} if more else value
        return when

    def push(
        self,
        impulse: Sequence[float],
        duration: float = 0.1,
        body: str = "",
    ) -> float:
        """Pushes the robot from the next control tick on; see `RunningLoop.push`."""
        return self._running.push(impulse, duration, body)

    def disturb(self, kind: type[Disturbance], values: Mapping[str, Any]) -> float:
        """Adds a disturbance from the next tick on; see `RunningLoop.disturb`."""
        item = kind(**values)
        return self._running.disturb(item.at(self._running.next_tick()))

    def reset(self) -> None:
        """Goes back to the start, and to the settings that it was made with."""
        self._held = {}
        self.restart()

    def settings(self) -> dict[str, Any]:
        """The present values of all that `apply` can change, by name."""
        return self._running.settings()

    @property
    def scenario(self) -> Scenario:
        """Its settings, with all that has been done by hand so far."""
        return self._running.scenario

    def latest_plans(self) -> tuple[Plan, ...]:
        """The last two plans, as far as there are any."""
        return self._running.log.latest

    @property
    def weights(self) -> ControllerWeights:
        """Of the controllers, as it began with them."""
        return self._running.weights

    @property
    def own(self) -> OwnControllers | None:
        """Controllers of the user's own; None for none."""
        return self._loop.controllers.own

    def scenario_so_far(self) -> Scenario:
        """The scenario with all that was done by hand: run again, the same run.

        Raises:
            BackbeatError: nothing has been simulated yet.
        """
        return self._running.scenario_so_far()

    def run_so_far(self) -> SimulationRun:
        """What has happened, as a run to be looked at or saved.

        Raises:
            BackbeatError: nothing has been simulated yet.
        """
        return collect_run(self._running)

    def save_run(self, path: str | Path) -> Path:
        """Writes what has happened as a run file, which `backbeat replay` checks.

        Raises:
            BackbeatError: nothing has been simulated yet, or it cannot be written.
        """
        run = self.run_so_far()
        return save_run(run, path, run_metrics(run))

    def now(self) -> StageFrame:
        """What is seen at present."""
        log = self._loop.contact_log
        context = log.GetMyContextFromRoot(self._context)
        wrenches = log.GetOutputPort("wrenches").Eval(context).reshape(-1, 6)
        self._state.update(*self._posture())
        forces = measured_forces(self._state, log.patches, wrenches)
        if self._rows:
            forces |= self._tip_forces()
        plan = self._plan()
        clock, patches = self.time - self.start, self._loop.reference.patches
        phase = plan.phase_at(clock)
        target, hand = self._hand()
        disturbances = self.scenario.active
        return StageFrame(
            time=self.time,
            state=self._state,
            target=target,
            hand=hand,
            ghost=followed_configuration(self._loop.reference, plan, phase),
            forces=forces,
            planned_forces=planned_forces(plan, clock, self._state, patches),
            **vars(marks_at(disturbances, self.time, self._state)),
            standing=tuple(forces),
            prediction=predict(self._loop.reference, plan),
            flashes=flashes(list(self._strikes.values()), self.time),
            capture_point=measured_capture_point(self._state) if forces else None,
            rate=None if target is not None else plan.rate_at(clock),
            com_error=com_error(self._loop.reference, plan, phase, self._state),
            solver=self._solver(plan),
            remark=self._remark(),
        )

    def glance(self) -> StageFrame:
        """The robot at present, and nothing else."""
        return StageFrame(time=self.time, state=self._state.update(*self._posture()))

    def _posture(self) -> tuple[np.ndarray, np.ndarray]:
        """(nq,) and (nv,) of the robot at present."""
        x = self._loop.body.true_state(self._context)
        return x[: self._robot.num_positions], x[self._robot.num_positions :]

    def _note_strikes(self, root: Context) -> None:
        """Remembers what sticks touch; a hit is shorter than a frame."""
        log = self._loop.contact_log
        context = log.GetMyContextFromRoot(root)
        rows = log.GetOutputPort("strikes").Eval(context)
        now = float(root.get_time()) + self.start
        self._rows.append((now, rows))
        while self._rows[0][0] < now - FORCE_SHOWN:
            self._rows.popleft()
        for i, row in enumerate(rows.reshape(-1, ROW)):
            if row[MEMBER] < 0:
                continue
            if now - self._touched[i] > SILENCE:
                member = log.members[int(row[MEMBER])]
                self._strikes[i] = Strike(now, member, loudness(0.0))
            self._touched[i] = now
            bright = max(self._strikes[i].loudness, loudness(row[FORCE]))
            if now - self._strikes[i].time < SILENCE:
                self._strikes[i] = replace(self._strikes[i], loudness=bright)

    def _tip_forces(self) -> dict[str, ContactForce]:
        log = self._loop.contact_log
        rows = np.array([row for _, row in self._rows])
        greatest = greatest_tip_forces(rows, log.tips, log.members, self._kit)
        return {
            tip: ContactForce(self._state.pose(tip).translation(), force)
            for tip, force in greatest.items()
        }

    def _hand(self) -> tuple[np.ndarray | None, np.ndarray | None]:
        """(3,) where the hand should be in task space, and where it is [m]."""
        if self.behavior.kind != TASK_SPACE:
            return None, None
        source = self._loop.diagram.GetSubsystemByName("target_source")
        own = source.GetMyContextFromRoot(self._context)
        target = source.GetOutputPort("target").Eval(own)[:3].copy()
        return target, hand_place(self.behavior, self._state)

    def _solver(self, plan: Plan) -> str:
        """State of the solvers in words, or joints at their limits in task space."""
        if self.behavior.kind != TASK_SPACE:
            return solver_in_words(plan, self._mode())
        servo = self._loop.body.servo
        own = servo.GetMyContextFromRoot(self._context)
        effort = servo.GetOutputPort("joint_effort").Eval(own)
        limits = servo.effort_limits
        at = np.flatnonzero(np.abs(effort) >= (1.0 - 1e-6) * limits)
        names = [self._robot.joint_names[j] for j in at]
        few = ", ".join(names[:3]) + (" …" if names[3:] else "")
        return f"at torque limits: {few}" if few else ""

    def _plan(self) -> Plan:
        system = self._loop.predictive
        context = system.GetMyContextFromRoot(self._context)
        plan: Plan = system.GetOutputPort("plan").Eval(context)
        return plan

    def _mode(self) -> Mode:
        """What the whole-body controller does."""
        return self._loop.controllers.record(self._context).tick_safety.mode

    def _remark(self) -> str:
        if self._running.fell_at is not None:
            if self.behavior.kind == TASK_SPACE:
                return "joints diverge: reset the simulation"
            return "the robot has fallen: reset the simulation"
        mode = self._mode()
        return "" if mode is Mode.TRACKING else f"whole-body controller: {mode}"
