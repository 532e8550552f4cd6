"""Programs that settle: their last pass is an optimum, whoever found it."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.optimization.qp import settling
from backbeat.optimization.qp.settling import EXACT, SettlingProgram, SettlingSolver
from tests.tolerances import QP_PRIMAL


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


@pytest.mark.parametrize("guess", ["none", "right", "wrong", "all"])
@pytest.mark.parametrize("seed", range(20))
def test_any_guess_ends_at_the_same(seed, guess):
    program, rng = make_program(seed), np.random.default_rng(seed)
    found = SettlingSolver().solve(program)
    assert found.found
    guesses = {
        "none": np.zeros(12),
        "right": found.dual,
        "wrong": -found.dual,
        "all": rng.choice([-1.0, 1.0], 12),
    }
    again = SettlingSolver().solve(program, guesses[guess])
    assert again.found
    assert np.abs(again.x - found.x).max() < QP_PRIMAL


def test_most_programs_have_exact_answers():
    found = [SettlingSolver().solve(make_program(seed)) for seed in range(20)]
    exact = [s for s in found if s.status == EXACT]
    assert len(exact) > 10
    assert all(s.primal_residual() < 1e-2 * QP_PRIMAL for s in exact)
    assert any((s.dual != 0.0).any() for s in exact)


@pytest.mark.parametrize("seed", range(20))
def test_active_sets_and_the_back_end_come_to_the_same(seed, monkeypatch):
    program = make_program(seed)
    found = SettlingSolver().solve(program)
    monkeypatch.setattr(settling, "settle", lambda *_: 0)
    theirs = SettlingSolver().solve(program)
    assert found.found
    assert theirs.found
    assert theirs.status != EXACT
    assert np.abs(found.x - theirs.x).max() < 10 * QP_PRIMAL


def test_what_has_no_answer_is_not_found():
    program = make_program(0)
    A = np.vstack([program.A, -program.A[:1]])
    lower, upper = np.r_[program.lower, 2.0], np.r_[program.upper, 9.0]
    contradiction = replace(program, A=A, lower=lower, upper=upper)
    assert not SettlingSolver().solve(contradiction).found


@pytest.mark.parametrize("name", ["H", "g", "A", "lower", "toward"])
def test_what_is_no_number_has_no_answer(name):
    program = make_program(1)
    broken = getattr(program, name).copy()
    broken.flat[0] = np.nan
    found = SettlingSolver().solve(replace(program, **{name: broken}))
    assert not (found.found and found.is_optimal(1.0, 1.0))
