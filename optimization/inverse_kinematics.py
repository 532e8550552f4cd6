"""Inverse kinematics: the nearest configuration in which frames are where asked.

Sequential quadratic programming on the configuration manifold:

    minimize    |q (-) q_near|^2 in joint weights + |CoM - target|^2
    subject to  frame residuals = 0 (linearized), joint limits, step bound

Each step is one small dense program; Nocedal, Wright, "Numerical Optimization",
2006, chapter 18.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from pydrake.math import RigidTransform

from models.configuration import Configuration
from models.robot import RobotModel
from models.rotations import box_minus, box_plus, left_jacobian_inverse, relative_log
from optimization.qp import INFINITY, DaqpSolver, QuadraticProgram
from optimization.tasks import axis_indices


@dataclass(frozen=True)
class IKTarget:
    """Where a frame shall be, in the axes of the target.

    Attributes:
        X_WG: target pose.
        axes: components asked for, e.g. "x y z".
    """

    X_WG: RigidTransform
    axes: str = "rx ry rz x y z"


@dataclass(frozen=True)
class IKSolution:
    """Result of inverse kinematics.

    Attributes:
        q: (nq,) configuration.
        residual: largest remaining frame residual [m or rad].
        worst: frame with the largest residual.
    """

    q: np.ndarray
    residual: float
    worst: str

    @property
    def is_reached(self) -> bool:
        """Whether every frame is within a tenth of a millimeter or milliradian."""
        return self.residual < 1e-4


def solve_inverse_kinematics(
    robot: RobotModel,
    q_near: np.ndarray,
    targets: Mapping[str, IKTarget],
    com_xy: np.ndarray | None = None,
    joint_weights: np.ndarray | None = None,
    margin: float = 0.03,
    iterations: int = 60,
) -> IKSolution:
    """Finds the configuration nearest to `q_near` that meets the targets.

    Args:
        robot: the robot.
        q_near: (nq,) start and nominal configuration.
        targets: frames with their targets, all hard.
        com_xy: (2,) place for the center of mass, soft [m].
        joint_weights: (nv,) weights of the distance to q_near.
        margin: distance kept from joint stops [rad].
        iterations: most steps.
    """
    nv, nf, nq = robot.num_velocities, robot.base_velocities, robot.base_positions
    W = np.ones(nv) if joint_weights is None else joint_weights
    if robot.floating and joint_weights is None:
        W[:6] = 0.1
    solver, dual = DaqpSolver(), None
    q, slackness = q_near.copy(), 1e4
    state = Configuration(robot, q)
    lower = np.minimum(robot.position_lower + margin, q_near[nq:])
    upper = np.maximum(robot.position_upper - margin, q_near[nq:])
    for _ in range(iterations):
        e, J = _residuals(state, targets)
        away = np.zeros(nv)
        box_minus(q, q_near, robot.floating, away)
        H = np.diag(W) * 1e-2
        g = 1e-2 * W * away
        # Frames enter as stiff costs: an unreachable target then ends at the
        # nearest place instead of an infeasible program.
        H += slackness * J.T @ J
        g += slackness * J.T @ e
        if com_xy is not None:
            Jc = state.center_of_mass_jacobian[:2]
            H += 100.0 * Jc.T @ Jc
            g += 100.0 * Jc.T @ (state.center_of_mass[:2] - com_xy)
        low, high = np.full(nv, -0.3), np.full(nv, 0.3)
        low[nf:] = np.maximum(low[nf:], np.minimum(lower - q[nq:], 0.0))
        high[nf:] = np.minimum(high[nf:], np.maximum(upper - q[nq:], 0.0))
        none = np.full((1, nv), 0.0)
        program = QuadraticProgram(
            H, g, none, np.r_[low, -INFINITY], np.r_[high, INFINITY]
        )
        solution = solver.solve(program, dual)
        dual = solution.dual
        step = solution.x
        box_plus(q, step, 1.0, robot.floating, q)
        state.update(q)
        if np.abs(step).max() < 1e-7:
            if slackness >= 1e8:
                break
            slackness *= 100
    worst, residual = "", 0.0
    for frame, target in targets.items():
        size = float(np.abs(_residual(state, frame, target)[0]).max())
        if size >= residual:
            worst, residual = frame, size
    return IKSolution(q, residual, worst)


def _residual(
    state: Configuration, frame: str, target: IKTarget
) -> tuple[np.ndarray, np.ndarray]:
    """Residual of one frame in target axes, and its Jacobian."""
    X_WF, J = state.pose(frame), state.jacobian(frame)
    T = target.X_WG.rotation().matrix()
    phi, E = np.zeros(3), np.zeros((3, 3))
    relative_log(X_WF.rotation().matrix(), T, phi)
    left_jacobian_inverse(phi, 1.0, E)
    e = np.r_[T.T @ phi, T.T @ (X_WF.translation() - target.X_WG.translation())]
    D = np.vstack([T.T @ E @ J[:3], T.T @ J[3:]])
    axes = axis_indices(target.axes)
    return e[axes], D[axes]


def _residuals(
    state: Configuration, targets: Mapping[str, IKTarget]
) -> tuple[np.ndarray, np.ndarray]:
    parts = [_residual(state, frame, target) for frame, target in targets.items()]
    return np.concatenate([e for e, _ in parts]), np.vstack([D for _, D in parts])
