"""WholeBodyProgram: state and target to joint torques, as a pure function.

    unknowns    z = [vdot_a, w or s]: accelerations of the joints that carry no
                contact and, by contact, its wrench w where it stands and its
                swing-acceleration slack s, added to the acceleration of its path,
                where it swings (30 for Atlas on two feet, 36 on a chair)
    minimize    the declared tasks of `backbeat.mpc.whole_body.programs.tasks`, each
                half its weight times the squares of what is off
    subject to  equations of motion and contact accelerations (eliminated),
                wrench cones, torque limits, acceleration bounds before stops

Every desired acceleration is feedforward + stiffness * error + damping * rate
error. Sources
    Koolen et al., "Design of a Momentum-Based Control Framework and Application
    to the Humanoid Robot Atlas", 2016.
    Caron, Pham, Nakamura, "Stability of Surface Contacts for Humanoid Robots",
    2015 (wrench cones).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from backbeat.models.compiled.bound import bind
from backbeat.models.contact.friction import TRACKED_FRICTION
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.reference.scale import body_scale
from backbeat.mpc.whole_body.programs.allocation import (
    make_model,
    make_target,
    make_workspace,
)
from backbeat.mpc.whole_body.programs.arguments import (
    ModelData,
    ProgramArguments,
    ProgramWorkspace,
    Target,
    WrittenSolution,
)
from backbeat.mpc.whole_body.programs.assembly import (
    recover_bound,
    update_state,
    uses_stance_gains,
)
from backbeat.mpc.whole_body.programs.limits import limit_blocks
from backbeat.mpc.whole_body.programs.own_tasks import (
    AccelerationTask,
    Instant,
    OwnRows,
    own_rows,
    with_rows,
)
from backbeat.mpc.whole_body.programs.solving import share_out, solve_from
from backbeat.mpc.whole_body.programs.tasks import STANCE_GAINS, WholeBodyGains
from backbeat.mpc.whole_body.programs.upper_body import GIVEN_WEIGHT, UpperBody
from backbeat.optimization.qp.active_set import ActiveSetSolver
from backbeat.optimization.qp.program import QPSolution, QuadraticProgram
from backbeat.optimization.terms.changes import changed, of_section
from backbeat.optimization.terms.declared import added_costs, as_tuple


@dataclass(frozen=True)
class WholeBodySolution:
    """Result of one tick.

    Attributes:
        tau: (nj,) joint torques [N m].
        vdot: (nv,) accelerations.
        wrench: (C, 6) contact wrenches in patch axes [weights].
        swing_slack: (C, 6) slack of contacts in the air: their acceleration minus that
            of their paths, patch axes; zero for others.
        dual: multipliers, the warm start of the next tick.
        is_solved: whether the residuals of the program are within tolerance.
        iterations: iterations of the solver.
        status: solved, infeasible, iteration cap, numerics or inaccurate.
    """

    tau: np.ndarray
    vdot: np.ndarray
    wrench: np.ndarray
    swing_slack: np.ndarray
    dual: np.ndarray
    is_solved: bool
    iterations: int
    status: str = "solved"


# Residuals accepted from the solver: rows are accelerations, torques and forces
# of order 1 to 1000, and an answer wrong in the sixth digit moves nothing.
PRIMAL_TOLERANCE = 1e-5
DUAL_TOLERANCE = 1e-3
_NO_GUESS = np.zeros(0)


class WholeBodyProgram:
    """The whole-body quadratic program of one robot.

    Attributes:
        robot: the robot.
        contacts: names of the patches it may stand on, in the order of targets.
        points: names of the frames with point tasks.
        model: the robot as the assembly reads it.
        limits: its limits, in the order of the bounds.
        workspace: dynamics and program of the last call, which the next overwrites.
        tasks: of one's own, see `add`.
    """

    def __init__(
        self,
        robot: RobotModel,
        contacts: Sequence[str] = (),
        points: Sequence[str] = (),
        gains: WholeBodyGains | None = None,
        friction: float = TRACKED_FRICTION,
        stance: WholeBodyGains | None = None,
    ) -> None:
        """Allocates the program.

        Args:
            robot: robot; a fixed base needs no contacts.
            contacts: patches that may carry weight. One with a limb is held by it,
                another, as a seat, by all that the robot does; they come last.
            points: frames whose place is tracked or whose load is known.
            gains: weights and gains; None for those that ship, which are `STANCE_GAINS`
                where two or more limbs are all that carries, all stand, and none may
                step.
            friction: coefficient of friction that is assumed.
            stance: in place of `STANCE_GAINS` there; None for the gains given, if any.

        Raises:
            BackbeatError: a contact is unknown, or one without a limb comes first.
        """
        self.robot, self.contacts, self.points = robot, tuple(contacts), tuple(points)
        scale = body_scale(robot)
        stepping = gains or WholeBodyGains().at(scale)
        usual = STANCE_GAINS.at(scale) if gains is None else None
        self.model: ModelData = make_model(
            robot,
            self.contacts,
            self.points,
            friction,
            stepping.eliminate_limbs,
        )
        self.limits = limit_blocks(robot, self.contacts, self.model)
        bounds = sum(len(block.names) for block in self.limits)
        work = self.workspace = make_workspace(robot, self.model, bounds)
        self._program = QuadraticProgram(work.H, work.g, work.A, work.lower, work.upper)
        self._target = self.make_target()
        self.weigh(stepping, stance or usual)
        self._solver = ActiveSetSolver()
        self.tasks: list[AccelerationTask] = []
        both = self._stepping_gains, self._stance_gains
        self._has_added_costs = any(added_costs(gains) for gains in both)

    def weigh(
        self, gains: WholeBodyGains, stance: WholeBodyGains | None = None
    ) -> None:
        """Takes weights and gains from the next call on, with limbs as before.

        Args:
            gains: of both, unless `stance` are others for the robot on all its limbs.
            stance: see the constructor.
        """
        on_limbs = len(self.model.limb) == len(self.contacts) > 1
        self._stepping_gains = gains
        self._stance_gains = (stance or gains) if on_limbs else gains
        self._bind(self._target)

    def make_target(self) -> Target:
        """An empty target to fill: everything at zero, all contacts standing."""
        return make_target(self.robot.num_joints, len(self.contacts), len(self.points))

    def _bind(self, target: Target) -> None:
        """Prepares what is compiled for a target that comes again and again."""
        self._target = target
        stepping, stance = (
            as_tuple(gains, WholeBodyGains)
            for gains in (self._stepping_gains, self._stance_gains)
        )
        self._bound = bind(
            ProgramArguments(self.model, stepping, stance, target, self.workspace)
        )

    def gains_for(self, target: Target) -> WholeBodyGains:
        """The weights and gains with which a target is tracked."""
        return self._stance_gains if uses_stance_gains(target) else self._stepping_gains

    def add(
        self, task: AccelerationTask, weight: float | None = None
    ) -> AccelerationTask:
        """Adds a task of one's own: a constraint, or with a weight a cost.

        Raises:
            BackbeatError: the weight is not above zero.
        """
        self.tasks.append(task.weighted(weight))
        return task

    def own_rows(self, q: np.ndarray, v: np.ndarray, target: Target) -> list[OwnRows]:
        """Rows of the tasks of one's own at (q, v)."""
        if not self.tasks and not self._has_added_costs:
            return []
        gains = self.gains_for(target)
        state = Configuration(self.robot, q, v)
        return list(own_rows(self.tasks, gains, Instant(self.robot, state, target)))

    def measure(self, q: np.ndarray, v: np.ndarray) -> ProgramWorkspace:
        """Computes dynamics, contacts, center of mass and momentum at (q, v)."""
        update_state(self.model, q, v, self.workspace)
        return self.workspace

    def solve(
        self,
        q: np.ndarray,
        v: np.ndarray,
        target: Target,
        warm_dual: np.ndarray | None = None,
    ) -> WholeBodySolution:
        """Torques for a target at (q, v).

        Args:
            q: (nq,) configuration.
            v: (nv,) velocity.
            target: what to track.
            warm_dual: dual solution of the previous tick.

        Returns:
            The solution; when `is_solved` is False its torques must not be used.
        """
        work = self.workspace
        if target is not self._target:
            self._bind(target)
        C, nj = len(self.contacts), self.robot.num_joints
        vdot, tau, dual = (
            np.empty(len(work.z0)),
            np.empty(nj),
            np.empty(len(work.upper)),
        )
        wrench, swing_slack = np.empty((C, 6)), np.empty((C, 6))
        own = self.own_rows(q, v, target)
        rounds = solve_from(
            self._bound,
            q,
            v,
            _NO_GUESS if warm_dual is None or own else warm_dual,
            PRIMAL_TOLERANCE,
            DUAL_TOLERANCE,
            WrittenSolution(dual, vdot, tau, wrench, swing_slack),
        )
        if rounds > 0:
            return WholeBodySolution(tau, vdot, wrench, swing_slack, dual, True, rounds)
        program = self._program
        if own:
            program = with_rows(program, work, own)
            if warm_dual is not None and len(warm_dual) != len(program.lower):
                warm_dual = None
        solution, is_solved = self._solve_longer(program, warm_dual)
        recover_bound(self._bound, solution.x, vdot, tau)
        share_out(target, solution.x, wrench, swing_slack)
        is_inaccurate = solution.found and not is_solved
        return WholeBodySolution(
            tau=tau,
            vdot=vdot,
            wrench=wrench,
            swing_slack=swing_slack,
            dual=solution.dual,
            is_solved=is_solved,
            iterations=solution.iterations,
            status="inaccurate" if is_inaccurate else solution.status,
        )

    def _solve_longer(
        self, program: QuadraticProgram, warm_dual: np.ndarray | None
    ) -> tuple[QPSolution, bool]:
        """A program by the general solver, and whether it is solved."""
        solution: QPSolution = self._solver.solve(program, warm_dual)
        is_solved = solution.is_optimal(PRIMAL_TOLERANCE, DUAL_TOLERANCE)
        if not is_solved:
            # Joints of limbs may come to their stops when nothing else is possible.
            sizes = [len(block.names) for block in self.limits]
            gives_way = np.repeat([block.gives_way for block in self.limits], sizes)
            bent = np.flatnonzero(gives_way)
            program.lower[bent], program.upper[bent] = -UNBOUNDED, UNBOUNDED
            solution = self._solver.solve(program)
            is_solved = solution.is_optimal(PRIMAL_TOLERANCE, DUAL_TOLERANCE)
        return solution, is_solved


