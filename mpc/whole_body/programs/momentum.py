"""WholeBodyProgram: state and target to joint torques, as a pure function.

    unknowns    z = [vdot_a, w or s]: accelerations of the joints that carry no
                contact and, by contact, its wrench w where it stands and its
                swing-acceleration slack s, added to the acceleration of its path,
                where it swings (30 for Atlas on two feet, 36 on a chair)
    minimize    the declared tasks of `backbeat.mpc.whole_body.programs.gains`, each
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

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.compiled.bound import bind
from backbeat.models.contact.cones import CONE_ROWS, PATCH_MARGIN, wrench_cone
from backbeat.models.contact.friction import TRACKED_FRICTION
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.models.dynamics.frame_arrays import frame_arrays
from backbeat.models.dynamics.frames import LINE
from backbeat.models.dynamics.kinematic_tree import make_workspace
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.reference.scale import body_scale
from backbeat.mpc.whole_body.programs.arguments import (
    Gains,
    ModelData,
    ProgramArguments,
    ProgramWorkspace,
    Target,
    WrittenSolution,
)
from backbeat.mpc.whole_body.programs.assembly import (
    contact_bound,
    recover_bound,
    update_state,
    uses_stance_gains,
)
from backbeat.mpc.whole_body.programs.gains import STANCE_GAINS, WholeBodyGains
from backbeat.mpc.whole_body.programs.limbs import find_limbs
from backbeat.mpc.whole_body.programs.solving import share_out, solve_from
from backbeat.optimization.qp.active_set import ActiveSetSolver
from backbeat.optimization.qp.program import QPSolution, QuadraticProgram


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
        workspace: dynamics and program of the last call, which the next overwrites.
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
        scale = self._scale = body_scale(robot)
        self._stepping_gains = gains or WholeBodyGains().at(scale)
        self.model: ModelData = self._make_model(friction)
        on_limbs = len(self.model.limb) == len(self.contacts) > 1
        usual = STANCE_GAINS.at(scale) if gains is None else self._stepping_gains
        self._stance_gains = (stance or usual) if on_limbs else self._stepping_gains
        work = self.workspace = self._make_workspace()
        self._program = QuadraticProgram(work.H, work.g, work.A, work.lower, work.upper)
        self._bind(self.make_target())
        self._solver = ActiveSetSolver()

    def _make_model(self, friction: float) -> ModelData:
        robot = self.robot
        for name in self.contacts:
            if name not in robot.contacts:
                raise unknown_name("contact", name, robot.contacts)
        patches = [robot.contacts[name] for name in self.contacts]
        has_limb = [len(p.limb) > 0 for p in patches]
        if has_limb != sorted(has_limb, reverse=True):
            raise BackbeatError(
                f"contacts {', '.join(self.contacts)}: those with a limb come first"
            )
        limbs = find_limbs(robot, self.contacts[: sum(has_limb)])
        cones = [
            wrench_cone(
                PATCH_MARGIN * c.bearing[0], PATCH_MARGIN * c.bearing[1], friction
            )
            for c in patches
        ]
        edges = [
            wrench_cone(LINE, PATCH_MARGIN * c.bearing[1], friction) for c in patches
        ]
        contact = frame_arrays([c.frame for c in patches])
        point = frame_arrays([robot.frame(name) for name in self.points])
        return ModelData(
            tree=robot.tree,
            gravity=robot.gravity,
            mass=robot.total_mass,
            scale=self._scale.length,
            effort=robot.effort_limits,
            stall=robot.motors.stall,
            slope=robot.motors.slope,
            pairs=robot.motors.pairs,
            damping=robot.damping,
            position_lower=robot.position_lower,
            position_upper=robot.position_upper,
            contact_body=contact.body,
            contact_R=contact.R_PF,
            contact_p=contact.p_PF,
            contact_size=np.reshape(
                [[c.half_length, 0.0 if c.rolls else c.half_width] for c in patches],
                (-1, 2),
            ),
            contact_rolls=np.array([c.rolled_width for c in patches], float),
            limb=limbs.limb,
            limb_range=limbs.ranges,
            free=limbs.free,
            coupled=limbs.coupled,
            cone=np.array(cones).reshape(-1, CONE_ROWS, 6),
            edge_cone=np.array(edges).reshape(-1, CONE_ROWS, 6),
            trunk_body=robot.trunk.body,
            trunk_R=robot.trunk.R_PF,
            trunk_p=robot.trunk.p_PF,
            point_body=point.body,
            point_p=point.p_PF,
        )

    def _make_workspace(self) -> ProgramWorkspace:
        robot, C = self.robot, len(self.contacts)
        nv, nj = robot.num_velocities, robot.num_joints
        L = len(self.model.limb)
        n = len(self.model.free) + 6 * C
        rows = C * CONE_ROWS + nj + 2 * len(self.model.pairs.joints) + 6 * L
        z = np.zeros
        return ProgramWorkspace(
            ws=make_workspace(robot.tree),
            bias=z(nv),
            M=z((nv, nv)),
            J=z((C, 6, nv)),
            Jdv=z((C, 6)),
            R=z((C, 3, 3)),
            r=z((C, 3)),
            edge=z(C),
            pitch=z(C),
            Z=z((nv, n)),
            z0=z(nv),
            H=z((n, n)),
            g=z(n),
            A=z((rows, n)),
            lower=z(n + rows),
            upper=z(n + rows),
            com=z(3),
            momentum=z(6),
            R_trunk=z((3, 3)),
        )

    def make_target(self) -> Target:
        """An empty target to fill: everything at zero, all contacts standing."""
        nj, C, P = self.robot.num_joints, len(self.contacts), len(self.points)
        z = np.zeros
        return Target(
            com=z((3, 3)),
            momentum=z((2, 3)),
            R_base=np.eye(3),
            base=z((2, 3)),
            R_trunk=np.eye(3),
            trunk=z((2, 3)),
            joints=z((3, nj)),
            standing=np.ones(C, bool),
            R_contact=np.tile(np.eye(3), (C, 1, 1)),
            contact=z((C, 3)),
            contact_motion=z((2, C, 6)),
            wrench=z((C, 6)),
            edge=z(C),
            pitch=z(C),
            point=z((3, P, 3)),
            point_on=z(P),
            point_force=z((P, 3)),
            may_step=np.ones(1, bool),
        )

    def _bind(self, target: Target) -> None:
        """Prepares what is compiled for a target that comes again and again."""
        self._target = target
        # A whole number, as in `com_damping=2`, would have all compiled anew for it.
        stepping, stance = (
            Gains(**{name: float(gain) for name, gain in asdict(gains).items()})
            for gains in (self._stepping_gains, self._stance_gains)
        )
        self._bound = bind(
            ProgramArguments(self.model, stepping, stance, target, self.workspace)
        )

    def gains_for(self, target: Target) -> WholeBodyGains:
        """The weights and gains with which a target is tracked."""
        return self._stance_gains if uses_stance_gains(target) else self._stepping_gains

    def contact_acceleration(self, v: np.ndarray, contact: int) -> np.ndarray:
        """(6,) what a contact of the last target shall do, in patch axes."""
        out = np.empty(6)
        contact_bound(self._bound, v, contact, out)
        return out

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
        rounds = solve_from(
            self._bound,
            q,
            v,
            _NO_GUESS if warm_dual is None else warm_dual,
            PRIMAL_TOLERANCE,
            DUAL_TOLERANCE,
            WrittenSolution(dual, vdot, tau, wrench, swing_slack),
        )
        if rounds > 0:
            return WholeBodySolution(tau, vdot, wrench, swing_slack, dual, True, rounds)
        solution, is_solved = self._solve_longer(warm_dual)
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

    def _solve_longer(self, warm_dual: np.ndarray | None) -> tuple[QPSolution, bool]:
        """The program as it stands by the general solver, and whether it is solved."""
        work = self.workspace
        solution: QPSolution = self._solver.solve(self._program, warm_dual)
        is_solved = solution.is_optimal(PRIMAL_TOLERANCE, DUAL_TOLERANCE)
        if not is_solved:
            # Joints of limbs may come to their stops when nothing else is possible.
            limbs = slice(len(work.lower) - self.model.limb.size, None)
            work.lower[limbs], work.upper[limbs] = -UNBOUNDED, UNBOUNDED
            solution = self._solver.solve(self._program)
            is_solved = solution.is_optimal(PRIMAL_TOLERANCE, DUAL_TOLERANCE)
        return solution, is_solved
