"""Rows of a term: values of a quantity with what they change by, added and scaled."""

from collections.abc import Callable
from typing import Any

import numpy as np

from backbeat.models.common.errors import BackbeatError, gist
from backbeat.optimization.terms.declared import Term


class Rows:
    """Values of m rows, and linear functions of the same quantity beside them.

    Attributes:
        columns: (m, n): values first; what follows, as derivatives, is the program's.
    """

    # Arrays leave operators to this class.
    __array_ufunc__ = None

    def __init__(self, columns: np.ndarray) -> None:
        """Takes the columns as they are."""
        self.columns = columns

    @property
    def value(self) -> np.ndarray:
        """(m,) values."""
        return self.columns[:, 0]

    def __getitem__(self, part: Any) -> "Rows":
        """Some of the rows; a single index gives one row."""
        return Rows(np.atleast_2d(self.columns[part]))

    def __add__(self, other: "Rows | np.ndarray | float") -> "Rows":
        """The sum with other rows, or with constants."""
        if isinstance(other, Rows):
            return Rows(self.columns + other.columns)
        columns = self.columns.copy()
        columns[:, 0] += other
        return Rows(columns)

    def __mul__(self, factor: "np.ndarray | float") -> "Rows":
        """Every row times a factor, or times its own of (m,)."""
        return Rows(self.columns * np.reshape(factor, (-1, 1)))

    def __rmatmul__(self, matrix: np.ndarray) -> "Rows":
        """Combinations of the rows by an (l, m) matrix."""
        return Rows(np.atleast_2d(matrix) @ self.columns)

    def __neg__(self) -> "Rows":
        """The negative."""
        return self * -1.0

    def __sub__(self, other: "Rows | np.ndarray | float") -> "Rows":
        """The difference to other rows, or to constants."""
        return self + (-other)

    def __rsub__(self, other: "np.ndarray | float") -> "Rows":
        """The difference of constants to these."""
        return -self + other

    __radd__, __rmul__ = __add__, __mul__

    def at_most_zero(self) -> "Rows":
        """The rows where they are negative, zero elsewhere: a one-sided cost."""
        return Rows(np.where(self.columns[:, :1] < 0, self.columns, 0.0))


def rows_of(term: Term, point: Any) -> Rows:
    """The rows of a term at a point.

    Raises:
        BackbeatError: the term's code fails, or gives no rows.
    """
    make: Callable[[Any], Any] | None = term.rows
    try:
        found = make(point) if make else None
    except BackbeatError:
        raise
    except Exception as error:
        raise BackbeatError(
            f"the rows of the term {term.name!r}: {type(error).__name__}: {gist(error)}"
        ) from error
    if not isinstance(found, Rows):
        raise BackbeatError(
            f"the rows of the term {term.name!r} are {type(found).__name__}; make them "
            "of what the point offers, for instance `lambda z: z.com[2:] - 1.0`"
        )
    return found
