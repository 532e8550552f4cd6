"""Costs of a solution by name: what each term of its problem has come to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from backbeat.optimization.interior_point.iterate import loads_of
from backbeat.optimization.interior_point.solution import TrajectorySolution
from backbeat.optimization.problem.tasks import COM_TASK, FRAME_TASK
from backbeat.optimization.terms.declared import declarations
from backbeat.optimization.terms.rows import rows_of
from backbeat.optimization.transcription.knot_point import KnotPoint
from backbeat.optimization.transcription.linearization import evaluate_once
from backbeat.optimization.transcription.linearization_arrays import ProgramPoint
from backbeat.optimization.transcription.program import Program

# Rounding of the times of knots [s], and digits of costs in files.
ROUNDING, DIGITS = 1e-9, 6


@dataclass(frozen=True)
class KnotCosts:
    """What each term of a trajectory costs at each of its knots.

    Attributes:
        t: (N,) times of the knots [s].
        span: (N,) time that each stands for [s].
        terms: (N,) costs by the name of the term.
    """

    t: np.ndarray
    span: np.ndarray
    terms: dict[str, np.ndarray]

    def totals(self) -> dict[str, float]:
        """Costs over all knots by name."""
        return {name: float(costs.sum()) for name, costs in self.terms.items()}

    def within(self, first: float, end: float) -> "KnotCosts":
        """Those of the knots from a time on until before another [s]."""
        fit = (self.t > first - ROUNDING) & (self.t < end - ROUNDING)
        terms = {name: costs[fit] for name, costs in self.terms.items()}
        return KnotCosts(self.t[fit], self.span[fit], terms)

    def later(self, shift: float) -> "KnotCosts":
        """The same a time later [s]."""
        return replace(self, t=self.t + shift)

    def coarse(self, most: int) -> "KnotCosts":
        """The same, of groups of neighbors where there are more than so many."""
        first = np.arange(0, len(self.t), -(-len(self.t) // most))
        terms = {n: np.add.reduceat(costs, first) for n, costs in self.terms.items()}
        return KnotCosts(self.t[first], np.add.reduceat(self.span, first), terms)

    @staticmethod
    def joined(parts: "Sequence[KnotCosts]") -> "KnotCosts":
        """One after the other; a term that a part lacks costs nothing there."""
        names = dict.fromkeys(name for part in parts for name in part.terms)
        columns = {
            n: np.concatenate([p.terms.get(n, np.zeros(len(p.t))) for p in parts])
            for n in names
        }
        t, span = ([getattr(p, n) for p in parts] for n in ("t", "span"))
        return KnotCosts(np.concatenate(t), np.concatenate(span), columns)

    def to_plain(self) -> dict[str, Any]:
        """Plain data for a file."""

        def rounded(values: np.ndarray) -> list[float]:
            return [float(f"{value:.{DIGITS}g}") for value in values]

        terms = {name: rounded(costs) for name, costs in self.terms.items()}
        return {"t": rounded(self.t), "span": rounded(self.span), "terms": terms}

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> "KnotCosts":
        """The inverse of `to_plain`, but for the digits."""
        terms = {name: np.array(costs) for name, costs in plain["terms"].items()}
        return KnotCosts(np.array(plain["t"]), np.array(plain["span"]), terms)


def costs_by_name(solution: TrajectorySolution) -> dict[str, float]:
    """Costs of a solution, in the order in which they are declared; tasks come last.

    Their sum is the cost of the solution.
    """
    return knot_costs(solution).totals()


def knot_costs(solution: TrajectorySolution) -> KnotCosts:
    """The same at each of its knots."""
    transcription = solution.transcription
    program, problem = transcription.program, transcription.problem
    at = ProgramPoint(solution.q, solution.w, loads_of(program, solution.w))
    _, values = evaluate_once(program, *at)
    point, weights = KnotPoint(transcription), problem.weights
    terms = {n: told.cost for n, told in declarations(weights).items() if told.cost}
    found = {term.name: np.zeros(len(program.dt)) for term in terms.values()}
    for k in range(len(program.dt)):
        z, counts = point.move(k, at, values), _weights(program, k)
        for name, term in terms.items():
            r = rows_of(term, z).value
            weight = counts.get(name, getattr(weights, name))
            cost = 0.5 * z.measure(term.on) * float(np.sum(weight * r**2))
            found[term.name][k] += cost
    half = 0.5 * program.dt
    off = values.com - program.com_target
    found[FRAME_TASK.name] = half * (program.frame_weight * values.frame**2).sum((1, 2))
    found[COM_TASK.name] = half * (program.com_weight * off**2).sum(1)
    return KnotCosts(problem.times, program.dt, found)


def _weights(program: Program, k: int) -> Mapping[str, np.ndarray]:
    """Weights of rows that differ from row to row, by field of the weights."""
    return {
        "posture": program.posture_weight[k],
        "velocity": program.velocity_weight,
        "acceleration": program.acceleration_weight,
    }
