"""Configuration: a robot at one (q, v), kinematics and dynamics up to date."""

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix

from backbeat.models.collision.distances import distances
from backbeat.models.collision.shapes import CollisionArrays
from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import (
    Array3,
    IndexMatrix,
    Indices,
    Matrix,
    MatrixView,
    Vector,
)
from backbeat.models.compiled.bound import Bound, bind
from backbeat.models.dynamics import kinematics
from backbeat.models.dynamics import recursion as dynamics
from backbeat.models.dynamics.composites import inertia_force, mass_matrix
from backbeat.models.dynamics.frame_arrays import FrameArrays
from backbeat.models.dynamics.frames import Frame
from backbeat.models.dynamics.kinematic_tree import (
    KinematicTree,
    Workspace,
    make_workspace,
)
from backbeat.models.dynamics.rotations import add_cross
from backbeat.models.robot.model import RobotModel


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
        self._bound = bind((robot.tree, self._ws))
        self._p_WB = np.zeros(3)
        self.update(q, v)

    def update(self, q: np.ndarray, v: np.ndarray | None = None) -> "Configuration":
        """Moves to another state and returns itself."""
        nv = self.robot.num_velocities
        self.q = np.ascontiguousarray(q, float)
        self.v = np.zeros(nv) if v is None else np.ascontiguousarray(v, float)
        self._bias, g = np.zeros(nv), self.robot.gravity
        _move(self._bound, self.q, self.v, g, self._bias, self._p_WB)
        return self

    def _at(self, frame: Frame | str) -> tuple[int, np.ndarray, np.ndarray]:
        """Where a frame is on the robot: body, rotation, place."""
        frame = self.robot.frame(frame) if isinstance(frame, str) else frame
        return frame.body, frame.R_PF, frame.p_PF

    def pose(self, frame: Frame | str) -> RigidTransform:
        """X_WF of a frame."""
        R, r = np.empty((3, 3)), np.empty(3)
        _frame_pose(self._bound, self.q, *self._at(frame), R, r)
        return RigidTransform(RotationMatrix(R), self._p_WB + r)

    def place(self, frame: Frame | str) -> np.ndarray:
        """(3,) place p_WF of a frame [m]."""
        r = np.empty(3)
        _frame_pose(self._bound, self.q, *self._at(frame), np.empty((3, 3)), r)
        return np.asarray(self._p_WB + r)

    def rotation(self, frame: Frame | str) -> np.ndarray:
        """(3, 3) rotation matrix R_WF of a frame."""
        R = np.empty((3, 3))
        _frame_pose(self._bound, self.q, *self._at(frame), R, np.empty(3))
        return R

    def jacobian(self, frame: Frame | str) -> np.ndarray:
        """(6, nv) spatial velocity Jacobian of a frame."""
        J = np.zeros((6, self.robot.num_velocities))
        _frame_jacobian(self._bound, self.q, *self._at(frame), J)
        return J

    def velocity(self, frame: Frame | str) -> np.ndarray:
        """(6,) spatial velocity of a frame [rad/s, m/s]."""
        out = np.empty(6)
        _frame_velocity(self._bound, self.q, *self._at(frame), out)
        return out

    def bias_acceleration(self, frame: Frame | str) -> np.ndarray:
        """(6,) Jdot v of a frame [rad/s^2, m/s^2]."""
        out = np.zeros(6)
        g = self.robot.gravity
        _frame_acceleration(self._bound, self.q, *self._at(frame), g, out)
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
        _frame_rows(self._bound, self.q, self.robot.gravity, *frames, rows, J, bias)

    def distances(self, arrays: CollisionArrays) -> tuple[np.ndarray, np.ndarray]:
        """(F,) distances of feelers from their nearest solids [m], (F, nv) rates."""
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
        _mass_matrix(self._bound, M)
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
        _center_of_mass_jacobian(self._bound, J)
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
        _momentum(self._bound, self.v, out)
        return out

    @property
    def momentum_matrix(self) -> np.ndarray:
        """(6, nv) matrix A: the momentum about the center of mass is A v."""
        A = np.zeros((6, self.robot.num_velocities))
        _momentum_matrix(self._bound, A)
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


@compiled
def _move(
    bound: Bound[tuple[KinematicTree, Workspace]],
    q: Vector,
    v: Vector,
    gravity: float,
    bias: Vector,
    p_WB: Vector,
) -> None:
    """Moves to a state; writes bias forces and the place of the base."""
    tree, ws = bound.content
    dynamics.forward_pass(tree, q, v, np.zeros(v.shape[0]), gravity, ws, False)
    dynamics.body_forces(tree, ws, False)
    # Before the composites, frame accelerations are still those of bodies.
    dynamics.backward_pass(tree, ws, bias, False)
    kinematics.base_position(tree, q, p_WB)


@compiled
def _mass_matrix(bound: Bound[tuple[KinematicTree, Workspace]], M: Matrix) -> None:
    """Writes the mass matrix."""
    tree, ws = bound.content
    mass_matrix(tree, ws, M)


