"""BaseMotion: a base that sways, and the force that makes it do so."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.multibody.math import SpatialForce
from pydrake.multibody.plant import ExternallyAppliedSpatialForce
from pydrake.multibody.tree import BodyIndex
from pydrake.systems.framework import BasicVector, Context

from models.collectable_system import CollectableSystem, weak
from models.configuration import Configuration
from models.errors import unknown_name
from models.robot import RobotModel
from models.rotations import box_minus, box_plus
from optimization.tasks import AXES

# How fast errors of the base are lost [1/s].
GRIP = 100.0
# Time in which the sway comes to its size [s].
START = 1.0


@dataclass
class BaseMotion:
    """Sinusoidal sway of a base along or about one axis of the world."""

    # x, y, z, or rx, ry, rz for turning.
    axis: str = "z"
    # Amplitude [m, rad] and angular rate [rad/s].
    amplitude: float = 0.0
    rate: float = 0.5
    # Whether the controller is told the acceleration of the base.
    feedforward: bool = True

    def check(self) -> None:
        """Raises BackbeatError for an unknown axis."""
        if self.axis not in AXES:
            raise unknown_name("axis", self.axis, AXES)

    def at(self, t: float) -> tuple[float, float, float]:
        """Deviation along the axis, its rate and its acceleration at time t [s]."""
        a, w, s = self.amplitude, self.rate, float(np.clip(t / START, 0.0, 1.0))
        # It grows by a step that is smooth up to the acceleration.
        g = s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
        dg = 30.0 * s * s * (1.0 - s) ** 2 / START
        ddg = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / START**2
        sn, c = a * np.sin(w * t), a * w * np.cos(w * t)
        return g * sn, dg * sn + g * c, ddg * sn + 2.0 * dg * c - g * w * w * sn

    def base(self, t: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(7,) pose, and (2, 6) velocity and acceleration, of a base that began at q.

        Args:
            t: time [s].
            q: (7,) pose at the start.
        """
        return self.moved(self.at(t), q)

    def moved(
        self, sway: Sequence[float] | np.ndarray, q: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same for a deviation along the axis, its rate and its acceleration."""
        d, rate, change = sway
        motion, k = np.zeros((2, 6)), AXES.index(self.axis)
        motion[:, k] = rate, change
        step, pose = np.zeros(6), np.empty(7)
        step[k] = d
        # About a fixed axis of the world: rotation left of what was there.
        box_plus(np.ascontiguousarray(q[:7]), step, 1.0, True, pose)
        return pose, motion


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
            return self._motion.moved(self._sway.Eval(context), self._q)
        return self._motion.base(context.get_time(), self._q)

    def _calc_acceleration(self, context: Context, output: BasicVector) -> None:
        output.SetFromVector(self._base(context)[1][1])

    def _calc_forces(self, context: Context, output: AbstractValue) -> None:
        x, nq = self._state.Eval(context), self._robot.num_positions
        q, v = x[:nq], x[nq:]
        pose, (velocity, acceleration) = self._base(context)
        error = np.empty(6)
        box_minus(pose, np.ascontiguousarray(q[:7]), True, error)
        acceleration = acceleration + GRIP**2 * error
        acceleration = acceleration + 2.0 * GRIP * (velocity - v[:6])
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
