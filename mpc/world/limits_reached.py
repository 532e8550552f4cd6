"""Limits that joints of a run reach, for however short a time.

effort      at least 99.9 % of the limit of a joint or motor
speed       more than the limit
angle       beyond the range by more than a milliradian, or a millimeter where it slides

It is no verdict: one stroke takes a joint to its limit for some hundredths of a second.
`joint_strain` judges what lasts.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from backbeat.models.robot.model import RobotModel
from backbeat.mpc.world.joint_strain import FULL

# What a range is exceeded by [rad, m].
BEYOND = 1e-3


def limits_reached(
    robot: RobotModel,
    t: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
    shares: np.ndarray,
) -> list[dict[str, Any]]:
    """Joints that reach a limit, the longest first.

    Args:
        robot: whose joints and limits.
        t: (M,) times of samples, evenly spaced [s].
        q, v: (M, nj) positions and velocities of joints [rad, rad/s].
        shares: (M, nj) efforts, in shares of the limit of the joint or its motor.

    Returns:
        `joint`, `limit` ("effort", "speed" or "angle"), `share` of it at most (of an
        angle, how far beyond [rad, m]), `at_s` when that was, and `time_s` in all.
    """
    if len(t) < 2:
        return []
    speeds = np.abs(v) / robot.velocity_limits
    beyond = np.maximum(q - robot.position_upper, robot.position_lower - q)
    found = []
    for limit, values, least in (
        ("effort", shares, FULL),
        ("speed", speeds, 1.0),
        ("angle", beyond, BEYOND),
    ):
        is_reached = values > least
        for j in np.flatnonzero(is_reached.any(0)):
            k = int(values[:, j].argmax())
            found.append(
                {
                    "joint": robot.joint_names[j],
                    "limit": limit,
                    "share": float(values[k, j]),
                    "at_s": float(t[k]),
                    "time_s": float(is_reached[:, j].mean() * (t[-1] - t[0])),
                }
            )
    return sorted(found, key=lambda row: -row["time_s"])


def reached_in_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """Joints that reached a limit, each with which, how far and for how long."""
    return ", ".join(
        f"{row['joint']} {_how_far(row)} at {row['at_s']:.2f} s ({row['time_s']:.2f} s "
        "in all)"
        for row in rows
    )


def _how_far(row: Mapping[str, Any]) -> str:
    if row["limit"] == "angle":
        return f"{row['share']:.3g} beyond its range"
    return f"{100 * row['share']:.0f} % of its {row['limit']} limit"
