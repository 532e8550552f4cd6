"""WholeBodyController: the fast loop as a Drake system."""

import time
from dataclasses import dataclass

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import BasicVector, Context, LeafSystem, State

from models.actuation import joint_command
from models.configuration import Configuration
from models.robot import RobotModel
from models.rotations import box_plus
from mpc.plan import Plan
from mpc.reference import Reference, ReferenceSample
from mpc.stepping import standing
from mpc.target_filling import fill
from mpc.whole_body_assembly import Target
from mpc.whole_body_program import WholeBodyProgram, WholeBodySolution

# Time after which the planned velocity has forgotten what it was [s].
FORGETTING = 0.1


@dataclass(frozen=True)
class WholeBodyMemory:
    """All memory of the whole-body controller.

    Attributes:
        command: (5 nj,) the joint command in force.
        dual: dual solution, the warm start of the next tick.
        wrench: (C, 6) wrenches of the last solution [weights].
        ticks: ticks done.
        failures: ticks whose program was not solved.
        acceleration: (nj,) of the joints in the last solution [rad/s^2].
        velocity: (nj,) of the joints as those accelerations make it [rad/s].
    """

    command: np.ndarray
    dual: np.ndarray | None
    wrench: np.ndarray
    ticks: int = 0
    failures: int = 0
    acceleration: np.ndarray | None = None
    velocity: np.ndarray | None = None

    def __deepcopy__(self, memo: object) -> "WholeBodyMemory":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self


