"""Costs that are not compiled, as terms of the user's own are not.

They are evaluated knot by knot in Python, with the Gauss-Newton matrix of their rows.
"""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled.arrays import Array3, Matrix
from backbeat.optimization.terms.declared import added_costs
from backbeat.optimization.terms.rows import rows_of
from backbeat.optimization.transcription.knot_point import KnotPoint
from backbeat.optimization.transcription.linearization_arrays import (
    Evaluation,
    Linearization,
    ProgramPoint,
)
from backbeat.optimization.transcription.transcribe import Transcription


class AddedTerms(NamedTuple):
    """Matrix and gradient of added costs, by the variables around each knot."""

    matrix: Array3  # (N, size, size), or none
    gradient: Matrix  # (N, size), or none


class AddedCosts:
    """The costs of a problem that are not compiled.

    Attributes:
        terms: the costs, each with its weight.
    """

    def __init__(self, transcription: Transcription) -> None:
        """Finds the costs of a transcribed problem."""
        self.terms = added_costs(transcription.problem.weights)
        self._point = KnotPoint(transcription) if self.terms else None
        self._num_knots = transcription.problem.num_knots

    def make_arrays(self) -> AddedTerms:
        """Memory of matrix and gradient; none without added costs."""
        N = self._num_knots if self._point else 0
        size = self._point.size if self._point else 0
        return AddedTerms(np.zeros((N, size, size)), np.zeros((N, size)))

    def evaluate(
        self,
        at: ProgramPoint,
        values: Evaluation,
        slopes: Linearization | None = None,
        out: AddedTerms | None = None,
    ) -> float:
        """The costs at a point.

        Args:
            at: the point.
            values: of the program there.
            slopes: its derivatives there; None for the costs alone.
            out: written, where there are derivatives.

        Raises:
            BackbeatError: the code of a term fails.
        """
        if self._point is None:
            return 0.0
        if out is not None:
            out.matrix[:], out.gradient[:] = 0.0, 0.0
        cost, last = 0.0, self._num_knots - 1
        for k in range(last + 1):
            z = self._point.move(k, at, values, slopes)
            for term, weight in self.terms:
                columns, share = rows_of(term, z).columns, weight * z.measure(term.on)
                r, J = columns[:, 0], columns[:, 1:]
                cost += 0.5 * share * float(r @ r)
                if out is not None and k > 0:
                    # What is of the last knot goes with the blocks of that before.
                    to = min(k, last - 1)
                    out.matrix[to] += share * J.T @ J
                    out.gradient[to] += share * r @ J
        return cost
