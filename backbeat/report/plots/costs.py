"""Figures of what the terms of programs cost over a run, and of a trajectory."""

from collections.abc import Mapping

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from backbeat.behaviors.library.behavior import Behavior
from backbeat.mpc.analysis.cost_history import CostHistory
from backbeat.optimization.diagnosis.costs import KnotCosts
from backbeat.report.plots.style import COLORS, HEIGHT, STYLE, WIDTH, svg

# Terms with lines of their own where not all have a color, those with the largest mean;
# the rest is one line.
NAMED = len(COLORS) - 1
# Decades below the largest cost that are shown.
DECADES = 6


def plot_costs(history: CostHistory) -> Figure:
    """Costs of the plans' terms above, of the ticks' tasks below, logarithmic."""
    parts = {
        "Plans: cost of each term over the horizon": history.plan,
        "Ticks: cost of each task": history.tick,
    }
    return _plot_parts(history.t, {n: x for n, x in parts.items() if x}, "cost")


def plot_knot_costs(costs: KnotCosts) -> Figure:
    """Costs of the terms of a trajectory per time, logarithmic."""
    rates = {name: x / costs.span for name, x in costs.terms.items()}
    title = "Trajectory: cost of each term"
    return _plot_parts(costs.t, {title: rates}, "cost per second [1/s]")


def knot_cost_figure(behavior: Behavior) -> str:
    """The same of a behavior, for a page.

    Raises:
        BackbeatError: it has none, see `Behavior.costs`.
    """
    return svg(plot_knot_costs(behavior.costs()), "costs")


def _plot_parts(
    t: np.ndarray, parts: Mapping[str, Mapping[str, np.ndarray]], unit: str
) -> Figure:
    """One above the other, by their titles."""
    with mpl.rc_context(STYLE):
        size = 1.35 * WIDTH, 1.2 * HEIGHT * max(1, len(parts))
        figure = Figure(size, layout="constrained")
        grid = figure.subplots(max(1, len(parts)), 1, sharex=True, squeeze=False)
        for axes, (title, values) in zip(grid[:, 0], parts.items(), strict=False):
            _plot_terms(axes, t, values)
            axes.set(title=title, ylabel=unit)
        grid[-1, 0].set_xlabel("time of the behavior [s]")
        return figure


def _plot_terms(axes: Axes, t: np.ndarray, values: Mapping[str, np.ndarray]) -> None:
    """A line for each of the largest terms, by decreasing mean, and one of the rest."""
    known = {name: x for name, x in values.items() if np.nansum(x) > 0}
    ranked = sorted(known, key=lambda name: -np.nanmean(known[name]))
    named = len(ranked) if len(ranked) <= len(COLORS) else NAMED
    lines = {name: known[name] for name in ranked[:named]}
    if rest := ranked[named:]:
        lines[f"{len(rest)} others"] = np.sum([known[name] for name in rest], axis=0)
    for (name, x), color in zip(lines.items(), COLORS, strict=False):
        axes.plot(t, np.where(x > 0, x, np.nan), color=color, lw=1.0, label=name)
    axes.set_yscale("log")
    if lines:
        most = max(float(np.nanmax(x)) for x in lines.values())
        axes.set_ylim(most * 10.0**-DECADES, 2 * most)
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
