"""NPZ of holosoma: configurations from its retargeter, or states for its training.

The retargeter writes `qpos` as MuJoCo has it: place, quaternion with w first, joints
depth first, and `fps`, which is a period in some files. For training `joint_pos` is the
whole qpos too, and names of joints and bodies are there.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from backbeat.behaviors.takes.joint_orders import depth_first
from backbeat.behaviors.takes.readers.archive import numbers, read_arrays
from backbeat.behaviors.takes.readers.body_npz import frame_rate, named_order, names_in
from backbeat.behaviors.takes.take import Conventions, MotionFile
from backbeat.behaviors.takes.timing import stated
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel

FORMAT = "holosoma"
ARRAYS = ("fps", "qpos", "joint_pos", "joint_names")
# Numbers of a free body: place and quaternion.
FREE = 7


def is_training(there: Mapping[str, tuple[int, ...]]) -> bool:
    """Whether shapes of arrays are those of a file for training."""
    q, v = there.get("joint_pos", ()), there.get("joint_vel", ())
    return len(q) == len(v) == 2 and q[1] == v[1] + 1


def read_holosoma(
    raw: bytes, path: str | Path, robot: RobotModel, told: Conventions
) -> MotionFile:
    """Reads an NPZ file of holosoma.

    Args:
        raw: the file.
        path: names it in errors.
        robot: whose motion it is.
        told: what the user says: the rate.

    Raises:
        BackbeatError: what is wrong with it.
    """
    there = read_arrays(raw, ARRAYS, path)
    key = "qpos" if "qpos" in there else "joint_pos"
    if key not in there:
        raise BackbeatError(f"{path}: there is neither an array qpos nor joint_pos")
    values = numbers(there[key], 2, key, path)
    own, extra = FREE + robot.num_joints, values.shape[1] - FREE - robot.num_joints
    if extra < 0 or extra % FREE:
        raise BackbeatError(
            f"{path}: {key} has {values.shape[1]} columns, and a motion of "
            f"{robot.name} {own}; is it of another robot?"
        )
    notes: tuple[str, ...] = ()
    if extra:
        notes = (
            f"{Path(path).name}: the last {extra} columns of {key} are of free "
            "objects and are left out",
        )
    names = names_in(there, "joint_names", path)
    order = depth_first(robot)
    if names is not None:
        order = named_order(names[-robot.num_joints :], robot, path)
    t, timing = stated(len(values), frame_rate(there, told, path), told.rate, path)
    what = "retargeter" if key == "qpos" else "training file"
    return MotionFile(
        format=FORMAT,
        layout=f"NPZ of holosoma's {what} ({key})",
        t=t,
        timing=timing,
        joints=tuple(robot.joint_names[j] for j in order),
        q=np.ascontiguousarray(values[:, FREE:own]),
        place=values[:, :3],
        turn=values[:, 3:FREE],
        unit="radians",
        length="m",
        quaternion="wxyz",
        up="z",
        notes=notes,
    )