class WholeBodyController(LeafSystem):
    """Turns a plan and the state into joint commands, 500 times a second or more.

    .. pydrake_system::

        name: WholeBodyController
        input_ports:
        - state
        - plan
        output_ports:
        - command
        - contact_wrenches
        - joint_acceleration
        - memory

    `state` is the robot model's [q, v] (nq + nv), `plan` a Plan. `command` is a
    `models.actuation.joint_command` (5 nj). `contact_wrenches` (6 C) are the
    wrenches the controller counts on, in patch axes [N m, N], `joint_acceleration`
    (nj) what it makes the joints do [rad/s^2]. `memory` is a WholeBodyMemory with
    the counts.
    """

    def __init__(
        self,
        program: WholeBodyProgram,
        reference: Reference,
        period: float = 0.002,
        start_time: float = 0.0,
        latency: float = 0.0,
        lead: float = 0.0,
    ) -> None:
        """Makes the controller.

        Args:
            program: the whole-body program; its contacts are the reference's.
            reference: the behavior.
            period: time between ticks [s].
            start_time: time at which the behavior's phase is zero [s].
            latency: from a motion to the servo's torque against it [s]: delay of
                the sensors and lag of the motors. It bounds the servo's gains.
            lead: how much earlier the behavior's accelerations are commanded than
                its motion [s]: the lag of the motors.
        """
        super().__init__()
        self._program, self._reference = program, reference
        self._start, self._period, self._lead = start_time, period, lead
        self.robot: RobotModel = reference.robot
        self._sample, self._ahead = reference.make_sample(), reference.make_sample()
        self._target: Target = program.make_target()
        self._stiffness, self._damping = servo_gains(self.robot, reference, latency)
        nq, nv = self.robot.num_positions, self.robot.num_velocities
        C, nj = len(program.contacts), self.robot.num_joints
        self._state_port = self.DeclareVectorInputPort("state", nq + nv)
        self._plan_port = self.DeclareAbstractInputPort(
            "plan", AbstractValue.Make(_empty_plan())
        )
        first = WholeBodyMemory(np.zeros(5 * nj), None, np.zeros((C, 6)))
        self._memory = self.DeclareAbstractState(AbstractValue.Make(first))
        state = {self.all_state_ticket()}
        self.DeclareVectorOutputPort("command", 5 * nj, self._calc_command, state)
        self.DeclareVectorOutputPort(
            "contact_wrenches", 6 * C, self._calc_wrenches, state
        )
        self.DeclareVectorOutputPort(
            "joint_acceleration", nj, self._calc_acceleration, state
        )
        self.DeclareAbstractOutputPort(
            "memory", lambda: AbstractValue.Make(first), self._calc_memory, state
        )
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, self._update)
        # Wall times [s] for whoever measures; they decide nothing.
        self.tick_times: list[float] = []

    def _read(self, context: Context) -> WholeBodyMemory:
        memory: WholeBodyMemory = context.get_abstract_state(
            int(self._memory)
        ).get_value()
        return memory

    def _calc_command(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._read(context).command)

    def _calc_wrenches(self, context: Context, output: BasicVector) -> None:
        wrench = self._read(context).wrench * self.robot.weight
        output.SetFromVector(wrench.ravel())

    def _calc_acceleration(self, context: Context, output: BasicVector) -> None:
        acceleration = self._read(context).acceleration
        nothing = np.zeros(self.robot.num_joints)
        output.SetFromVector(nothing if acceleration is None else acceleration)

    def _calc_memory(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self._read(context))

    def _update(self, context: Context, state: State) -> None:
        started = time.perf_counter()
        x = self._state_port.Eval(context)
        plan: Plan = self._plan_port.Eval(context)
        nq = self.robot.num_positions
        t = context.get_time()
        new = self.tick(t, x[:nq], x[nq:], plan, self._read(context))
        state.get_mutable_abstract_state(int(self._memory)).set_value(new)
        self.tick_times.append(time.perf_counter() - started)

    def tick(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        plan: Plan,
        memory: WholeBodyMemory,
    ) -> WholeBodyMemory:
        """One tick as a function of state, plan and memory.

        An unsolved program is never applied, and a state that is no number is not
        tried: the command in force goes on, and the failure is counted.
        """
        # A command holds until the next tick; its references are for the middle.
        middle = t + 0.5 * self._period
        sample = self._reference.sample(plan.phase_at(middle), self._sample)
        if self._lead > 0:
            ahead = self._reference.sample(
                plan.phase_at(middle + self._lead), self._ahead
            )
            take_accelerations(sample, ahead)
        deviation, wrench = plan.at(middle)
        fill_target(self._target, sample, plan.rate, deviation, wrench, self.robot)
        move_soles(self._target, plan, plan.phase_at(middle))
        turn_body(self._target, plan.turning(middle))
        solution = None
        if np.isfinite(q).all() and np.isfinite(v).all():
            middle_q = np.empty_like(q)
            box_plus(q, v, 0.5 * self._period, self.robot.floating, middle_q)
            solution = self._program.solve(middle_q, v, self._target, memory.dual)
        if solution is None or not solution.is_solved:
            return WholeBodyMemory(
                memory.command,
                None,
                memory.wrench,
                memory.ticks + 1,
                memory.failures + 1,
                memory.acceleration,
                memory.velocity,
            )
        acceleration = solution.vdot[self.robot.base_velocities :]
        sensed = v[self.robot.base_velocities :]
        planned = sensed if memory.velocity is None else memory.velocity
        planned = planned + self._period * acceleration
        planned += self._period / FORGETTING * (sensed - planned)
        command = self._command(solution, planned)
        return WholeBodyMemory(
            command,
            solution.dual,
            solution.wrench,
            memory.ticks + 1,
            memory.failures,
            acceleration,
            planned,
        )

    def _command(self, solution: WholeBodySolution, planned: np.ndarray) -> np.ndarray:
        """(5 nj,) joint command.

        Where no servo helps, its velocity is the solution's own: it says which way
        friction has to be overcome, and does nothing else.
        """
        joints = self._target.joints
        velocity = np.where(self._stiffness > 0, joints[1], planned)
        return joint_command(
            solution.tau, joints[0], velocity, self._stiffness, self._damping
        )


