"""Hands after their targets: what samples, noise, limits and a moved pelvis cost."""

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from backbeat.figures.drawing.sources import Sources
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.analysis.hand_error import error_figures, hand_errors
from backbeat.mpc.analysis.hand_studies import (
    WEAK,
    base_study,
    limit_study,
    pelvis_study,
    period_study,
    sensing_study,
)
from backbeat.mpc.reference.trajectory import Reference
from backbeat.report.plots.style import COLORS, HEIGHT, STYLE, WIDTH


def hand_sampling(sources: Sources) -> Figure:
    """Error of a hand on a circle against the time between samples."""
    table = period_study()
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 1.2 * HEIGHT), layout="constrained")
        axes = figure.subplots()
        period = 1e3 * table["period"]
        for name, key in (("RMS", "error_rms_mm"), ("largest", "error_max_mm")):
            axes.loglog(period, table[key], marker="o", label=name)
        axes.set_xticks(period, [f"{p:g}" for p in period], minor=False)
        axes.set_xticks([], minor=True)
        axes.set(
            title="UR10, circle of 0.2 m radius at 0.5 Hz: error of the hand",
            xlabel="time between samples [ms]",
            ylabel="[mm]",
        )
        axes.legend()
        return figure


def hand_sensing(sources: Sources) -> Figure:
    """Error of a resting hand, modeled or sensed, at four levels of noise."""
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 1.2 * HEIGHT), layout="constrained")
        panels = figure.subplots(1, 2, sharey=True)
        titles = "angles alone", "rates too, 1 rad/s for 0.1 rad"
        for axes, rate, title in zip(panels, (0.0, 10.0), titles, strict=True):
            table = sensing_study(rate=rate)
            for hand, rows in table.groupby("hand", sort=False):
                axes.plot(
                    1e3 * rows["noise"],
                    rows["error_rms_mm"],
                    marker="o",
                    label=f"hand {hand}",
                )
            axes.set(title=f"Noise of {title}", xlabel="angle noise [mrad]")
            axes.legend()
        panels[0].set_ylabel("RMS error of the hand [mm]")
        figure.suptitle("UR10 at rest")
        return figure


def hand_limits(sources: Sources) -> Figure:
    """Error and torque where motors are too weak: truncation against programs."""
    runs, limits = limit_study(), WEAK * RobotModel("ur10").effort_limits
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 2.0 * HEIGHT), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        for color, (name, run) in zip(COLORS, runs.items(), strict=False):
            rms = error_figures(run)["error_rms_mm"]
            hand, target = hand_errors(run, Reference(run.behavior))
            error = 1e3 * np.linalg.norm(hand - target, axis=1)
            above.plot(run.t, error, color=color, label=f"{name}: {rms:.2f}")
            share = (np.abs(run.effort) / limits).max(axis=1)
            below.plot(run.t, share, color=color, lw=0.7)
        above.set(title="Error of the hand [mm], RMS after 1 s in the legend")
        above.legend()
        below.set(
            title="Torque nearest to its limit", xlabel="time [s]", ylabel="share"
        )
        figure.suptitle("UR10 with 0.3 of its torque, circle of 0.2 m radius at 0.8 Hz")
        return figure


def swaying_pelvis(sources: Sources) -> Figure:
    """Error of the hand of Atlas while its pelvis sways, by rate and direction."""
    table = base_study()
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 1.2 * HEIGHT), layout="constrained")
        axes = figure.subplots()
        for color, (axis, rows) in zip(COLORS, table.groupby("axis"), strict=False):
            for fed, part in rows.groupby("feedforward"):
                axes.semilogy(
                    part["rate"],
                    part["error_rms_mm"],
                    color=color,
                    ls="-" if fed else "--",
                    marker="o",
                    label=f"{axis}, acceleration "
                    + ("fed forward" if fed else "ignored"),
                )
        axes.set(
            title="Atlas, pelvis sways by 0.1 m: RMS error of the hand",
            xlabel="rate of the sway [rad/s]",
            ylabel="[mm]",
        )
        axes.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.18))
        return figure


def moving_pelvis(sources: Sources) -> Figure:
    """Error of the hand while the pelvis goes every way on welded feet, by rate."""
    table = pelvis_study()
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 2.0 * HEIGHT), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        for color, (radius, rows) in zip(COLORS, table.groupby("radius"), strict=False):
            what = f"on a circle of {radius:g} m" if radius else "held still"
            for fed, part in rows.groupby("feedforward"):
                how = "fed forward" if fed else "ignored"
                above.semilogy(
                    part["rate"],
                    part["error_rms_mm"],
                    color=color,
                    ls="-" if fed else "--",
                    marker="o",
                    label=f"{what}, acceleration {how}",
                )
            below.plot(part["rate"], part["leg_share_max"], color=color, marker="o")
        above.set(title="RMS error of the hand [mm]")
        above.legend()
        below.set(
            title="Busiest joint of the legs, share of its effort limit",
            xlabel="rate of the fastest sway [rad/s]",
            ylim=(0.0, 1.05),
        )
        figure.suptitle("Atlas on welded feet: x, y, z, roll, pitch and yaw at once")
        return figure
