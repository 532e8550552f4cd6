"""Limit use: use of each kind of limit by a solution, where and when."""

import numpy as np
import pandas as pd

from backbeat.models.dynamics.edges import EDGES, edge_cone
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.optimization.interior_point.solution import TrajectorySolution
from backbeat.optimization.problem.trajectory_problem import Limits

# Room under which a limit counts as used to the full, in scaled rows.
ACTIVE = 2e-3
# Times at which one is used that are farther apart are rows of their own [s].
APART = 0.5
# A value, the joint or contact that uses the most, and when [s].
Use = tuple[float, str, float]


def active_limits(solution: TrajectorySolution) -> pd.DataFrame:
    """Limits that a solution uses to the full: kind, what, from and to when."""
    program, times = (
        solution.transcription.program,
        solution.transcription.problem.times,
    )
    room = np.minimum(solution.rows - program.lower, program.upper - solution.rows)
    fixed = program.upper - program.lower < ACTIVE
    is_bound = np.minimum(np.abs(program.lower), np.abs(program.upper)) < UNBOUNDED / 2
    active = is_bound & ~fixed & (room < ACTIVE)
    found: dict[tuple[str, str], np.ndarray] = {}
    for i, name in enumerate(solution.transcription.row_names()):
        if active[:, i].any():
            key = (name.kind, name.what)
            found[key] = found.get(key, np.zeros(len(times), bool)) | active[:, i]
    rows = [
        {
            "kind": kind,
            "what": what,
            "from_s": run[0],
            "to_s": run[-1],
            "knots": len(run),
        }
        for (kind, what), on in found.items()
        for run in np.split(times[on], np.flatnonzero(np.diff(times[on]) > APART) + 1)
    ]
    columns = ["kind", "what", "from_s", "to_s", "knots"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values("knots", ascending=False, ignore_index=True)


def largest_row(solution: TrajectorySolution, kind: str, values: np.ndarray) -> Use:
    """Largest of (N, rows) values among the rows of a kind."""
    names = solution.transcription.row_names()
    columns = [i for i, n in enumerate(names) if n.kind == kind]
    if not columns:
        return 0.0, "", 0.0
    part = values[:, columns]
    k, i = np.unravel_index(np.argmax(part), part.shape)
    time = float(solution.transcription.problem.times[k])
    return float(part[k, i]), names[columns[i]].what, time


def velocity_use(solution: TrajectorySolution) -> Use:
    """Share of its speed limit that a joint uses."""
    robot = solution.transcription.problem.robot
    first = solution.transcription.program.rows.velocity
    values = np.zeros_like(solution.rows)
    part = slice(first, first + robot.num_joints)
    values[:, part] = np.abs(solution.rows[:, part]) / robot.velocity_limits
    return largest_row(solution, "velocity", values)


def position_use(solution: TrajectorySolution) -> Use:
    """How far a joint is past its stop [rad or m]."""
    robot = solution.transcription.problem.robot
    first = solution.transcription.program.rows.position
    part = slice(first, first + robot.num_joints)
    q, values = solution.rows[:, part], np.zeros_like(solution.rows)
    values[:, part] = np.maximum(robot.position_lower - q, q - robot.position_upper)
    return largest_row(solution, "position", values)


def friction_use(solution: TrajectorySolution, limits: Limits) -> Use:
    """Friction coefficient that the contact wrenches use.

    Args:
        solution: perhaps of a problem with other limits.
        limits: those that count.
    """
    contacts = solution.transcription.contacts
    robot = solution.transcription.problem.robot
    values = np.zeros(solution.w.shape[:2])
    for c, name in enumerate(contacts):
        w, which = solution.w[:, c], solution.transcription.program.cone_of[:, c]
        # The rows of a cone are linear in the coefficient.
        still, one = (
            np.array(
                [
                    edge_cone(robot.contacts[name], edge, mu, limits.patch_share)
                    for edge in EDGES
                ]
            )[which]
            for mu in (0.0, 1.0)
        )
        asked = np.einsum("kri,ki->kr", still, w)
        given = np.einsum("kri,ki->kr", still - one, w)
        holds = (given > limits.least_force) & (w[:, 5:] > limits.least_force)
        values[:, c] = np.where(holds, asked / np.maximum(given, 1e-9), 0.0).max(1)
    used, name, time = _most(solution, values)
    return used / limits.friction_share, name, time


def pressure_use(solution: TrajectorySolution) -> Use:
    """Share of a patch up to which its center of pressure moves."""
    problem, program = solution.transcription.problem, solution.transcription.program
    values = np.zeros(solution.w.shape[:2])
    for c, name in enumerate(solution.transcription.contacts):
        patch, w = problem.robot.contacts[name], solution.w[:, c]
        if patch.is_point:
            continue
        half = np.array(patch.bearing[::-1])
        pressed = w[:, 5] > problem.limits.least_force
        moments = np.abs(w[:, :2]) / half
        # An edge has its pressure where it is.
        moments[program.cone_of[:, c] > 0, 1] = 0.0
        share = moments.max(1) / np.maximum(w[:, 5], 1e-9)
        values[:, c] = np.where(pressed, share, 0.0)
    return _most(solution, values)


def _most(solution: TrajectorySolution, values: np.ndarray) -> Use:
    """Largest of (N, C) values of contacts."""
    if not values.size:
        return 0.0, "", 0.0
    k, c = np.unravel_index(np.argmax(values), values.shape)
    time = float(solution.transcription.problem.times[k])
    return float(values[k, c]), solution.transcription.contacts[c], time
