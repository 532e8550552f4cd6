"""A G1 or another robot that bends and sways on feet that stand, as a table."""

import numpy as np
import pandas as pd

from backbeat.behaviors.posture.stance import start_configuration
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.state.names import position_names, velocity_names

RATE, HEADING = 200.0, 0.7
# Joints that bend a leg and sway it, by robot: hip, knee, ankle; hip and ankle.
BENDS = {
    "g1": ("hip_pitch_joint", "knee_joint", "ankle_pitch_joint"),
    "t1": ("Hip_Pitch", "Knee_Pitch", "Ankle_Pitch"),
    "h1": ("hip_pitch_joint", "knee_joint", "ankle_joint"),
}
SWAYS = {"g1": ("hip_roll_joint", "ankle_roll_joint"), "t1": ("Hip_Roll", "Ankle_Roll")}
SIDES = {
    "g1": ("left_", "right_"),
    "t1": ("Left_", "Right_"),
    "h1": ("left_", "right_"),
}


def standing_frame(robot: RobotModel, seconds: float = 2.0) -> pd.DataFrame:
    """States of a motion whose feet stay where they are, and whose arms swing."""
    t = np.arange(int(seconds * RATE) + 1) / RATE
    q = np.tile(start_configuration(robot, "stand"), (len(t), 1))
    n, name = robot.base_positions, robot.name
    bend = 0.25 * np.sin(np.pi * t) ** 2
    sway = 0.06 * np.sin(2 * np.pi * t)
    for side in SIDES[name]:
        hip, knee, ankle = (n + robot.joint_index(side + j) for j in BENDS[name])
        q[:, hip] -= bend
        q[:, knee] += 2 * bend
        q[:, ankle] -= bend
        for sign, joint in zip((1, -1), SWAYS.get(name, ()), strict=False):
            q[:, n + robot.joint_index(side + joint)] += sign * sway
    legs = {int(j) for j in robot.leg_joints}
    for j in range(robot.num_joints):
        if j not in legs:
            q[:, n + j] += 0.2 * np.sin(np.pi * t) * np.sin(1.0 + j)
    low, high = robot.position_lower + 0.01, robot.position_upper - 0.01
    q[:, n:] = np.clip(q[:, n:], low, high)
    _put_on_left_foot(robot, q)
    v = np.zeros((len(t), robot.num_velocities))
    v[:, 6:] = np.gradient(q[:, n:], t, axis=0)
    v[:, 3:6] = np.gradient(q[:, 4:7], t, axis=0)
    v[:, :3] = _spin(q[:, :4], t)
    columns = {"t": t}
    columns |= dict(zip(position_names(robot), q.T, strict=True))
    columns |= dict(zip(velocity_names(robot), v.T, strict=True))
    columns |= {f"tau.{j}": np.sin(t + i) for i, j in enumerate(robot.joint_names)}
    for foot in robot.feet.values():
        for k, axis in enumerate(("tx", "ty", "tz", "fx", "fy", "fz")):
            columns[f"{foot}.{axis}"] = np.full(len(t), float(k))
        columns[f"{foot}.standing"] = np.ones(len(t), bool)
    return pd.DataFrame(columns)


def _put_on_left_foot(robot, q):
    """Moves the base so that the left sole stays where it is, turned by a heading."""
    state, foot = Configuration(robot, q[0]), robot.feet["left"]
    X_WF = state.pose(foot)
    c, s = np.cos(HEADING), np.sin(HEADING)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    for row in q:
        row[:7] = [1, 0, 0, 0, 0, 0, 0]
        X_BF = state.update(row).pose(foot)
        X_WB = X_WF @ X_BF.inverse()
        half = HEADING / 2
        w = X_WB.rotation().ToQuaternion().wxyz()
        a, b = np.cos(half), np.sin(half)
        row[:4] = [
            a * w[0] - b * w[3],
            a * w[1] - b * w[2],
            a * w[2] + b * w[1],
            a * w[3] + b * w[0],
        ]
        row[4:7] = R @ X_WB.translation()


def _spin(w, t):
    """Angular velocities in the world of quaternions over time."""
    rate = np.gradient(w, t, axis=0)
    conjugate = w * [1, -1, -1, -1]
    a, b, c, d = rate.T
    e, f, g, h = conjugate.T
    return 2 * np.stack(
        [
            a * f + b * e + c * h - d * g,
            a * g - b * h + c * e + d * f,
            a * h + b * g - c * f + d * e,
        ],
        axis=1,
    )
