"""Dynamics of a robot in contact at one state, in coordinates with unit mass matrix.

    equations of motion     M vdot = f_0 + S' tau + G_1' F_1
    contacts                G_1 vdot = b_1 - Jdot_1 v
    forces there anyway     f_0 = - Coriolis - gravity - damping + applied

With M = C C' (Cholesky), accelerations become a = C' vdot and forces phi = C^-1 f, so
that a = phi: the mass matrix is the identity, and the null-space projectors of the
literature are symmetric. A Jacobian G becomes B = G C^-T.

A free base has no motors. What joint torques can make the robot do, the contacts
allowing, are the accelerations in the range of U = P_1 W, W = C^-1 S', and all tasks
live there: no task requires the impossible. With a basis F of that range, of
P = F F', they live in few coordinates: a = a_1 + F y.

Where neither contacts nor torques come near a singularity, F is orthonormal, and found
without eigenvalues. Elsewhere directions are given up little by little (`rank.py`).

Sources
    Khatib, "A Unified Approach for Motion and Force Control of Robot Manipulators: The
    Operational Space Formulation", 1987.
    Sentis, "Synthesis and Control of Whole-Body Behaviors in Humanoid Systems", 2007
    (contacts and free bases).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dgeqrf, dorgqr, dtrtrs

from backbeat.models.state.configuration import Configuration
from backbeat.optimization.task_space.tasks.motion_tasks import MotionTask
from backbeat.optimization.task_space.tasks.rank import is_light, rank_adjusted

# Singular values below this share of the largest are zero.
STILL, DECIDED = 1e-8, 1e-7


@dataclass(frozen=True)
class TorqueBasis:
    """Torques by what they do, in units of each joint.

    Attributes:
        unit: (nj,) those units [N m].
        T: (nv, k) orthonormal weighted accelerations.
        moving: (nj, k) the smallest torques that make each of them.
        still: (nj, nj - k) orthonormal torques that accelerate nothing.
    """

    unit: np.ndarray
    T: np.ndarray
    moving: np.ndarray
    still: np.ndarray

    def torques(self, phi: np.ndarray) -> np.ndarray:
        """(nj,) smallest torques [N m] that do what weighted forces (nv,) would."""
        return np.asarray(self.unit * (self.moving @ (self.T.T @ phi)))


def known_forces(state: Configuration, applied: np.ndarray | None) -> np.ndarray:
    """(nv,) forces that are there anyway: f_0 [N m].

    Args:
        state: the robot, up to date.
        applied: (nv,) known forces besides gravity and damping.
    """
    base = state.robot.base_velocities
    f_0 = -state.bias
    f_0[base:] -= state.robot.damping * state.v[base:]
    if applied is not None:
        f_0 += applied
    return f_0


def solve_lower(C: np.ndarray, b: np.ndarray) -> np.ndarray:
    """C^-1 b for a lower triangular C and (n,) or (n, k) b."""
    # Our rows are LAPACK's columns: C is handed over as the upper triangle C'.
    x, _ = dtrtrs(C.T, b, lower=0, trans=1)
    return np.asarray(x)


def solve_upper(C: np.ndarray, b: np.ndarray) -> np.ndarray:
    """C^-T b for a lower triangular C and (n,) or (n, k) b."""
    x, _ = dtrtrs(C.T, b, lower=0, trans=0)
    return np.asarray(x)


def whole_basis(B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal basis (n, n) whose first columns span the rows of B (m, n).

    B has full rank. Also (m, m) upper triangular R with B' = basis[:, :m] R.
    """
    m, n = B.shape
    packed, scale, _, _ = dgeqrf(B.T)
    square = np.zeros((n, n), order="F")
    square[:, :m] = packed
    return dorgqr(square, scale)[0], packed[:m]


