"""CSV files: with a line of names, or without as motions of the G1 are shared."""

import io

import numpy as np
import pandas as pd

from backbeat.behaviors.takes.joint_orders import depth_first
from backbeat.behaviors.takes.writers.states import MotionStates

# Digits that are written of a number.
DIGITS = "%.9g"


def joint_table(frame: pd.DataFrame, with_base: bool = False) -> pd.DataFrame:
    """The joint angles of a behavior or run, as `read_named_csv` takes them.

    Args:
        frame: columns "t" [s] and "q.NAME" [rad], as behaviors and runs are stored.
        with_base: the floating base too, if there is one.
    """
    names = [n for n in frame.columns if n.startswith("q.")]
    names = [n for n in names if with_base or not n.startswith("q.base.")]
    # Where a contact begins or ends a motion has two samples, of the same joint angles.
    once = np.r_[True, np.diff(frame["t"].to_numpy()) > 0]
    table = frame.loc[once, ["t", *names]]
    return table.rename(columns=lambda n: n.removeprefix("q."))


def write_named_csv(states: MotionStates) -> bytes:
    """Time, base and joints under their names."""
    names = [f"base.{a}" for a in ("qw", "qx", "qy", "qz", "x", "y", "z")]
    names = [*names[: states.robot.base_positions], *states.robot.joint_names]
    frame = pd.DataFrame(states.q, columns=names)
    frame.insert(0, "t", states.t)
    return _csv(frame, header=True)


def write_robot_csv(states: MotionStates) -> bytes:
    """Place, quaternion with w last, and joints depth first, without names."""
    order = depth_first(states.robot)
    turn, place = states.bodies.turn[:, 0], states.bodies.place[:, 0]
    if states.robot.floating:
        turn, place = states.q[:, :4], states.q[:, 4:7]
    values = np.hstack([place, np.roll(turn, -1, axis=1), states.joints[:, order]])
    return _csv(pd.DataFrame(values), header=False)


def _csv(frame: pd.DataFrame, header: bool) -> bytes:
    file = io.StringIO()
    frame.to_csv(file, index=False, header=header, float_format=DIGITS)
    return file.getvalue().encode()
