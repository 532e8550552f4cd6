"""Phase durations: the gradient against solves, and what the search chooses."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.optimization.interior_point.iterate import Guess
from backbeat.optimization.interior_point.options import InteriorPointOptions
from backbeat.optimization.interior_point.phase_durations import (
    lagrangian,
    optimize_durations,
)
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.problem.contact_schedule import ContactSchedule
from backbeat.optimization.problem.trajectory_problem import Limits
from backbeat.optimization.reconstruction.reconstruct import reconstruct
from backbeat.optimization.transcription.transcribe import Transcription
from backbeat.optimization.verification.verify import verify
from tests.optimization.problems import jump, squat
from tests.tolerances import ENVELOPE

# The polish of everyday solves stops before the optimum, where multipliers are right.
EXACT = InteriorPointOptions(
    max_iterations=250,
    end_barrier=4e-6,
    refine_after=10**6,
    warm_refine_after=10**6,
    refine_at=10**6,
)
BOUNDS = {0: (0.5, 1.2), 1: (0.2, 0.4), 2: (0.5, 1.2)}
PRICE = 1.0


def down_and_up(**changes):
    """A squat in two phases."""
    problem = squat(21, **changes)
    (whole,) = problem.schedule.phases
    parts = tuple(replace(whole, duration=T) for T in (0.4, 0.6))
    return replace(problem, schedule=ContactSchedule(parts))


PROBLEMS = {
    "squat": down_and_up,
    "weak squat": lambda: down_and_up(limits=Limits(torque=0.13)),
    "jump": lambda: jump(25),
}


def exact(problem, guess=None):
    solution = InteriorPoint(Transcription(problem), EXACT).solve(guess)
    assert solution.is_solved
    return solution


def durations(problem):
    return [phase.duration for phase in problem.schedule.phases]


def differences(problem, value, step):
    """Central differences of a function of a problem in its durations."""
    found = []
    for i in range(len(durations(problem))):
        ends = []
        for sign in (1, -1):
            changed = durations(problem)
            changed[i] += sign * step
            ends.append(value(problem.retimed(changed)))
        found.append((ends[0] - ends[1]) / (2 * step))
    return np.array(found)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_lagrangian_changes_as_the_best_cost_does(name):
    """The envelope theorem: one evaluation tells what solving again would."""
    problem = PROBLEMS[name]()
    solution = exact(problem)
    near = Guess(solution.q, solution.w)
    expected = differences(problem, lambda p: exact(p, near).cost, 1e-3)
    found = differences(problem, lambda p: lagrangian(solution, p), 1e-4)
    np.testing.assert_allclose(found, expected, rtol=ENVELOPE)
    # The cost alone, without what the constraints are worth, would not tell.
    if name == "jump":
        still = replace(
            solution, bound_multipliers=np.zeros_like(solution.bound_multipliers)
        )
        wrong = differences(problem, lambda p: lagrangian(still, p), 1e-4)
        assert (np.abs(wrong - expected) > 5 * ENVELOPE * np.abs(expected)).any()


def test_the_lagrangian_of_a_solution_is_its_cost():
    """But for the barrier: each bound has its last value times price and room."""
    solution = exact(down_and_up())
    value = lagrangian(solution, solution.transcription.problem)
    bounds = 2 * solution.rows.size
    assert 0.0 <= solution.cost - value <= EXACT.end_barrier * bounds


def priced(problem, price):
    """A problem in which a second costs so much."""
    return replace(problem, weights=replace(problem.weights, time=price))


@cache
def chosen():
    """A jump with every duration free."""
    return optimize_durations(priced(jump(37), PRICE), BOUNDS)


def test_chosen_durations_are_within_their_bounds():
    times = durations(chosen().transcription.problem)
    for i, (least, most) in BOUNDS.items():
        assert least <= times[i] <= most
    assert times != durations(jump(37))


def test_the_choice_is_cheaper_than_the_start():
    """With the price of time, by more than two solves of one problem differ."""
    start = InteriorPoint(Transcription(jump(37))).solve()
    end = chosen()

    def price(solution):
        time = solution.transcription.problem.times[-1]
        return solution.cost + PRICE * time

    assert start.is_solved
    assert end.is_solved
    assert price(end) < 0.8 * price(start)


def test_knots_follow_the_durations():
    problem = chosen().transcription.problem
    ends = np.cumsum(durations(problem))
    assert problem.times[-1] == pytest.approx(ends[-1])
    assert problem.num_knots == 37
    for end in ends:
        assert np.abs(problem.times - end).min() < np.diff(problem.times).max()


def test_a_chosen_squat_verifies():
    free = {0: (0.3, 0.8), 1: (0.3, 0.8)}
    problem = down_and_up(limits=Limits(friction_share=0.8, patch_share=0.8))
    solution = optimize_durations(priced(problem, 0.2), free)
    assert durations(solution.transcription.problem) != durations(problem)
    certificate = verify(solution, reconstruct(solution))
    assert certificate.passed, certificate.failures()


def test_only_the_free_phases_change():
    solution = optimize_durations(priced(jump(25), PRICE), {1: (0.2, 0.4)})
    times = durations(solution.transcription.problem)
    assert times[0] == times[2] == durations(jump(25))[0]
    # Flight is what a jump pays for.
    assert times[1] < 0.25


def test_with_nothing_free_it_is_one_solve():
    problem = down_and_up()
    solution = optimize_durations(problem, {})
    assert solution.cost == InteriorPoint(Transcription(problem)).solve().cost
    assert durations(solution.transcription.problem) == durations(problem)


def test_a_price_on_time_makes_it_shorter():
    bounds = {0: (0.2, 1.0), 1: (0.2, 1.0)}
    lengths = [
        sum(
            durations(
                optimize_durations(
                    priced(down_and_up(), p), bounds
                ).transcription.problem
            )
        )
        for p in (0.0, 5.0)
    ]
    assert lengths[1] < 0.9 * lengths[0]


def test_what_cannot_be_solved_comes_back_unsolved():
    problem = down_and_up(limits=Limits(torque=0.05))
    solution = optimize_durations(problem, {0: (0.3, 0.6)})
    assert not solution.is_solved
    assert durations(solution.transcription.problem) == durations(problem)


@pytest.mark.parametrize(
    ("bounds", "sentence"),
    [
        ({2: (0.1, 1.0)}, "there is no phase 2; there are 2"),
        ({-1: (0.1, 1.0)}, "there is no phase -1"),
        ({0: (0.5, 1.0)}, "phase 0 lasts 0.4 s, which is not between 0.5 and 1 s"),
        ({1: (0.1, 0.5)}, "phase 1 lasts 0.6 s"),
        ({0: (0.0, 1.0)}, "phase 0"),
        ({0: (-1.0, 1.0)}, "phase 0"),
        ({0: (0.6, 0.3)}, "phase 0"),
        ({0: (np.nan, 1.0)}, "phase 0"),
        ({0: (0.1, np.nan)}, "phase 0"),
    ],
)
def test_bad_bounds_are_one_sentence(bounds, sentence):
    with pytest.raises(BackbeatError, match=sentence) as caught:
        optimize_durations(down_and_up(), bounds)
    assert "\n" not in str(caught.value)
