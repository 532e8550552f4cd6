"""Objectives by name: each makes a motion better at what it names."""

from functools import cache

import numpy as np
import pytest

from backbeat.behaviors.building.build_key import build_key
from backbeat.behaviors.solving.solved_behavior import weights_story
from backbeat.behaviors.specification.kinds import (
    SHIPPED_FOLDER,
    Variant,
    parse_specification,
    read_any,
)
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


def test_what_makes_no_sense_is_refused():
    with pytest.raises(BackbeatError, match=r"objectives\.effort is -1"):
        parse_specification(STEPS + "\nobjectives: {effort: -1}\n", "test")


TERMS = """
from dataclasses import dataclass
from backbeat.optimization.problem.weights import TrajectoryWeights
from backbeat.optimization.terms.declared import On, Term, cost

@dataclass(frozen=True)
class Level(TrajectoryWeights):
    level: float = cost(
        5.0, Term("level", "z", "rad", lambda z: z.axis("head")[:2], On.KNOT))
"""


def test_weights_of_a_specification_and_a_file_of_terms(tmp_path):
    """The behavior's provenance has them, and its key goes with them."""
    path, file = tmp_path / "up.yaml", tmp_path / "mine.py"
    text = STEPS + "weights: {trajectory: {effort: 2}, own: {level: 8}}\n"
    path.write_text(text)
    file.write_text(TERMS)
    made, _ = read_any(path, Variant(terms=str(file)))
    problem = made.plan(tmp_path).problem
    assert (problem.weights.effort, problem.weights.level) == (2.0, 8.0)
    story = weights_story(problem.weights)
    assert story["weights"]["level"] == 8.0
    assert story["terms"]["file"] == "mine.py"
    key = build_key(made, text, tmp_path)
    file.write_text(TERMS + "\n")
    assert build_key(made, text, tmp_path) != key
    plain, _ = read_any(path)
    assert build_key(plain, text, tmp_path) != key
    with pytest.raises(BackbeatError, match=r"--with FILE\.py"):
        plain.plan(tmp_path)
    # Weights of the command stand in the text that is built, whatever was there.
    for written in ("", "weights: {trajectory: {force: 3}}\n"):
        path.write_text(STEPS + written)
        made, text = read_any(path, Variant(weights={"effort": 7.0}))
        assert made.plan(tmp_path).problem.weights.effort == 7.0
        assert parse_specification(text, "text").weights == made.weights
        assert text.startswith(STEPS.rstrip())
    path.write_text(STEPS + "weights: {own: {levle: 8}}\n")
    with pytest.raises(BackbeatError, match="did you mean level"):
        read_any(path, Variant(terms=str(file)))[0].plan(tmp_path)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ("{trajectory: {effrt: 2}}", "did you mean effort"),
        ("{trajectory: {effort: -2}}", "effort is '-2.0'"),
        ("{trajectory: {posture: 0}}", "above 0"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        parse_specification(STEPS + f"weights: {weights}\n", "test")
