"""Guesses far from any motion: the solver finds its way back, or says it cannot."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from backbeat.behaviors.specification.kinds import (
    find_specification,
    read_specification,
)
from backbeat.optimization.interior_point.iterate import Guess, default_guess
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.transcription.transcribe import Transcription
from tests.tolerances import KNOT

EVERYDAY = ("walk-2", "squat-jump")
SHIPPED = (
    *("march", "walk-2", "walk-6", "side-step", "step-touch", "quarter-turn"),
    *("one-leg-balance", "squat-jump", "forward-jump", "kick", "toe-tap"),
    *("deep-squat", "bow", "floor-reach", "stand", "posture-tour", "groove"),
)
# Not among them: drumming. A far guess takes the sticks through the drums, where no
# distance tells which way leads out again. It must end well all the same.
DRUMMED = "phrase"
PHRASE = Path(__file__).parents[2] / ".ci" / "phrase.yaml"
# Disturbance of every joint at every knot [rad].
FAR, ABSURD = 0.2, 2.0
# Costs of one problem from different starts, relative to the best that is known.
NEARLY_BEST = 1.05


@cache
def solver(name):
    path = PHRASE if name == DRUMMED else find_specification(name)
    specification, _ = read_specification(path)
    return InteriorPoint(Transcription(specification.plan(path.parent).problem))


@cache
def reference(name):
    """From the guess that everyday builds take."""
    return solver(name).solve()


def scattered(name, seed, sigma):
    """A guess that jerks from knot to knot."""
    interior_point = solver(name)
    robot = interior_point.transcription.problem.robot
    guess = default_guess(interior_point.transcription)
    q = guess.q.copy()
    rng = np.random.default_rng(seed)
    q[:, robot.base_positions :] += sigma * rng.standard_normal(
        (len(q), robot.num_joints)
    )
    return Guess(q, guess.w)


@cache
def found(name, seed):
    return solver(name).solve(scattered(name, seed, FAR))


def costs(name, seeds):
    """Cost from each seed, infinite where no solution was found."""
    solutions = [found(name, seed) for seed in seeds]
    return np.array(
        [s.cost if s.is_solved and s.violation() < KNOT else np.inf for s in solutions]
    )


@pytest.mark.parametrize("name", EVERYDAY)
def test_a_far_guess_comes_back(name):
    reached = costs(name, range(2))
    assert np.isfinite(reached).all()
    assert reference(name).is_solved
    best = min(reached.min(), reference(name).cost)
    assert reached.max() <= NEARLY_BEST * best


def test_it_was_far():
    """Bounds are missed by much more than what the solver forgives."""
    interior_point = solver("walk-2")
    guess = scattered("walk-2", 0, FAR)
    limits = interior_point.transcription.problem.robot.velocity_limits
    times = interior_point.transcription.problem.times
    joints = np.diff(guess.q[:, 7:], axis=0) / np.diff(times)[:, None]
    assert (np.abs(joints) / limits).max() > 1.2


def test_the_same_guess_gives_the_same_motion():
    guess = scattered("walk-2", 0, FAR)
    again = solver("walk-2").solve(guess)
    np.testing.assert_array_equal(again.q, found("walk-2", 0).q)


def test_the_guess_itself_is_left_alone():
    guess = scattered("walk-2", 5, FAR)
    q, w = guess.q.copy(), guess.w.copy()
    solver("walk-2").solve(guess)
    np.testing.assert_array_equal(guess.q, q)
    np.testing.assert_array_equal(guess.w, w)


def test_a_solution_as_guess_stays():
    """A near guess is a warm start: no smoothing, and no search."""
    first = reference("walk-2")
    again = solver("walk-2").solve(Guess(first.q, first.w))
    assert again.is_solved
    assert again.cost <= 1.01 * first.cost


@pytest.mark.parametrize("name", [*EVERYDAY, DRUMMED])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_an_absurd_guess_never_ends_in_no_number(name, seed):
    s = solver(name).solve(scattered(name, seed, ABSURD))
    assert np.isfinite(s.cost)
    for array in (
        s.q,
        s.w,
        s.phi,
        s.rows,
        s.equality,
        s.frame,
        s.velocity,
        s.bound_multipliers,
    ):
        assert np.isfinite(array).all()
    for multiplier in s.multipliers:
        assert np.isfinite(multiplier).all()
    # What is called solved is solved.
    assert s.is_solved == (s.violation() < KNOT)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_nearly_every_far_guess_comes_back_near_the_best(name):
    reached = costs(name, range(20))
    best = min(reached.min(), reference(name).cost)
    assert np.isfinite(reached).sum() >= 19
    assert (reached <= NEARLY_BEST * best).sum() >= 15
