"""A robot at one state, held by its contacts, in coordinates in which it weighs one.

    equations of motion     M vdot = f_0 + S' tau + G_1' F_1
    contacts                G_1 vdot = b_1 - Jdot_1 v
    forces there anyway     f_0 = - Coriolis - gravity - damping + applied

With M = C C' (Cholesky), accelerations become a = C' vdot and forces phi = C^-1 f, so
that a = phi: the mass matrix is the identity, and the null-space projectors of the
literature are symmetric. A Jacobian G becomes B = G C^-T.

A free base has no motors. What joint torques can make the robot do, the contacts
allowing, are the accelerations in the range of U = P_1 C^-1 S', and all tasks live
there: no task asks for what nobody can give.

Sources
    Khatib, "A Unified Approach for Motion and Force Control of Robot Manipulators: The
    Operational Space Formulation", 1987.
    Sentis, "Synthesis and Control of Whole-Body Behaviors in Humanoid Systems", 2007
    (contacts and free bases).
"""

from collections.abc import Sequence

import numpy as np
from scipy.linalg.lapack import dgelsy, dtrtrs

from models.configuration import Configuration
from optimization.task_space.motion_tasks import MotionTask
from optimization.task_space.rank import rank_adjusted

# Singular values below this share of the largest are zero.
STILL = 1e-8


def solve_lower(C: np.ndarray, b: np.ndarray) -> np.ndarray:
    """C^-1 b for a lower triangular C and (n,) or (n, k) b."""
    # Our rows are LAPACK's columns: C is handed over as the upper triangle C'.
    x, _ = dtrtrs(C.T, b, lower=0, trans=1)
    return np.asarray(x)


def solve_upper(C: np.ndarray, b: np.ndarray) -> np.ndarray:
    """C^-T b for a lower triangular C and (n,) or (n, k) b."""
    x, _ = dtrtrs(C.T, b, lower=0, trans=0)
    return np.asarray(x)


class ConstrainedDynamics:
    """The dynamics stated at the head of this module, at one state.

    Attributes:
        state: the robot.
        C: (nv, nv) lower Cholesky factor of the mass matrix.
        phi_0: (nv,) forces there anyway, weighted.
        B_1: (m, nv) Jacobian of the contacts, weighted; m may be 0.
        L_1: (m, m) their inertia.
        P: (nv, nv) projector onto the accelerations that torques can make.
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
        f_0 = -state.bias
        f_0[self._base :] -= robot.damping * state.v[self._base :]
        if applied is not None:
            f_0 += applied
        self.f_0 = f_0
        self.phi_0 = solve_lower(self.C, f_0)
        self.P = np.eye(n)
        self.B_1, self.L_1 = np.zeros((0, n)), np.zeros((0, 0))
        self._bias_1 = np.zeros(0)
        if self._contacts:
            self._hold(heaviest)
        if robot.floating:
            self._find_producible(heaviest)

    def _hold(self, heaviest: float) -> None:
        """Takes from the robot what contacts do not allow."""
        G = np.vstack([c.jacobian(self.state) for c in self._contacts])
        self._bias_1 = np.concatenate([c.bias(self.state) for c in self._contacts])
        self.B_1 = self.weigh(G)
        self.L_1 = rank_adjusted(self.B_1 @ self.B_1.T, heaviest).inverse
        self.P = self.P - self.B_1.T @ self.L_1 @ self.B_1

    def _find_producible(self, heaviest: float) -> None:
        """Takes from the robot what no torque can do."""
        selection = np.zeros((len(self.C), self.state.robot.num_joints))
        selection[self._base :] = np.eye(self.state.robot.num_joints)
        self._U = self.P @ solve_lower(self.C, selection)
        self._inverse = rank_adjusted(self._U.T @ self._U, heaviest).inverse
        self.P = self._U @ self._inverse @ self._U.T

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

    def torques(self, phi: np.ndarray, unit: np.ndarray | None = None) -> np.ndarray:
        """(nj,) torques [N m] that do what weighted forces in the range of P would.

        With a free base these are the smallest ones, counted in units (nj,) if given.
        """
        if not self._base:
            return np.asarray(self.C @ phi)
        if unit is None:
            return np.asarray(self._inverse @ (self._U.T @ phi))
        m, n = self._U.shape
        padded = np.zeros(max(m, n))
        padded[:m] = phi
        pivots = np.zeros((n, 1), np.int32)
        _, x, _, _, info = dgelsy(self._U * unit, padded, pivots, STILL, 16 * (m + n))
        assert info == 0
        return np.asarray(unit * x[:n])

    def reaction(self, tau: np.ndarray) -> np.ndarray:
        """(m,) forces of the contacts on the robot under torques tau [N m, N]."""
        phi = self.phi_0 + solve_lower(self.C, self.generalized(tau))
        return self._contact_force(phi)

    def acceleration(self, tau: np.ndarray) -> np.ndarray:
        """(nv,) acceleration vdot under torques tau."""
        phi = self.phi_0 + solve_lower(self.C, self.generalized(tau))
        return solve_upper(self.C, phi + self.B_1.T @ self._contact_force(phi))

    def torque_maps(self) -> tuple[np.ndarray, np.ndarray]:
        """(nv, nj) weighted accelerations and (m, nj) contact forces per torque."""
        eye = np.zeros((len(self.C), self.state.robot.num_joints))
        eye[self._base :] = np.eye(self.state.robot.num_joints)
        phi = solve_lower(self.C, eye)
        force = -self.L_1 @ (self.B_1 @ phi)
        return phi + self.B_1.T @ force, force
