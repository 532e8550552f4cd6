"""TaskSpaceLaw: sensed state and target of a hand to joint torques, a pure function.

    hand       xddot = a - k_p (x - p) - k_d (xdot - v)         priority 2
    torques    -gravity - M (c u + k (q - posture))             priority 3
    limits     truncated, or by programs, which include speeds and stops

x is where the hand is sensed, or where the model has it; of a sensed hand xdot may be
what is observed from its places (`hand_observer.py`). Gravity is made up for where
it does not concern the hand; the hand's own share is in its dynamics. Damping and
posture are weighted by the mass matrix, so that one stiffness and one damping do for
shoulders and wrists; without weighting they are the same for all joints.

On a base that something else moves, its pose and velocity are those of the state, and
its acceleration is a constraint: given, or taken for zero.

Khatib, Sentis, Park, Warren, "Whole-Body Dynamic Behavior and Control of Human-like
Robots", 2004.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from backbeat.models.common.schema import check_values, key
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.task_space.levels.matrix_free import MatrixFreePoint
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.limited.limits import JointLimits
from backbeat.optimization.task_space.limited.program import LimitedProgram
from backbeat.optimization.task_space.tasks.force_tasks import JointForceTask
from backbeat.optimization.task_space.tasks.motion_tasks import BaseTask, PointTask

LIMITS = ("truncate", "program")


@dataclass
class TaskSpaceSettings:
    """What the law does, and how hard. Critically damped as it stands."""

    stiffness: float = key(225.0, "1/s²")
    """Stiffness of the hand."""
    damping: float = key(30.0, "1/s")
    """Damping of the hand."""
    posture_stiffness: float = key(100.0)
    """Stiffness of the posture below it: in 1/s², or in N m/rad without
    `mass_weighted`."""
    posture_damping: float = key(20.0)
    """Damping of the posture: in 1/s, or in N m s/rad without `mass_weighted`."""
    mass_weighted: bool = key(True)
    """Whether stiffness and damping of the posture are weighted by the joint-space
    inertia."""
    task: bool = key(True)
    """Whether the hand follows the target."""
    posture: bool = key(True)
    """Whether the posture is held below it."""
    gravity_compensation: bool = key(True)
    """Whether gravity is compensated."""
    sensed_hand: bool = key(True)
    """Whether a sensed hand is used, where there is one."""
    observed_rate: bool = key(False)
    """Whether the rate of a sensed hand is the observed one, where that is given, or
    what the rates of joints make of it."""
    base_feedforward: bool = key(True)
    """Whether the acceleration of a moved base is used, where that is given."""
    limits: str = key("truncate", choices=LIMITS)
    """At torque limits: `truncate`, or `program`, which solves a quadratic program."""

    def check(self) -> Self:
        """These settings, if they make sense.

        Raises:
            BackbeatError: unknown way at limits, or a gain that is no finite number.
        """
        check_values(self, "task space")
        return self


@dataclass(frozen=True)
class TaskSpaceCommand:
    """Output of the law.

    Attributes:
        tau: (nj,) torques within limits [N m].
        at_limit: (nj,) whether a joint got less than the tasks require, or is at its
            limit in a program.
        hand: (3,) where the model has the hand [m].
    """

    tau: np.ndarray
    at_limit: np.ndarray
    hand: np.ndarray


class TaskSpaceLaw:
    """The law stated at the head of this module.

    Attributes:
        robot: the controller's own model.
        space: its tasks.
        hand_task: that of the hand among them.
        settings: as given.
        posture: (nj,) angles of the posture [rad].
    """

    def __init__(
        self,
        robot: RobotModel,
        hand: str,
        settings: TaskSpaceSettings | None = None,
        posture: np.ndarray | None = None,
        effort_limits: np.ndarray | None = None,
    ) -> None:
        """Prepares the law.

        Args:
            robot: model of the robot; a free base is taken to be moved by others.
            hand: name of the frame that is the hand.
            settings: gains and switches.
            posture: (nj,) angles wanted below the hand; None for all at zero.
            effort_limits: (nj,) [N m]; None for the model's.

        Raises:
            BackbeatError: unknown frame, or unknown way at limits.
        """
        self.robot, self.settings = robot, settings or TaskSpaceSettings()
        self.settings.check()
        self.posture = np.zeros(robot.num_joints) if posture is None else posture
        self.hand_task = PointTask(robot, hand)
        self._below, self._base = JointForceTask(robot), None
        self.space, self._idle = TaskSpace(robot), TaskSpace(robot)
        if robot.floating:
            self._base = BaseTask(robot)
            self.space.add(self._base)
            self._idle.add(self._base)
        self.space.add(self.hand_task, 1.0, 2)
        for space in (self.space, self._idle):
            space.add(self._below, 1.0, 3)
        stops = np.array([robot.position_lower, robot.position_upper])
        limits = replace(JointLimits.of(robot), stops=stops)
        if effort_limits is not None:
            limits = replace(limits, effort=effort_limits)
        self._limits = limits
        self._free: MatrixFreePoint | None = None
        if not robot.floating:
            self._free = MatrixFreePoint(robot, self.hand_task)
        self._programs = [LimitedProgram(s, limits) for s in (self._idle, self.space)]

    def __call__(
        self,
        q: np.ndarray,
        v: np.ndarray,
        target: np.ndarray,
        hand: np.ndarray | None = None,
        hand_rate: np.ndarray | None = None,
        base_acceleration: np.ndarray | None = None,
        settings: TaskSpaceSettings | None = None,
    ) -> TaskSpaceCommand:
        """Torques at a sensed state.

        Args:
            q, v: (nq,), (nv,) sensed state, that of a moved base included.
            target: (3, 3) place [m], velocity and acceleration of the target.
            hand: (3,) where the hand is sensed [m]; None for where the model has it.
            hand_rate: (3,) its observed rate [m/s]; None for that of the model.
            base_acceleration: (6,) of a moved base, [angular, linear]; None for zero.
            settings: in the place of its own.
        """
        s = settings or self.settings
        space = self.space_for(s)
        if self._base is not None:
            told = base_acceleration if s.base_feedforward else None
            self._base.set_desired(np.zeros(6) if told is None else told)
        is_free = self._free is not None and s.limits == "truncate" and s.task
        if is_free:
            space.state.update(q, v)
        else:
            space.update(q, v)
        state, u = space.state, v[self.robot.base_velocities :]
        modeled = self.hand_task.position(state)
        at = modeled if hand is None or not s.sensed_hand else hand
        wanted = target[2] - s.stiffness * (at - target[0])
        rate = self.hand_task.velocity(state)
        if hand_rate is not None and s.sensed_hand and s.observed_rate:
            rate = hand_rate
        wanted = wanted - s.damping * (rate - target[1])
        if is_free:
            fast = self._matrix_free(q, v, wanted, s)
            if fast is not None:
                return TaskSpaceCommand(*self._limits.truncate(fast, u), modeled)
            space.update(q, v)
        self.hand_task.set_desired(wanted)
        self._below.set_desired(self._torques_below(q, v, s))
        if s.limits == "program":
            found = self._programs[int(s.task)].solve()
            return TaskSpaceCommand(found.tau, found.at_limit, modeled)
        tau, cut = self._limits.truncate(space.solve().tau, u)
        return TaskSpaceCommand(tau, cut, modeled)

    def _matrix_free(
        self,
        q: np.ndarray,
        v: np.ndarray,
        wanted: np.ndarray,
        s: TaskSpaceSettings,
    ) -> np.ndarray | None:
        """(nv,) torques without matrices, where that is possible [N m].

        It is for an arm that is bolted down, its torques truncated; None near a
        singularity.
        """
        assert self._free is not None
        state = self.space.state
        f_0 = -state.bias
        f_0 -= self.robot.damping * v
        change = wanted - self.hand_task.bias(state)
        below = f_0 + self._torques_below(q, v, s)
        found = self._free.forces(q, change, below)
        return None if found is None else found - f_0

    def space_for(self, settings: TaskSpaceSettings) -> TaskSpace:
        """Tasks under some settings: with the hand's, or without."""
        return self.space if settings.task else self._idle

    def _torques_below(
        self, q: np.ndarray, v: np.ndarray, s: TaskSpaceSettings
    ) -> np.ndarray:
        """(nv,) gravity compensation, damping and posture [N m]."""
        robot = self.robot
        state = self.space_for(s).state
        base = robot.base_velocities
        error = q[robot.base_positions :] - self.posture
        wish = s.posture_damping * v[base:]
        if s.posture:
            wish = wish + s.posture_stiffness * error
        force = np.zeros(robot.num_velocities)
        M = state.mass_matrix[base:, base:] if s.mass_weighted else None
        force[base:] = -wish if M is None else -(M @ wish)
        if s.gravity_compensation:
            force[base:] -= state.gravity_forces[base:]
        return force
