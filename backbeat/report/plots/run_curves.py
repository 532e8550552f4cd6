"""Curves of a run over time that a page shows, or two runs share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from backbeat.mpc.runs.balance import Balance
from backbeat.mpc.runs.record import RunRecord
from backbeat.mpc.runs.table import AHEAD
from backbeat.mpc.scenario.requested_tempo import requested_tempo
from backbeat.mpc.scenario.settings import all_events
from backbeat.report.plots.style import COLORS

# Points of a curve in a figure, so that a page stays small.
MOST_POINTS = 700
# A push is drawn at least this wide, as a share of the run.
LEAST_WIDTH = 0.004
PUSH_COLOR, PUSH_SHADE = COLORS[4], 0.45
# What was planned is a broad pale line under the narrow one of what was measured.
PLANNED, PLANNED_WIDTH = "#f3b183", 2.4

# Times [s] and values.
Points = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class RunCurve:
    """Something that changes over a run.

    Attributes:
        title: what it is, with its unit in brackets.
        values: of a run and its balance: times [s] and values; None if it has none.
        level: a value that something else begins at, drawn as a line.
    """

    title: str
    values: Callable[[RunRecord, Balance | None], Points | None]
    level: float | None = None


def com_error(record: RunRecord, _: Balance | None = None) -> Points:
    """Distance of the center of mass from the behavior's, at the phase [mm]."""
    samples = record.after_start()
    away = _vector(record, "com") - _vector(record, "planned.com")
    return samples["t"].to_numpy(), 1e3 * np.linalg.norm(away, axis=1)


def prediction_error(record: RunRecord) -> Points | None:
    """(N,) times [s] and (N, 3) center of mass minus what was expected of it [mm]."""
    if "predicted.com.x" not in record.samples:
        return None
    away = 1e3 * (_vector(record, "com") - _vector(record, "predicted.com"))
    known = np.isfinite(away).all(axis=1)
    return record.after_start()["t"].to_numpy()[known], away[known]


def foreseeable(record: RunRecord, t: np.ndarray) -> np.ndarray:
    """(N,) whether no push began or went on within the 0.3 s before given times."""
    known = np.ones(len(t), bool)
    for begin, end in record.scenario.disturbances.spans():
        known &= (t < begin) | (t > end + AHEAD)
    return known


def lateness(record: RunRecord, _: Balance | None = None) -> Points:
    """How far the controller's phase is behind the one that is asked for [ms].

    That is the authored time, unless an event has asked for another tempo.
    """
    samples, asked = record.after_start(), requested_tempo(record.scenario.disturbances)
    t = samples["t"].to_numpy()
    wanted = np.array([asked.phase(time) for time in t])
    return t, 1e3 * (wanted - samples["phase"].to_numpy(float))


def torque_share(record: RunRecord, _: Balance | None = None) -> Points:
    """Largest torque / limit of any joint [%]."""
    samples, limits = record.after_start(), record.limits["torque"]
    share = [
        samples[f"tau.{j}"].abs().to_numpy() / limit
        for j, limit in limits.items()
        if limit > 0
    ]
    if not share:
        return np.zeros(0), np.zeros(0)
    return samples["t"].to_numpy(), 100 * np.max(share, axis=0)


def _expected(record: RunRecord, _: Balance | None) -> Points | None:
    found = prediction_error(record)
    return None if found is None else (found[0], np.linalg.norm(found[1], axis=1))


def _margin(_: RunRecord, balance: Balance | None) -> Points | None:
    return None if balance is None else (balance.t, 1e3 * balance.capture_margin)


def _rate(record: RunRecord, _: Balance | None) -> Points:
    samples = record.after_start()
    return samples["t"].to_numpy(), samples["phase_rate"].to_numpy(float)


CURVES: Sequence[RunCurve] = (
    RunCurve("CoM error [mm]", com_error),
    RunCurve("CoM, prediction error 0.3 s ahead [mm]", _expected),
    RunCurve("Capture point, margin in the support polygon [mm]", _margin, 0.0),
    RunCurve("Phase lag behind the requested phase [ms]", lateness, 0.0),
    RunCurve("Phase rate / tempo [-]", _rate, 1.0),
    RunCurve("Largest torque / limit of any joint [%]", torque_share, 100.0),
)


def thinned(t: np.ndarray, values: np.ndarray) -> Points:
    """The same curve with fewer points; extremes are kept."""
    width = -(-2 * len(t) // MOST_POINTS)
    if width < 3:
        return t, values
    chosen = set()
    for start in range(0, len(t), width):
        part = values[start : start + width]
        chosen.add(start)
        if np.isfinite(part).any():
            chosen |= {start + int(np.nanargmin(part)), start + int(np.nanargmax(part))}
    kept = np.array(sorted(chosen | {len(t) - 1}))
    return t[kept], values[kept]


def mark_disturbances(axes: Axes, record: RunRecord) -> None:
    """Shades when the robot was disturbed, and draws a line where a setting changed."""
    end, known = float(record.samples["t"].iloc[-1]), set[str]()
    for item in record.scenario.disturbances.everything():
        span = item.span()
        if span is not None and span[0] <= end:
            width = max(min(span[1], end) - span[0], LEAST_WIDTH * end)
            axes.axvspan(
                span[0],
                span[0] + width,
                color=PUSH_COLOR,
                alpha=PUSH_SHADE,
                lw=0,
                label=None if item.name in known else item.name,
            )
            known.add(item.name)
    for event in all_events(record.scenario):
        axes.axvline(event.time, color=COLORS[6], lw=0.8, ls=(0, (1, 2)))


def time_axis(axes: Axes, record: RunRecord) -> None:
    """Makes the horizontal axis the time of the behavior, from its beginning."""
    axes.set_xlim(0.0, max(float(record.samples["t"].iloc[-1]), 1e-3))
    axes.set_xlabel("time [s]")


def label_plainly(axis: Axis) -> None:
    """Has a logarithmic axis say 0.5 and 20 rather than powers of ten."""
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def patch_words(name: str) -> str:
    """Name of a contact for people: `l_` and `r_` are left and right."""
    side = {"l_": "left ", "r_": "right "}.get(name[:2])
    return (side + name[2:] if side else name).replace("_", " ")


def _vector(record: RunRecord, name: str) -> np.ndarray:
    columns = [f"{name}.{axis}" for axis in "xyz"]
    return np.asarray(record.after_start()[columns], float)