def make_whole_body_program(
    robot: RobotModel,
    contacts: Sequence[str],
    points: Sequence[str],
    gains: tuple[WholeBodyGains, WholeBodyGains],
    upper: UpperBody | None = None,
) -> WholeBodyProgram:
    """The program of a robot with the weights of a run.

    Args:
        robot, contacts, points: as of `WholeBodyProgram`.
        gains: weights and gains at a scale of one, and in stance without steps.
        upper: joints above the legs that go their own way; None for none.
    """
    stepping, stance = gains_of(robot, gains, upper)
    return WholeBodyProgram(robot, contacts, points, stepping, stance=stance)


def gains_of(
    robot: RobotModel,
    gains: tuple[WholeBodyGains, WholeBodyGains],
    upper: UpperBody | None = None,
    changes: Iterable[tuple[str, float]] = (),
) -> tuple[WholeBodyGains, WholeBodyGains | None]:
    """Weights and gains for a robot: usually, and in stance, None for the same.

    Args:
        robot, gains, upper: as of `make_whole_body_program`.
        changes: of both, by section and key, at a scale of one.
    """
    stepping, stance = (
        changed(of, of_section(changes, name))
        for of, name in zip(gains, ("whole_body", "stance"), strict=True)
    )
    if upper is not None:
        own = replace(stepping, posture_weight=GIVEN_WEIGHT, posture_feedforward=1.0)
        return own, None
    scale = body_scale(robot)
    return stepping.at(scale), stance.at(scale)
