"""Steps of inverse kinematics: where frames are, and the program of a step.

All that is not a product of matrices is compiled, so that a step takes hardly longer
than its program takes to solve.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from pydrake.math import RigidTransform

from backbeat.models.collision.distances import distances
from backbeat.models.collision.shapes import FAR, CollisionArrays
from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Flags, Indices, Matrix, Vector
from backbeat.models.compiled.bound import Bound, bind
from backbeat.models.dynamics import kinematics
from backbeat.models.dynamics import recursion as dynamics
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.models.dynamics.frame_arrays import frame_arrays
from backbeat.models.dynamics.frames import Frame
from backbeat.models.dynamics.kinematic_tree import (
    KinematicTree,
    Workspace,
    make_workspace,
)
from backbeat.models.dynamics.rolling import roll
from backbeat.models.dynamics.rotations import (
    box_minus,
    box_plus,
    left_jacobian_inverse,
    relative_log,
)
from backbeat.optimization.qp.program import QuadraticProgram


class _Targets(NamedTuple):
    """Frames, and where they shall be."""

    body: Indices  # (n,)
    R_PF: Array3  # (n, 3, 3)
    p_PF: Matrix  # (n, 3) [m]
    R_WG: Array3  # (n, 3, 3)
    p_WG: Matrix  # (n, 3) [m]
    rolls: Vector  # (n,) half widths of soles that roll [m], or `FLAT`


class _Seen(NamedTuple):
    """What is written about a configuration."""

    p_WB: Vector  # (3,) place of the base [m]
    away: Vector  # (nv,) from the nominal configuration
    phi: Matrix  # (n, 3) rotation of the frames from their targets, in the world [rad]
    E: Array3  # (n, 3, 3) rate of phi by angular velocity
    p: Matrix  # (n, 3) places of the frames from their targets, in the world [m]
    J: Array3  # (n, 6, nv) Jacobians of the frames
    com: Vector  # (3,) center of mass [m]
    J_com: Matrix  # (3, nv)
    d: Vector  # (F,) distances of the spheres [m]
    D: Matrix  # (F, nv) their rates
    on: Flags  # (F,) all of them
    bias: Vector  # (nv,) scratch


class PostureStep:
    """A configuration on its way to targets, with the data of a step from it.

    Attributes:
        q: (nq,) where it is.
        residuals: (6 n,) of the frames in axes of their targets, rotations first
            [rad, m].
        jacobians: (6 n, nv) of the residuals.
    """

    def __init__(
        self,
        tree: KinematicTree,
        obstacles: CollisionArrays,
        frames: Sequence[Frame],
        X_WG: Sequence[RigidTransform],
        q: np.ndarray,
        q_near: np.ndarray,
        rolls: Sequence[float],
    ) -> None:
        """Starts at a configuration.

        Args:
            tree: the robot.
            obstacles: what keeps its distance.
            frames: n frames.
            X_WG: where they shall be.
            q: (nq,) where it starts.
            q_near: (nq,) nominal configuration.
            rolls: (n,) half widths of those that are soles that roll [m], or `FLAT`.
        """
        ws = make_workspace(tree)
        n, nv, F = len(frames), len(ws.S), len(obstacles.body)
        R_WG = np.array([X.rotation().matrix() for X in X_WG])
        places = np.array([X.translation() for X in X_WG])
        targets = _Targets(*frame_arrays(frames), R_WG, places, np.array(rolls, float))
        self._seen = _Seen(
            p_WB=np.zeros(3),
            away=np.zeros(nv),
            phi=np.zeros((n, 3)),
            E=np.zeros((n, 3, 3)),
            p=np.zeros((n, 3)),
            J=np.zeros((n, 6, nv)),
            com=np.zeros(3),
            J_com=np.zeros((3, nv)),
            d=np.zeros(F),
            D=np.zeros((F, nv)),
            on=np.ones(F, bool),
            bias=np.zeros(nv),
        )
        self._bound = bind((tree, ws, targets, obstacles, self._seen))
        self._R_GW = np.ascontiguousarray(R_WG.transpose(0, 2, 1))
        self.q, self._q_near = np.array(q, float), np.ascontiguousarray(q_near, float)
        _look(self._bound, self.q, self._q_near)
        self._turn()

    def move(self, step: np.ndarray) -> float:
        """Takes a step (nv,) and returns its largest entry [rad or m]."""
        largest = _move(self._bound, self.q, self._q_near, step)
        self._turn()
        return float(largest)

    def _turn(self) -> None:
        """Residuals in axes of the targets."""
        seen, R = self._seen, self._R_GW
        e = R @ seen.phi[:, :, None], R @ seen.p[:, :, None]
        D = R @ seen.E @ seen.J[:, :3], R @ seen.J[:, 3:]
        self.residuals = np.concatenate(e, axis=1).ravel()
        self.jacobians = np.concatenate(D, axis=1).reshape(len(self.residuals), -1)

    @property
    def away(self) -> np.ndarray:
        """(nv,) from the nominal configuration."""
        return self._seen.away

    @property
    def distances(self) -> np.ndarray:
        """(F,) distances of the spheres from their nearest solids [m]."""
        return self._seen.d

    @property
    def center_of_mass(self) -> tuple[np.ndarray, np.ndarray]:
        """(3,) center of mass in the world [m], and its (3, nv) Jacobian."""
        return self._seen.com, self._seen.J_com

    def program(
        self,
        H: np.ndarray,
        g: np.ndarray,
        limits: tuple[np.ndarray, np.ndarray, float],
        rows: np.ndarray,
        least: np.ndarray,
        margin: float,
        stiffness: float,
    ) -> QuadraticProgram:
        """The program of a step, with a stiff slack for each lower bound.

        Args:
            H: (nv, nv) cost of the step.
            g: (nv,) its gradient.
            limits: (nj,) least and (nj,) largest positions of joints, and bound on
                the entries of the step [rad or m].
            rows: (k,) residuals that have lower bounds.
            least: (k,) these bounds [rad or m].
            margin: of the distances of spheres; those far away have no part [m].
            stiffness: cost of the slacks.
        """
        d, n = self._seen.d, len(g)
        m = len(rows) + _near(d)
        lower, upper = np.empty(n + 2 * m + (m == 0)), np.empty(n + 2 * m + (m == 0))
        _limit(self.q, *limits, lower, upper)
        if m == 0:
            lower[n], upper[n] = -UNBOUNDED, UNBOUNDED
            return QuadraticProgram(H, g, np.zeros((1, n)), lower, upper)
        room, A = np.empty(m), np.zeros((m, n + m))
        _bound_below(
            self._seen, self.residuals, self.jacobians, rows, least, margin, room, A
        )
        larger, gradient = np.zeros((n + m, n + m)), np.zeros(n + m)
        _add_slacks(H, g, room, stiffness, larger, gradient, lower, upper)
        return QuadraticProgram(larger, gradient, A, lower, upper)


@compiled
def _look(
    bound: Bound[tuple[KinematicTree, Workspace, _Targets, CollisionArrays, _Seen]],
    q: Vector,
    q_near: Vector,
) -> None:
    """Writes what is to be known of a configuration."""
    tree, ws, targets, obstacles, seen = bound.content
    nv = seen.away.shape[0]
    still = np.zeros(nv)
    dynamics.forward_pass(tree, q, still, still, 0.0, ws, False)
    dynamics.body_forces(tree, ws, False)
    dynamics.backward_pass(tree, ws, seen.bias, False)
    kinematics.base_position(tree, q, seen.p_WB)
    box_minus(q, q_near, tree.floating, seen.away)
    R, r = np.empty((3, 3)), np.empty(3)
    up, to_pivot, to_place = np.empty(3), np.empty(3), np.empty(3)
    for n in range(targets.body.shape[0]):
        b = targets.body[n]
        kinematics.frame_pose(tree, ws, q, b, targets.R_PF[n], targets.p_PF[n], R, r)
        for i in range(3):
            up[i] = targets.R_WG[n, i, 2]
        roll(R, up, targets.rolls[n], to_pivot, to_place)
        if targets.rolls[n] > 0.0:
            for i in range(3):
                r[i] += to_pivot[i]
        kinematics.frame_jacobian(tree, ws, b, r, seen.J[n])
        if targets.rolls[n] > 0.0:
            for i in range(3):
                r[i] += to_place[i] - to_pivot[i]
        relative_log(R, targets.R_WG[n], seen.phi[n])
        left_jacobian_inverse(seen.phi[n], 1.0, seen.E[n])
        for i in range(3):
            seen.p[n, i] = seen.p_WB[i] + r[i] - targets.p_WG[n, i]
    kinematics.center_of_mass_jacobian(tree, ws, seen.J_com)
    for i in range(3):
        seen.com[i] = seen.p_WB[i] + ws.h[0, i] / ws.m[0]
    distances(obstacles, tree, ws, seen.p_WB, seen.on, seen.d, seen.D, True)


@compiled
def _move(
    bound: Bound[tuple[KinematicTree, Workspace, _Targets, CollisionArrays, _Seen]],
    q: Vector,
    q_near: Vector,
    step: Vector,
) -> float:
    """Moves by a step and looks; the step's largest entry."""
    box_plus(q, step, 1.0, bound.content[0].floating, q)
    _look(bound, q, q_near)
    largest = 0.0
    for i in range(step.shape[0]):
        largest = max(largest, abs(step[i]))
    return largest


