"""Figures of a drummed run: joints, spikes, and singular values over the song."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from backbeat.models.robot.description import find_description, load_description
from backbeat.report.plots.style import COLORS, HEIGHT, STYLE, WIDTH

# Roles of the joints that drum: torso and arms, without legs and neck.
DRUMMING = TORSO, LEFT_ARM, RIGHT_ARM = "waist", "left arm", "right arm"
# Joints that are farther out of their range than this are listed [rad].
OUT_OF_RANGE = 0.05


def drumming_joints(robot: str | Path = "atlas") -> dict[str, str]:
    """Roles of the joints of torso, left and right arm by name, 17 of Atlas, in order.

    Args:
        robot: name of the robot, or path of its YAML.
    """
    joints = load_description(find_description(robot)).role_joints()
    return {name: role for role in DRUMMING for name in joints.get(role, ())}


def plot_joints(
    samples: pd.DataFrame, joints: Sequence[str] | None = None, duration: float = 25.0
) -> Figure:
    """Positions above and velocities below, of the first seconds of a run.

    Args:
        samples: table of a run.
        joints: which; torso and arms of Atlas when None.
        duration: how much of it [s].
    """
    joints = list(joints or drumming_joints())
    samples = samples[samples["t"].between(0.0, duration)]
    colors = mpl.colormaps["turbo"](np.linspace(0.05, 0.95, len(joints)))
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 2.0 * HEIGHT), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        for joint, color in zip(joints, colors, strict=True):
            style = {"color": color, "lw": 0.7, "label": joint}
            above.plot(samples["t"], np.degrees(samples[f"q.{joint}"]), **style)
            below.plot(samples["t"], samples[f"v.{joint}"], **style)
        above.set(title="Joint positions", ylabel="angle [deg]")
        most = float(samples[[f"v.{joint}" for joint in joints]].abs().max(axis=None))
        title = f"Joint velocities, at most {most:.1f} rad/s"
        below.set(title=title, ylabel="velocity [rad/s]")
        below.set(xlabel="time [s]", xlim=(0.0, float(samples["t"].max())))
        figure.legend(*above.get_legend_handles_labels(), loc="outside right center")
        return figure


def plot_spikes(
    spikes: Mapping[str, np.ndarray],
    contacts: Mapping[str, np.ndarray],
    holds: pd.DataFrame,
) -> Figure:
    """Spikes of joint velocities beside contacts, and the holds between them.

    Args:
        spikes, contacts: times by hand [s].
        holds: see `backbeat.mpc.analysis.drumming.performance.find_holds`.
    """
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 0.7 * HEIGHT), layout="constrained")
        axes = figure.subplots()
        for row, hand in enumerate(spikes):
            axes.vlines(spikes[hand], row, row + 0.42, color=COLORS[0], lw=1)
            axes.vlines(contacts[hand], row - 0.42, row, color=COLORS[1], lw=1)
        for hold in holds.itertuples():
            axes.axvspan(hold.start, hold.end, color="#eef1f5", zorder=0)
        axes.set_yticks(range(len(spikes)), list(spikes))
        axes.grid(axis="y", visible=False)
        axes.set(
            xlabel="time [s]",
            title=f"{sum(map(len, spikes.values()))} velocity spikes (above), "
            f"{sum(map(len, contacts.values()))} contacts (below), holds (shaded)",
        )
        return figure


def plot_singular_values(values: pd.DataFrame) -> Figure:
    """Singular values of both tips' Jacobian over the song.

    Args:
        values: columns `t` and `s1` to `s6`, see
            `backbeat.behaviors.kinematic.singular_values`.
    """
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, HEIGHT), layout="constrained")
        axes = figure.subplots()
        for name in [column for column in values if column != "t"]:
            axes.plot(values["t"], values[name], lw=0.9, label=name)
        axes.set_ylim(bottom=0.0)
        least = float(values.drop(columns="t").min(axis=None))
        axes.set(
            title=f"Singular values of both tips' Jacobian, at least {least:.2f} m/rad",
            xlabel="time [s]",
            ylabel="singular value [m/rad]",
        )
        figure.legend(*axes.get_legend_handles_labels(), loc="outside right center")
        return figure


def plot_cures(table: pd.DataFrame, floor: float = 0.0) -> Figure:
    """Smallest singular value and fastest joint with and without the cures.

    Args:
        table: see `backbeat.behaviors.kinematic.singular_values.compare_cures`.
        floor: that the value is kept above [m/rad]; 0 is none.
    """
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 2.0 * HEIGHT), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        cases = table.groupby("case", sort=False)
        for (case, rows), color in zip(cases, COLORS, strict=False):
            label = f"{case}: minimum {rows['smallest'].min():.2f}"
            if (excess := rows["excess"].max()) > OUT_OF_RANGE:
                label += f" (joints {excess:.1f} rad out of range)"
            # Without damping is nearly as with it: dashes let both be seen.
            look = {"color": color, "ls": "--" if case == "no damping" else "-"}
            above.plot(rows["t"], rows["smallest"], lw=1.1, label=label, **look)
            below.plot(rows["t"], rows["fastest"], lw=0.7, **look)
        if floor > 0:
            above.axhline(floor, color="0.4", ls=":", lw=0.9, label=f"floor {floor:g}")
        above.set_ylim(bottom=0.0)
        above.set(
            title="Smallest singular value of both tips' Jacobian",
            ylabel="singular value [m/rad]",
        )
        below.set(title="Speed of the fastest joint", ylabel="speed [rad/s]")
        below.set(xlabel="time [s]")
        handles = above.get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower center", ncols=2, fontsize=8)
        return figure
