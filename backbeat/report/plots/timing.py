"""Figures of a run's timing: phase, hits, and the time that programs took."""

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from backbeat.mpc.analysis.story_bars import story_bars
from backbeat.mpc.runs.record import RunRecord
from backbeat.report.plots.run_curves import (
    label_plainly,
    lateness,
    mark_disturbances,
    patch_words,
    thinned,
    time_axis,
)
from backbeat.report.plots.style import COLORS, HEIGHT, STYLE, WIDTH, legend_of

INK = COLORS[6]
# Bars that are numbered above a figure.
MOST_BARS = 16


def plot_phase(record: RunRecord) -> Figure:
    """Phase rate above, and how late the phase is below."""
    samples = record.after_start()
    t, late = lateness(record)
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 1.3 * HEIGHT), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        for axes in (above, below):
            mark_disturbances(axes, record)
        rate = samples["phase_rate"].to_numpy(float)
        above.plot(*thinned(t, rate), color=COLORS[0], lw=0.9)
        above.axhline(1.0, color=INK, lw=0.8, ls=":")
        below.plot(*thinned(t, late), color=COLORS[0], lw=0.9)
        below.axhline(0.0, color=INK, lw=0.8, ls=":")
        time_axis(below, record)
        # A run that keeps the beat shall look like one.
        _at_least(above, 0.99, 1.01)
        _at_least(below, -1.0, 1.0)
        above.set(title="Phase rate / tempo", ylabel="rate [-]")
        below.set(title="Phase lag", ylabel="late [ms]")
        if record.scenario.disturbances.spans():
            above.legend(loc="best")
        return figure


def plot_hits(story: Mapping[str, Any]) -> Figure:
    """Error of every hit that was made, by stick, and those that were missed.

    Args:
        story: of a run file, with hits; bars are told above where there are some.
    """
    hits = story["hits"]
    made = [hit for hit in hits if hit["made"]]
    missed = [hit["time"] for hit in hits if not hit["made"]]
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 0.9 * HEIGHT), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(3, 1), sharey=True)
        errors = []
        tips = sorted({hit["tip"] for hit in hits})
        for tip, color, mark in zip(tips, COLORS, "os^v", strict=False):
            mine = [hit for hit in made if hit["tip"] == tip]
            error = [1e3 * hit["error"] for hit in mine]
            errors.append(error)
            label = patch_words(tip.removesuffix("_tip"))
            style = {"color": color, "alpha": 0.8, "ls": "", "ms": 4, "label": label}
            left.plot([hit["time"] for hit in mine], error, mark, **style)
        if missed:
            left.plot(missed, [0.0] * len(missed), "x", color=INK, label="missed")
        right.hist(
            errors,
            bins=20,
            orientation="horizontal",
            stacked=True,
            color=COLORS[: len(tips)],
        )
        for axes in (left, right):
            axes.axhline(0.0, color=INK, lw=0.8, ls=":")
        left.set(title="Every hit", xlabel="time [s]", ylabel="late [ms]")
        _tell_bars(left, story)
        right.set(title="All hits", xlabel="hits")
        legend_of(figure, left)
        return figure


def plot_solver_times(record: RunRecord) -> Figure:
    """Wall times of plans and of ticks, with the time that each has."""
    samples, scenario = record.after_start(), record.scenario
    plans = samples.drop_duplicates("plan.time")
    plans = plans[plans["plan.iterations"] > 0]
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 1.3 * HEIGHT), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        for axes, rows, name, period, title in (
            (above, plans, "plan.wall_ms", scenario.timing.plan_period, "Plans"),
            (
                below,
                samples,
                "tick.wall_ms",
                scenario.timing.tick_period,
                "Slowest ticks",
            ),
        ):
            times = rows[name].to_numpy(float)
            if np.isfinite(times).any():
                t = rows["t"].to_numpy()
                axes.plot(*thinned(t, times), ".", ms=2.5, color=COLORS[0])
            axes.axhline(
                1e3 * period,
                color=COLORS[1],
                lw=1,
                label=f"until the next: {1e3 * period:g} ms",
            )
            axes.set_yscale("log")
            axes.set(title=title, ylabel="wall time [ms]")
            axes.legend(loc="upper right")
            label_plainly(axes.yaxis)
        time_axis(below, record)
        return figure


def _tell_bars(axes: Axes, story: Mapping[str, Any]) -> None:
    """Numbers of bars above, as many as there is space for."""
    low, high = axes.get_xlim()
    _, pulses = story_bars(story)
    bars = [(t, p.bar) for t, p in pulses if p.number == 1 and low <= t <= high]
    shown = bars[:: -(-len(bars) // MOST_BARS) or 1]
    if shown:
        above = axes.secondary_xaxis("top")
        above.set_xticks([t for t, _ in shown], [str(bar) for _, bar in shown])
        above.set_xlabel("bar")


def _at_least(axes: Any, low: float, high: float) -> None:
    bottom, top = axes.get_ylim()
    axes.set_ylim(min(bottom, low), max(top, high))
