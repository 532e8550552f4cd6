"""Objectives by name: each makes a motion better at what it names."""

from functools import cache

import numpy as np
import pytest

from backbeat.behaviors.specification.kinds import SHIPPED_FOLDER, parse_specification
from backbeat.models.common.errors import BackbeatError
from backbeat.optimization.interior_point.phase_durations import optimize_durations
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.transcription.transcribe import Transcription

STEPS = """
kind: footsteps
name: up
steps:
  - {feet: both, time: 0.6}
  - {feet: right, time: 0.6, clearance: 0.1, between: [0.25, 1.0]}
  - {feet: both, time: 0.6}
"""


def plan(text, **objectives):
    """A plan of a specification with objectives."""
    line = ", ".join(f"{key}: {value}" for key, value in objectives.items())
    specification = parse_specification(text + f"\nobjectives: {{{line}}}\n", "test")
    return specification.plan(SHIPPED_FOLDER)


@cache
def solved(**objectives):
    solution = InteriorPoint(Transcription(plan(STEPS, **objectives).problem)).solve()
    assert solution.is_solved
    return solution


def effort(solution):
    """Integral of the squares of torques, in shares of their limits."""
    program = solution.transcription.program
    first = program.rows.torque
    shares = solution.rows[:, first : first + len(program.effort)]
    return float(program.dt @ (shares**2).sum(axis=1))


def roughness(solution):
    """Integral of the squares of joint accelerations."""
    program = solution.transcription.program
    a = np.diff(solution.velocity[1:], axis=0) / program.dt[1:-1, None]
    return float(program.dt[1:-1] @ (a[:, 6:] ** 2).sum(axis=1))


def distance(solution):
    """Integral of the squares of distances from the nominal posture."""
    program = solution.transcription.program
    away = solution.q[:, 7:] - program.posture
    return float(program.dt @ (away**2).sum(axis=1))


@pytest.mark.parametrize(
    ("name", "value", "measure", "share"),
    [
        ("effort", 20.0, effort, 0.95),
        ("smoothness", 10.0, roughness, 0.9),
        ("posture", 20.0, distance, 0.8),
    ],
)
def test_what_counts_more_gets_better(name, value, measure, share):
    assert measure(solved(**{name: value})) < share * measure(solved())


def test_dear_time_is_saved():
    def duration(price):
        made = plan(STEPS, time=price)
        solution = optimize_durations(made.problem, made.free_phases)
        return solution.transcription.problem.times[-1]

    assert duration(30.0) < duration(0.0) - 0.02


@pytest.mark.parametrize(
    "objectives",
    [{"effort": -1.0}, {"smoothness": 0.0}, {"posture": float("inf")}],
)
def test_what_makes_no_sense_is_refused(objectives):
    line = ", ".join(f"{k}: {v}".replace("inf", ".inf") for k, v in objectives.items())
    with pytest.raises(BackbeatError, match="objectives"):
        parse_specification(STEPS + f"\nobjectives: {{{line}}}\n", "test")
