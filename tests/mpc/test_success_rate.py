"""Success rates by hand, and a sequential test that keeps its promises."""

from itertools import product
from math import ceil

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.sweep.success_rate import (
    FAILS,
    PASSES,
    UNDECIDED,
    SequentialTest,
    judge_runs,
    wilson,
)

Z = 1.959963984540054


@pytest.mark.parametrize(
    ("successes", "runs", "low", "high"),
    [
        # By hand: z^2 = 3.8415, n = 10, p = 0.9:
        # (0.9 + 0.192073) / 1.384146 = 0.788987, and half the length
        # 1.959964 / 1.384146 sqrt(0.009 + 0.0096036) = 0.193136.
        (9, 10, 0.595851, 0.982123),
        (0, 10, 0.0, 0.277533),
        (10, 10, 0.722467, 1.0),
        (60, 60, 0.939828, 1.0),
        (1, 2, 0.094529, 0.905471),
    ],
)
def test_wilson_by_hand(successes, runs, low, high):
    np.testing.assert_allclose(wilson(successes, runs), (low, high), atol=5e-6)


@pytest.mark.parametrize(("successes", "runs"), [(3, 7), (19, 20), (1, 60), (55, 60)])
def test_the_ends_are_where_the_score_test_rejects(successes, runs):
    """At an end p, |share - p| is z standard deviations of a share under p."""
    for p in wilson(successes, runs):
        away = abs(successes / runs - p)
        assert away == pytest.approx(Z * np.sqrt(p * (1 - p) / runs), rel=1e-9)


def test_no_runs_say_nothing():
    assert wilson(0, 0) == (0.0, 1.0)


def test_eighteen_in_a_row_pass_and_three_failures_fail():
    """ln 19 / ln(0.95/0.8) = 17.13; ln 19 / ln(0.2/0.05) = 2.12."""
    test = SequentialTest(0.8, 0.95, 0.05, 0.05)
    assert test.decide(17, 17) == UNDECIDED
    assert test.decide(18, 18) == PASSES
    assert test.decide(0, 2) == UNDECIDED
    assert test.decide(0, 3) == FAILS
    # A failure costs as much as 8.07 successes give.
    assert test.decide(25, 26) == UNDECIDED
    assert test.decide(26, 27) == PASSES


@pytest.mark.parametrize(("rate", "wrong"), [(0.8, PASSES), (0.95, FAILS)])
def test_it_is_wrong_as_rarely_as_it_says(rate, wrong):
    test, rng = SequentialTest(0.8, 0.95, 0.05, 0.1), np.random.default_rng(0)
    # Wald's bounds: a / (1 - b) for passing and b / (1 - a) for failing wrongly.
    bound = {PASSES: 0.05 / 0.9, FAILS: 0.1 / 0.95}[wrong]
    found, lengths = [], []
    for _ in range(1500):
        outcomes = (rng.uniform(size=1000) < rate).tolist()
        verdict = judge_runs(outcomes, 1000, test)
        assert verdict.decision != UNDECIDED
        assert verdict.is_early
        found.append(verdict.decision)
        lengths.append(verdict.runs)
    share = found.count(wrong) / len(found)
    # Three standard deviations of 1500 draws above the bound.
    assert share <= bound + 3 * np.sqrt(bound / 1500)
    assert share > 0.2 * bound
    # The test of fixed length with these errors needs some sixty runs.
    assert np.mean(lengths) < 40


def test_clear_cases_stop_soon():
    test = SequentialTest(0.8, 0.95)
    good = judge_runs([True] * 60, 60, test)
    assert (good.runs, good.decision, good.is_early) == (18, PASSES, True)
    bad = judge_runs([False] * 60, 60, test)
    assert (bad.runs, bad.decision, bad.is_early) == (3, FAILS, True)
    some = judge_runs([True] * 10, 60, test)
    assert (some.runs, some.is_done) == (10, False)


def test_all_seeds_without_a_decision():
    verdict = judge_runs([True, False, True], 3, SequentialTest())
    assert (verdict.runs, verdict.successes) == (3, 2)
    assert (verdict.decision, verdict.is_done) == (UNDECIDED, True)
    assert verdict.rate == pytest.approx(2 / 3)


@pytest.mark.parametrize("required", [0.5, 0.75, 0.9, 1.0])
def test_an_early_end_is_never_another_end(required):
    """All outcomes of eight runs: what is decided early stays so to the end."""
    saved = 0
    for outcomes in product([True, False], repeat=8):
        verdict = judge_runs(outcomes, 8, required=required)
        passes = sum(outcomes) >= ceil(8 * required)
        assert verdict.decision == (PASSES if passes else FAILS)
        assert verdict.is_done
        saved += 8 - verdict.runs
        # One run less would not have been enough.
        before = judge_runs(outcomes[: verdict.runs - 1], 8, required=required)
        assert not before.is_done
    assert saved > 0


@pytest.mark.parametrize(
    "settings",
    [
        {"fails": 0.95, "passes": 0.8},
        {"passes": 1.0},
        {"fails": 0.0},
        {"fails": float("nan")},
        {"false_pass": 0.0},
        {"false_fail": 0.6},
    ],
)
def test_a_test_that_makes_no_sense(settings):
    with pytest.raises(BackbeatError, match="sequential:"):
        SequentialTest(**settings).check()
