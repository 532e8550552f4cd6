"""The figures of a run that a page lists, and that two runs are compared by."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from backbeat.mpc.runs.balance import Balance
from backbeat.mpc.runs.record import RunRecord
from backbeat.report.plots.run_curves import foreseeable, prediction_error


@dataclass(frozen=True)
class Measure:
    """One figure of a run.

    Attributes:
        name: what it is.
        unit: of the figure, "" for a pure number.
        value: of a run and its balance; None when the run has none.
        digits: after the decimal point.
        is_speed: whether it says how fast this machine was, rather than the robot.
    """

    name: str
    unit: str
    value: Callable[[RunRecord, Balance | None], float | None]
    digits: int = 1
    is_speed: bool = False

    def text(self, value: float | None, sign: bool = False) -> str:
        """The figure for people; an empty text for none."""
        if value is None or not np.isfinite(value):
            return ""
        # What rounds to zero has no minus.
        return f"{value:{'+' if sign else ''}z.{self.digits}f}"


def _metric(*path: str, scale: float = 1.0) -> Callable[..., float | None]:
    """A figure that `backbeat.mpc.analysis.metrics` has found, by its keys."""

    def value(record: RunRecord, _: Balance | None) -> float | None:
        found: Any = record.metrics
        for key in path:
            found = found.get(key) if found is not None else None
        return None if found is None else scale * float(found)

    return value


def _expected(kind: str, all_of_it: bool = True) -> Callable[..., float | None]:
    def value(record: RunRecord, _: Balance | None) -> float | None:
        found = prediction_error(record)
        if found is None or not (all_of_it or record.scenario.disturbances.spans()):
            return None
        t, away = found[0], np.linalg.norm(found[1], axis=1)
        if not all_of_it:
            away = away[foreseeable(record, t)]
        if not len(away):
            return None
        return float(np.sqrt(np.mean(away**2)) if kind == "rms" else away.max())

    return value


def _beats(kind: str) -> Callable[..., float | None]:
    found = _metric("beat_error_ms", kind)
    return lambda record, _: found(record, None) if record.story["beats"] else None


def _least_margin(_: RunRecord, balance: Balance | None) -> float | None:
    if balance is None or not np.isfinite(balance.capture_margin).any():
        return None
    return 1e3 * float(np.nanmin(balance.capture_margin))


MEASURES: tuple[Measure, ...] = (
    Measure("simulated", "s", _metric("duration_s")),
    Measure("CoM error, RMS", "mm", _metric("com_error_mm", "rms")),
    Measure("CoM error, maximum", "mm", _metric("com_error_mm", "max")),
    Measure("prediction error 0.3 s ahead, RMS", "mm", _expected("rms")),
    Measure("prediction error 0.3 s ahead, maximum", "mm", _expected("max")),
    Measure("... without pushes, RMS", "mm", _expected("rms", False)),
    Measure("... without pushes, maximum", "mm", _expected("max", False)),
    Measure("capture point margin, minimum", "mm", _least_margin),
    Measure("joint error, RMS", "deg", _metric("joint_error_deg", "rms"), 2),
    Measure("joint error, maximum", "deg", _metric("joint_error_deg", "max"), 2),
    Measure("foot slip, maximum", "mm", _metric("foot_slip_mm")),
    Measure("torque / limit, maximum", "%", _metric("torque_peak_fraction", scale=100)),
    Measure("phase lag on beats, mean", "ms", _beats("mean")),
    Measure("phase lag on beats, maximum", "ms", _beats("max")),
    Measure("hits made", "", _metric("hits", "made"), 0),
    Measure("hits missed", "", _metric("hits", "missed"), 0),
    Measure("unplanned hits", "", _metric("hits", "extra"), 0),
    Measure("hit timing, mean", "ms", _metric("hits", "timing_mean_ms"), 2),
    Measure("hit timing, SD", "ms", _metric("hits", "timing_sd_ms"), 2),
    Measure("hit timing, maximum", "ms", _metric("hits", "timing_max_ms"), 2),
    Measure("hit position error, maximum", "mm", _metric("hits", "position_max_mm")),
    Measure("plans not solved", "", _metric("plan_failures"), 0),
    Measure("ticks not solved", "", _metric("tick_failures"), 0),
    Measure("plan time, median", "ms", _metric("plan_ms", "median"), 2, is_speed=True),
    Measure("plan time, 99 %", "ms", _metric("plan_ms", "p99"), 2, is_speed=True),
    Measure("tick time, median", "ms", _metric("tick_ms", "median"), 3, is_speed=True),
    Measure("tick time, 99 %", "ms", _metric("tick_ms", "p99"), 3, is_speed=True),
    Measure("real-time factor", "", _metric("realtime_factor"), 2, is_speed=True),
)
