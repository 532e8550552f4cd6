"""Dynamics as operators: products with matrices that are never formed.

Each takes a vector and a time that grows with the number of joints, where forming and
factoring the mass matrix grows with its cube:

    M x      recursive Newton-Euler without gravity and velocity
    M^-1 f   articulated bodies
    J x      the velocity of a frame for velocities x
    J' F     a wrench on a frame, carried down to the base
    Jdot v   the acceleration of a frame that is there with vdot = 0

`backbeat.models.state.operator_matrices` writes them as matrices.

Sources
    Featherstone, "Rigid Body Dynamics Algorithms", 2008, chapters 5 and 7.
    Sherman, Seth, Delp, "Simbody: Multibody Dynamics for Biomedical Research", 2011.
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Array3, Matrix, Vector
from backbeat.models.compiled.bound import Bound, bind
from backbeat.models.dynamics import kinematics
from backbeat.models.dynamics import recursion as dynamics
from backbeat.models.dynamics.frames import Frame
from backbeat.models.dynamics.kinematic_tree import (
    KinematicTree,
    Workspace,
    make_workspace,
)
from backbeat.models.robot.model import RobotModel


class DynamicsOperators:
    """Mass matrix and Jacobians of a robot at one configuration, as operators.

    Spatial vectors are [angular, linear] in world axes, velocities in Drake's order.
    """

    def __init__(self, robot: RobotModel) -> None:
        """Prepares the operators; `update` says where."""
        self.robot, nv = robot, robot.num_velocities
        nb, z = robot.num_joints + 1, np.zeros
        self._still = z(nv)
        # Inertias of bodies and articulated ones, their columns along joints.
        self._bound = bind(
            (
                robot.tree,
                make_workspace(robot.tree),
                z((nb, 6, 6)),
                z((nb, 6, 6)),
                z((nb, 6)),
                z(nv),
                z(nv),
            )
        )

    def update(self, q: np.ndarray, v: np.ndarray | None = None) -> None:
        """Moves to a configuration q (nq,) and a velocity v (nv,); None for rest."""
        moving = self._still if v is None else np.ascontiguousarray(v, float)
        _update(self._bound, np.ascontiguousarray(q, float), moving)

    def mass(self, x: np.ndarray) -> np.ndarray:
        """(nv,) M x."""
        out = np.empty(len(x))
        _mass(self._bound, x, out)
        return out

    def inverse_mass(self, f: np.ndarray) -> np.ndarray:
        """(nv,) M^-1 f."""
        out = np.empty(len(f))
        _inverse_mass(self._bound, f, out)
        return out

    def jacobian(self, frame: Frame, x: np.ndarray) -> np.ndarray:
        """(6,) J x: spatial velocity of a frame's origin."""
        out = np.empty(6)
        _jacobian(self._bound, frame.body, frame.p_PF, x, out)
        return out

    def jacobian_transpose(self, frame: Frame, F: np.ndarray) -> np.ndarray:
        """(nv,) J' F for a wrench F (6,) at a frame's origin."""
        out = np.zeros(self.robot.num_velocities)
        _jacobian_transpose(self._bound, frame.body, frame.p_PF, F, out)
        return out

    def bias_acceleration(self, frame: Frame) -> np.ndarray:
        """(6,) Jdot v of a frame's origin at the velocity of the last `update`."""
        out = np.empty(6)
        _bias_acceleration(self._bound, frame.body, frame.p_PF, out)
        return out


@compiled
def _update(
    bound: Bound[
        tuple[KinematicTree, Workspace, Array3, Array3, Matrix, Vector, Vector]
    ],
    q: Vector,
    v: Vector,
) -> None:
    """Motion axes, and articulated inertias with what the other passes need of them."""
    tree, ws, inertia, articulated, U, d, still = bound.content
    dynamics.forward_pass(tree, q, v, still, 0.0, ws, False)
    dynamics.body_forces(tree, ws, False)
    for b in range(inertia.shape[0]):
        I, m, h, X = ws.I[b], ws.m[b], ws.h[b], articulated[b]
        for i in range(3):
            for k in range(3):
                X[i, k] = I[i, k]
                X[3 + i, 3 + k] = m if i == k else 0.0
                X[i, 3 + k] = 0.0
        X[0, 4], X[0, 5], X[1, 5] = -h[2], h[1], -h[0]
        X[1, 3], X[2, 3], X[2, 4] = h[2], -h[1], h[0]
        for i in range(3):
            for k in range(3):
                X[3 + k, i] = X[i, 3 + k]
        inertia[b] = X
    nf = 6 if tree.floating else 0
    for j in range(tree.parent.shape[0] - 1, -1, -1):
        b, a = j + 1, tree.parent[j]
        s, X, u = ws.S[nf + j], articulated[b], U[b]
        total = tree.rotor[j]
        for i in range(6):
            u[i] = 0.0
            for k in range(6):
                u[i] += X[i, k] * s[k]
            total += u[i] * s[i]
        d[nf + j] = total
        for i in range(6):
            for k in range(6):
                articulated[a, i, k] += X[i, k] - u[i] * u[k] / total


