"""LiveTaskSpace: a hand that follows its target, both changed in the run."""

from dataclasses import dataclass, field, replace

import numpy as np
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import Context, EventStatus

from backbeat.models.common.collectable_system import weak
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.control.outside import ConnectTaskSpace, OutsideTaskSpace
from backbeat.mpc.control.task_space_setup import set_up
from backbeat.mpc.scenario.base_motion import BaseMotion
from backbeat.mpc.scenario.task_sensing import TaskNoise
from backbeat.mpc.scenario.task_space_scenario import TaskSpaceScenario
from backbeat.mpc.simulation.task_space.loop import TaskSpaceLoop, build_task_space_loop
from backbeat.mpc.simulation.task_space.run import RUNAWAY
from backbeat.mpc.world.joint_sample import JointSample, Listener

# Samples as often as a machine of today keeps up with [s].
PERIODS = {"ur10": 0.002, "atlas": 0.004}


@dataclass(frozen=True)
class LiveTaskSettings:
    """What can be changed in a run, and how a run begins."""

    # The target, from where the hand begins, world axes [m].
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    # Standard deviations of sensed angles [rad] and rates [rad/s].
    noise_angle: float = 0.0
    noise_rate: float = 0.0
    # Time between samples [s].
    period: float = 0.002
    # The hand is sensed, or modeled from the angles.
    hand_sensing: bool = False
    task: bool = True
    posture: bool = True
    gravity_compensation: bool = True
    # What a pelvis does up and down [m, rad/s], and whether the controller gets its
    # acceleration.
    pelvis_amplitude: float = 0.0
    pelvis_rate: float = 2.0
    pelvis_feedforward: bool = True


@dataclass(frozen=True)
class TaskSpaceSample:
    """What there is to see.

    Attributes:
        time: [s].
        q: (nq,) configuration of the robot model.
        hand, target: (3,) places [m].
        at_limit: joints with less torque than requested.
    """

    time: float
    q: np.ndarray
    hand: np.ndarray
    target: np.ndarray
    at_limit: tuple[str, ...] = field(default=())


