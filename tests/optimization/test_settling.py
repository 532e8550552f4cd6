"""Programs that settle: their last pass is an optimum, whoever found it."""

import numpy as np
import pytest

from optimization import settling
from optimization.qp import QuadraticProgram, QPSolution
from optimization.settling import EXACT, SettlingProgram, SettlingSolver
from tests.tolerances import QP_DUAL, QP_PRIMAL


def make_program(seed: int, rows: int = 12, n: int = 6) -> SettlingProgram:
    """Three wishes for six unknowns, small weights for the rest, limits for all."""
    rng = np.random.default_rng(seed)
    J, wish = rng.normal(size=(3, n)), 3.0 * rng.normal(size=3)
    near = np.diag(np.where(np.arange(n) < 3, 1e-6, 1.0))
    toward, A = J.T @ wish, rng.normal(size=(rows, n))
    bound = rng.uniform(0.2, 1.0, rows)
    g = near @ rng.normal(size=n) - toward
    H = J.T @ J + near
    return SettlingProgram(H, g, A, -bound, bound, near, toward, 1e-6)


def last_pass(p: SettlingProgram, solution: QPSolution) -> QPSolution:
    """A solution as one of the program that its answer should solve once settled."""
    g = -(p.near @ solution.x) - p.toward
    program = QuadraticProgram(p.H, g, p.A, p.lower, p.upper)
    return QPSolution(program, solution.x, solution.dual, True, 0)


@pytest.mark.parametrize("seed", range(8))
def test_what_has_settled_is_optimal_without_small_weights(seed, monkeypatch):
    monkeypatch.setattr(settling, "PASSES", 60)
    program = make_program(seed)
    solution = SettlingSolver()._settle_by_other(
        program, SettlingSolver().solve(program)
    )
    assert solution.primal_residual() < QP_PRIMAL


@pytest.mark.parametrize("seed", range(20))
def test_active_sets_and_the_back_end_come_to_the_same(seed, monkeypatch):
    program = make_program(seed)
    found = SettlingSolver().solve(program)
    assert found.found
    assert found.status == EXACT
    assert found.primal_residual() < 1e-2 * QP_PRIMAL
    monkeypatch.setattr(settling, "settle", lambda *_: 0)
    theirs = SettlingSolver().solve(program)
    assert theirs.found
    assert theirs.status != EXACT
    assert np.abs(found.x - theirs.x).max() < 10 * QP_PRIMAL
