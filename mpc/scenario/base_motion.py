"""BaseMotion: a base that sways, and the force that makes it do so."""

from dataclasses import dataclass

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.common.value import AbstractValue
from pydrake.math import RollPitchYaw, RotationMatrix
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import ExternallyAppliedSpatialForce
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import BasicVector, Context

from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.dynamics.rotations import box_minus
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.problem.tasks import AXES

# How fast errors of the base are lost [1/s].
GRIP = 100.0
# Time in which the sway comes to its size [s].
START = 1.0
FEET = ("held", "welded")


@dataclass
class BaseMotion:
    """Sinusoidal sway of a base along and about axes of the world.

    Turns are roll, pitch and yaw about fixed axes x, y and z, in this order. Of several
    axes the first sways at the rate, each other one more slowly by a share, so that the
    base does not go to and fro on one line but everywhere.
    """

    # Of x, y, z, and rx, ry, rz for turning, one or several: "x y z rx ry rz".
    axis: str = "z"
    # Amplitude [m, rad] and angular rate of the first axis [rad/s].
    amplitude: float = 0.0
    rate: float = 0.5
    # Whether the controller gets the acceleration of the base.
    feedforward: bool = True
    # What the legs do: held, nothing but the base being moved; welded, the feet are
    # welded to the ground and the legs' motors move the base.
    feet: str = "held"

    def check(self) -> None:
        """Checks the numbers.

        Raises:
            BackbeatError: an unknown axis or way of the feet, no axis, or one twice.
        """
        names = self.axis.split()
        for name in names:
            if name not in AXES:
                raise unknown_name("axis", name, AXES)
        if not names or len(set(names)) < len(names):
            raise BackbeatError(
                f"a base sways along axes such as {' '.join(AXES)}, each named once, "
                f"not {self.axis!r}"
            )
        if self.feet not in FEET:
            raise unknown_name("way of the feet", self.feet, FEET)
        if not np.isfinite([self.amplitude, self.rate]).all():
            raise BackbeatError("a sway needs a finite amplitude and rate")

    @property
    def directions(self) -> np.ndarray:
        """(6,) 1 for each of AXES that sways."""
        return np.isin(AXES, self.axis.split()).astype(float)

    def rates(self) -> np.ndarray:
        """(6,) angular rate of each of AXES [rad/s]; 0 where nothing sways."""
        names, out = self.axis.split(), np.zeros(6)
        for i, name in enumerate(names):
            out[AXES.index(name)] = self.rate * (1.0 - 0.5 * i / len(names))
        return out

    def at(self, t: float) -> np.ndarray:
        """(3, 6) deviations along AXES, their rates and accelerations at time t [s]."""
        a, w, s = self.amplitude, self.rates(), float(np.clip(t / START, 0.0, 1.0))
        # It grows by a step that is smooth up to the acceleration.
        g = s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
        dg = 30.0 * s * s * (1.0 - s) ** 2 / START
        ddg = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / START**2
        sn, c = a * np.sin(w * t), a * w * np.cos(w * t)
        change = ddg * sn + 2.0 * dg * c - g * w * w * sn
        return np.array([g * sn, dg * sn + g * c, change])

    def base(self, t: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(7,) pose, and (2, 6) velocity and acceleration, of a base that began at q.

        Args:
            t: time [s].
            q: (7,) pose at the start.
        """
        return moved(self.at(t), q)


def moved(sway: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A base that sways.

    Args:
        sway: (3, 6) deviations along AXES, their rates and accelerations.
        q: (7,) pose without them.

    Returns:
        (7,) pose, and (2, 6) velocity and acceleration, [angular, linear].
    """
    (roll, pitch, yaw), rate, change = sway[0, :3], sway[1, :3], sway[2, :3]
    turn = RollPitchYaw(roll, pitch, yaw).ToRotationMatrix()
    Rz, z = RotationMatrix.MakeZRotation(yaw), np.array([0.0, 0.0, 1.0])
    # What roll and pitch turn about by now; yaw turns about z.
    x, y = turn.matrix()[:, 0], Rz.matrix()[:, 1]
    motion, pose = sway[1:].copy(), np.array(q[:7])
    motion[0, :3] = rate[0] * x + rate[1] * y + rate[2] * z
    # These axes turn too: y with the yaw, x with yaw and pitch.
    dy = np.cross(rate[2] * z, y)
    dx = np.cross(rate[2] * z + rate[1] * y, x)
    motion[1, :3] = change[0] * x + change[1] * y + change[2] * z
    motion[1, :3] += rate[0] * dx + rate[1] * dy
    pose[:4] = turn.ToQuaternion().multiply(Quaternion(pose[:4])).wxyz()
    pose[4:] += sway[0, 3:]
    return pose, motion


def gripped(
    prescribed: tuple[np.ndarray, np.ndarray], q: np.ndarray, v: np.ndarray
) -> np.ndarray:
    """(6,) acceleration of a base that keeps to what is prescribed.

    Args:
        prescribed: pose, velocity and acceleration as of `moved`.
        q, v: (nq,), (nv,) where the robot is.
    """
    pose, (velocity, acceleration) = prescribed
    error = np.empty(6)
    box_minus(pose, np.ascontiguousarray(q[:7]), True, error)
    acceleration = acceleration + GRIP**2 * error
    return np.asarray(acceleration + 2.0 * GRIP * (velocity - v[:6]))


class BaseDrive(CollectableSystem):
    """Moves the base of a simulated robot as prescribed, whatever its joints do.

    .. pydrake_system::

        name: BaseDrive
        input_ports:
        - state
        - effort
        - sway
        output_ports:
        - spatial_forces
        - acceleration

    `state` is the true [q, v] of the robot model (nq + nv), `effort` (nj) what its
    motors give [N m]. `sway` (3) is deviation along the axis, rate and acceleration;
    unconnected, they are those of the motion at that time. `spatial_forces` is the
    list for the plant's `applied_spatial_force`: the wrench on the base with which it
    accelerates as prescribed, found by solving the equations of motion, and by a little
    more where it has strayed. `acceleration` (6) is the prescribed one, [angular,
    linear].
    """

    def __init__(
        self, robot: RobotModel, motion: BaseMotion, q: np.ndarray, body: BodyIndex
    ) -> None:
        """Makes the drive.

        Args:
            robot: model of what is simulated, its base free.
            motion: what the base does.
            q: (nq,) where the robot begins.
            body: the base in the plant.
        """
        super().__init__()
        self._robot, self._motion, self._q, self._body = robot, motion, q.copy(), body
        self._now = Configuration(robot, q)
        size = robot.num_positions + robot.num_velocities
        self._state = self.DeclareVectorInputPort("state", size)
        self._sway = self.DeclareVectorInputPort("sway", 3)
        self._effort = self.DeclareVectorInputPort("effort", robot.num_joints)
        self.DeclareAbstractOutputPort(
            "spatial_forces",
            lambda: AbstractValue.Make([ExternallyAppliedSpatialForce()]),
            weak(self._calc_forces),
        )
        self.DeclareVectorOutputPort(
            "acceleration",
            6,
            weak(self._calc_acceleration),
            {self.time_ticket(), self._sway.ticket()},
        )

    def _base(self, context: Context) -> tuple[np.ndarray, np.ndarray]:
        """Pose (7,), and velocity and acceleration (2, 6), of the base by now."""
        if self._sway.HasValue(context):
            sway = np.outer(self._sway.Eval(context), self._motion.directions)
            return moved(sway, self._q)
        return self._motion.base(context.get_time(), self._q)

    def _calc_acceleration(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._base(context)[1][1])

    def _calc_forces(self, context: Context, output: AbstractValue) -> None:
        x, nq = self._state.Eval(context), self._robot.num_positions
        q, v = x[:nq], x[nq:]
        acceleration = gripped(self._base(context), q, v)
        state = self._now.update(q, v)
        M, h = state.mass_matrix, state.bias
        h[6:] += self._robot.damping * v[6:]
        rest = self._effort.Eval(context) - h[6:] - M[6:, :6] @ acceleration
        joints = np.linalg.solve(M[6:, 6:], rest)
        wrench = M[:6, :6] @ acceleration + M[:6, 6:] @ joints + h[:6]
        applied = ExternallyAppliedSpatialForce()
        applied.body_index = self._body
        applied.p_BoBq_B = np.zeros(3)
        applied.F_Bq_W = SpatialForce(wrench[:3], wrench[3:])
        output.set_value([applied])
