"""Tasks of an instant: desired accelerations.

A motion task has a velocity that is linear in that of the robot, xdot = J v, and
prescribes an acceleration,

    xddot = J vdot + Jdot v = desired.

Spatial quantities are [angular, linear] in world axes.
"""

from collections.abc import Sequence

import numpy as np
from pydrake.math import RotationMatrix

from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.finite import all_finite
from backbeat.models.dynamics.frames import Frame
from backbeat.models.dynamics.rotations import relative_log
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.problem.tasks import Task, axis_indices


class MotionTask(Task):
    """A task on an acceleration.

    Attributes:
        name: for messages.
        dimension: number of accelerations d.
        weight: against others of its priority, one number or (d,); None makes it a
            constraint.
        desired: (d,) desired acceleration.
    """

    def __init__(self, name: str, dimension: int) -> None:
        """Starts with zero acceleration, as a constraint."""
        self.name, self.dimension = name, dimension
        self.weight: float | np.ndarray | None = None
        self.desired = np.zeros(dimension)

    def set_desired(self, acceleration: np.ndarray) -> None:
        """Sets the (d,) desired acceleration.

        Raises:
            BackbeatError: not d finite numbers.
        """
        value = np.array(acceleration, float)
        if value.shape != (self.dimension,) or not all_finite(value):
            raise BackbeatError(
                f"task {self.name!r} takes {self.dimension} finite numbers, not "
                f"{value.tolist()}"
            )
        self.desired = value

    def jacobian(self, state: Configuration) -> np.ndarray:
        """(d, nv) Jacobian J."""
        raise NotImplementedError

    def bias(self, state: Configuration) -> np.ndarray:
        """(d,) acceleration Jdot v that is there with vdot = 0."""
        raise NotImplementedError

    def velocity(self, state: Configuration) -> np.ndarray:
        """(d,) velocity J v."""
        return np.asarray(self.jacobian(state) @ state.v)


def row_weights(task: MotionTask) -> np.ndarray:
    """(d,) weights of a task; those of a constraint are all alike."""
    weight = 1.0 if task.weight is None else task.weight
    return np.full(task.dimension, weight, float)


class PointTask(MotionTask):
    """A point that rides on a frame: its acceleration in the world [m/s^2]."""

    def __init__(
        self,
        robot: RobotModel,
        frame: str,
        offset: Sequence[float] = (0.0, 0.0, 0.0),
        axes: str = "x y z",
    ) -> None:
        """Makes the task.

        Args:
            robot: the robot.
            frame: name of a frame, link or contact of it.
            offset: the point in that frame [m].
            axes: components in the world that are meant.

        Raises:
            BackbeatError: unknown frame or axis.
        """
        rows = axis_indices(axes)
        super().__init__(frame, len(rows))
        f = robot.frame(frame)
        self.frame = Frame(frame, f.body, f.R_PF, f.p_PF + f.R_PF @ np.array(offset))
        self.components = np.array(rows)

    def jacobian(self, state: Configuration) -> np.ndarray:
        """(d, nv) Jacobian."""
        return state.jacobian(self.frame)[self.components]

    def bias(self, state: Configuration) -> np.ndarray:
        """(d,) Jdot v [m/s^2]."""
        return state.bias_acceleration(self.frame)[self.components]

    def velocity(self, state: Configuration) -> np.ndarray:
        """(d,) velocity of the point [m/s], or of the frame [rad/s, m/s]."""
        return state.velocity(self.frame)[self.components]

    def position(self, state: Configuration) -> np.ndarray:
        """(3,) place of the point in the world [m]."""
        return state.place(self.frame)


class OrientationTask(PointTask):
    """How a frame turns: its angular acceleration in the world [rad/s^2]."""

    def __init__(self, robot: RobotModel, frame: str, axes: str = "rx ry rz") -> None:
        """Makes the task; see `PointTask`."""
        super().__init__(robot, frame, axes=axes)

    def error(self, state: Configuration, R_WG: RotationMatrix) -> np.ndarray:
        """(3,) rotation vector from the frame to a goal G, world axes [rad]."""
        phi, R_WF = np.zeros(3), state.pose(self.frame).rotation().matrix()
        relative_log(np.ascontiguousarray(R_WG.matrix()), R_WF, phi)
        return phi


