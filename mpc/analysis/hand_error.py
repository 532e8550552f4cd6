"""Tracking error of a hand that follows a target, above legs or in task space."""

import numpy as np

from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.control.controllers import make_upper_body
from backbeat.mpc.control.task_space_setup import hand_of, hand_place
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.settings import settings_at
from backbeat.mpc.simulation.run import SimulationRun

# What happens before, while the circle comes to its speed, does not count [s].
SETTLED = 1.0
# Share of its limit within which a torque is at it.
AT_LIMIT = 1e-6


def hand_errors(
    run: SimulationRun, reference: Reference
) -> tuple[np.ndarray, np.ndarray]:
    """Where the hand was, and where it should have been.

    Returns:
        (M, 3) and (M, 3) places [m]; M is 0 without such a hand.
    """
    control, nq = run.scenario.control, reference.robot.num_positions
    if control.task_space is not None:
        robot = reference.robot
        state = Configuration(robot, run.x[0, :nq])
        places = [hand_place(run.behavior, state.update(x[:nq])) for x in run.x]
        return np.array(places), run.target
    task = control.upper_body
    upper = make_upper_body(reference, task)
    if upper is None:
        return np.zeros((0, 3)), np.zeros((0, 3))
    hand = np.array([upper.hand_at(x[:nq]) for x in run.x])
    target = np.zeros_like(hand)
    for k, t in enumerate(run.t.tolist()):
        held = settings_at(run.scenario, run.behavior, t).hands
        own = next((h for h in held if h.part == upper.part), None)
        target[k] = task.told(t, upper.hand_start, own)[0]
    return hand, target


def hand_figures(run: SimulationRun, reference: Reference) -> dict[str, object] | None:
    """Error of the hand and how far it went, as plain data; None without one.

    In task space also the share of samples with a joint at its torque limit, and the
    largest share of its limit that a joint of welded legs gave.
    """
    hand, target = hand_errors(run, reference)
    if not len(hand):
        return None
    late, task = _late(run, SETTLED), run.scenario.control.task_space
    figures = _of_errors(1e3 * np.linalg.norm(hand - target, axis=1)[late])
    found: dict[str, object] = {
        "hand": run.scenario.control.upper_body.hand,
        "error_mm": dict(zip(("rms", "max"), figures, strict=True)),
        "range_mm": (1e3 * np.ptp(hand[late], axis=0)).tolist(),
    }
    if task is None:
        return found
    found["hand"] = hand_of(run.behavior)
    found["at_limit_share"] = float(at_limits(run)[late].any(1).mean())
    if run.legs:
        found["leg_share"] = leg_share(run, SETTLED)
    return found


def error_figures(run: SimulationRun, after: float = SETTLED) -> dict[str, float]:
    """Figures of a hand after some time [s].

    Returns:
        RMS and largest error, `error_rms_mm` and `error_max_mm`, and `leg_share_max`,
        the largest share of its limit that a joint of welded legs gave.
    """
    hand, target = hand_errors(run, Reference(run.behavior))
    error = 1e3 * np.linalg.norm(hand - target, axis=1)[_late(run, after)]
    names = "error_rms_mm", "error_max_mm"
    found = dict(zip(names, _of_errors(error), strict=True))
    return found | {"leg_share_max": leg_share(run, after) if run.legs else 0.0}


def leg_share(run: SimulationRun, after: float) -> float:
    """Largest share of its limit that a joint of welded legs gave after a time [s]."""
    whole = RobotModel(run.behavior.robot)
    limits = whole.effort_limits[[whole.joint_index(n) for n in run.legs]]
    return float((np.abs(run.leg_effort[_late(run, after)]) / limits).max())


def at_limits(run: SimulationRun) -> np.ndarray:
    """(M, nj) whether joints give all the torque that they can in task space."""
    task = run.scenario.control.task_space
    share = 1.0 if task is None else task.effort_share
    limits = share * run.behavior.robot_model.effort_limits
    return np.asarray(np.abs(run.effort) >= (1.0 - AT_LIMIT) * limits)


def _late(run: SimulationRun, after: float) -> np.ndarray:
    """(M,) whether samples are after a time [s], or half of a short run."""
    return np.asarray(run.t >= min(after, 0.5 * float(run.t[-1])))


def _of_errors(error: np.ndarray) -> tuple[float, float]:
    """Root mean square and largest of (M,) errors."""
    return float(np.sqrt(np.mean(error**2))), float(error.max())
