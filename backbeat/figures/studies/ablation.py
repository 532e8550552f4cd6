"""What each adaptation of the plan is worth: rates and errors of a sweep, by case."""

import json

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from backbeat.figures.drawing.sources import Sources
from backbeat.mpc.sweep.success_rate import wilson
from backbeat.report.plots.style import COLORS, HEIGHT, STYLE, WIDTH

SWEEP, IMPULSE = "ablation", "push.impulse"


def ablation_rates(rows: pd.DataFrame) -> pd.DataFrame:
    """Rates of survival and errors by case and impulse, directions and seeds pooled.

    Args:
        rows: of the sweep's table; of several sources only the last to end counts.

    Returns:
        A row for each case and impulse [N s]: `runs`, `survived`, `low`, `high`
        (Wilson's interval), and `com_mm`, the median RMS error of the center of mass
        in the runs that were survived [mm], NaN without any.
    """
    newest = rows.loc[rows["finished"].idxmax(), "source"]
    rows = rows[rows["source"] == newest]
    impulse = [json.loads(values)[IMPULSE] for values in rows["values"]]
    found = []
    for (case, size), part in rows.assign(impulse=impulse).groupby(
        ["case", "impulse"], sort=False
    ):
        good = part[part["survived"].astype(bool)]
        low, high = wilson(len(good), len(part))
        error = float(good["com_error_rms_mm"].median())
        found.append((case, size, len(part), len(good), low, high, error))
    names = ["case", "impulse", "runs", "survived", "low", "high", "com_mm"]
    return pd.DataFrame(found, columns=names)


def ablation(sources: Sources) -> Figure:
    """Share of runs that survive a push, and errors of those, by what is off."""
    rates = ablation_rates(sources.sweep(SWEEP))
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 1.1 * HEIGHT), layout="constrained")
        left, right = figure.subplots(1, 2)
        sizes = list(dict.fromkeys(rates["impulse"]))
        for color, (k, size) in zip(COLORS, enumerate(sizes), strict=False):
            part = rates[rates["impulse"] == size]
            at = np.arange(len(part)) + 0.16 * (2 * k - len(sizes) + 1)
            share = part["survived"] / part["runs"]
            # Rounding may leave an end of an interval on the wrong side of its share.
            below, above = share - part["low"], part["high"] - share
            left.errorbar(
                at,
                share,
                np.maximum([below, above], 0.0),
                fmt="o",
                color=color,
                capsize=3,
                label=f"{size:g} N s, {part['runs'].min()} runs a case",
            )
            right.plot(at, part["com_mm"], "o", color=color, label=f"{size:g} N s")
            _name_cases(left, part["case"])
            _name_cases(right, part["case"])
        left.set(title="Survived, Wilson interval 95 %", ylim=(-0.05, 1.05))
        right.set(title="Center of mass, RMS error of survivors [mm]")
        right.set_ylim(bottom=0.0)
        left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.25), ncols=2)
        right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.25), ncols=2)
        figure.suptitle("March pushed in mid-swing, each adaptation switched off")
        return figure


def _name_cases(axes: Axes, cases: pd.Series) -> None:
    axes.set_xticks(np.arange(len(cases)), list(cases), rotation=20)
