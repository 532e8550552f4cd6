"""Figures of a run's balance: from above, margins, forces, and what was expected."""

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from backbeat.mpc.runs.balance import Balance
from backbeat.mpc.runs.record import RunRecord
from backbeat.report.plots.run_curves import (
    PLANNED,
    PLANNED_WIDTH,
    mark_disturbances,
    patch_words,
    prediction_error,
    thinned,
    time_axis,
)
from backbeat.report.plots.style import COLORS, HEIGHT, STYLE, WIDTH, legend_of

# A patch that never carries more than this is left out [N].
LEAST_FORCE = 1.0
# Around the paths that are seen near by, and how little is shown at least [mm].
ROOM, LEAST_SEEN = 1.2, 10.0
COM, CAPTURE, INK, GROUND = COLORS[0], COLORS[1], COLORS[6], "#eef1f5"


def plot_from_above(balance: Balance) -> Figure:
    """Paths of center of mass and capture point over the footprints, and near by."""
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 0.55 * WIDTH), layout="constrained")
        whole, near = figure.subplots(1, 2)
        for axes in (whole, near):
            for _, outline in balance.footprints:
                axes.fill(*_seen(outline), fc=GROUND, ec=INK, lw=0.6)
            for path, color, label in (
                (balance.capture, CAPTURE, "capture point"),
                (balance.com, COM, "center of mass"),
            ):
                axes.plot(*_seen(path), color=color, lw=0.9, label=label)
            for mark, k, label in (("o", 0, "start"), ("s", -1, "end")):
                style = {"color": INK, "ms": 5, "ls": "", "label": label}
                axes.plot(*_seen(balance.com[k : k + 1 or None]), mark, **style)
            axes.set_xlabel("to the left [mm]")
        paths = np.stack(_seen(np.vstack([balance.capture, balance.com])))
        low, high = paths.min(axis=1), paths.max(axis=1)
        half = 0.5 * ROOM * max(float((high - low).max()), LEAST_SEEN)
        for limits, middle in zip(
            (near.set_xlim, near.set_ylim), 0.5 * (low + high), strict=True
        ):
            limits(middle - half, middle + half)
        whole.set_aspect("equal", adjustable="datalim")
        near.set_aspect("equal")
        for axes in (whole, near):
            axes.invert_xaxis()
        whole.set(title="From above; gray: contact areas", ylabel="forward [mm]")
        near.set(title="Paths, enlarged")
        figure.legend(
            *near.get_legend_handles_labels(), loc="outside lower center", ncols=4
        )
        return figure


def _seen(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n, 2) points in the world as to the left and forward [mm]."""
    return 1e3 * points[:, 1], 1e3 * points[:, 0]


def plot_margins(balance: Balance, record: RunRecord) -> Figure:
    """Distances of center of mass and capture point to the edge of the support."""
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 0.85 * HEIGHT), layout="constrained")
        axes = figure.subplots()
        mark_disturbances(axes, record)
        for values, color, label in (
            (balance.capture_margin, CAPTURE, "capture point"),
            (balance.com_margin, COM, "center of mass"),
        ):
            t, y = thinned(balance.t, 1e3 * values)
            axes.plot(t, y, color=color, lw=0.9, label=label)
        axes.axhline(0, color=INK, lw=0.8)
        time_axis(axes, record)
        axes.set(
            title="Margin in the support polygon; negative is outside",
            ylabel="distance [mm]",
        )
        axes.legend(loc="best", ncols=3)
        return figure


def plot_forces(record: RunRecord) -> Figure | None:
    """Normal force on every patch that carries, planned and measured."""
    samples = record.after_start()
    t = samples["t"].to_numpy()
    names = [n for n in record.robot.patches if _force(record, n).max() > LEAST_FORCE]
    if not names:
        return None
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 1.5 * len(names) + 2.0), layout="constrained")
        rows = figure.subplots(len(names) + 1, 1, sharex=True, squeeze=False)[:, 0]
        total = np.zeros(len(t))
        for axes, name in zip(rows, names, strict=False):
            force = _force(record, name)
            total += force
            mark_disturbances(axes, record)
            if f"planned.{name}.fz" in samples:
                planned = thinned(t, samples[f"planned.{name}.fz"].to_numpy(float))
                axes.plot(*planned, color=PLANNED, lw=PLANNED_WIDTH, label="planned")
            axes.plot(*thinned(t, force), color=COM, lw=0.8, label="measured")
            axes.set(title=patch_words(name), ylabel="vertical force [N]")
        weight = record.story["robot"]["mass_kg"] * record.robot.gravity
        rows[-1].plot(*thinned(t, total), color=INK, lw=0.8)
        rows[-1].axhline(weight, color=COLORS[2], lw=1, ls=":", label="weight")
        rows[-1].legend(loc="lower right")
        rows[-1].set(title="sum", ylabel="vertical force [N]")
        time_axis(rows[-1], record)
        legend_of(figure, rows[0])
        return figure


def plot_prediction(record: RunRecord) -> Figure | None:
    """What was expected of the center of mass 0.3 s before, against what came."""
    found = prediction_error(record)
    if found is None or not len(found[0]):
        return None
    t, away = found
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 0.9 * HEIGHT), layout="constrained")
        axes = figure.subplots()
        mark_disturbances(axes, record)
        names = ("forward", "to the left", "up")
        for i, (name, color) in enumerate(zip(names, COLORS, strict=False)):
            axes.plot(*thinned(t, away[:, i]), color=color, lw=0.9, label=name)
        time_axis(axes, record)
        axes.set(
            title="CoM, measured minus predicted 0.3 s before",
            ylabel="distance [mm]",
        )
        axes.legend(loc="best", ncols=4)
        return figure


def _force(record: RunRecord, name: str) -> np.ndarray:
    return record.after_start()[f"{name}.fz"].to_numpy(float)
