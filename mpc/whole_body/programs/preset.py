"""PresetProgram: the whole-body program with the tasks of a named preset.

It stands in the place of `WholeBodyProgram` and tracks the same targets. Errors become
accelerations by proportional and derivative gains; rotations are measured along the
shortest way, so that nothing ever turns back all the way around.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.contact.friction import TRACKED_FRICTION
from backbeat.models.dynamics.rotations import quaternion_to_matrix, relative_log
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.plans.explanation import TaskReport
from backbeat.mpc.reference.scale import body_scale
from backbeat.mpc.whole_body.programs.acceleration import (
    AccelerationProgram,
    AccelerationTask,
    Rows,
)
from backbeat.mpc.whole_body.programs.arguments import Target
from backbeat.mpc.whole_body.programs.gains import STANCE_GAINS, WholeBodyGains
from backbeat.mpc.whole_body.programs.momentum import (
    DUAL_TOLERANCE,
    PRIMAL_TOLERANCE,
    WholeBodyProgram,
    WholeBodySolution,
)
from backbeat.mpc.whole_body.programs.task_preset import (
    TaskGains,
    TaskPreset,
    load_preset,
)
from backbeat.mpc.whole_body.programs.upper_body import GIVEN_WEIGHT, UpperBody


class PresetProgram(WholeBodyProgram):
    """A whole-body program of tasks on feet, momentum, pelvis and joints.

    Attributes:
        preset: weights and gains.
        program: the tasks as a quadratic program; more may be added.
    """

    def __init__(
        self,
        robot: RobotModel,
        contacts: Sequence[str],
        preset: TaskPreset,
        friction: float = TRACKED_FRICTION,
    ) -> None:
        """Makes the program.

        Args:
            robot: a robot that stands.
            contacts: its feet, each with a limb of its own.
            preset: weights and gains.
            friction: coefficient of friction that is assumed.

        Raises:
            BackbeatError: the robot does not stand on feet alone.
        """
        super().__init__(robot, contacts, friction=friction)
        if not robot.floating or len(self.model.limb) != len(self.contacts):
            raise BackbeatError(
                "a preset of tasks is for robots that stand on their feet and nothing "
                "else; leave the preset out"
            )
        self.preset = preset
        self.program = AccelerationProgram(
            robot, self.contacts, friction, preset.sharing
        )
        self._R = np.eye(3)
        add, work = self.program.add, self.workspace
        self._feet = [
            add(AccelerationTask(f"foot {name}", self._foot_rows(c)), 1.0)
            for c, name in enumerate(self.contacts)
        ]
        self._momentum = self._add("linear momentum", self._momentum_rows, "N")
        self._pelvis = self._add("pelvis", self._pelvis_rows, "rad/s^2")
        free = robot.base_velocities + self.model.free
        chosen = np.eye(len(work.bias))[free], np.zeros(len(free))
        self._joints = self._add("joints", lambda: chosen, "rad/s^2")

    def _add(self, name: str, rows: Rows, unit: str) -> AccelerationTask:
        weight = getattr(self.preset, name.split()[-1]).weight
        task = AccelerationTask(name, rows, unit)
        return self.program.add(task, weight) if weight else task

    def _foot_rows(self, c: int) -> Rows:
        work, held = self.workspace, self._held(c)
        return lambda: (work.J[c, held], work.Jdv[c, held])

    def _held(self, c: int) -> slice:
        """What of a foot its leg moves: all but the roll of one that rolls."""
        return slice(1, 6) if self.robot.contacts[self.contacts[c]].rolls else slice(6)

    def _momentum_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the rate of linear momentum [N]: M vdot + h less the weight."""
        work, force = self.workspace, np.array([0.0, 0.0, self.robot.weight])
        return work.M[3:6], work.bias[3:6] - force

    def _pelvis_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the angular acceleration of the base in its own axes."""
        J = np.zeros((3, len(self.workspace.bias)))
        J[:, :3] = self._R.T
        return J, np.zeros(3)

    def solve(
        self,
        q: np.ndarray,
        v: np.ndarray,
        target: Target,
        warm_dual: np.ndarray | None = None,
    ) -> WholeBodySolution:
        """Torques for a target; see `WholeBodyProgram.solve`."""
        work = self.measure(q, v)
        quaternion_to_matrix(q, self._R)
        self._set_desired(q, v, target)
        found = self.program.solve(
            work, q, v, target.standing, target.wrench, warm_dual
        )
        nv, C = len(v), len(self.contacts)
        is_solved = found.is_optimal(PRIMAL_TOLERANCE, DUAL_TOLERANCE)
        return WholeBodySolution(
            tau=self.program.torques(work, found.x),
            vdot=found.x[:nv].copy(),
            wrench=found.x[nv:].reshape(C, 6).copy(),
            swing_slack=np.zeros((C, 6)),
            dual=found.dual,
            is_solved=is_solved,
            iterations=found.iterations,
            status="inaccurate" if found.found and not is_solved else found.status,
        )

    def _set_desired(self, q: np.ndarray, v: np.ndarray, target: Target) -> None:
        """Computes desired values of the tasks from errors."""
        work, robot = self.workspace, self.robot
        for c, task in enumerate(self._feet):
            gains = self.preset.stance if target.standing[c] else self.preset.swing
            # The feet's weight is that of what they do.
            task.weight = gains.weight or None
            wanted = self._foot_acceleration(c, v, target, gains)
            task.set_desired(wanted[self._held(c)] if gains.weight else None)
        m = robot.total_mass
        velocity = work.momentum[3:] / m
        self._momentum.set_desired(
            m * com_acceleration(target.com, work.com, velocity, self.preset.momentum)
        )
        self._pelvis.set_desired(
            angular_acceleration(
                target.R_base, target.base, self._R, v[:3], self.preset.pelvis
            )
        )
        free = self.model.free
        kp, kd = (x[0] for x in self.preset.joints.translation())
        error = target.joints[0] - q[robot.base_positions :]
        wanted = kp * error - kd * v[robot.base_velocities :]
        self._joints.set_desired(wanted[free])

    def _foot_acceleration(
        self, c: int, v: np.ndarray, target: Target, gains: TaskGains
    ) -> np.ndarray:
        """(6,) what a foot shall do, in its own axes."""
        work = self.workspace
        R, V = work.R[c], work.J[c] @ v
        motion = target.contact_motion[:, c]
        if target.standing[c]:
            motion = np.zeros((2, 6))
        # Center of mass less its offset is where the base is; r is from there.
        base = work.com - work.ws.h[0] / work.ws.m[0]
        error = R.T @ (target.contact[c] - base - work.r[c])
        kp, kd = gains.translation()
        linear = R.T @ motion[1, 3:] + kp * error
        linear += kd * (R.T @ motion[0, 3:] - V[3:])
        angular = angular_acceleration(
            target.R_contact[c], motion[:, :3], R, R @ V[:3], gains
        )
        return np.r_[angular, linear]

    def report(self, solution: WholeBodySolution) -> tuple[TaskReport, ...]:
        """Desired and achieved values of the tasks of the last solve."""
        found = []
        for task in self.program.tasks:
            if task.desired is None:
                continue
            J, b = task.rows()
            weight = np.inf if task.weight is None else task.weight
            got = J @ solution.vdot + b
            found.append(TaskReport(task.name, weight, task.desired, got, task.unit))
        return tuple(found)


def com_acceleration(
    target: np.ndarray, com: np.ndarray, velocity: np.ndarray, gains: TaskGains
) -> np.ndarray:
    """(3,) what the center of mass shall do [m/s^2].

    With kp = omega^2 and kd = 2 omega, omega^2 = g / height, as these gains nearly are,
    it takes the divergent component of motion back at the rate omega.

    Args:
        target: (3, 3) its place, velocity and acceleration.
        com, velocity: (3,) as they are; the velocity is momentum by mass.
        gains: of places.
    """
    kp, kd = gains.translation()
    wanted = target[2] + kp * (target[0] - com) + kd * (target[1] - velocity)
    return np.asarray(wanted)


def angular_acceleration(
    R_d: np.ndarray,
    motion: np.ndarray,
    R: np.ndarray,
    omega: np.ndarray,
    gains: TaskGains,
) -> np.ndarray:
    """(3,) what a body shall do about its own axes [rad/s^2].

    Args:
        R_d: (3, 3) where it shall be.
        motion: (2, 3) angular velocity and acceleration there, world axes.
        R: (3, 3) where it is.
        omega: (3,) its angular velocity, world axes.
        gains: of rotations, about its own axes.
    """
    kp, kd = gains.rotation()
    error = np.empty(3)
    relative_log(R_d, R, error)
    wanted = R.T @ motion[1] + kp * (R.T @ error) + kd * (R.T @ (motion[0] - omega))
    return np.asarray(wanted)


def make_whole_body_program(
    robot: RobotModel,
    contacts: Sequence[str],
    points: Sequence[str],
    preset: str = "",
    upper: UpperBody | None = None,
    gains: tuple[WholeBodyGains, WholeBodyGains] = (WholeBodyGains(), STANCE_GAINS),
) -> WholeBodyProgram:
    """The program of a robot: its own, or with the tasks of a preset.

    Args:
        robot, contacts, points: as of `WholeBodyProgram`.
        preset: name of a preset; "" for the tasks that ship.
        upper: joints above the legs that go their own way; None for none.
        gains: weights and gains at a scale of one, and in stance without steps.

    Raises:
        BackbeatError: there is no such preset, or it does not fit.
    """
    if upper is not None:
        own = replace(gains[0], posture_weight=GIVEN_WEIGHT)
        return WholeBodyProgram(robot, contacts, points, own)
    if not preset:
        scale = body_scale(robot)
        stepping, stance = (x.at(scale) for x in gains)
        return WholeBodyProgram(robot, contacts, points, stepping, stance=stance)
    if points:
        raise BackbeatError(
            f"preset {preset} has no task for {', '.join(points)}; track a behavior "
            "without sticks, or leave the preset out"
        )
    return PresetProgram(robot, contacts, load_preset(preset))
