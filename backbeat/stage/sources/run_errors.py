"""Errors of a run over time, as they are drawn under a timeline."""

from typing import Any

import numpy as np

from backbeat.mpc.analysis.drumming.hits import run_hits
from backbeat.mpc.analysis.kinematics import RunAnalysis
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.simulation.run import SimulationRun

# Points of the curve, and from which share of its limit an effort counts as in use.
POINTS, IN_USE = 600, 0.98
# Spans of a limit with less between them are one, and most of them [s].
APART, MOST_SPANS = 0.1, 60


def run_errors(run: SimulationRun) -> dict[str, Any]:
    """What was off when, in times of the behavior.

    Returns:
        com: [time s, distance of the center of mass from the behavior's mm], thinned to
            the largest of each stretch.
        hits: [time s, error ms] of planned hits, later than planned is positive; None
            for one that was missed.
        limits: `what` joint was at the limit of its effort, `from_s` and `to_s`.
        fell: when the robot fell [s], or None.
        engine, robot: of the run.
    """
    analysis = RunAnalysis(run, Reference(run.behavior))
    off = 1e3 * np.linalg.norm(analysis.com - analysis.com_planned, axis=1)
    pieces = np.array_split(np.arange(len(off)), min(POINTS, max(len(off), 1)))
    worst = [piece[np.argmax(off[piece])] for piece in pieces if len(piece)]
    report = run_hits(run)
    rows = [] if report is None else report.table[["time", "made", "error"]].to_numpy()
    return {
        "com": [[round(analysis.t[k], 3), round(off[k], 2)] for k in worst],
        "hits": [
            [round(float(t), 4), round(1e3 * float(e), 2) if made else None]
            for t, made, e in rows
        ],
        "limits": _limits(analysis),
        "fell": run.fell_at,
        "engine": run.scenario.world.engine,
        "robot": run.behavior.robot_model.name,
    }


def _limits(analysis: RunAnalysis) -> list[dict[str, Any]]:
    """Joints whose efforts were at their limits, the longest spans first."""
    robot, t = analysis.reference.robot, analysis.t
    share = robot.motors.shares(analysis.effort)
    found: list[tuple[float, str, float]] = []
    for j in np.flatnonzero((share >= IN_USE).any(axis=0)):
        at = t[share[:, j] >= IN_USE]
        ends = np.flatnonzero(np.diff(at) > APART)
        starts, stops = np.r_[at[0], at[ends + 1]], np.r_[at[ends], at[-1]]
        for a, b in zip(starts, stops, strict=True):
            found.append((float(a), robot.joint_names[j], float(b)))
    longest = sorted(found, key=lambda span: span[0] - span[2])[:MOST_SPANS]
    return [{"what": what, "from_s": a, "to_s": b} for a, what, b in longest]