@compiled
def _inverse_mass(
    bound: Bound[
        tuple[KinematicTree, Workspace, Array3, Array3, Matrix, Vector, Vector]
    ],
    f: Vector,
    out: Vector,
) -> None:
    tree, ws, _, articulated, U, d, _ = bound.content
    nf = 6 if tree.floating else 0
    nj = tree.parent.shape[0]
    p, a = np.zeros((nj + 1, 6)), np.zeros((nj + 1, 6))
    for j in range(nj - 1, -1, -1):
        b, parent, s = j + 1, tree.parent[j], ws.S[nf + j]
        rest = f[nf + j]
        for i in range(6):
            rest -= s[i] * p[b, i]
        out[nf + j] = rest
        for i in range(6):
            p[parent, i] += p[b, i] + U[b, i] * rest / d[nf + j]
    if tree.floating:
        a[0] = np.linalg.solve(articulated[0], f[:6] - p[0])
        out[:6] = a[0]
    for j in range(nj):
        b, parent, s = j + 1, tree.parent[j], ws.S[nf + j]
        rest = out[nf + j]
        for i in range(6):
            rest -= U[b, i] * a[parent, i]
        rest /= d[nf + j]
        out[nf + j] = rest
        for i in range(6):
            a[b, i] = a[parent, i] + s[i] * rest


@compiled
def _mass(
    bound: Bound[
        tuple[KinematicTree, Workspace, Array3, Array3, Matrix, Vector, Vector]
    ],
    x: Vector,
    out: Vector,
) -> None:
    tree, ws, inertia, _, _, _, _ = bound.content
    nf = 6 if tree.floating else 0
    nj = tree.parent.shape[0]
    a, f = np.zeros((nj + 1, 6)), np.zeros((nj + 1, 6))
    if tree.floating:
        a[0] = x[:6]
    for b in range(nj + 1):
        if b > 0:
            s, parent = ws.S[nf + b - 1], tree.parent[b - 1]
            for i in range(6):
                a[b, i] = a[parent, i] + s[i] * x[nf + b - 1]
        for i in range(6):
            for k in range(6):
                f[b, i] += inertia[b, i, k] * a[b, k]
    for j in range(nj - 1, -1, -1):
        s, b, parent = ws.S[nf + j], j + 1, tree.parent[j]
        total = tree.rotor[j] * x[nf + j]
        for i in range(6):
            total += s[i] * f[b, i]
            f[parent, i] += f[b, i]
        out[nf + j] = total
    if tree.floating:
        out[:6] = f[0]


@compiled
def _arm(ws, body, p_PF, r):
    """Writes the place of a point of a body from the base origin (3,)."""
    R = ws.R[body]
    for i in range(3):
        r[i] = ws.p[body, i]
        for k in range(3):
            r[i] += R[i, k] * p_PF[k]


@compiled
def _bias_acceleration(
    bound: Bound[
        tuple[KinematicTree, Workspace, Array3, Array3, Matrix, Vector, Vector]
    ],
    body: int,
    p_PF: Vector,
    out: Vector,
) -> None:
    r, ws = np.empty(3), bound.content[1]
    _arm(ws, body, p_PF, r)
    kinematics.frame_acceleration(ws, body, r, 0.0, out)


@compiled
def _jacobian(
    bound: Bound[
        tuple[KinematicTree, Workspace, Array3, Array3, Matrix, Vector, Vector]
    ],
    body: int,
    p_PF: Vector,
    x: Vector,
    out: Vector,
) -> None:
    tree, ws, _, _, _, _, _ = bound.content
    nf = 6 if tree.floating else 0
    V, r = np.zeros(6), np.empty(3)
    for i in range(nf):
        V[i] = x[i]
    b = body
    while b > 0:
        for i in range(6):
            V[i] += ws.S[nf + b - 1, i] * x[nf + b - 1]
        b = tree.parent[b - 1]
    _arm(ws, body, p_PF, r)
    for i in range(6):
        out[i] = V[i]
    out[3] += V[1] * r[2] - V[2] * r[1]
    out[4] += V[2] * r[0] - V[0] * r[2]
    out[5] += V[0] * r[1] - V[1] * r[0]


@compiled
def _jacobian_transpose(
    bound: Bound[
        tuple[KinematicTree, Workspace, Array3, Array3, Matrix, Vector, Vector]
    ],
    body: int,
    p_PF: Vector,
    F: Vector,
    out: Vector,
) -> None:
    tree, ws, _, _, _, _, _ = bound.content
    nf = 6 if tree.floating else 0
    r, W = np.empty(3), F.copy()
    _arm(ws, body, p_PF, r)
    W[0] += r[1] * F[5] - r[2] * F[4]
    W[1] += r[2] * F[3] - r[0] * F[5]
    W[2] += r[0] * F[4] - r[1] * F[3]
    b = body
    while b > 0:
        for i in range(6):
            out[nf + b - 1] += ws.S[nf + b - 1, i] * W[i]
        b = tree.parent[b - 1]
    for i in range(nf):
        out[i] = W[i]