class ConstrainedDynamics:
    """The dynamics stated at the head of this module, at one state.

    Attributes:
        state: the robot.
        C: (nv, nv) lower Cholesky factor of the mass matrix.
        W: (nv, nj) weighted forces of joint torques.
        phi_0: (nv,) forces there anyway, weighted.
        B_1: (m, nv) Jacobian of the contacts, weighted; m may be 0.
        L_1: (m, m) their inertia.
        F: (nv, r) basis of the accelerations that torques can make.
        is_nonsingular: whether no direction of them is given up: F is orthonormal.
    """

    def __init__(
        self,
        state: Configuration,
        contacts: Sequence[MotionTask],
        heaviest: float,
        applied: np.ndarray | None = None,
    ) -> None:
        """Computes the robot.

        Args:
            state: the robot, up to date.
            contacts: constraints whose forces the world gives.
            heaviest: see `rank_adjusted` [kg].
            applied: (nv,) known forces besides gravity and damping [N m].
        """
        robot, n = state.robot, state.robot.num_velocities
        self.state, self._contacts = state, tuple(contacts)
        self.C: np.ndarray = np.linalg.cholesky(state.mass_matrix)
        self._base = robot.base_velocities
        self.f_0 = known_forces(state, applied)
        self.phi_0 = solve_lower(self.C, self.f_0)
        self.W = solve_lower(self.C, np.eye(n, robot.num_joints, -self._base))
        self.B_1, self.L_1 = np.zeros((0, n)), np.zeros((0, 0))
        self._bias_1 = np.zeros(0)
        self.F, self.is_nonsingular = np.eye(n), True
        if self._contacts:
            self._hold(heaviest)
        if robot.floating:
            self._find_producible(heaviest)

    def _hold(self, heaviest: float) -> None:
        """Takes from the robot what contacts do not allow."""
        G = np.vstack([c.jacobian(self.state) for c in self._contacts])
        self._bias_1 = np.concatenate([c.bias(self.state) for c in self._contacts])
        self.B_1 = self.weigh(G)
        contacts = rank_adjusted(self.B_1 @ self.B_1.T, heaviest)
        self.L_1, self.is_nonsingular = contacts.inverse, contacts.is_full
        if self.is_nonsingular:
            self.F = whole_basis(self.B_1)[0][:, len(G) :]
        else:
            P_1 = self.F - self.B_1.T @ self.L_1 @ self.B_1
            s, V = np.linalg.eigh(P_1)
            self.F = V * np.sqrt(np.maximum(s, 0.0))

    def _find_producible(self, heaviest: float) -> None:
        """Takes from the robot what no torque can do."""
        K = self.F.T @ self.W
        if self.is_nonsingular and is_light(K @ K.T, heaviest):
            return
        self.is_nonsingular = False
        self._U = self.F @ K
        producible = rank_adjusted(self._U.T @ self._U, heaviest)
        self._inverse = producible.inverse
        self.F = self._U @ producible.metric.T

    @cached_property
    def projector(self) -> np.ndarray:
        """(nv, nv) projector onto the accelerations that torques can make."""
        return self.F @ self.F.T

    def weigh(self, G: np.ndarray) -> np.ndarray:
        """(m, nv) B = G C^-T of a Jacobian G."""
        return solve_lower(self.C, G.T).T

    def contact_acceleration(self) -> np.ndarray:
        """(nv,) weighted acceleration without torques, the contacts holding: a_1."""
        return self.phi_0 + self.B_1.T @ self._contact_force(self.phi_0)

    def _contact_force(self, phi: np.ndarray) -> np.ndarray:
        """(m,) force that makes contacts do as desired beside weighted forces phi."""
        if not self._contacts:
            return np.zeros(0)
        desired = np.concatenate([c.desired for c in self._contacts])
        return np.asarray(self.L_1 @ (desired - self._bias_1 - self.B_1 @ phi))

    def generalized(self, tau: np.ndarray) -> np.ndarray:
        """(nv,) generalized forces S' tau of joint torques."""
        return np.concatenate([np.zeros(self._base), tau])

    def torques(self, phi: np.ndarray) -> np.ndarray:
        """(nj,) torques [N m] that do what weighted forces in the range of P would.

        With a free base these are the smallest ones.
        """
        if not self._base:
            return np.asarray(self.C @ phi)
        if not self.is_nonsingular:
            return np.asarray(self._inverse @ (self._U.T @ phi))
        return self.torque_basis(np.ones(self.W.shape[1])).torques(phi)

    def torque_basis(self, unit: np.ndarray) -> TorqueBasis:
        """All torques by what they do, in units (nj,) [N m]."""
        if self.is_nonsingular:
            basis, R = whole_basis(self.F.T @ (self.W * unit))
            k = len(R)
            moving, _ = dtrtrs(R, basis[:, :k].T, lower=0, trans=0)
            return TorqueBasis(unit, self.F, moving.T, basis[:, k:])
        U, s, V = np.linalg.svd(self.torque_maps()[0] * unit)
        k = int(np.sum(s > DECIDED * s[0]))
        return TorqueBasis(unit, U[:, :k], V[:k].T / s[:k], V[k:].T)

    def reaction(self, tau: np.ndarray) -> np.ndarray:
        """(m,) forces of the contacts on the robot under torques tau [N m, N]."""
        phi = self.phi_0 + self.W @ tau
        return self._contact_force(phi)

    def acceleration(self, tau: np.ndarray) -> np.ndarray:
        """(nv,) acceleration vdot under torques tau."""
        phi = self.phi_0 + self.W @ tau
        return solve_upper(self.C, phi + self.B_1.T @ self._contact_force(phi))

    def reaction_map(self) -> np.ndarray:
        """(m, nj) contact forces per torque."""
        return np.asarray(-self.L_1 @ (self.B_1 @ self.W))

    def torque_maps(self) -> tuple[np.ndarray, np.ndarray]:
        """(nv, nj) weighted accelerations and (m, nj) contact forces per torque."""
        force = self.reaction_map()
        return self.W + self.B_1.T @ force, force
