"""Figures of a run's joints, with their limits, by limb."""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from backbeat.mpc.runs.record import RunRecord
from backbeat.report.plots.run_curves import (
    PLANNED,
    PLANNED_WIDTH,
    mark_disturbances,
    thinned,
    time_axis,
)
from backbeat.report.plots.style import COLORS, STYLE, WIDTH, legend_of

MEASURED, LIMIT = COLORS[0], COLORS[3]
# Height of a joint's row, and of what is around the rows [in].
ROW, ABOVE, BELOW = 0.95, 0.5, 0.4
# A limit is drawn when it is not farther away than this share of the axis.
NEAR = 0.35
# A bar that stands for next to nothing is seen nevertheless [%].
LEAST_BAR = 0.8
BAR, AROUND_BARS = 0.19, 0.9


def joint_use(record: RunRecord) -> pd.DataFrame:
    """How much of its limits every joint used, by joint.

    Returns:
        `low`, `high`: shares of the range of angles, from its lower end [-]; `speed`,
        `torque`: greatest, of the limit [-]; `torque_rms`: root mean square of it [-].
    """
    samples, limits = record.after_start(), record.limits
    rows = {}
    for joint, limit in limits.iterrows():
        q, v, tau = (samples[f"{k}.{joint}"].to_numpy() for k in ("q", "v", "tau"))
        share = (q - limit["lowest"]) / (limit["highest"] - limit["lowest"])
        torque = np.abs(tau) / limit["torque"]
        rows[joint] = {
            "low": share.min(),
            "high": share.max(),
            "speed": np.abs(v).max() / limit["speed"],
            "torque": torque.max(),
            "torque_rms": np.sqrt(np.mean(torque**2)),
        }
    return pd.DataFrame(rows).T


def plot_joint_use(record: RunRecord) -> Figure:
    """Range of angles, and greatest speed and torque, of every joint's limits."""
    use = 100 * joint_use(record).iloc[::-1]
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, BAR * len(use) + AROUND_BARS), layout="constrained")
        angle, speed, torque = figure.subplots(1, 3, sharey=True)
        rows = np.arange(len(use))
        width = (use["high"] - use["low"]).clip(lower=LEAST_BAR)
        angle.barh(rows, width, left=use["low"], color=COLORS[2])
        speed.barh(rows, use["speed"], color=COLORS[4])
        torque.barh(rows, use["torque"], color=COLORS[5], label="peak")
        torque.barh(rows, use["torque_rms"], 0.35, color=COLORS[0], label="rms")
        for axes in (angle, speed, torque):
            axes.axvline(100, color=LIMIT, lw=1)
            axes.set_xlim(0, max(105, 1.05 * axes.get_xlim()[1]))
            axes.grid(axis="y", visible=False)
        angle.axvline(0, color=LIMIT, lw=2)
        angle.set(title="Angles, between the stops", xlabel="share of the range [%]")
        speed.set(title="Largest velocity", xlabel="share of the limit [%]")
        torque.set(title="Torque", xlabel="share of the limit [%]")
        angle.set_yticks(rows, use.index)
        angle.set_ylim(-0.7, len(use) - 0.3)
        torque.legend(loc="lower right")
        return figure


def plot_limb(record: RunRecord, joints: Sequence[str]) -> Figure:
    """Angle, velocity and torque of some joints over time, a row a joint."""
    with mpl.rc_context(STYLE | {"font.size": 8}):
        height = ROW * len(joints) + ABOVE + BELOW
        figure = Figure((WIDTH, height))
        # Said rather than found: with so many axes finding takes seconds.
        place = {"left": 0.135, "right": 0.995, "wspace": 0.22, "hspace": 0.5}
        place |= {"bottom": BELOW / height, "top": 1.0 - ABOVE / height}
        grid = figure.subplots(
            len(joints), 3, sharex=True, squeeze=False, gridspec_kw=place
        )
        for row, joint in zip(grid, joints, strict=True):
            _joint_row(row, record, joint)
            name = {"rotation": 0, "ha": "left", "va": "center"}
            row[0].set_ylabel(joint, **name)
            row[0].yaxis.set_label_coords(-0.135 / 0.25, 0.5)
        titles = ("angle [deg]", "velocity [rad/s]", "torque [N m]")
        for axes, title in zip(grid[0], titles, strict=True):
            axes.set_title(title, loc="left")
        for axes in grid[-1]:
            time_axis(axes, record)
        legend_of(figure, *grid.flat, loc="upper right")
        return figure


def _joint_row(row: Sequence[Axes], record: RunRecord, joint: str) -> None:
    samples, limit = record.after_start(), record.limits.loc[joint]
    t = samples["t"].to_numpy()
    degrees = float(np.degrees(1.0))
    low, high = degrees * limit["lowest"], degrees * limit["highest"]
    for axes, key, least, most, scale in (
        (row[0], "q", low, high, degrees),
        (row[1], "v", -limit["speed"], limit["speed"], 1.0),
        (row[2], "tau", -limit["torque"], limit["torque"], 1.0),
    ):
        mark_disturbances(axes, record)
        planned = samples.get(f"planned.{key}.{joint}")
        if planned is not None:
            curve = thinned(t, scale * planned.to_numpy(float))
            axes.plot(*curve, color=PLANNED, lw=PLANNED_WIDTH, label="planned")
        values = scale * samples[f"{key}.{joint}"].to_numpy()
        axes.plot(*thinned(t, values), color=MEASURED, lw=0.7, label="measured")
        _show_limits(axes, least, most)
        axes.yaxis.set_major_locator(MaxNLocator(4))


def _show_limits(axes: Axes, least: float, most: float) -> None:
    """Writes limits above the axes, and draws those that are near."""
    bottom, top = axes.get_ylim()
    room = NEAR * (top - bottom)
    for limit in (least, most):
        if bottom - room <= limit <= top + room:
            axes.axhline(limit, color=LIMIT, lw=1, label="limit")
    text = f"±{most:.4g}" if least == -most else f"{least:.4g} … {most:.4g}"
    if np.isfinite([least, most]).all():
        axes.set_title(f"limits {text}", loc="right", fontsize=6, color="#666666")
