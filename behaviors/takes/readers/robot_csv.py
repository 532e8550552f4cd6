"""Motions as CSV without names: the base, then joints in the robot's order.

So retargeted motions of the robots of Unitree are shared: place, quaternion with w
last, joints depth first, 30 lines a second.
"""

from pathlib import Path

import numpy as np

from backbeat.behaviors.takes.joint_orders import depth_first
from backbeat.behaviors.takes.take import Conventions, MotionFile
from backbeat.behaviors.takes.timing import timed
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel

FORMAT = "csv-robot"
USUAL_RATE = 30.0
# Numbers of the base: place and quaternion.
BASE = 7
# Columns that any robot may have.
MOST = 500


def read_robot_csv(
    raw: bytes, path: str | Path, robot: RobotModel, told: Conventions
) -> MotionFile:
    """Reads CSV without a line of names.

    Args:
        raw: the file.
        path: names it in errors.
        robot: whose joints they are, in its own order.
        told: what the user says: the rate.

    Raises:
        BackbeatError: what is wrong with it, with its line, or no such layout.
    """
    from backbeat.behaviors.takes.readers.number_table import read_numbers

    raw = raw.removeprefix(b"\xef\xbb\xbf").strip()
    count, joints = raw.partition(b"\n")[0].count(b",") + 1, robot.num_joints
    layouts = {
        BASE + joints: f"place, quaternion and {joints} joints",
        joints: f"{joints} joints",
        BASE + joints + 1: f"time, place, quaternion and {joints} joints",
        joints + 1: f"time and {joints} joints",
    }
    if count not in layouts:
        known = ", ".join(f"{n} ({what})" for n, what in layouts.items())
        raise BackbeatError(
            f"{path}:1: it has {min(count, MOST)} columns without names, and a motion "
            f"of {robot.name} has {known}; is it of another robot?"
        )
    names = [f"column {k + 1}" for k in range(count)]
    # The first line has numbers too, and is not skipped.
    table = read_numbers(b"\n" + raw, names, names, path, first_line=1)
    values = np.stack([table[n] for n in names], axis=1)
    if count in (BASE + joints + 1, joints + 1):
        t, values = values[:, 0], values[:, 1:]
        timing = "times of its first column"
        if told.rate is not None:
            raise BackbeatError(
                f"{path}: its first column is time, so that no rate is needed"
            )
    else:
        t, timing = timed(len(values), told.rate, USUAL_RATE, path)
    place = turn = None
    if values.shape[1] > joints:
        place, turn, values = values[:, :3], values[:, 3:BASE], values[:, BASE:]
    order = [robot.joint_names[j] for j in depth_first(robot)]
    return MotionFile(
        format=FORMAT,
        layout=f"CSV of {count} columns without names",
        t=t,
        timing=timing,
        joints=tuple(order),
        q=values,
        place=place,
        turn=turn,
        unit="radians",
        quaternion="xyzw",
        first_line=1,
    )


def is_headerless(raw: bytes) -> bool:
    """Whether the first line of a CSV file has numbers alone."""
    line = raw.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    cells = line[: 40 * MOST].split(b",")[:MOST]
    try:
        return len(cells) > 1 and bool(np.isfinite([float(c) for c in cells]).all())
    except ValueError:
        return False
