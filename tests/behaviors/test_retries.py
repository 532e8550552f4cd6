"""A search for other plans tells what it tries, and ends when its time is over."""

from types import SimpleNamespace

import pytest

from backbeat.behaviors.music.notation.player import NO_HINTS, Hints
from backbeat.behaviors.solving.retries import Retries, SearchTimeError
from backbeat.optimization.interior_point.solution import Violation
from backbeat.optimization.transcription.constraints import RowName

WORST = Violation(3.0, RowName.of("distance", "l_stick", "shaft"), 0.2)
VIOLATIONS = [Violation(1.0, RowName.of("contact_slip", "l_foot"), 0.1), WORST]


def plan(search_time, hints=NO_HINTS):
    """A plan as far as a search looks at it; the next one leaves a hit out."""

    def fallback(violations):
        assert violations is VIOLATIONS
        return plan(search_time, Hints(dropped={(1.0, "snare"): "why"}))

    return SimpleNamespace(
        fallback_plan=fallback,
        search_time=search_time,
        hints=hints,
        place=lambda time: f"bar {time:g}, beat 1",
    )


def test_each_try_says_what_it_changes():
    retries, first = Retries("song"), plan(60.0)
    assert retries.stage(first) == "solving"
    other = retries.next(first, VIOLATIONS)
    assert retries.stage(other) == "solving, try 2: 1 hit left out"
    hints = Hints(prices={(1.0, "snare", "left"): 1.0}, finer=(frozenset([1.0, 2.0]),))
    told = retries.stage(plan(60.0, hints))
    assert told.endswith("other hands about 1 hit, closer knots at 2 places")


@pytest.mark.parametrize(("keeps", "more"), [(True, "goes on"), (False, "anew")])
def test_a_search_ends_when_its_time_is_over_and_says_what_failed_last(keeps, more):
    retries = Retries("song", keeps)
    with pytest.raises(SearchTimeError) as caught:
        retries.next(plan(0.0), VIOLATIONS)
    said = str(caught.value)
    assert f"tries: 1; the last failed at {WORST.name} at 3.00 s (bar 3," in said
    assert "search_time is 0 s" in said
    assert more in said


def test_a_plan_without_another_ends_the_search():
    alone = SimpleNamespace(fallback_plan=None, search_time=0.0)
    assert Retries("song").next(alone, VIOLATIONS) is None
