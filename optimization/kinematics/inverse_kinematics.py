"""Inverse kinematics: the nearest configuration in which frames are where asked.

Damped Gauss-Newton with joint limits on the configuration manifold:

    minimize    |q (-) q_near|^2 in joint weights + |CoM - target|^2
                + stiff |frame residuals|^2
                + stiff |what is missing to lower bounds and distances|^2
    subject to  joint limits, a bound on each step

Targets are stiff costs and not constraints, so that an unreachable one ends at
the nearest place, which is what a person wants to hear about. Nocedal, Wright,
"Numerical Optimization", 2006, chapters 10 and 18.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from pydrake.math import RigidTransform

from backbeat.models.collision.shapes import FAR, NOTHING, CollisionModel
from backbeat.models.dynamics.rotations import (
    box_minus,
    box_plus,
    left_jacobian_inverse,
    relative_log,
)
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.problem.tasks import axis_indices
from backbeat.optimization.qp.program import INFINITY, DaqpSolver, QuadraticProgram

# Stiffness of targets, first and last: soft first, so that the joints find their
# way, and then so hard that what is left is below a hundredth of a millimeter.
STIFFNESS = (1e2, 1e4, 1e6, 1e8)
# Largest step at each stiffness [rad or m].
STEP_BOUNDS = (0.3, 0.2, 0.1, 0.05)


@dataclass(frozen=True)
class IKTarget:
    """Where a frame shall be, in the axes of the target.

    Attributes:
        X_WG: target pose.
        axes: components asked for, e.g. "x y z".
        lower: asks for at least this residual instead of zero [m or rad].
    """

    X_WG: RigidTransform
    axes: str = "rx ry rz x y z"
    lower: float | None = None


@dataclass(frozen=True)
class IKSolution:
    """Result of inverse kinematics.

    Attributes:
        q: (nq,) configuration.
        residual: largest remaining frame residual [m or rad].
        worst: frame with the largest residual.
        clearance: least distance beyond the collision margin [m]; negative when
            something is too near.
        distance: weighted squared distance from the nominal configuration.
    """

    q: np.ndarray
    residual: float
    worst: str
    clearance: float
    distance: float

    @property
    def is_reached(self) -> bool:
        """Whether every frame is within a tenth of a millimeter or milliradian."""
        return self.residual < 1e-4

    @property
    def away(self) -> str:
        """How far the worst frame is from its target; a radian counts as a meter."""
        if self.residual < 0.01:
            return f"{1e3 * self.residual:.2g} mm"
        return f"{self.residual:.2f} m"


class InverseKinematics:
    """Solves for configurations of one robot among one set of obstacles."""

    def __init__(
        self,
        robot: RobotModel,
        collisions: CollisionModel = NOTHING,
        joint_weights: np.ndarray | None = None,
        joint_margin: float = 0.03,
    ) -> None:
        """Prepares the solver.

        Args:
            robot: the robot.
            collisions: what keeps its distance.
            joint_weights: (nv,) weights of the distance from the nominal
                configuration; large ones hold a joint.
            joint_margin: distance kept from joint stops [rad].
        """
        self.robot, self.collisions = robot, collisions
        self._arrays = collisions.arrays()
        self._margin = joint_margin
        self._weights = np.ones(robot.num_velocities)
        if robot.floating:
            self._weights[:6] = 0.1
        if joint_weights is not None:
            self._weights = joint_weights

    def solve(
        self,
        q_near: np.ndarray,
        targets: Mapping[str, IKTarget],
        com_xy: np.ndarray | None = None,
        q_start: np.ndarray | None = None,
        iterations: int = 25,
    ) -> IKSolution:
        """Finds the configuration nearest to `q_near` that meets the targets.

        Args:
            q_near: (nq,) nominal configuration.
            targets: frames with their targets.
            com_xy: (2,) place for the center of mass, soft [m].
            q_start: (nq,) where the search starts; None starts at q_near.
            iterations: most steps at each stiffness.
        """
        robot = self.robot
        nq, nf = robot.base_positions, robot.base_velocities
        q = (q_near if q_start is None else q_start).copy()
        lower = np.minimum(robot.position_lower + self._margin, q_near[nq:])
        upper = np.maximum(robot.position_upper - self._margin, q_near[nq:])
        q[nq:] = np.clip(q[nq:], lower, upper)
        state, solver = Configuration(robot, q), DaqpSolver()
        for stiffness, bound in zip(STIFFNESS, STEP_BOUNDS, strict=True):
            for _ in range(iterations):
                H, g = self._cost(state, q_near, targets, com_xy, stiffness)
                low, high = np.full(len(g), -bound), np.full(len(g), bound)
                low[nf:] = np.maximum(low[nf:], lower - q[nq:])
                high[nf:] = np.minimum(high[nf:], upper - q[nq:])
                room, D = self._bounds(state, targets)
                program = _with_bounds(H, g, low, high, room, D, stiffness)
                solution = solver.solve(program)
                if not solution.found:
                    # Where it got to is far from all targets, and the result says so.
                    return self._result(state, q_near, targets)
                step = solution.x[: len(g)]
                box_plus(q, step, 1.0, robot.floating, q)
                state.update(q)
                if float(np.abs(step).max()) < 1e-7:
                    break
        return self._result(state, q_near, targets)

    def _cost(
        self,
        state: Configuration,
        q_near: np.ndarray,
        targets: Mapping[str, IKTarget],
        com_xy: np.ndarray | None,
        stiffness: float,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Gauss-Newton matrix and gradient at a state."""
        away = np.zeros(self.robot.num_velocities)
        box_minus(state.q, q_near, self.robot.floating, away)
        H = np.diag(1e-2 * self._weights + 1e-6)
        g = 1e-2 * self._weights * away
        for frame, target in targets.items():
            if target.lower is None:
                e, J = _residual(state, frame, target)
                H += stiffness * J.T @ J
                g += stiffness * J.T @ e
        if com_xy is not None:
            Jc = state.center_of_mass_jacobian[:2]
            H += 100.0 * Jc.T @ Jc
            g += 100.0 * Jc.T @ (state.center_of_mass[:2] - com_xy)
        return H, g

    def _bounds(
        self, state: Configuration, targets: Mapping[str, IKTarget]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Room of what has a lower bound, and its Jacobian; no far away things."""
        room, rows = [np.zeros(0)], [np.zeros((0, self.robot.num_velocities))]
        for frame, target in targets.items():
            if target.lower is not None:
                e, J = _residual(state, frame, target)
                room.append(e - target.lower)
                rows.append(J)
        if self.collisions.feelers:
            d, D = state.distances(self._arrays)
            near = d < FAR
            room.append(d[near] - self.collisions.margin)
            rows.append(D[near])
        return np.concatenate(room), np.vstack(rows)

    def _result(
        self,
        state: Configuration,
        q_near: np.ndarray,
        targets: Mapping[str, IKTarget],
    ) -> IKSolution:
        sizes = {f: _size(state, f, t) for f, t in targets.items()}
        worst = max(sizes, key=lambda f: sizes[f])
        clearance = np.inf
        if self.collisions.feelers:
            d, _ = state.distances(self._arrays)
            clearance = float(d.min() - self.collisions.margin)
        away = np.zeros(self.robot.num_velocities)
        box_minus(state.q, q_near, self.robot.floating, away)
        return IKSolution(
            state.q.copy(),
            sizes[worst],
            worst,
            clearance,
            float(self._weights @ away**2),
        )


def _residual(
    state: Configuration, frame: str, target: IKTarget
) -> tuple[np.ndarray, np.ndarray]:
    """Residual of one frame in target axes, and its Jacobian."""
    J = state.jacobian(frame)
    T = target.X_WG.rotation().matrix()
    phi, E = np.zeros(3), np.zeros((3, 3))
    relative_log(state.rotation(frame), T, phi)
    left_jacobian_inverse(phi, 1.0, E)
    away = state.place(frame) - target.X_WG.translation()
    e = np.concatenate([T.T @ phi, T.T @ away])
    D = np.concatenate([T.T @ E @ J[:3], T.T @ J[3:]])
    axes = axis_indices(target.axes)
    return e[axes], D[axes]


def _size(state: Configuration, frame: str, target: IKTarget) -> float:
    """Largest remaining residual of one frame."""
    e, _ = _residual(state, frame, target)
    if target.lower is None:
        return float(np.abs(e).max())
    return float(np.maximum(target.lower - e, 0.0).max())


def _with_bounds(
    H: np.ndarray,
    g: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    room: np.ndarray,
    D: np.ndarray,
    stiffness: float,
) -> QuadraticProgram:
    """The program of a step, with a stiff slack for each lower bound D dx >= -room."""
    n, m = len(g), len(room)
    if m == 0:
        none = np.zeros((1, n))
        bounds = np.append(low, -INFINITY), np.append(high, INFINITY)
        return QuadraticProgram(H, g, none, *bounds)
    larger = np.zeros((n + m, n + m))
    larger[:n, :n] = H
    larger[n:, n:] = stiffness * np.eye(m)
    return QuadraticProgram(
        larger,
        np.concatenate([g, np.zeros(m)]),
        np.concatenate([D, np.eye(m)], axis=1),
        np.concatenate([low, np.full(m, -INFINITY), -room]),
        np.concatenate([high, np.full(2 * m, INFINITY)]),
    )
