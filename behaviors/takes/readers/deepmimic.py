"""DeepMimic's text: JSON with frames of a duration, a root and joints.

A robot whose joints are all of one axis has an angle for each. DeepMimic's own person
has joints of three axes; its motion is retargeted.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from backbeat.behaviors.takes.joint_orders import depth_first
from backbeat.behaviors.takes.readers.human_bvh import retargeted
from backbeat.behaviors.takes.readers.human_deepmimic import MAP, NUMBERS, human_frames
from backbeat.behaviors.takes.take import Conventions, MotionFile
from backbeat.behaviors.takes.timing import check_rate
from backbeat.models.common.errors import BackbeatError, gist
from backbeat.models.common.outside_file import decoded
from backbeat.models.robot.model import RobotModel

FORMAT = "deepmimic"
# Bytes of a file: a minute of the person at 60 frames a second has 2 MB.
MOST_BYTES = 20_000_000
# Numbers of a frame that are of the root and the duration.
ROOT = 8


def read_deepmimic(
    raw: bytes, path: str | Path, robot: RobotModel, told: Conventions
) -> MotionFile:
    """Reads a motion in DeepMimic's text.

    Args:
        raw: the file.
        path: names it in errors.
        robot: whose motion it is.
        told: what the user says: a rate in place of the durations.

    Raises:
        BackbeatError: what is wrong with it.
    """
    frames = _frames(raw, path)
    width, own = len(frames[0]), ROOT + robot.num_joints
    if width not in (own, NUMBERS):
        raise BackbeatError(
            f"{path}: its frames have {width} numbers, and those of {robot.name} have "
            f"{own}: duration, place, quaternion and joints; those of DeepMimic's "
            f"person have {NUMBERS}"
        )
    if width == own == NUMBERS:
        raise BackbeatError(
            f"{path}: its frames have {width} numbers, as those of DeepMimic's person "
            f"and of {robot.name} have; make a CSV of a motion of the robot"
        )
    values = _table(frames, path)
    if width == NUMBERS:
        return _of_person(values, path, robot, told)
    lasts = values[:, 0]
    if told.rate is not None:
        t, timing = (
            np.arange(len(values)) / check_rate(told.rate, path),
            f"{told.rate:g} samples/s as said",
        )
    else:
        t = np.r_[0.0, np.cumsum(lasts[:-1])]
        timing = f"{1 / max(float(np.median(lasts)), 1e-9):.4g} samples/s by durations"
    return MotionFile(
        format=FORMAT,
        layout=f"DeepMimic's text of {width} numbers a frame",
        t=t,
        timing=timing,
        joints=tuple(robot.joint_names[j] for j in depth_first(robot)),
        q=values[:, ROOT:],
        place=values[:, 1:4],
        turn=values[:, 4:ROOT],
        unit="radians",
        quaternion="wxyz",
        notes=(),
    )


def frame_width(raw: bytes, path: str | Path) -> int:
    """How many numbers a frame has; `NUMBERS` if the motion is DeepMimic's person's.

    Raises:
        BackbeatError: the file has no frames.
    """
    return len(_frames(raw, path)[0])


def _of_person(
    values: np.ndarray, path: str | Path, robot: RobotModel, told: Conventions
) -> MotionFile:
    """The motion of DeepMimic's person, retargeted."""
    lasts, first = values[:-1, 0], float(values[0, 0])
    if told.rate is not None:
        dt = 1 / check_rate(told.rate, path)
    elif len(lasts) and first > 0 and np.allclose(lasts, first, rtol=0.02):
        dt = float(lasts.mean())
    else:
        raise BackbeatError(
            f"{path}: frames of DeepMimic's person last equally long, and these last "
            f"{lasts.min(initial=first):.3g} to {lasts.max(initial=first):.3g} s; say "
            "--rate if they are equal"
        )
    path = Path(path)
    motion = human_frames(values, dt, path)
    return retargeted(motion, path, robot, FORMAT, MAP)


def _frames(raw: bytes, path: str | Path) -> list[Any]:
    """The frames as they stand.

    Raises:
        BackbeatError: there are none.
    """
    if len(raw) > MOST_BYTES:
        raise BackbeatError(f"{path} is larger than {MOST_BYTES / 1e6:g} MB")
    try:
        data = json.loads(decoded(raw, path))
    except (ValueError, RecursionError) as error:
        raise BackbeatError(f"{path} is no JSON: {gist(error)}") from None
    frames = data.get("Frames") if isinstance(data, dict) else None
    if not isinstance(frames, list) or not frames:
        raise BackbeatError(f"{path}: JSON with a list 'Frames' is needed")
    for k, frame in enumerate(frames):
        if not isinstance(frame, list) or len(frame) != len(frames[0]):
            raise BackbeatError(
                f"{path}: frame {k} is no list of as many numbers as the first"
            )
    return frames


def _table(frames: list[Any], path: str | Path) -> np.ndarray:
    """(n, numbers) of all frames.

    Raises:
        BackbeatError: one is no finite number.
    """
    for k, frame in enumerate(frames):
        plain = all(type(x) in (int, float) and abs(x) < 1e12 for x in frame)
        if not plain:
            raise BackbeatError(f"{path}: frame {k} has what is no finite number")
    return np.array(frames, float)
