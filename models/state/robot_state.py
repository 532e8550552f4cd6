"""A robot at a state whose arrays are bound: kinematics and dynamics, compiled.

`backbeat.models.state.configuration` says what everything is.
"""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import (
    IndexMatrix,
    Matrix,
    MatrixView,
    Vector,
)
from backbeat.models.compiled.bound import Bound
from backbeat.models.dynamics import kinematics
from backbeat.models.dynamics import recursion as dynamics
from backbeat.models.dynamics.composites import inertia_force, mass_matrix
from backbeat.models.dynamics.frame_arrays import FrameArrays
from backbeat.models.dynamics.kinematic_tree import KinematicTree, Workspace
from backbeat.models.dynamics.rotations import add_cross


class BoundRobot(NamedTuple):
    """A robot, and what is computed of it at its state."""

    tree: KinematicTree
    ws: Workspace


@compiled
def move(
    bound: Bound[BoundRobot],
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
def write_mass_matrix(bound: Bound[BoundRobot], M: Matrix) -> None:
    """Writes the mass matrix."""
    tree, ws = bound.content
    mass_matrix(tree, ws, M)


@compiled
def write_com_jacobian(bound: Bound[BoundRobot], J: Matrix) -> None:
    """Writes the Jacobian of the center of mass."""
    tree, ws = bound.content
    kinematics.center_of_mass_jacobian(tree, ws, J)


@compiled
def write_pose(
    bound: Bound[BoundRobot],
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
def write_jacobian(
    bound: Bound[BoundRobot],
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
def write_velocity(
    bound: Bound[BoundRobot],
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
def write_bias_acceleration(
    bound: Bound[BoundRobot],
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
def write_frame_rows(
    bound: Bound[BoundRobot],
    q: Vector,
    gravity: float,
    frames: FrameArrays,
    rows: IndexMatrix,
    J: Matrix,
    bias: Vector,
) -> None:
    """Writes rows of Jacobians and of Jdot v; see `Configuration.frame_rows`."""
    tree, ws = bound.content
    R, r, a, G = np.empty((3, 3)), np.empty(3), np.empty(6), np.empty((6, J.shape[1]))
    for n in range(frames.body.shape[0]):
        body, R_PF, p_PF = frames.body[n], frames.R_PF[n], frames.p_PF[n]
        kinematics.frame_pose(tree, ws, q, body, R_PF, p_PF, R, r)
        kinematics.frame_jacobian(tree, ws, body, r, G)
        kinematics.frame_acceleration(ws, body, r, gravity, a)
        for i in range(6):
            row = rows[n, i]
            if row >= 0:
                bias[row] = a[i]
                for k in range(J.shape[1]):
                    J[row, k] = G[i, k]


@compiled
def write_momentum_matrix(bound: Bound[BoundRobot], A: Matrix) -> None:
    """Writes the momentum of every coordinate's motion; see `Configuration`."""
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
def write_momentum(bound: Bound[BoundRobot], v: Vector, out: Vector) -> None:
    """Sums the momentum of every coordinate's motion; see `Configuration`."""
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