class LiveTaskSpace:
    """A closed loop of which only the present is known.

    Attributes:
        loop: what is simulated.
        settings: present values.
        has_pelvis: whether there is a base that can be moved.
        is_over: whether joints have run away; only a reset helps.
    """

    def __init__(self, robot: str, remote: ConnectTaskSpace | None = None) -> None:
        """Builds the loop at its start.

        Args:
            robot: name of a robot with a hand.
            remote: connects to a controller that is elsewhere; None for inside.

        Raises:
            BackbeatError: unknown robot, or none that has a hand, or no controller
                answers.
        """
        step = TaskSpaceScenario().time_step
        self._first = LiveTaskSettings(period=PERIODS.get(robot, step))
        # Samples come at multiples of the plant's step.
        scenario = TaskSpaceScenario(
            robot=robot,
            period=step,
            base=BaseMotion(axis="z"),
        )
        self._outside: OutsideTaskSpace | None = None
        if remote is not None:
            self._outside = remote(set_up(scenario).robot, scenario)
            self._outside.open()
        self.loop: TaskSpaceLoop = build_task_space_loop(scenario, True, self._outside)
        self.has_pelvis = self.loop.robot.floating
        self._place = Configuration(self.loop.robot, self.loop.q_start)
        self._listener: Listener | None = None
        self.reset()

    def close(self) -> None:
        """Hangs up on a controller in another process."""
        if self._outside is not None:
            self._outside.close()

    def reset(self) -> None:
        """Goes back to the start, and to the settings of the start."""
        self._simulator = Simulator(self.loop.diagram, self.loop.make_context())
        self._context = self._simulator.get_mutable_context()
        self.is_over = False
        self.settings = self._first
        self._put()
        self._simulator.Initialize()
        self._let_listen()

    def listen(self, listener: Listener) -> None:
        """Calls a listener with state and torques now, and whenever it is due."""
        self._listener = listener
        self._after_step(self._context)
        self._let_listen()

    def _let_listen(self) -> None:
        if self._listener is not None:
            self._simulator.set_monitor(weak(self._after_step))

    def _after_step(self, root: Context) -> EventStatus:
        listener, t = self._listener, float(root.get_time())
        if listener is not None and listener.is_due(t):
            servo = self.loop.diagram.GetSubsystemByName("joint_servo")
            effort = servo.GetOutputPort("joint_effort")
            tau = effort.Eval(servo.GetMyContextFromRoot(root)).copy()
            listener.take(JointSample(t, *self._state(), tau))
        return EventStatus.DidNothing()

    def apply(
        self, name: str, value: bool | float | tuple[float, float, float]
    ) -> None:
        """Changes a setting from now on.

        Raises:
            BackbeatError: no such setting, one that this robot does not have, or a
                period that makes no sense.
        """
        known = list(LiveTaskSettings.__dataclass_fields__)
        if not self.has_pelvis:
            known = [n for n in known if not n.startswith("pelvis")]
        if name not in known:
            raise unknown_name("setting", name, known)
        step = self.loop.scenario.time_step
        if name == "period" and float(value) < step:  # type: ignore[arg-type]
            raise BackbeatError(f"a period has to be {step:g} s or more, not {value}")
        self.settings = replace(self.settings, **{name: value})  # type: ignore[arg-type]
        self._put()

    def advance(self, duration: float) -> None:
        """Simulates for a while [s], unless joints run away."""
        if self.is_over:
            return
        try:
            self._simulator.AdvanceTo(self.time + duration)
        except RuntimeError:
            # Drake's solver gives up where numbers have left all bounds.
            self.is_over = True
            return
        _, v = self._state()
        self.is_over = not bool((np.abs(v) < RUNAWAY).all())

    @property
    def time(self) -> float:
        """Time since the start [s]."""
        return float(self._context.get_time())

    def now(self) -> TaskSpaceSample:
        """What there is to see at present."""
        q, _ = self._state()
        loop, names = self.loop, self.loop.robot.joint_names
        hand = np.array(self._place.update(q).pose(loop.hand).translation())
        source = loop.diagram.GetSubsystemByName("target_source")
        own = source.GetMyContextFromRoot(self._context)
        target = source.GetOutputPort("target").Eval(own)[:3].copy()
        own = loop.controller.GetMyContextFromRoot(self._context)
        cut = loop.controller.GetOutputPort("at_limit").Eval(own)
        limited = tuple(n for n, c in zip(names, cut, strict=True) if c > 0.5)
        return TaskSpaceSample(self.time, q, hand, target, limited)

    def _state(self) -> tuple[np.ndarray, np.ndarray]:
        """(nq,) and (nv,) of the robot model."""
        truth = self.loop.diagram.GetSubsystemByName("true_state")
        own = truth.GetMyContextFromRoot(self._context)
        x = truth.get_output_port().Eval(own)
        nq = self.loop.robot.num_positions
        return x[:nq].copy(), x[nq:].copy()

    def _put(self) -> None:
        """Puts settings where they are used."""
        s, loop = self.settings, self.loop
        control = replace(
            loop.scenario.control,
            task=s.task,
            posture=s.posture,
            gravity_compensation=s.gravity_compensation,
            sensed_hand=s.hand_sensing,
            base_feedforward=s.pelvis_feedforward,
        )
        find, root = loop.diagram.GetSubsystemByName, self._context
        own = loop.controller.GetMyMutableContextFromRoot(root)
        loop.controller.set_settings(own, control)
        sensing = find("task_sensing")
        own = sensing.GetMyMutableContextFromRoot(root)
        sensing.set_noise(own, TaskNoise(angle=s.noise_angle, rate=s.noise_rate))
        sensing.set_every(own, round(s.period / loop.scenario.time_step))
        target = find("target_source")
        own = target.GetMyMutableContextFromRoot(root)
        target.set_goal(own, loop.hand_start + np.array(s.target))
        if self.has_pelvis:
            sway = find("sway")
            own = sway.GetMyMutableContextFromRoot(root)
            sway.set_goal(own, s.pelvis_amplitude, s.pelvis_rate)