@compiled
def _near(d: Vector) -> int:
    """How many spheres are not far from everything."""
    number = 0
    for f in range(d.shape[0]):
        if d[f] < FAR:
            number += 1
    return number


@compiled
def _limit(
    q: Vector,
    least: Vector,
    largest: Vector,
    bound: float,
    lower: Vector,
    upper: Vector,
) -> None:
    """Writes the bounds of a step, of the base first."""
    nj = least.shape[0]
    nq, nf = q.shape[0] - nj, 6 if q.shape[0] > nj else 0
    for i in range(nf + nj):
        lower[i], upper[i] = -bound, bound
    for j in range(nj):
        lower[nf + j] = max(-bound, least[j] - q[nq + j])
        upper[nf + j] = min(bound, largest[j] - q[nq + j])


@compiled
def _bound_below(
    seen: _Seen,
    residuals: Vector,
    jacobians: Matrix,
    rows: Indices,
    least: Vector,
    margin: float,
    room: Vector,
    A: Matrix,
) -> None:
    """Writes room of what has a lower bound, and rates of it and of its slack."""
    k, nv = 0, jacobians.shape[1]
    for i in range(rows.shape[0]):
        room[k] = residuals[rows[i]] - least[i]
        for j in range(nv):
            A[k, j] = jacobians[rows[i], j]
        k += 1
    for f in range(seen.d.shape[0]):
        if seen.d[f] < FAR:
            room[k] = seen.d[f] - margin
            for j in range(nv):
                A[k, j] = seen.D[f, j]
            k += 1
    for i in range(k):
        A[i, nv + i] = 1.0


@compiled
def _add_slacks(
    H: Matrix,
    g: Vector,
    room: Vector,
    stiffness: float,
    larger: Matrix,
    gradient: Vector,
    lower: Vector,
    upper: Vector,
) -> None:
    """Writes the cost with slacks, and bounds of slacks and rows."""
    n, m = g.shape[0], room.shape[0]
    for i in range(n):
        gradient[i] = g[i]
        for j in range(n):
            larger[i, j] = H[i, j]
    for i in range(m):
        larger[n + i, n + i] = stiffness
        lower[n + i], upper[n + i] = -UNBOUNDED, UNBOUNDED
        lower[n + m + i], upper[n + m + i] = -room[i], UNBOUNDED
