"""What a live simulation saves, by measurements that are made up."""

from itertools import pairwise

import pytest

from backbeat.stage.web.savings import (
    CALM,
    FULL,
    GAINS,
    LEAST,
    LONG_STEP,
    STEP,
    Measured,
    Saving,
    Savings,
)


def machine(savings, power, asked=1.0):
    """What a machine measures that does all of it at a rate of `power`."""
    left = 1.0
    for saving in savings.taken:
        left *= 1.0 - GAINS[saving]
    rate = min(power / left, asked)
    return Measured(rate, asked, rate * left / power, 1.0)


def settle(savings, power, seconds=200, asked=1.0):
    """How often it changed, and the rates in the last half of the time."""
    changes, rates = 0, []
    for _ in range(seconds):
        measured = machine(savings, power, asked)
        rates.append(measured.rate)
        changes += savings.note(measured)
    return changes, rates[seconds // 2 :]


def test_a_fast_machine_saves_nothing_and_says_nothing():
    savings = Savings(list(Saving))
    assert settle(savings, 3.0)[0] == 0
    assert savings.taken == ()
    assert savings.in_words(STEP) == ""


@pytest.mark.parametrize("power", [0.97, 0.9, 0.75, 0.6, 0.4])
def test_a_slow_machine_saves_what_it_must_and_then_rests(power):
    savings = Savings(list(Saving))
    changes, rates = settle(savings, power)
    assert min(rates) >= min(0.93, 0.99 * machine(savings, power).rate)
    # Nothing goes on and off for ever.
    assert changes <= 8
    before = len(savings.taken)
    assert all(settle(savings, power, 60)[1][-1] >= 0.9 * r for r in rates[-1:])
    assert len(savings.taken) == before


def test_the_slowest_machine_saves_all_at_once():
    savings = Savings(list(Saving))
    assert savings.note(Measured(0.2, 1.0, 1.0, 1.0))
    assert savings.taken == tuple(Saving)


def test_what_was_too_much_is_tried_ever_more_rarely():
    """Room for a saving that is not there: other programs come whenever it is left."""
    savings, taken_back = Savings(list(Saving)), []
    for second in range(600):
        can = len(savings.taken) >= 3
        rate, busy = (1.0, 0.5) if can else (0.7, 1.0)
        before = savings.taken
        savings.note(Measured(rate, 1.0, busy, 1.0))
        if len(savings.taken) < len(before):
            taken_back.append(second)
    waits = [b - a for a, b in pairwise(taken_back)]
    assert waits[0] >= CALM
    assert waits[-1] > 4 * waits[0]


def test_a_machine_that_becomes_free_gets_pictures_and_watch_back():
    savings = Savings(list(Saving))
    settle(savings, 0.5)
    assert set(savings.taken) == set(Saving)
    settle(savings, 4.0)
    # Where plans are made costs nothing; steps are those of the next beginning.
    assert set(savings.taken) == {Saving.PLANNER, Saving.STEPS}


def test_half_the_speed_is_kept_by_half_the_machine():
    savings = Savings(list(Saving))
    assert settle(savings, 0.6, asked=0.5)[0] == 0


def test_whoever_asks_for_all_or_the_least_gets_it():
    savings = Savings(list(Saving), FULL)
    assert settle(savings, 0.3)[0] == 0
    assert savings.taken == ()
    assert "too slow for full detail; try detail" in savings.in_words(STEP)
    savings.choose(LEAST)
    assert settle(savings, 9.0)[0] == 0
    assert savings.taken == tuple(Saving)


def test_what_is_saved_is_said_with_what_helps():
    savings = Savings(list(Saving))
    savings.note(Measured(0.5, 1.0, 1.0, 1.0))
    said = savings.in_words(STEP)
    assert said.startswith("0.50 ×: this machine is too slow for 30 pictures a second")
    assert said.endswith("try reset, which restarts in steps of 2 ms")
    assert "steps of 1 ms" in savings.in_words(LONG_STEP)
    assert savings.in_words(LONG_STEP).endswith(
        "try speed 0.5, which this machine can keep"
    )
    savings.begin()
    assert savings.in_words(LONG_STEP).startswith(
        "with plans in a process of their own"
    )
    savings.note(Measured(0.3, 1.0, 1.0, 0.35))
    assert "other programs leave 35% of a processor" in savings.in_words(LONG_STEP)
    savings.note(Measured(1.0, 1.0, 0.9, 1.0))
    assert savings.in_words(LONG_STEP).startswith("1.00 ×, by plans in a process of")
