"""Recordings for tests: joint angles over time that somebody might have."""

from pathlib import Path

import numpy as np
import pandas as pd

from backbeat.models.robot.model import RobotModel

# How far apart the feet slide in a careless sway [rad at the hip: 5 cm].
SLIDING = 0.055


def careless_sway(robot: RobotModel, seconds: float = 3.0, rate: float = 100.0):
    """A sway no robot can do: too quick, with sliding feet and an elbow too far.

    Hips and ankles swing side to side at 1 Hz, the left foot slides by 5 cm, and the
    left elbow goes to 2.8 rad.
    """
    t = np.arange(0.0, seconds, 1 / rate)
    q = np.tile(robot.posture("stand")[robot.base_positions :], (len(t), 1))
    grow = np.clip(np.minimum(t, seconds - t) / 0.5, 0.0, 1.0)
    sway = 0.15 * grow * np.sin(2 * np.pi * t)
    slide = SLIDING * grow * np.sin(np.pi * t) ** 2
    for side, sign in (("l", 1.0), ("r", 0.0)):
        hip = robot.joint_index(f"{side}_leg_hpx")
        ankle = robot.joint_index(f"{side}_leg_akx")
        q[:, hip] += sway + sign * slide
        q[:, ankle] -= sway + sign * slide
    q[:, robot.joint_index("l_arm_elx")] = 1.2 + 1.6 * np.sin(np.pi * t)
    return table(robot, t, q)


def table(robot: RobotModel, t: np.ndarray, q: np.ndarray) -> pd.DataFrame:
    """Times [s] and (n, nj) angles [rad] as a table."""
    return pd.DataFrame(np.c_[t, q], columns=["t", *robot.joint_names])


def write(frame: pd.DataFrame, path: Path) -> Path:
    """Writes a table as CSV."""
    frame.to_csv(path, index=False, float_format="%.9g")
    return path
