"""What the stage tells of a plan of the predictive controller."""

import numpy as np

from backbeat.stage.moment import ContactForce
from models.configuration import Configuration
from mpc.fail_safe import Mode
from mpc.plan import Plan

# How far the predicted path of the center of mass is shown, and in how many beads.
PREDICTION, BEADS = 1.2, 8
# A contact with less force than this does not count [N].
LEAST_FORCE = 4.0
# A phase rate this close to 1 keeps the tempo, for whoever reads it.
STEADY = 0.005


def planned_forces(
    plan: Plan, t: float, state: Configuration, patches: tuple[str, ...]
) -> dict[str, ContactForce]:
    """Forces that a plan wants at time t, where the patches are now.

    Args:
        plan: the plan.
        t: time on the plan's clock [s].
        state: the robot.
        patches: names of the patches in the plan's order.
    """
    weight, forces = state.robot.weight, {}
    for name, wrench in zip(patches, weight * plan.at(t).wrench, strict=True):
        if wrench[5] > LEAST_FORCE:
            X = state.pose(name)
            forces[name] = force_of(wrench, X.rotation().matrix(), X.translation())
    return forces


def force_of(w: np.ndarray, R_WC: np.ndarray, p_WC: np.ndarray) -> ContactForce:
    """Force of a wrench (6,) in patch axes [N m, N], at its center of pressure."""
    offset = np.zeros(3)
    if abs(w[5]) > LEAST_FORCE:
        offset[:2] = [-w[1] / w[5], w[0] / w[5]]
    return ContactForce(p_WC + R_WC @ offset, R_WC @ w[3:])


def predicted_path(plan: Plan | None) -> np.ndarray:
    """(B, 3) center of mass that a plan expects over the shown horizon [m]."""
    if plan is None or len(plan.com) < 2:
        return np.zeros((0, 3))
    ends = np.r_[0.0, np.cumsum(plan.durations)]
    ahead = PREDICTION * np.arange(1, BEADS + 1) / BEADS
    return columns(np.minimum(ahead, ends[-1]), ends, plan.com)


def columns(at: np.ndarray, times: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Linear interpolation of every column."""
    return np.stack([np.interp(at, times, column) for column in values.T], axis=1)


def rate_in_words(rate: float) -> str:
    """The phase rate, and what it does to the tempo."""
    change = 100.0 * (rate - 1.0)
    if abs(change) < 100.0 * STEADY:
        return "phase rate 1.00"
    return f"phase rate {rate:.2f}, {'ahead' if change > 0 else 'holding back'}"


def solver_in_words(plan: Plan, mode: Mode = Mode.TRACKING) -> str:
    """What both controllers are about."""
    if not plan.is_fresh:
        planner = f"plan: {plan.status}"
    elif plan.steps:
        planner = "plan solved: recovers by a step"
    elif any(down.is_put_down for down in plan.touchdowns):
        planner = "plan solved: puts a foot down"
    else:
        planner = "plan solved"
    return f"{planner} · {'tick solved' if mode is Mode.TRACKING else f'tick: {mode}'}"
