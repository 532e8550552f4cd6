"""Tracking error of the hand of an upper body in a run."""

import numpy as np

from backbeat.mpc.control.controllers import make_upper_body
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.settings import settings_at
from backbeat.mpc.simulation.run import SimulationRun

# What happens before, while the circle comes to its speed, does not count [s].
SETTLED = 1.0


def hand_errors(
    run: SimulationRun, reference: Reference
) -> tuple[np.ndarray, np.ndarray]:
    """Where the hand of the upper body was, and where it should have been.

    Returns:
        (M, 3) and (M, 3) places [m]; M is 0 without such a hand.
    """
    task = run.scenario.control.upper_body
    upper = make_upper_body(reference, task)
    if upper is None:
        return np.zeros((0, 3)), np.zeros((0, 3))
    nq = reference.robot.num_positions
    hand = np.array([upper.hand_at(x[:nq]) for x in run.x])
    target = np.zeros_like(hand)
    for k, t in enumerate(run.t.tolist()):
        held = settings_at(run.scenario, run.behavior, t).hands
        own = next((h for h in held if h.part == upper.part), None)
        target[k] = task.told(t, upper.hand_start, own)[0]
    return hand, target


def hand_figures(run: SimulationRun, reference: Reference) -> dict[str, object] | None:
    """Error of the hand and how far it went, as plain data; None without one."""
    hand, target = hand_errors(run, reference)
    late = run.t >= min(SETTLED, 0.5 * float(run.t[-1]))
    if not len(hand):
        return None
    error = 1e3 * np.linalg.norm(hand - target, axis=1)[late]
    return {
        "hand": run.scenario.control.upper_body.hand,
        "error_mm": {
            "rms": float(np.sqrt(np.mean(error**2))),
            "max": float(error.max()),
        },
        "range_mm": (1e3 * np.ptp(hand[late], axis=0)).tolist(),
    }
