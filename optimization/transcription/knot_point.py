"""KnotPoint: quantities of a motion at a knot, with their exact derivatives."""

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.derivatives import inverse_dynamics_derivatives
from backbeat.models.dynamics.kinematic_tree import make_workspace
from backbeat.models.dynamics.recursion import backward_pass, body_forces, forward_pass
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.terms.declared import On
from backbeat.optimization.terms.rows import Rows
from backbeat.optimization.transcription.linearization_arrays import (
    Evaluation,
    Linearization,
    ProgramPoint,
)
from backbeat.optimization.transcription.transcribe import Transcription


class KnotPoint:
    """What a term of a trajectory may be of, at one knot after the other.

    Axes of vectors are the world's, where nothing else is said.

    Columns of rows are the value and its derivatives by the blocks of the knots before,
    at and after this one, and by its wrenches; at the last knot by those of the two
    before it. Nothing moves at the first and the last knot.

    Attributes:
        robot: the robot.
        state: its configuration and velocity.
        k: the knot.
        nominal: (nj,) posture that the joints are pulled to there [rad or m].
    """

    def __init__(self, transcription: Transcription) -> None:
        """Takes the program; `move` looks at a knot of a point."""
        self._program, self._problem = transcription.program, transcription.problem
        robot = self.robot = self._problem.robot
        self._nv, self._nf = robot.num_velocities, robot.base_velocities
        self._nb = self._nv + len(self._program.rated)
        self.size = 3 * self._nb + int(self._program.num_wrench.max(initial=0))
        self.state = Configuration(robot, self._problem.q_start)
        self._work = make_workspace(robot.tree)

    def move(
        self,
        k: int,
        at: ProgramPoint,
        values: Evaluation,
        slopes: Linearization | None = None,
    ) -> "KnotPoint":
        """Looks at knot k of a point; returns itself.

        Without the derivatives of the program there, values of rows are meant alone.
        """
        program, N = self._program, len(self._program.dt)
        self.k, self._at, self._values, self._slopes = k, at, values, slopes
        self._inner, self._own = 0 < k < N - 1, 2 * self._nb if k == N - 1 else self._nb
        velocity = np.zeros(self._nv)
        if self._inner:
            before, after = program.h[k - 1], program.h[k]
            self._shares = np.array([after, before]) / (before + after)
            velocity = self._shares @ values.velocity[k : k + 2]
        self.state.update(at.q[k], velocity)
        self.nominal = program.posture[k]
        return self

    def measure(self, on: On) -> float:
        """The time that a term counts for here [s]."""
        if on is On.INTERVAL:
            spans = self._program.span
            return float(spans[self.k]) if self.k < len(spans) else 0.0
        return float(self._program.dt[self.k])

    def rows(self, value: np.ndarray, J: np.ndarray) -> Rows:
        """Rows of a function of the configuration.

        Args:
            value: (m,) of the function.
            J: (m, nv) derivative by tangent increments.
        """
        columns = np.zeros((len(value), 1 + self.size))
        columns[:, 0] = value
        columns[:, 1 + self._own : 1 + self._own + self._nv] = J
        return Rows(columns)

    @property
    def joints(self) -> Rows:
        """(nj,) joint positions [rad or m]."""
        J = np.eye(self._nv)[self._nf :]
        return self.rows(self.state.q[self.robot.base_positions :], J)

    @property
    def com(self) -> Rows:
        """(3,) place of the center of mass [m]."""
        state = self.state
        return self.rows(state.center_of_mass, state.center_of_mass_jacobian)

    def place(self, name: str) -> Rows:
        """(3,) place of a part of the body, contact, frame or link [m]."""
        frame = self._frame(name)
        return self.rows(self.state.place(frame), self.state.jacobian(frame)[3:])

    def axis(self, name: str, which: int = 2) -> Rows:
        """(3,) direction of an axis of one of these, by default its z axis."""
        frame = self._frame(name)
        J, a = self.state.jacobian(frame)[:3], self.state.rotation(frame)[:, which]
        return self.rows(a, np.cross(J.T, a).T)

    def _frame(self, name: str) -> str:
        """Name of the frame of a part of the body, or the name itself."""
        part = self.robot.parts.get(name)
        return part.frame if part is not None and part.frame else name

    def _mean(self, k: int) -> Rows:
        """Mean velocity of the interval before knot k, this one or the next."""
        nv, nf, span = self._nv, self._nf, self._program.span[k - 1]
        columns = np.zeros((nv, 1 + self.size))
        columns[:, 0] = self._values.velocity[k]
        if self._slopes is None:
            return Rows(columns)
        first = 1 + self._own - (k == self.k) * self._nb
        for start, turns, sign in (
            (first, self._slopes.right, -1),
            (first + self._nb, self._slopes.left, 1),
        ):
            block = columns[:, start : start + nv]
            block[:] = sign * np.eye(nv) / span
            if nf:
                block[:3, :3] = sign * turns[k] / span
        return Rows(columns)

    @property
    def mean_velocity(self) -> Rows:
        """(nv,) mean velocity of the interval after the knot, base first."""
        if self.k == len(self._program.span) or self.k == 0:
            k = min(self.k + 1, len(self._program.span))
            return self._still(self._values.velocity[k])
        return self._mean(self.k + 1)

    @property
    def velocity(self) -> Rows:
        """(nv,) velocity at the knot."""
        if not self._inner:
            return self._still(np.zeros(self._nv))
        last, next_ = self._shares
        return self._mean(self.k) * last + self._mean(self.k + 1) * next_

    @property
    def acceleration(self) -> Rows:
        """(nv,) acceleration at the knot."""
        if not self._inner:
            return self._still(np.zeros(self._nv))
        change = self._mean(self.k + 1) - self._mean(self.k)
        return change * (1 / float(self._program.dt[self.k]))

    @property
    def momentum(self) -> Rows:
        """(3,) angular momentum about the center of mass per mass [m^2/s].

        Raises:
            BackbeatError: the base is fixed.
        """
        robot, state, nv = self.robot, self.state, self._nv
        if not robot.floating:
            raise BackbeatError(
                f"{robot.name} has a fixed base; an angular momentum is of a free one"
            )
        A, m = state.momentum_matrix[:3], robot.total_mass
        columns = A @ self.velocity.columns
        if self._inner and self._slopes is not None:
            # M v is what inverse dynamics gives for an acceleration v at rest.
            L, D, M = np.zeros(nv), np.zeros((nv, nv)), np.zeros((nv, nv))
            tree, work = robot.tree, self._work
            forward_pass(tree, state.q, np.zeros(nv), state.v, 0.0, work, True)
            body_forces(tree, work, True)
            backward_pass(tree, work, L, True)
            inverse_dynamics_derivatives(tree, work, D, np.zeros((nv, nv)), M)
            c, p = work.h[0] / work.m[0], L[3:6]
            J = state.center_of_mass_jacobian
            J[:, 3:6] -= np.eye(3)
            slope = D[:3] - np.cross(J.T, p).T - np.cross(c, D[3:6].T).T
            columns[:, 1 + self._own : 1 + self._own + nv] += slope
        return Rows(columns / m)

    @property
    def efforts(self) -> Rows:
        """(nj,) joint torques in shares of their limits."""
        nj, first = self.robot.num_joints, self._program.rows.torque
        found = self._still(self._values.rows[self.k, first : first + nj])
        if self._inner and self._slopes is not None:
            found.columns[:, 1:] = self._slopes.dynamics[self.k, self._nf : self._nv]
        return found

    @property
    def forces(self) -> Rows:
        """(3 C,) contact forces in contact axes [weights]."""
        return self._wrench(range(3, 6))

    @property
    def moments(self) -> Rows:
        """(3 C,) contact moments in contact axes [weights m]."""
        return self._wrench(range(3))

    def _wrench(self, axes: range) -> Rows:
        program, k = self._program, self.k
        found = self._still(self._at.w[k][:, axes].ravel())
        for c, first in enumerate(program.wrench_first):
            start = program.wrench_start[k, c]
            for i, axis in enumerate(axes):
                if start < 0:
                    found.columns[3 * c + i] = 0.0
                elif axis >= first:
                    column = 1 + 3 * self._nb + start + axis - first
                    found.columns[3 * c + i, column] = 1.0
        return found

    def _still(self, value: np.ndarray) -> Rows:
        """Rows that nothing changes."""
        columns = np.zeros((len(value), 1 + self.size))
        columns[:, 0] = value
        return Rows(columns)