class PoseTask(OrientationTask):
    """A frame: its spatial acceleration in the world [rad/s^2, m/s^2]."""

    def __init__(
        self, robot: RobotModel, frame: str, axes: str = "rx ry rz x y z"
    ) -> None:
        """Makes the task; see `PointTask`."""
        super().__init__(robot, frame, axes)


class ContactTask(PoseTask):
    """A contact that stands: a constraint whose force the world gives.

    A patch gives a wrench, a point a force. Without errors to lose, the desired
    acceleration is zero.
    """

    def __init__(self, robot: RobotModel, contact: str, axes: str = "") -> None:
        """Makes the task.

        Args:
            robot: the robot.
            contact: one of its contacts; any frame of it, where axes are given.
            axes: components in the world that are held; "" for all that the kind of
                contact holds.
        """
        if not axes:
            known = robot.contacts.get(contact)
            axes = "x y z" if known and known.is_point else "rx ry rz x y z"
        super().__init__(robot, contact, axes)
        self.held = axis_indices(axes)


class MassCenterTask(MotionTask):
    """The center of mass: its acceleration in the world [m/s^2]."""

    def __init__(self) -> None:
        super().__init__("center of mass", 3)

    def jacobian(self, state: Configuration) -> np.ndarray:
        """(3, nv) Jacobian."""
        return state.center_of_mass_jacobian

    def bias(self, state: Configuration) -> np.ndarray:
        """(3,) Jdot v [m/s^2]."""
        return state.center_of_mass_bias

    def velocity(self, state: Configuration) -> np.ndarray:
        """(3,) velocity [m/s]."""
        return np.asarray(state.momentum[3:] / state.robot.total_mass)

    def position(self, state: Configuration) -> np.ndarray:
        """(3,) the center of mass in the world [m]."""
        return state.center_of_mass


class MomentumTask(MotionTask):
    """The rate of momentum about the center of mass, per kilogram of the robot.

    Angular components are in N m/kg, linear ones in N/kg, so that they compare with
    the accelerations of other tasks.
    """

    def __init__(self, axes: str = "rx ry rz x y z") -> None:
        """Makes the task for components of the momentum, [angular, linear]."""
        rows = axis_indices(axes)
        super().__init__("momentum", len(rows))
        self.components = np.array(rows)

    def jacobian(self, state: Configuration) -> np.ndarray:
        """(d, nv) matrix from velocity to momentum per kilogram."""
        return state.momentum_matrix[self.components] / state.robot.total_mass

    def bias(self, state: Configuration) -> np.ndarray:
        """(d,) rate of momentum per kilogram with vdot = 0."""
        return state.momentum_bias[self.components] / state.robot.total_mass


class JointTask(MotionTask):
    """Some joints, or all as a posture: their accelerations [rad/s^2]."""

    def __init__(self, robot: RobotModel, joints: Sequence[str] = ()) -> None:
        """Makes the task for joints named singly or by group; () for all."""
        chosen = robot.joint_indices(joints or robot.joint_names)
        super().__init__("joints" if joints else "posture", len(chosen))
        self.joints = chosen
        self._jacobian = np.zeros((len(chosen), robot.num_velocities))
        columns = robot.base_velocities + chosen
        self._jacobian[np.arange(len(chosen)), columns] = 1.0

    def jacobian(self, state: Configuration) -> np.ndarray:
        """(d, nv) Jacobian, which never changes."""
        return self._jacobian

    def bias(self, state: Configuration) -> np.ndarray:
        """(d,) zeros."""
        return np.zeros(self.dimension)


class BaseTask(MotionTask):
    """A base that something else moves: its spatial acceleration, a constraint."""

    def __init__(self, robot: RobotModel) -> None:
        """Makes the task.

        Raises:
            BackbeatError: the base of the robot is welded.
        """
        if not robot.floating:
            raise BackbeatError(f"the base of {robot.name!r} is welded and not moved")
        super().__init__("base", 6)

    def jacobian(self, state: Configuration) -> np.ndarray:
        """(6, nv) Jacobian: Drake's base velocity is [angular, linear] in the world."""
        return np.eye(6, state.robot.num_velocities)

    def bias(self, state: Configuration) -> np.ndarray:
        """(6,) zeros."""
        return np.zeros(6)
