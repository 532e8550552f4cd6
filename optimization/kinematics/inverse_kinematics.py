"""Inverse kinematics: the nearest configuration with frames at their targets.

Damped Gauss-Newton with joint limits on the configuration manifold:

    minimize    |q (-) q_near|^2 in joint weights + |CoM - target|^2
                + stiff |frame residuals|^2
                + stiff |what is missing to lower bounds and distances|^2
    subject to  joint limits, a bound on each step

Targets are stiff costs and not constraints, so that an unreachable one ends at
the nearest place, which is the useful report. Nocedal, Wright,
"Numerical Optimization", 2006, chapters 10 and 18.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from pydrake.math import RigidTransform

from backbeat.models.collision.shapes import NOTHING, CollisionModel
from backbeat.models.dynamics.rolling import FLAT
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.kinematics.joint_units import joint_units
from backbeat.optimization.kinematics.posture_step import PostureStep
from backbeat.optimization.problem.tasks import axis_indices
from backbeat.optimization.qp.program import DaqpSolver

# Stiffness of targets, first and last: soft first, so that the joints find their
# way, and then so hard that what is left is below a hundredth of a millimeter.
STIFFNESS = (1e2, 1e4, 1e6, 1e8)
# Largest step at each stiffness [rad or m].
STEP_BOUNDS = (0.3, 0.2, 0.1, 0.05)
# Smaller ones, where steps along what the targets leave free are so large that they
# bend away from these.
SETTLING = (0.01, 0.003, 0.001)


@dataclass(frozen=True)
class IKTarget:
    """Where a frame shall be, in the axes of the target.

    Attributes:
        X_WG: target pose.
        axes: constrained components, e.g. "x y z".
        lower: requires at least this residual instead of zero [m or rad].
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
            joint_margin: distance kept from joint stops [rad]; less where joints slide,
                see `joint_units`.
        """
        self.robot, self.collisions = robot, collisions
        self._arrays = collisions.arrays()
        self._margin = joint_margin * joint_units(robot)
        self._weights = np.ones(robot.num_velocities)
        if robot.floating:
            self._weights[:6] = 0.1
        if joint_weights is not None:
            self._weights = joint_weights
        # Cost of components without a target.
        self._flat = np.diag(1e-2 * self._weights + 1e-6)

    def solve(
        self,
        q_near: np.ndarray,
        targets: Mapping[str, IKTarget],
        com_xy: np.ndarray | None = None,
        q_start: np.ndarray | None = None,
        iterations: int = 25,
        settles: bool = False,
    ) -> IKSolution:
        """Finds the configuration nearest to `q_near` that meets the targets.

        Args:
            q_near: (nq,) nominal configuration.
            targets: frames with their targets. A sole that rolls is taken to stand
                there: its roll is free.
            com_xy: (2,) place for the center of mass, soft [m].
            q_start: (nq,) where the search starts; None starts at q_near.
            iterations: most steps at each stiffness.
            settles: whether smaller steps follow at the last one.
        """
        robot = self.robot
        nq = robot.base_positions
        q = (q_near if q_start is None else q_start).copy()
        lower = np.minimum(robot.position_lower + self._margin, q_near[nq:])
        upper = np.maximum(robot.position_upper - self._margin, q_near[nq:])
        q[nq:] = np.clip(q[nq:], lower, upper)
        frames = [robot.frame(name) for name in targets]
        X_WG = [target.X_WG for target in targets.values()]
        targets = {name: self._held(name, target) for name, target in targets.items()}
        rolls = [
            robot.contacts[name].rolled_width if name in robot.contacts else FLAT
            for name in targets
        ]
        step = PostureStep(robot.tree, self._arrays, frames, X_WG, q, q_near, rolls)
        rows, solver = _Rows.of(targets), DaqpSolver()
        stages = [*zip(STIFFNESS, STEP_BOUNDS, strict=True)]
        stages += [(STIFFNESS[-1], bound) for bound in SETTLING if settles]
        for stiffness, bound in stages:
            for _ in range(iterations):
                program = step.program(
                    *self._cost(step, rows.equal, com_xy, stiffness),
                    (lower, upper, bound),
                    rows.below,
                    rows.least,
                    self.collisions.margin,
                    stiffness,
                )
                solution = solver.solve(program)
                if not solution.found:
                    # The result is far from all targets, which its residual shows.
                    return self._result(step, targets)
                if step.move(solution.x[: robot.num_velocities]) < 1e-7:
                    break
        return self._result(step, targets)

    def _held(self, frame: str, target: IKTarget) -> IKTarget:
        """A target without the roll of a sole that rolls where it stands."""
        contact = self.robot.contacts.get(frame)
        if contact is None or not contact.rolls or target.lower is not None:
            return target
        held = contact.held_axes.split()
        axes = " ".join(axis for axis in target.axes.split() if axis in held)
        return replace(target, axes=axes)

    def _cost(
        self,
        step: PostureStep,
        equal: Sequence[np.ndarray],
        com_xy: np.ndarray | None,
        stiffness: float,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Gauss-Newton matrix and gradient where a step begins."""
        H = self._flat.copy()
        g = 1e-2 * self._weights * step.away
        for rows in equal:
            J = step.jacobians[rows]
            stiff = stiffness * J.T
            H += stiff @ J
            g += stiff @ step.residuals[rows]
        if com_xy is not None:
            com, J_com = step.center_of_mass
            soft = 100.0 * J_com[:2].T
            H += soft @ J_com[:2]
            g += soft @ (com[:2] - com_xy)
        return H, g

    def _result(self, step: PostureStep, targets: Mapping[str, IKTarget]) -> IKSolution:
        residuals = step.residuals.reshape(-1, 6)
        sizes = {
            frame: _size(e[axis_indices(target.axes)], target)
            for (frame, target), e in zip(targets.items(), residuals, strict=True)
        }
        worst = max(sizes, key=lambda f: sizes[f])
        clearance = np.inf
        if self.collisions.spheres:
            clearance = float(step.distances.min() - self.collisions.margin)
        return IKSolution(
            step.q,
            sizes[worst],
            worst,
            clearance,
            float(self._weights @ step.away**2),
        )


class _Rows(NamedTuple):
    """Which residuals of frames are constrained, six a frame.

    Attributes:
        equal: those to be zero, frame by frame.
        below: (k,) those with lower bounds.
        least: (k,) the bounds [m or rad].
    """

    equal: list[np.ndarray]
    below: np.ndarray
    least: np.ndarray

    @classmethod
    def of(cls, targets: Mapping[str, IKTarget]) -> "_Rows":
        """Those of some targets.

        Raises:
            BackbeatError: a target names no axis.
        """
        equal, below, least = [], [], []
        for i, target in enumerate(targets.values()):
            rows = [6 * i + k for k in axis_indices(target.axes)]
            if target.lower is None:
                equal.append(np.array(rows, np.int64))
            else:
                below += rows
                least += [target.lower] * len(rows)
        return cls(equal, np.array(below, np.int64), np.array(least, float))


def _size(residual: np.ndarray, target: IKTarget) -> float:
    """Largest remaining residual of one frame."""
    if target.lower is None:
        return float(np.abs(residual).max())
    return float(np.maximum(target.lower - residual, 0.0).max())
