"""What the stage shows of a plan of the predictive controller."""

import numpy as np

from backbeat.models.state.configuration import Configuration
from backbeat.mpc.horizon.prediction import LEAST_FORCE, acting
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.safety.fail_safe import Mode
from backbeat.mpc.walking.writer import reference_on
from backbeat.stage.frames.frame import ContactForce

# A phase rate this close to 1 is shown as keeping the tempo.
STEADY = 0.005


def planned_forces(
    plan: Plan, t: float, state: Configuration, patches: tuple[str, ...]
) -> dict[str, ContactForce]:
    """Forces of a plan at time t, where the patches are now.

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
            found = acting(wrench, X.rotation().matrix(), X.translation())
            forces[name] = ContactForce(found[:3], found[3:])
    return forces


def com_error(
    reference: Reference, plan: Plan, phase: float, state: Configuration
) -> float | None:
    """Distance of the center of mass from the reference [m]; None on a fixed base.

    Args:
        reference: the behavior.
        plan: in force, whose walk counts if it has one.
        phase: of the plan [s].
        state: the robot.
    """
    if not state.robot.floating:
        return None
    planned = reference_on(reference, plan.walk).sample(phase).com[0]
    return float(np.linalg.norm(state.center_of_mass - planned))


def rate_in_words(rate: float) -> str:
    """The phase rate, and what it does to the tempo."""
    change = 100.0 * (rate - 1.0)
    if abs(change) < 100.0 * STEADY:
        return "phase rate 1.00"
    return f"phase rate {rate:.2f}, {'ahead' if change > 0 else 'behind'}"


def solver_in_words(plan: Plan, mode: Mode = Mode.TRACKING) -> str:
    """What both controllers are about."""
    if not plan.is_fresh:
        planner = f"plan: {plan.status}"
    elif plan.steps:
        planner = "plan solved: recovery step"
    elif any(down.is_put_down for down in plan.touchdowns):
        planner = "plan solved: early touchdown"
    else:
        planner = "plan solved"
    return f"{planner} · {'tick solved' if mode is Mode.TRACKING else f'tick: {mode}'}"
