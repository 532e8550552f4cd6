"""AccelerationProgram: accelerations and contact wrenches for tasks, as a QP.

    unknowns    y = [vdot, w]: accelerations, and a wrench a contact [weights]
    minimize    sum weight |J vdot + b - desired|^2 + sharing |w - planned|^2
    subject to  J vdot + b = desired  for tasks without a weight,
                M vdot + h = S' tau + sum J_c' w, wrench cones, torque limits,
                joints that stop before their stops

Three verbs make it: `add` a task as a constraint, `add` it with a weight as a cost, and
`set_desired` before each solve. Source
    Koolen et al., "Design of a Momentum-Based Control Framework and Application to the
    Humanoid Robot Atlas", 2016.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.contact.cones import CONE_ROWS, PATCH_MARGIN, wrench_cone
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.whole_body.programs.arguments import ProgramWorkspace
from backbeat.mpc.whole_body.programs.limits import (
    MAX_FORCE,
    MOST,
    STOP_MOST,
    STOP_TIME,
)
from backbeat.optimization.qp.program import DaqpSolver, QPSolution, QuadraticProgram

# J (k, nv) and b (k,) of a task at the state that was measured last.
Rows = Callable[[], tuple[np.ndarray, np.ndarray]]


@dataclass
class AccelerationTask:
    """What J vdot + b shall be.

    Attributes:
        name: of the task.
        rows: gives J and b.
        unit: of the desired value.
        weight: on its squared error; None for a constraint.
        desired: what was set last; None for a task that is left out.
    """

    name: str
    rows: Rows
    unit: str = "m/s^2"
    weight: float | None = None
    desired: np.ndarray | None = None

    def set_desired(self, desired: np.ndarray | None) -> None:
        """Sets the desired value from the next solve on; None leaves the task out."""
        self.desired = desired


class AccelerationProgram:
    """The program of one robot; its tasks come and go.

    Attributes:
        robot: the robot.
        tasks: in the order in which they were added.
    """

    def __init__(
        self,
        robot: RobotModel,
        contacts: Sequence[str],
        friction: float,
        sharing: float,
    ) -> None:
        """Makes a program without tasks.

        Args:
            robot: the robot.
            contacts: patches that may carry weight.
            friction: coefficient of friction that is assumed.
            sharing: weight on wrenches that differ from the plan's.
        """
        self.robot, self.tasks = robot, list[AccelerationTask]()
        patches = [robot.contacts[name] for name in contacts]
        self._cones = [
            wrench_cone(
                PATCH_MARGIN * c.bearing[0], PATCH_MARGIN * c.bearing[1], friction
            )
            for c in patches
        ]
        self._sharing, self._solver = sharing, DaqpSolver()

    def add(
        self, task: AccelerationTask, weight: float | None = None
    ) -> AccelerationTask:
        """Adds a task: a constraint, or with a weight a cost."""
        if weight is not None and not weight > 0:
            raise BackbeatError(f"task {task.name!r}: a weight is > 0, not {weight}")
        task.weight = weight
        self.tasks.append(task)
        return task

    def solve(
        self,
        state: ProgramWorkspace,
        q: np.ndarray,
        v: np.ndarray,
        standing: np.ndarray,
        planned: np.ndarray,
        warm_dual: np.ndarray | None = None,
    ) -> QPSolution:
        """Accelerations and wrenches that do the tasks.

        Args:
            state: dynamics and contacts at (q, v).
            q, v: (nq,), (nv,) the state.
            standing: (C,) which contacts carry.
            planned: (C, 6) their wrenches in the plan [weights].
            warm_dual: dual solution of a program with the same constraints.
        """
        nv, C = len(v), len(standing)
        n = nv + 6 * C
        H, g = np.zeros((n, n)), np.zeros(n)
        hard_rows, hard_values = [np.zeros((0, nv))], [np.zeros(0)]
        for task in self.tasks:
            if task.desired is None:
                continue
            J, b = task.rows()
            if task.weight is None:
                hard_rows.append(J)
                hard_values.append(task.desired - b)
                continue
            H[:nv, :nv] += task.weight * J.T @ J
            g[:nv] -= task.weight * J.T @ (task.desired - b)
        wrenches = np.arange(nv, n)
        H[wrenches, wrenches] += self._sharing
        g[nv:] -= self._sharing * planned.ravel()
        hard = np.vstack(hard_rows)
        hard = np.hstack([hard, np.zeros((len(hard), 6 * C))])
        program = self._limited(
            H, g, hard, np.concatenate(hard_values), state, q, v, standing
        )
        same = warm_dual is not None and len(warm_dual) == len(program.lower)
        return self._solver.solve(program, warm_dual if same else None)

    def torques(self, state: ProgramWorkspace, y: np.ndarray) -> np.ndarray:
        """(nj,) joint torques of a solution [N m]."""
        first = self.robot.base_velocities
        return (self._dynamics(state) @ y + state.bias)[first:]

    def _dynamics(self, state: ProgramWorkspace) -> np.ndarray:
        """(nv, n) matrix that makes generalized forces, less bias, of a solution."""
        loads = [-self.robot.weight * J.T for J in state.J]
        return np.hstack([state.M, *loads])

    def _limited(
        self,
        H: np.ndarray,
        g: np.ndarray,
        hard: np.ndarray,
        values: np.ndarray,
        state: ProgramWorkspace,
        q: np.ndarray,
        v: np.ndarray,
        standing: np.ndarray,
    ) -> QuadraticProgram:
        """The program with everything that must hold."""
        robot, C, nv = self.robot, len(standing), len(v)
        nf = robot.base_velocities
        lower, upper = np.full(len(g), -UNBOUNDED), np.full(len(g), UNBOUNDED)
        x, u = q[robot.base_positions :], v[nf:]
        ends = (robot.position_lower, robot.position_upper)
        down, up = (2 * (end - x - u * STOP_TIME) / STOP_TIME**2 for end in ends)
        lower[nf:nv] = np.minimum(np.maximum(down, -MOST), STOP_MOST)
        upper[nf:nv] = np.maximum(np.minimum(up, MOST), -STOP_MOST)
        cones = np.zeros((CONE_ROWS * C, len(g)))
        for c in range(C):
            own = slice(nv + 6 * c, nv + 6 * c + 6)
            # A contact in the air has no wrench.
            lower[own] = -UNBOUNDED if standing[c] else 0.0
            upper[own] = UNBOUNDED if standing[c] else 0.0
            if standing[c]:
                lower[own.stop - 1], upper[own.stop - 1] = 0.0, MAX_FORCE
            cones[CONE_ROWS * c : CONE_ROWS * (c + 1), own] = self._cones[c]
        forces, h = self._dynamics(state), state.bias
        A, *of_pairs = robot.motors.pair_limits(u)
        forces = np.vstack([forces, A @ forces[nf:]])
        h = np.concatenate([h, A @ h[nf:]])
        least, most = np.hstack([robot.motors.at(u), of_pairs])
        zero = np.zeros(len(cones))
        return QuadraticProgram(
            H,
            g,
            np.ascontiguousarray(np.vstack([forces[:nf], hard, cones, forces[nf:]])),
            np.concatenate([lower, -h[:nf], values, zero - UNBOUNDED, least - h[nf:]]),
            np.concatenate([upper, -h[:nf], values, zero, most - h[nf:]]),
        )
