"""Tasks: their common base, and those of a trajectory.

One rule everywhere: a task with a weight is a cost, without one a constraint.
A bound is a constraint with room. Tasks of a trajectory are residuals of single
knots; targets are given per knot, so a task may hold a pose, pass a point once, or
follow a path. Tasks of an instant are in `optimization/task_space/`.
"""

from dataclasses import dataclass

import numpy as np
from pydrake.math import RigidTransform

from backbeat.models.common.errors import BackbeatError
from backbeat.optimization.terms.declared import On, Term

# Costs of tasks; those of a `PostureTask` go with the posture's.
FRAME_TASK = Term("targets of frames", "(log R_GF, p_GF)", "rad, m", on=On.KNOT)
COM_TASK = Term("path of the center of mass", "c - target", "m", on=On.KNOT)
AXES = ("rx", "ry", "rz", "x", "y", "z")


def axis_indices(axes: str) -> list[int]:
    """Indices in (rx, ry, rz, x, y, z) of axes such as "x y z" or "rx ry"."""
    words = axes.split()
    for word in words:
        if word not in AXES:
            raise BackbeatError(f"unknown axis {word!r}; known: {' '.join(AXES)}")
    return [AXES.index(word) for word in words]


class Task:
    """Something that a robot shall do, as well as its weight says.

    Attributes:
        weight: how much it counts against tasks that it conflicts with; None makes it
            a constraint.
    """

    weight: float | np.ndarray | None

    @property
    def is_hard(self) -> bool:
        """Whether it is a constraint."""
        return self.weight is None


@dataclass(frozen=True)
class FrameTask(Task):
    """A frame F against target poses G: residual (log R_GF, p_GF) in axes of G.

    Attributes:
        frame: name of a frame, link or contact of the robot.
        knots: (n,) knots at which the task holds.
        X_WG: one target pose, or one per knot.
        axes: the components meant, e.g. "x y z"; rotations are rx ry rz [rad].
        weight: cost per second on the squared residual; None is a constraint.
        lower, upper: bounds on the residual instead of zero (constraint only).
    """

    frame: str
    knots: np.ndarray
    X_WG: RigidTransform | list[RigidTransform]
    axes: str = "rx ry rz x y z"
    weight: float | None = None
    lower: float | None = None
    upper: float | None = None

    def target(self, i: int) -> RigidTransform:
        """Target pose at the i-th of the task's knots."""
        return self.X_WG[i] if isinstance(self.X_WG, list) else self.X_WG

    @property
    def is_bound(self) -> bool:
        """Whether the residual may move between bounds."""
        return self.lower is not None or self.upper is not None


@dataclass(frozen=True)
class CenterOfMassTask(Task):
    """The center of mass near a path, as a cost.

    Attributes:
        knots: (n,) knots.
        p_WG: (3,) or (n, 3) target [m].
        weight: (3,) or (n, 3) cost per second on the squared error [1/m^2].
    """

    knots: np.ndarray
    p_WG: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True)
class PostureTask(Task):
    """Joints near given angles, as a cost.

    Attributes:
        joints: (m,) joint indices.
        knots: (n,) knots.
        target: (m,) or (n, m) angles [rad].
        weight: cost per second on the squared error [1/rad^2].
    """

    joints: np.ndarray
    knots: np.ndarray
    target: np.ndarray
    weight: float
