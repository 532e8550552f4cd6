"""Costs of a solution by name: what each term of its problem has come to."""

from collections.abc import Mapping

import numpy as np

from backbeat.optimization.interior_point.iterate import loads_of
from backbeat.optimization.interior_point.solution import TrajectorySolution
from backbeat.optimization.problem.tasks import COM_TASK, FRAME_TASK
from backbeat.optimization.terms.declared import declarations
from backbeat.optimization.terms.rows import rows_of
from backbeat.optimization.transcription.knot_point import KnotPoint
from backbeat.optimization.transcription.linearization import evaluate_once
from backbeat.optimization.transcription.linearization_arrays import ProgramPoint
from backbeat.optimization.transcription.program import Program


def costs_by_name(solution: TrajectorySolution) -> dict[str, float]:
    """Costs of a solution, in the order in which they are declared; tasks come last.

    Their sum is the cost of the solution.
    """
    transcription, found = solution.transcription, dict[str, float]()
    program, weights = transcription.program, transcription.problem.weights
    at = ProgramPoint(solution.q, solution.w, loads_of(program, solution.w))
    _, values = evaluate_once(program, *at)
    point = KnotPoint(transcription)
    terms = {n: told.cost for n, told in declarations(weights).items() if told.cost}
    for k in range(len(program.dt)):
        z, counts = point.move(k, at, values), _weights(program, k)
        for name, term in terms.items():
            r = rows_of(term, z).value
            weight = counts.get(name, getattr(weights, name))
            cost = 0.5 * z.measure(term.on) * float(np.sum(weight * r**2))
            found[term.name] = found.get(term.name, 0.0) + cost
    half = 0.5 * program.dt
    frames = (program.frame_weight * values.frame**2).sum((1, 2))
    off = values.com - program.com_target
    found[FRAME_TASK.name] = float(half @ frames)
    found[COM_TASK.name] = float(half @ (program.com_weight * off**2).sum(1))
    return found


def _weights(program: Program, k: int) -> Mapping[str, np.ndarray]:
    """Weights of rows that differ from row to row, by field of the weights."""
    return {
        "posture": program.posture_weight[k],
        "velocity": program.velocity_weight,
        "acceleration": program.acceleration_weight,
    }
