"""What each term of the programs cost over a run, from explanations in turn."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.run_explanation import RunExplainer
from backbeat.mpc.plans.explanation import TickExplanation
from backbeat.mpc.simulation.run import SimulationRun

# Times of a history, at most; each of them solves a plan and a tick again.
MOST_TIMES = 250


@dataclass(frozen=True)
class CostHistory:
    """Costs of terms over time.

    Attributes:
        t: (N,) times of the behavior [s].
        plan: (N,) costs of each term of the predictive program, by name; NaN where the
            plan in force was not solved anew.
        tick: (N,) costs of each task of the whole-body program, by name: zero where the
            tick has no such task; empty for a controller of the user's own.
    """

    t: np.ndarray
    plan: dict[str, np.ndarray]
    tick: dict[str, np.ndarray]


def cost_history(run: SimulationRun, end: float | None = None) -> CostHistory:
    """Costs of both programs from the behavior's start, at evenly spaced samples.

    Args:
        run: the run.
        end: last time [s]; None for the run's.

    Raises:
        BackbeatError: the run is one in task space, which has no such programs, or has
            no state at any of the times.
    """
    if run.scenario.control.task_space is not None:
        raise BackbeatError(
            "costs of terms are those of behaviors; a run in task space has none"
        )
    explainer, last = RunExplainer(run), run.t[-1] if end is None else end
    fit = (run.t >= 0) & (run.t <= last + 1e-9) & np.isfinite(run.read).all(axis=1)
    times = run.t[fit]
    if not len(times):
        raise BackbeatError(
            f"the run has no state from 0 to {last:.2f} s, of which costs would follow"
        )
    times = times[:: -(-len(times) // MOST_TIMES)]
    found = [explainer.at(float(t)) for t in times]
    plans = [told.plan.costs if told.plan else {} for told in found]
    ticks = [
        {task.name: task.cost for task in told.tick.tasks}
        if isinstance(told.tick, TickExplanation)
        else {}
        for told in found
    ]
    return CostHistory(times, _by_name(plans, np.nan), _by_name(ticks, 0.0))


def _by_name(
    told: Iterable[Mapping[str, float]], otherwise: float
) -> dict[str, np.ndarray]:
    """Values over time by name, in the order in which names appear."""
    rows = list(told)
    names = dict.fromkeys(name for row in rows for name in row)
    return {n: np.array([row.get(n, otherwise) for row in rows]) for n in names}
