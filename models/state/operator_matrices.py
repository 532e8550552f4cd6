"""Matrices that are never formed, written as matrices.

    M, G = MassMatrix(ops), TaskJacobian(ops, frames)
    A = G @ M.inverse @ G.T          still no matrix
    tau = G.T @ (L @ xddot)          three products, each O(n)

Each object has its shape, its transpose `T` and its product with a vector; `@` with a
vector multiplies, with another such object composes, `dense()` forms the matrix, which
helps to debug. So code reads as its equations do, and costs what operators cost.

Sherman, Seth, Delp, "Simbody: Multibody Dynamics for Biomedical Research", 2011.
"""

from collections.abc import Sequence
from typing import overload

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.frames import Frame
from backbeat.models.state.operators import DynamicsOperators


class OperatorMatrix:
    """A matrix by its products with vectors.

    Attributes:
        shape: rows and columns.
    """

    # So that numpy leaves `array @ operator` to us, which then says what is wrong.
    __array_ufunc__ = None

    def __init__(self, shape: tuple[int, int]) -> None:
        """Declares the shape."""
        self.shape = shape

    def apply(self, x: np.ndarray) -> np.ndarray:
        """(m,) product with a vector (n,)."""
        raise NotImplementedError

    @property
    def T(self) -> "OperatorMatrix":  # noqa: N802
        """The transpose."""
        raise NotImplementedError

    @overload
    def __matmul__(self, other: np.ndarray) -> np.ndarray: ...

    @overload
    def __matmul__(self, other: "OperatorMatrix") -> "OperatorMatrix": ...

    def __matmul__(
        self, other: "np.ndarray | OperatorMatrix"
    ) -> "np.ndarray | OperatorMatrix":
        """The product with a vector (n,), with the columns of a matrix, or composed.

        Raises:
            BackbeatError: the shapes do not go together.
        """
        rows = other.shape[0] if len(other.shape) else 0
        if rows != self.shape[1]:
            raise BackbeatError(
                f"a matrix of {self.shape[0]} by {self.shape[1]} cannot be multiplied "
                f"with {' by '.join(map(str, other.shape)) or 'a number'}"
            )
        if isinstance(other, OperatorMatrix):
            return Product(self, other)
        if other.ndim == 1:
            return self.apply(np.ascontiguousarray(other, float))
        columns = np.ascontiguousarray(other.T, float)
        return np.stack([self.apply(column) for column in columns], axis=1)

    def dense(self) -> np.ndarray:
        """(m, n) the matrix itself."""
        return self @ np.eye(self.shape[1])


class Product(OperatorMatrix):
    """Two operators, one after the other."""

    def __init__(self, left: OperatorMatrix, right: OperatorMatrix) -> None:
        """Composes left @ right."""
        super().__init__((left.shape[0], right.shape[1]))
        self._left, self._right = left, right

    def apply(self, x: np.ndarray) -> np.ndarray:
        """(m,) product with a vector (n,)."""
        return self._left.apply(self._right.apply(x))

    @property
    def T(self) -> OperatorMatrix:  # noqa: N802
        """The transpose."""
        return Product(self._right.T, self._left.T)


class MassMatrix(OperatorMatrix):
    """M of a robot, where its operators were last updated."""

    def __init__(self, operators: DynamicsOperators) -> None:
        """Takes the operators, which say where the robot is."""
        n = operators.robot.num_velocities
        super().__init__((n, n))
        self._operators = operators

    def apply(self, x: np.ndarray) -> np.ndarray:
        """(nv,) M x."""
        return self._operators.mass(x)

    @property
    def T(self) -> OperatorMatrix:  # noqa: N802
        """Itself: it is symmetric."""
        return self

    @property
    def inverse(self) -> "InverseMassMatrix":
        """M^-1."""
        return InverseMassMatrix(self._operators)


class InverseMassMatrix(MassMatrix):
    """M^-1 of a robot."""

    def apply(self, x: np.ndarray) -> np.ndarray:
        """(nv,) M^-1 x."""
        return self._operators.inverse_mass(x)

    @property
    def inverse(self) -> MassMatrix:  # type: ignore[override]
        """M."""
        return MassMatrix(self._operators)


class TaskJacobian(OperatorMatrix):
    """G of a set of tasks: the Jacobians of frames, one below the other.

    Rows of each frame are [angular, linear] in world axes, or those named.
    """

    def __init__(
        self,
        operators: DynamicsOperators,
        frames: Sequence[Frame],
        rows: Sequence[int] = (3, 4, 5),
    ) -> None:
        """Stacks Jacobians.

        Args:
            operators: they say where the robot is.
            frames: one or more of it.
            rows: of (rx, ry, rz, x, y, z); places if not said.
        """
        super().__init__((len(frames) * len(rows), operators.robot.num_velocities))
        self._operators, self._frames = operators, tuple(frames)
        self._rows = np.array(rows)

    def apply(self, x: np.ndarray) -> np.ndarray:
        """(m,) G x."""
        jacobian = self._operators.jacobian
        return np.concatenate([jacobian(f, x)[self._rows] for f in self._frames])

    def transposed(self, force: np.ndarray) -> np.ndarray:
        """(nv,) G' f for forces f (m,)."""
        out = np.zeros(self.shape[1])
        parts = force.reshape(len(self._frames), -1)
        for frame, part in zip(self._frames, parts, strict=True):
            wrench = np.zeros(6)
            wrench[self._rows] = part
            out += self._operators.jacobian_transpose(frame, wrench)
        return out

    def bias(self) -> np.ndarray:
        """(m,) Gdot v at the velocity of the operators' last `update`."""
        bias = self._operators.bias_acceleration
        return np.concatenate([bias(f)[self._rows] for f in self._frames])

    @property
    def T(self) -> "TransposedJacobian":  # noqa: N802
        """G'."""
        return TransposedJacobian(self)


class TransposedJacobian(OperatorMatrix):
    """G' of a set of tasks."""

    def __init__(self, jacobian: TaskJacobian) -> None:
        """Transposes a Jacobian."""
        super().__init__((jacobian.shape[1], jacobian.shape[0]))
        self._jacobian = jacobian

    def apply(self, x: np.ndarray) -> np.ndarray:
        """(nv,) G' f."""
        return self._jacobian.transposed(x)

    @property
    def T(self) -> TaskJacobian:  # noqa: N802
        """G."""
        return self._jacobian
