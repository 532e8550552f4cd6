"""Schema of the metrics in a run file; see `backbeat.mpc.analysis.metrics`."""

from typing import Any

from backbeat.models.common.plain_data import AnyNumber, Perhaps, Several
from backbeat.mpc.safety.fail_safe import Mode

# A figure that may be none: of what did not happen.
_FIGURE = Perhaps(AnyNumber)
_SIZE = {"rms": _FIGURE, "max": _FIGURE, ...: Any}
_SPREAD = {"median": _FIGURE, "p99": _FIGURE, ...: Any}
PUSH = {
    "time_s": float,
    "impulse_Ns": Perhaps(Several(float, 3)),
    "body": str,
    "survived": Perhaps(bool),
    "com_moved_mm": AnyNumber,
    ...: Any,
}
HITS = {
    "planned": int,
    "made": int,
    "missed": int,
    "extra": int,
    "timing_mean_ms": AnyNumber,
    "timing_sd_ms": AnyNumber,
    "timing_max_ms": AnyNumber,
    "position_max_mm": AnyNumber,
    ...: Any,
}
SAFETY = {
    "mode": str,
    "failures": {
        ...: {"count": int, "first_s": float, "message": Perhaps(str), ...: Any}
    },
    "seconds": {str(Mode.CARRYING): float, str(Mode.HOLDING): float, ...: float},
    "fall_declared_s": Perhaps(float),
    "sign": Perhaps(str),
    ...: Any,
}
MARKERS = {
    "track": str,
    "move": str,
    "count": int,
    "missing": int,
    "mean_ms": _FIGURE,
    "sd_ms": _FIGURE,
    "max_ms": _FIGURE,
    ...: Any,
}
DRIVE = {
    "steps": int,
    "share_held": {"forward": _FIGURE, "left": _FIGURE, "turning": _FIGURE, ...: Any},
    "commands": [
        {
            "time_s": float,
            "command": Several(float, 3),
            "held": Several(float, 3),
            "achieved": Perhaps(Several(float, 3)),
            ...: Any,
        }
    ],
    ...: Any,
}
REST = {"tip": str, "time": float, "duration": float, "mean_N": _FIGURE, ...: Any}
# By joint group [rad/s^3].
_JERK = {
    ...: {
        "rms": AnyNumber,
        "most": AnyNumber,
        "jump": AnyNumber,
        "time": AnyNumber,
        "joint": str,
        ...: Any,
    }
}
LIMIT = {
    "joint": str,
    "limit": str,
    "share": float,
    "at_s": float,
    "time_s": float,
    ...: Any,
}
# What reports and pages need of them. Runs without metrics have none.
NEEDED: dict[Any, Any] = {
    "duration_s": float,
    "fell": bool,
    "realtime_factor": _FIGURE,
    "tick_ms": _SPREAD,
    "plan_ms": _SPREAD,
    "plan_failures": int,
    "plan_overruns": int,
    "tick_failures": int,
    "safety": {...: SAFETY},
    "com_error_mm": _SIZE,
    "joint_error_deg": _SIZE,
    "foot_slip_mm": _FIGURE,
    "torque_peak_fraction": _FIGURE,
    "beat_error_ms": {...: _FIGURE},
    "pushes": [PUSH],
}
METRICS: dict[Any, Any] = {
    **{name: Perhaps(like) for name, like in NEEDED.items()},
    "robot": Perhaps(str),
    "fell_at_s": Perhaps(float),
    "jerk": Perhaps({"planned": _JERK, "measured": _JERK, ...: Any}),
    "hits": Perhaps(HITS),
    "rests": Perhaps([REST]),
    "markers": Perhaps([MARKERS]),
    "drive": Perhaps(DRIVE),
    "limits_reached": Perhaps([LIMIT]),
    ...: Any,
}
