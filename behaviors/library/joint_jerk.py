"""Jerk of joints: how fast accelerations change, by joint group.

Planned motions have it from their curves: differences of the curves' own accelerations
over the distance of samples, which are its means there, exact where the acceleration is
linear. A blow makes velocities jump, and has no jerk; its jump is given besides.

Measured motions have velocities alone. Their jerk is the second derivative of a cubic
that is fitted to the velocities around each sample (A. Savitzky, M. J. E. Golay,
"Smoothing and Differentiation of Data", 1964); what is shorter than that, such as a
blow, is spread over it.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from backbeat.models.robot.model import RobotModel
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory

# Time over which the cubic is fitted, at least [s].
WINDOW = 0.04
# Samples at times closer than this are at one [s].
SAME = 1e-9
COLUMNS = ("group", "most", "rms", "joint", "time", "jump")


def planned_jerk(
    robot: RobotModel, motion: DenseTrajectory
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Jerk of a planned motion.

    Args:
        robot: whose motion it is.
        motion: the motion.

    Returns:
        (m,) times in the middle of samples [s], (m, nj) jerks there [rad/s^3], and
        (nj,) the largest jump of each velocity [rad/s].
    """
    joints = slice(robot.base_velocities, None)
    step = np.diff(motion.t)
    inside = step > SAME
    middle = 0.5 * (motion.t[1:] + motion.t[:-1])[inside]
    change = np.diff(motion.vdot[:, joints], axis=0)[inside]
    jumps = np.abs(np.diff(motion.v[:, joints], axis=0)[~inside])
    return middle, change / step[inside, None], jumps.max(axis=0, initial=0.0)


def measured_jerk(t: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(M, nj) jerk of measured velocities [rad/s^3]; zero of too few samples.

    Args:
        t: (M,) times, evenly apart [s].
        v: (M, nj) velocities [rad/s].
    """
    if len(t) < 5:
        return np.zeros_like(v)
    # Takes as long to import as Drake, which is not needed to look at a behavior.
    import scipy

    step = float(np.median(np.diff(t)))
    width = max(5, 2 * round(0.5 * WINDOW / step) + 1)
    width = min(width, len(t) - 1 + len(t) % 2)  # odd, and no more than there are
    found = scipy.signal.savgol_filter(v, width, 3, deriv=2, delta=step, axis=0)
    return np.asarray(found)


def jerk_table(
    robot: RobotModel, t: np.ndarray, jerk: np.ndarray, jumps: np.ndarray | None = None
) -> pd.DataFrame:
    """Largest and root mean square jerk of every joint group.

    Args:
        robot: whose joints they are.
        t: (m,) times [s].
        jerk: (m, nj) jerks [rad/s^3].
        jumps: (nj,) largest jumps of velocities [rad/s]; None where there are none.

    Returns:
        One row a group: `group`, `most` and `rms` [rad/s^3], the `joint` and `time` [s]
        of the most, and the largest `jump` of a velocity [rad/s].
    """
    jumps = np.zeros(robot.num_joints) if jumps is None else jumps
    rows = []
    for group, joints in robot.groups.items():
        if not len(joints) or not len(t):
            continue
        own = np.abs(jerk[:, joints])
        i, j = np.unravel_index(int(own.argmax()), own.shape)
        rows.append(
            (
                group,
                float(own[i, j]),
                float(np.sqrt((own**2).mean())),
                robot.joint_names[joints[j]],
                float(t[i]),
                float(jumps[joints].max()),
            )
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def jerk_of_motion(robot: RobotModel, motion: DenseTrajectory) -> pd.DataFrame:
    """The table of a planned motion, from its curves."""
    t, jerk, jumps = planned_jerk(robot, motion)
    return jerk_table(robot, t, jerk, jumps)


def jerk_of_samples(robot: RobotModel, t: np.ndarray, v: np.ndarray) -> pd.DataFrame:
    """The table of a measured motion; `v` are velocities of the joints [rad/s]."""
    return jerk_table(robot, t, measured_jerk(t, v))


def jerk_story(table: pd.DataFrame) -> Mapping[str, Mapping[str, object]]:
    """A table as plain data, by group."""
    rows = table.to_dict("records")
    return {r["group"]: {k: r[k] for k in COLUMNS if k != "group"} for r in rows}
