"""PhaseGrid: phases of the behavior at which horizons have their knots."""

import itertools
from collections.abc import Sequence

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Vector
from backbeat.mpc.plans.stepping import ContactOverride
from backbeat.mpc.reference.trajectory import Reference

# First intervals shorter than this share join the next; before a switch, than this.
SLIVER, SWITCH = 0.3, 0.02


class PhaseGrid:
    """Where the knots of horizons are: on every switch of contacts, evenly between.

    Knots that are half an interval off would take a landing for that much earlier or
    later than it is. Beyond the first and the last switch they go on evenly.
    """

    def __init__(self, reference: Reference, spacing: float) -> None:
        """Finds the knots of a behavior, about `spacing` [s] apart."""
        table, self.spacing = reference.table, spacing
        i = np.flatnonzero((table.standing[1:] != table.standing[:-1]).any(axis=1))
        edges = np.unique(np.r_[table.t[0], table.t[i + 1]])
        self._knots = np.r_[_between(edges, spacing), edges[-1]]
        self._is_switch = np.isin(self._knots, edges)

    def phases(
        self, s: float, knots: int, steps: Sequence[ContactOverride] = ()
    ) -> np.ndarray:
        """(knots + 1,) phase s and the phases of the knots after it.

        A short first interval joins the next, but for one before a switch.
        """
        h = self.spacing
        if steps:
            return self._with_steps(s, knots, steps)
        k = self._next(s)
        is_switch = 0 < k < len(self._knots) and self._is_switch[k]
        out = np.empty(knots + 2)
        _phases_from(self._knots, k, h, out)
        # `out` begins a knot early, for the phase itself or for the one left out.
        short = out[1] - s < (SWITCH if is_switch else SLIVER) * h
        out = out[1:] if short else out[:-1]
        out[0] = s
        return out

    def _with_steps(
        self, s: float, knots: int, steps: Sequence[ContactOverride]
    ) -> np.ndarray:
        """As `phases`, with the switches of added steps besides the behavior's."""
        h = self.spacing
        added = [x for step in steps for x in (step.start, step.end)]
        own = self._knots[self._is_switch]
        edges = np.unique(np.r_[steps[0].start % h - h, added, own])
        edges = edges[np.r_[True, np.diff(edges) > SLIVER * h]]
        last = max(s, edges[-1]) + (knots + 2) * h
        grid = _between(np.r_[edges, last], h)
        least = np.where(np.isin(grid, edges), SWITCH, SLIVER) * h
        return np.r_[s, grid[grid - s > least][:knots]]

    def _next(self, s: float) -> int:
        """Number of the first knot after phase s."""
        grid, h = self._knots, self.spacing
        if grid[0] <= s < grid[-1]:
            return int(np.searchsorted(grid, s + 1e-6 * h, side="right"))
        end = 0 if s < grid[0] else len(grid) - 1
        return end + int(np.floor((s - grid[end]) / h + 1e-6)) + 1


@compiled
def _phases_from(knots: Vector, k: int, spacing: float, out: Vector) -> None:
    """Writes the phases of knots from number k - 1 on, beyond the ends evenly."""
    for n in range(out.shape[0]):
        j = k - 1 + n
        inside = min(max(j, 0), knots.shape[0] - 1)
        out[n] = knots[inside] + (j - inside) * spacing


def _between(edges: np.ndarray, spacing: float) -> np.ndarray:
    """Every edge but the last, and about every `spacing` [s] between two."""
    spans = []
    for a, b in itertools.pairwise(edges):
        count = max(1, round((b - a) / spacing))
        spans.append(a + (b - a) / count * np.arange(count))
    return np.concatenate(spans) if spans else np.zeros(0)