def _empty_plan() -> Plan:
    z = np.zeros
    return Plan(0, 0, 1, z(1), z(2), z((2, 12)), z((1, 0, 6)), z((2, 3)), z((2, 0, 2)))


def take_accelerations(sample: ReferenceSample, ahead: ReferenceSample) -> None:
    """Overwrites the accelerations of a sample by those of a later one."""
    sample.vdot[:] = ahead.vdot
    sample.com[2], sample.momentum[1] = ahead.com[2], ahead.momentum[1]
    sample.trunk[1], sample.point[2] = ahead.trunk[1], ahead.point[2]
    sample.contact_motion[1] = ahead.contact_motion[1]


def fill_target(
    target: Target,
    sample: ReferenceSample,
    rate: float,
    deviation: np.ndarray,
    wrench: np.ndarray,
    robot: RobotModel,
) -> None:
    """Writes the target of a tick: the behavior, retimed, plus the plan's deviation.

    Rates of the behavior are per phase: with phase rate r, velocities scale by r
    and accelerations by r^2.

    Args:
        target: written.
        sample: the behavior at the phase of the tick.
        rate: phase rate [-].
        deviation: (12,) CoM, CoM velocity, momentum per mass, body rotation.
        wrench: (C, 6) planned patch wrenches [weights].
        robot: the robot.
    """
    mass, gravity = robot.total_mass, robot.gravity
    fill(target, sample, rate, deviation, wrench, mass, gravity, robot.floating)


def move_soles(target: Target, plan: Plan, s: float) -> None:
    """Writes what the plan changes about the soles: who stands, and where they go.

    Args:
        target: a target that `fill_target` has filled.
        plan: the plan.
        s: phase of the tick [s].
    """
    target.standing[:] = standing(target.standing[None], np.array([s]), plan.steps)[0]
    for swing in plan.swings:
        if swing.start < s < swing.end:
            offset = swing.offset(s)
            target.contact[swing.contact] += offset[0]
            target.contact_motion[0, swing.contact, 3:] += plan.rate * offset[1]
            target.contact_motion[1, swing.contact, 3:] += plan.rate**2 * offset[2]


def turn_body(target: Target, turning: np.ndarray) -> None:
    """Adds the speed at which the plan turns base and trunk, (3,) [rad/s].

    Without it their damping fights the plan's angular momentum.
    """
    target.base[0] += turning
    target.trunk[0] += turning


def servo_gains(
    robot: RobotModel, reference: Reference, latency: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Joint stiffness and damping [N m/rad, N m s/rad] from the robot YAML.

    kp = I omega^2, kd = 2 I omega with the inertia I that the joint feels at the
    start of the behavior, 1 / (M^-1)_jj: the diagonal of M would take the base for
    fixed, and gains made for it shake a waist above a light pelvis. Joints of
    standing limbs get none, for there the contact forces decide.

    A torque that comes late by tau can damp no more than about a radian per tau:
    kd <= (I / tau + d) / 2 with the joint's own damping d, and kp <= (kd + d) / 4 tau.
    """
    M = Configuration(robot, reference.table.q[0]).mass_matrix
    felt = 1 / np.diag(np.linalg.inv(M))
    stiffness, damping = np.zeros(robot.num_joints), np.zeros(robot.num_joints)
    limbs = {int(j) for name in reference.patches for j in robot.contacts[name].limb}
    for name, (frequency, least) in robot.servo_gains().items():
        j = robot.joint_index(name)
        if j in limbs:
            continue
        inertia = max(felt[robot.base_velocities + j], least)
        omega = 2 * np.pi * frequency
        stiffness[j], damping[j] = inertia * omega**2, 2 * inertia * omega
        if latency > 0:
            own, free = robot.damping[j], felt[robot.base_velocities + j]
            damping[j] = min(damping[j], 0.5 * (free / latency + own))
            stiffness[j] = min(stiffness[j], 0.25 * (damping[j] + own) / latency)
    return stiffness, damping
