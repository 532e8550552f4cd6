"""BaseDrive: the force that moves a base as prescribed."""

import numpy as np
from pydrake.systems.framework import BasicVector, Context

from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.dynamics.rotations import box_minus
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# How fast errors of the base are lost [1/s].
GRIP = 100.0


def gripped(motion: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(6,) acceleration of a base that keeps to what is prescribed.

    Args:
        motion: (19,) pose, velocity and acceleration as of `BaseSource`.
        q, v: (nq,), (nv,) where the robot is.
    """
    velocity, acceleration = motion[7:].reshape(2, 6)
    error = np.empty(6)
    box_minus(motion[:7].copy(), np.ascontiguousarray(q[:7]), True, error)
    acceleration = acceleration + GRIP**2 * error
    return np.asarray(acceleration + 2.0 * GRIP * (velocity - v[:6]))


class BaseDrive(CollectableSystem):
    """Moves the base of a simulated robot as prescribed, whatever its joints do.

    .. pydrake_system::

        name: BaseDrive
        input_ports:
        - state
        - effort
        - motion
        output_ports:
        - generalized_forces

    `state` is the true [q, v] of the robot model (nq + nv), `effort` (nj) what its
    motors give [N m], `motion` (19) that of a `BaseSource`. `generalized_forces` is for
    the plant's `applied_generalized_force`: the wrench on the base with which it
    accelerates as prescribed, found by solving the equations of motion, and by a little
    more where it has strayed.
    """

    def __init__(self, robot: RobotModel, q: np.ndarray, places: np.ndarray, size: int):
        """Makes the drive.

        Args:
            robot: model of what is simulated, its base free.
            q: (nq,) where the robot begins.
            places: (6,) where in the plant's velocities those of the base are.
            size: how many velocities the plant has.
        """
        super().__init__()
        self._robot, self._places = robot, places
        self._now = Configuration(robot, q)
        nx = robot.num_positions + robot.num_velocities
        self._state = self.DeclareVectorInputPort("state", nx)
        self._effort = self.DeclareVectorInputPort("effort", robot.num_joints)
        self._prescribed = self.DeclareVectorInputPort("motion", 19)
        self.DeclareVectorOutputPort(
            "generalized_forces", size, weak(self._calc_forces)
        )

    def _calc_forces(self, context: Context, output: BasicVector) -> None:
        x, nq = self._state.Eval(context), self._robot.num_positions
        q, v = x[:nq], x[nq:]
        acceleration = gripped(self._prescribed.Eval(context), q, v)
        state = self._now.update(q, v)
        M, h = state.mass_matrix, state.bias
        h[6:] += self._robot.damping * v[6:]
        rest = self._effort.Eval(context) - h[6:] - M[6:, :6] @ acceleration
        joints = np.linalg.solve(M[6:, 6:], rest)
        found = np.zeros(output.size())
        found[self._places] = M[:6, :6] @ acceleration + M[:6, 6:] @ joints + h[:6]
        output.SetFromVector(found)
