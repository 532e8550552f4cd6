"""Configuration: a robot at one (q, v), kinematics and dynamics up to date."""

from dataclasses import replace

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix

from backbeat.models.collision.distances import distances
from backbeat.models.collision.shapes import CollisionArrays
from backbeat.models.compiled.bound import bind
from backbeat.models.dynamics.edges import level_pitch
from backbeat.models.dynamics.frame_arrays import FrameArrays
from backbeat.models.dynamics.frames import Frame
from backbeat.models.dynamics.kinematic_tree import make_workspace
from backbeat.models.dynamics.rolling import ROLLED
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.robot_state import (
    BoundRobot,
    move,
    write_bias_acceleration,
    write_com_jacobian,
    write_frame_rows,
    write_jacobian,
    write_mass_matrix,
    write_momentum,
    write_momentum_matrix,
    write_pose,
    write_velocity,
)


class Configuration:
    """A robot's state with everything computed for it.

    Spatial vectors are [angular, linear] in world axes. The object is cheap to
    move to another state by `update`; results are new arrays.

    Attributes:
        robot: the robot.
        q: (nq,) configuration.
        v: (nv,) velocity.
    """

    def __init__(
        self, robot: RobotModel, q: np.ndarray, v: np.ndarray | None = None
    ) -> None:
        """Computes the robot at (q, v); v is zero when not given."""
        self.robot = robot
        self._ws = make_workspace(robot.tree)
        self._bound = bind(BoundRobot(robot.tree, self._ws))
        self._p_WB = np.zeros(3)
        self.update(q, v)

    def update(self, q: np.ndarray, v: np.ndarray | None = None) -> "Configuration":
        """Moves to another state and returns itself."""
        nv = self.robot.num_velocities
        self.q = np.ascontiguousarray(q, float)
        self.v = np.zeros(nv) if v is None else np.ascontiguousarray(v, float)
        self._bias, g = np.zeros(nv), self.robot.gravity
        move(self._bound, self.q, self.v, g, self._bias, self._p_WB)
        return self

    def _at(self, frame: Frame | str) -> tuple[int, np.ndarray, np.ndarray]:
        """Where a frame is on the robot: body, rotation, place."""
        frame = self.robot.frame(frame) if isinstance(frame, str) else frame
        return frame.body, frame.R_PF, frame.p_PF

    def pose(self, frame: Frame | str) -> RigidTransform:
        """X_WF of a frame."""
        R, r = np.empty((3, 3)), np.empty(3)
        write_pose(self._bound, self.q, *self._at(frame), R, r)
        return RigidTransform(RotationMatrix(R), self._p_WB + r)

    def place(self, frame: Frame | str) -> np.ndarray:
        """(3,) place p_WF of a frame [m]."""
        r = np.empty(3)
        write_pose(self._bound, self.q, *self._at(frame), np.empty((3, 3)), r)
        return np.asarray(self._p_WB + r)

    def touching(self, contact: str) -> Frame:
        """Where a contact touches: itself, or at the pivot of a sole that rolls."""
        found = self.robot.contacts[contact]
        if not found.rolls:
            return found.frame
        R_WC = self.rotation(found.frame)
        across = -found.half_width * R_WC[2, 1] / np.hypot(R_WC[2, 1], ROLLED)
        p_PT = found.frame.p_PF + across * found.frame.R_PF[:, 1]
        return replace(found.frame, p_PF=p_PT)

    def on_edge(self, contact: str, edge: float) -> tuple[np.ndarray, np.ndarray]:
        """Where the middle of a sole would be if it were flat, and how it moves.

        Args:
            contact: a contact that stands on an edge.
            edge: how far ahead of its middle that is [m].

        Returns:
            (3,) place [m] and (3,) velocity [m/s].
        """
        frame = self.robot.contacts[contact].frame
        ahead = replace(frame, p_PF=frame.p_PF + edge * frame.R_PF[:, 0])
        level = np.empty((3, 3))
        level_pitch(self.rotation(frame), level)
        return self.place(ahead) - edge * level[:, 0], self.velocity(ahead)[3:]

    def rotation(self, frame: Frame | str) -> np.ndarray:
        """(3, 3) rotation matrix R_WF of a frame."""
        R = np.empty((3, 3))
        write_pose(self._bound, self.q, *self._at(frame), R, np.empty(3))
        return R

    def jacobian(self, frame: Frame | str) -> np.ndarray:
        """(6, nv) spatial velocity Jacobian of a frame."""
        J = np.zeros((6, self.robot.num_velocities))
        write_jacobian(self._bound, self.q, *self._at(frame), J)
        return J

    def velocity(self, frame: Frame | str) -> np.ndarray:
        """(6,) spatial velocity of a frame [rad/s, m/s]."""
        out = np.empty(6)
        write_velocity(self._bound, self.q, *self._at(frame), out)
        return out

    def bias_acceleration(self, frame: Frame | str) -> np.ndarray:
        """(6,) Jdot v of a frame [rad/s^2, m/s^2]."""
        out = np.zeros(6)
        g = self.robot.gravity
        write_bias_acceleration(self._bound, self.q, *self._at(frame), g, out)
        return out

    def frame_rows(
        self, frames: FrameArrays, rows: np.ndarray, J: np.ndarray, bias: np.ndarray
    ) -> None:
        """Writes rows of Jacobians and of Jdot v, of many frames at once.

        Args:
            frames: n frames.
            rows: (n, 6) where components [angular, linear] of each go; -1 for nowhere.
            J: (m, nv) written: Jacobians.
            bias: (m,) written: Jdot v [rad/s^2, m/s^2].
        """
        g = self.robot.gravity
        write_frame_rows(self._bound, self.q, g, frames, rows, J, bias)

    def distances(self, arrays: CollisionArrays) -> tuple[np.ndarray, np.ndarray]:
        """(F,) distances of spheres from their nearest solids [m], (F, nv) rates."""
        F, nv = len(arrays.body), self.robot.num_velocities
        g, D = np.zeros(F), np.zeros((F, nv))
        on = np.ones(F, bool)
        distances(arrays, self.robot.tree, self._ws, self._p_WB, on, g, D, True)
        return g, D

    @property
    def mass_matrix(self) -> np.ndarray:
        """(nv, nv) mass matrix."""
        nv = self.robot.num_velocities
        M = np.zeros((nv, nv))
        write_mass_matrix(self._bound, M)
        return M

    @property
    def bias(self) -> np.ndarray:
        """(nv,) Coriolis, centrifugal and gravity forces: M vdot + bias = tau."""
        return self._bias.copy()

    @property
    def center_of_mass(self) -> np.ndarray:
        """(3,) center of mass in the world [m]."""
        return self._p_WB + self._ws.h[0] / self._ws.m[0]

    @property
    def center_of_mass_jacobian(self) -> np.ndarray:
        """(3, nv) Jacobian of the center of mass."""
        J = np.zeros((3, self.robot.num_velocities))
        write_com_jacobian(self._bound, J)
        return J

    @property
    def center_of_mass_bias(self) -> np.ndarray:
        """(3,) acceleration of the center of mass with vdot = 0 [m/s^2]."""
        out: np.ndarray = self._ws.f[0, 3:] / self._ws.m[0]
        out[2] -= self.robot.gravity
        return out

    @property
    def momentum(self) -> np.ndarray:
        """(6,) momentum about the center of mass, [angular, linear]."""
        out = np.zeros(6)
        write_momentum(self._bound, self.v, out)
        return out

    @property
    def momentum_matrix(self) -> np.ndarray:
        """(6, nv) matrix A: the momentum about the center of mass is A v."""
        A = np.zeros((6, self.robot.num_velocities))
        write_momentum_matrix(self._bound, A)
        return A

    @property
    def momentum_bias(self) -> np.ndarray:
        """(6,) Adot v: rate of that momentum without accelerations [N m, N]."""
        # What moves all bodies with vdot = 0, gravity taken out.
        out = self._ws.f[0].copy()
        x, y, z = self._ws.h[0] / self._ws.m[0]
        fx, fy, fz = out[3:]
        # The product of np.cross, which takes longer than all the rest.
        out[:3] -= [y * fz - z * fy, z * fx - x * fz, x * fy - y * fx]
        out[5] -= self._ws.m[0] * self.robot.gravity
        return out

    @property
    def gravity_forces(self) -> np.ndarray:
        """(nv,) generalized forces of gravity."""
        weight = self.robot.weight * self.center_of_mass_jacobian[2]
        return np.asarray(-weight)

    @property
    def centroidal_inertia(self) -> np.ndarray:
        """(3, 3) rotational inertia about the center of mass, world axes."""
        m, h = self._ws.m[0], self._ws.h[0]
        shift = (h @ h * np.eye(3) - np.outer(h, h)) / m
        return np.asarray(self._ws.I[0] - shift)
