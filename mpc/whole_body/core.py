"""WholeBodyCore: the whole-body controller as a function of state, plan and memory.

    core = WholeBodyCore(program, reference)
    memory = core.start()
    memory = core(t, q, v, plan, memory)    # memory.command is that of the joints

No diagram, context or simulator is needed; `WholeBodyController` is the same as a
Drake system.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from backbeat.models.actuation.joint_command import BLOCKS, joint_command
from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Vector
from backbeat.models.compiled.bound import bind
from backbeat.models.dynamics.finite import all_finite
from backbeat.models.dynamics.rotations import box_plus
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.check import is_state
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.reference.sampling import ReferenceSample
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.safety.fail_safe import (
    Cause,
    FailSafe,
    Failure,
    Mode,
    Safety,
    advance,
    attempt,
)
from backbeat.mpc.safety.fall_detection import (
    BalanceSigns,
    FallLimits,
    FallSigns,
    find_signs,
)
from backbeat.mpc.safety.servo_gains import ServoSchedule, hold_gains
from backbeat.mpc.walking.walk import Walk
from backbeat.mpc.walking.writer import reference_on
from backbeat.mpc.whole_body.hand_reach import HandReach
from backbeat.mpc.whole_body.memory import WholeBodyMemory
from backbeat.mpc.whole_body.programs.arguments import Target
from backbeat.mpc.whole_body.programs.momentum import (
    WholeBodyProgram,
    WholeBodySolution,
)
from backbeat.mpc.whole_body.programs.upper_body import UpperBody
from backbeat.mpc.whole_body.target import TargetWriter
from backbeat.mpc.whole_body.tick_aim import Aim, aim
from backbeat.mpc.whole_body.tick_command import JointTarget, write_command
from backbeat.mpc.whole_body.timing import TickTiming

# A command is made for one instant; held for longer than this it is no good [s].
CARRY = 0.05
_NO_STATE = Failure(Cause.STATE)


# Not with fast mathematics, for which everything is finite.
@compiled
def _move_on(q: Vector, v: Vector, time: float, floating: bool, out: Vector) -> bool:
    """Writes where a robot is a while later; whether its state is finite numbers."""
    if not (all_finite(q) and all_finite(v)):
        return False
    box_plus(q, v, time, floating, out)
    return True


class WholeBodyCore:
    """Maps plan and state to joint commands; equal calls give equal results.

    When the program is not solved, the command in force goes on for a while, then
    joints hold the posture in which it was last solved; a fall that is seen leaves
    nothing but damping. `backbeat.mpc.safety.fail_safe` says when which.

    Attributes:
        program: the whole-body program; its contacts are the reference's.
        reference: the behavior.
        robot: the robot.
        target: what the last tick tracked; memory that every tick writes anew.
        period: time between ticks [s].
        limits: durations of the modes without a solved program.
        fall_limits: thresholds of the detection of falls.
        upper: controller of the joints above the legs; None for none.
        reach: moves the target's arms to where hands shall be.
    """

    def __init__(
        self,
        program: WholeBodyProgram,
        reference: Reference,
        timing: TickTiming | None = None,
        limits: FailSafe | None = None,
        fall_limits: FallLimits | None = None,
        upper: UpperBody | None = None,
    ) -> None:
        """Makes the function.

        Args:
            program: the whole-body program; its contacts are the reference's.
            reference: the behavior.
            timing: when ticks are due, and when their commands act; None for ideal
                sensors and motors.
            limits: durations of the modes without a solved program.
            fall_limits: thresholds of the detection of falls.
            upper: controller of the joints above the legs; None for none.
        """
        self.upper, self.program, self.reference = upper, program, reference
        self.robot: RobotModel = reference.robot
        self._timing = timing = timing or TickTiming()
        self.period = timing.period
        self.limits = limits or FailSafe(carry=CARRY)
        self.fall_limits = fall_limits or FallLimits()
        self.target: Target = program.make_target()
        # What the last tick followed.
        self._sample, self._ahead = (reference.sampler().sample for _ in range(2))
        ahead = self._ahead if timing.lead > 0 else self._sample
        # Velocity of the joints when the motors have followed, per phase.
        self._coming = ahead.v[self.robot.base_velocities :]
        self._writer = TargetWriter(self.target, self._sample, reference)
        self._gains = np.zeros((2, self.robot.num_joints))
        self._followed = bind(
            JointTarget(self.target.joints, self._coming, self._gains)
        )
        self._base, self._parts = reference, self._make_aim()
        self._walk: Walk | None = None
        self._aim = bind(self._parts)
        self._hold = hold_gains(self.robot, reference, timing.latency, timing.step)
        self.reach = HandReach(reference, self.target, self.period)
        self._can_fall = self.robot.floating and len(program.contacts) > 0
        tick, sample = program.workspace, self._sample
        balance = BalanceSigns(
            R_trunk=tick.R_trunk,
            com=tick.com,
            momentum=tick.momentum,
            mass=self.robot.total_mass,
            soles=tick.r,
            gravity=self.robot.gravity,
            planned_q=sample.q,
            planned_R=sample.R_trunk,
            planned_p=sample.p_contact,
        )
        self._balance = bind(balance)
        self._signs = np.zeros(3)
        self._rate = 1.0  # phase rate; with `target`, of the last tick

    def _make_aim(self) -> Aim:
        """What aiming reads and writes."""
        reference, robot, timing = self.reference, self.robot, self._timing
        schedule = ServoSchedule(robot, reference, timing.latency, timing.sampling)
        strikes = [e.time for e in reference.behavior.events if e.kind == "strike"]
        return Aim(
            table=reference.table,
            schedule=schedule.table,
            strikes=np.sort(np.array(strikes, float)),
            duration=float(reference.duration),
            period=float(self.period),
            lead=float(timing.lead),
            parts=self._writer.parts,
            ahead=self._ahead,
            gains=self._gains,
        )

    def start(self) -> WholeBodyMemory:
        """Memory before the first tick."""
        nj, C = self.robot.num_joints, len(self.program.contacts)
        return WholeBodyMemory(np.zeros(BLOCKS * nj), None, np.zeros((C, 6)))

    def __call__(
        self,
        t: float,
        q: np.ndarray,
        v: np.ndarray,
        plan: Plan,
        memory: WholeBodyMemory,
        hands: Mapping[str, np.ndarray] | None = None,
        target: np.ndarray | None = None,
    ) -> WholeBodyMemory:
        """One tick.

        An unsolved program is never applied, and a state that is no number is not
        tried.

        Args:
            t: time [s].
            q: (nq,) configuration of the robot model.
            v: (nv,) its velocity.
            plan: the plan in force.
            memory: what the last tick returned.
            hands: (3,) how far from where the behavior has them hands shall be, in
                world axes [m], by name; None for no such thing.
            target: (3, 3) place, velocity and acceleration of what the upper body's
                hand follows; None without an upper body.

        Returns:
            The memory after it, with the command for the joints.
        """
        if memory.safety.mode is Mode.FALLEN:
            return self._next(memory, safety=memory.safety)
        sample = self.aim(t, plan)
        if hands or memory.reach:
            memory = replace(memory, reach=self.reach(sample, hands or {}, memory))
        solution: WholeBodySolution | Failure = _NO_STATE
        fall, above = "", None
        floating = self.robot.floating
        if is_state(q, v, floating):
            middle = np.empty(len(q))
            _move_on(q, v, 0.5 * self.period, floating, middle)
            above = self.direct(middle, v, sample, target, memory)
            solution = attempt(
                lambda: self.program.solve(middle, v, self.target, memory.dual)
            )
            fall = self._judge(middle, v, solution)
        if isinstance(solution, WholeBodySolution) and not solution.is_solved:
            solution = Failure(Cause(solution.status))
        failure = solution if isinstance(solution, Failure) else None
        safety = advance(memory.safety, t, failure, fall, self.limits)
        if isinstance(solution, Failure) or safety.mode is not Mode.TRACKING:
            return self._next(memory, safety)
        return self._solved(solution, q, v, memory, safety, above)

    def direct(
        self,
        q: np.ndarray,
        v: np.ndarray,
        sample: ReferenceSample,
        target: np.ndarray | None,
        memory: WholeBodyMemory | None,
    ) -> np.ndarray | None:
        """(n,) torques of the upper body, whose motion is written to the target [N m].

        Args:
            q, v: (nq,), (nv,) where the robot is.
            sample: the behavior, as `aim` returned it.
            target: as of a tick.
            memory: of the tick before; None without one.
        """
        if self.upper is None or target is None:
            return None
        base = None if memory is None else memory.base_acceleration
        return self.upper.direct(q, v, sample, target, base, self.target)

    def middle(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(nq,) where the robot is half a period later, for which a tick solves."""
        out = np.full(len(q), np.nan)
        _move_on(q, v, 0.5 * self.period, self.robot.floating, out)
        return out

    def aim(self, t: float, plan: Plan) -> ReferenceSample:
        """Writes the target of a tick at t; returns the behavior there."""
        if plan.walk is not self._walk:
            self._follow(plan.walk)
        self._writer.note(plan)
        s, self._rate = aim(self._aim, plan.bound, t, plan.time, plan.rate, plan.ground)
        if plan.steps or plan.touchdowns or plan.swings:
            self._writer.move_soles(plan, s, self._rate)
        return self._sample

    def _follow(self, walk: Walk | None) -> None:
        """Follows a walk from now on; the behavior itself without one."""
        self.reference, self._walk = reference_on(self._base, walk), walk
        table, duration = self.reference.table, float(self.reference.duration)
        self._aim = bind(self._parts._replace(table=table, duration=duration))

    def _judge(
        self, q: np.ndarray, v: np.ndarray, solution: WholeBodySolution | Failure
    ) -> str:
        """The sign of a fall in words, empty without one."""
        if not self._can_fall:
            return ""
        if isinstance(solution, Failure):
            self.program.measure(q, v)
        find_signs(self._balance, q, self._signs)
        return FallSigns(*self._signs.tolist()).judge(self.fall_limits)

    def _solved(
        self,
        solution: WholeBodySolution,
        q: np.ndarray,
        v: np.ndarray,
        memory: WholeBodyMemory,
        safety: Safety,
        above: np.ndarray | None,
    ) -> WholeBodyMemory:
        """Memory and command of a solved program."""
        acceleration = solution.vdot[self.robot.base_velocities :]
        sensed = v[self.robot.base_velocities :]
        before = sensed if memory.velocity is None else memory.velocity
        planned, command = before.copy(), np.empty(BLOCKS * len(before))
        write_command(
            solution.tau,
            acceleration,
            sensed,
            self._followed,
            self._rate,
            self.period,
            planned,
            command,
        )
        base, edge = None, self.program.workspace.edge
        if self.upper is not None and above is not None:
            self.upper.take(command, above)
            base = solution.vdot[:6].copy()
        return WholeBodyMemory(
            command=command,
            dual=solution.dual,
            wrench=solution.wrench,
            ticks=memory.ticks + 1,
            acceleration=acceleration,
            velocity=planned,
            posture=q[self.robot.base_positions :].copy(),
            safety=safety,
            reach=memory.reach,
            base_acceleration=base,
            lost=memory.lost,
            edge=edge.copy() if edge.any() else None,
        )

    def _next(self, memory: WholeBodyMemory, safety: Safety) -> WholeBodyMemory:
        """Memory and command without a solution, as the mode says."""
        command, acceleration = memory.command, memory.acceleration
        nothing = np.zeros(self.robot.num_joints)
        stiffness, damping = self._hold
        posture = nothing if memory.posture is None else memory.posture
        if safety.blind_since is not None:
            # No servo holds what it cannot see: the command in force goes on.
            pass
        elif safety.mode is Mode.HOLDING and memory.posture is not None:
            command = joint_command(nothing, posture, nothing, stiffness, damping)
        elif safety.mode in (Mode.HOLDING, Mode.FALLEN):
            command = joint_command(nothing, posture, nothing, nothing, damping)
        if safety.mode is not Mode.CARRYING:
            acceleration = None
        return WholeBodyMemory(
            command=command,
            dual=None,
            wrench=memory.wrench,
            ticks=memory.ticks + 1,
            acceleration=acceleration,
            velocity=memory.velocity if safety.mode is Mode.CARRYING else None,
            posture=memory.posture,
            safety=safety,
            reach=memory.reach,
            lost=memory.lost,
            edge=memory.edge,
        )
