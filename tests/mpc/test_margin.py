"""Margins: both searches find the edge, and bisection in few steps."""

import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.sweep.margin import MarginSearch, bracket


def climb(search, threshold):
    """Runs a search on what passes up to a threshold; its margin and its trials."""
    passed = {}
    while (level := search.next_level(passed)) is not None:
        assert level not in passed
        passed[level] = level <= threshold
    below, above = bracket(search.levels(), passed)
    levels = search.levels()
    return (
        levels[below] if below >= 0 else None,
        levels[above] if above < len(levels) else None,
        len(passed),
    )


@pytest.mark.parametrize("method", ["bisection", "ladder"])
@pytest.mark.parametrize(
    ("threshold", "margin", "fails"),
    [
        (5, None, 40.0),
        (40, 40.0, 50.0),
        (44, 40.0, 50.0),
        (99, 90.0, 100.0),
        (119, 110.0, 120.0),
        (120, 120.0, None),
        (500, 120.0, None),
    ],
)
def test_the_margin_is_the_largest_value_that_passes(method, threshold, margin, fails):
    search = MarginSearch(low=40, high=120, step=10, method=method)
    assert climb(search, threshold)[:2] == (margin, fails)


def test_bisection_is_quick():
    search = MarginSearch(low=0, high=310, step=10)
    assert max(climb(search, t)[2] for t in range(0, 320, 5)) <= 6


def test_levels_are_round_and_reach_the_end():
    assert MarginSearch(low=0.1, high=0.5, step=0.1).levels() == [
        0.1,
        0.2,
        0.3,
        0.4,
        0.5,
    ]
    assert MarginSearch(low=10, high=34, step=10).levels() == [10.0, 20.0, 30.0]


def test_what_passed_above_a_failure_does_not_count():
    levels = [1.0, 2.0, 3.0, 4.0]
    assert bracket(levels, {1.0: True, 2.0: False, 3.0: True}) == (0, 1)
    assert bracket(levels, {}) == (-1, 4)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"method": "bisecton"}, "did you mean bisection"),
        ({"low": 50, "high": 40}, "low <= high"),
        ({"high": float("nan")}, "high is nan; it must be"),
        ({"step": 0}, "step is 0"),
        ({"success": 0}, "success is 0; it must be > 0 and <= 1"),
        ({"step": 1e-9}, "more than"),
    ],
)
def test_a_search_that_makes_no_sense(settings, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        MarginSearch(**settings).check()