@compiled
def _center_of_mass_jacobian(
    bound: Bound[tuple[KinematicTree, Workspace]], J: Matrix
) -> None:
    """Writes the Jacobian of the center of mass."""
    tree, ws = bound.content
    kinematics.center_of_mass_jacobian(tree, ws, J)


@compiled
def _frame_pose(
    bound: Bound[tuple[KinematicTree, Workspace]],
    q: Vector,
    body: int,
    R_PF: MatrixView,
    p_PF: Vector,
    R: Matrix,
    r: Vector,
) -> None:
    """Writes rotation and place, from the base, of a frame."""
    tree, ws = bound.content
    kinematics.frame_pose(tree, ws, q, body, R_PF, p_PF, R, r)


@compiled
def _frame_jacobian(
    bound: Bound[tuple[KinematicTree, Workspace]],
    q: Vector,
    body: int,
    R_PF: MatrixView,
    p_PF: Vector,
    J: Matrix,
) -> None:
    """Writes the Jacobian of a frame."""
    tree, ws = bound.content
    R, r = np.empty((3, 3)), np.empty(3)
    kinematics.frame_pose(tree, ws, q, body, R_PF, p_PF, R, r)
    kinematics.frame_jacobian(tree, ws, body, r, J)


@compiled
def _frame_velocity(
    bound: Bound[tuple[KinematicTree, Workspace]],
    q: Vector,
    body: int,
    R_PF: MatrixView,
    p_PF: Vector,
    out: Vector,
) -> None:
    """Writes the spatial velocity of a frame."""
    tree, ws = bound.content
    R, r, V = np.empty((3, 3)), np.empty(3), ws.V[body]
    kinematics.frame_pose(tree, ws, q, body, R_PF, p_PF, R, r)
    for i in range(3):
        out[i], out[3 + i] = V[i], V[3 + i]
    add_cross(V[:3], r, out[3:])


@compiled
def _frame_acceleration(
    bound: Bound[tuple[KinematicTree, Workspace]],
    q: Vector,
    body: int,
    R_PF: MatrixView,
    p_PF: Vector,
    gravity: float,
    out: Vector,
) -> None:
    """Writes Jdot v of a frame."""
    tree, ws = bound.content
    R, r = np.empty((3, 3)), np.empty(3)
    kinematics.frame_pose(tree, ws, q, body, R_PF, p_PF, R, r)
    kinematics.frame_acceleration(ws, body, r, gravity, out)


@compiled
def _frame_rows(
    bound: Bound[tuple[KinematicTree, Workspace]],
    q: Vector,
    gravity: float,
    body: Indices,
    R_PF: Array3,
    p_PF: Matrix,
    rows: IndexMatrix,
    J: Matrix,
    bias: Vector,
) -> None:
    """Writes rows of Jacobians and of Jdot v; see `frame_rows`."""
    tree, ws = bound.content
    R, r, a, G = np.empty((3, 3)), np.empty(3), np.empty(6), np.empty((6, J.shape[1]))
    for n in range(body.shape[0]):
        kinematics.frame_pose(tree, ws, q, body[n], R_PF[n], p_PF[n], R, r)
        kinematics.frame_jacobian(tree, ws, body[n], r, G)
        kinematics.frame_acceleration(ws, body[n], r, gravity, a)
        for i in range(6):
            row = rows[n, i]
            if row >= 0:
                bias[row] = a[i]
                for k in range(J.shape[1]):
                    J[row, k] = G[i, k]


@compiled
def _momentum_matrix(bound: Bound[tuple[KinematicTree, Workspace]], A: Matrix) -> None:
    """Writes the momentum of every coordinate's motion; see `momentum_matrix`."""
    tree, ws = bound.content
    nf = 6 if tree.floating else 0
    f = np.empty(6)
    x, y, z = ws.h[0, 0] / ws.m[0], ws.h[0, 1] / ws.m[0], ws.h[0, 2] / ws.m[0]
    for j in range(A.shape[1]):
        b = 0 if j < nf else j - nf + 1
        inertia_force(ws.I[b], ws.m[b], ws.h[b], ws.S[j], f)
        A[0, j] = f[0] - (y * f[5] - z * f[4])
        A[1, j] = f[1] - (z * f[3] - x * f[5])
        A[2, j] = f[2] - (x * f[4] - y * f[3])
        for i in range(3):
            A[3 + i, j] = f[3 + i]


@compiled
def _momentum(
    bound: Bound[tuple[KinematicTree, Workspace]], v: Vector, out: Vector
) -> None:
    """Sums the momentum of every coordinate's motion; see `momentum`."""
    tree, ws = bound.content
    nf = 6 if tree.floating else 0
    f = np.empty(6)
    for i in range(6):
        out[i] = 0.0
    for j in range(v.shape[0]):
        b = 0 if j < nf else j - nf + 1
        inertia_force(ws.I[b], ws.m[b], ws.h[b], ws.S[j], f)
        for i in range(6):
            out[i] += f[i] * v[j]
    x, y, z = ws.h[0, 0] / ws.m[0], ws.h[0, 1] / ws.m[0], ws.h[0, 2] / ws.m[0]
    out[0] -= y * out[5] - z * out[4]
    out[1] -= z * out[3] - x * out[5]
    out[2] -= x * out[4] - y * out[3]
