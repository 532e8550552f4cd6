"""DeepMimic's text: JSON with frames of a duration, a root and joints.

Its own person has joints of three axes, which are no joints of a robot. A robot whose
joints are all of one axis has an angle for each.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from backbeat.behaviors.takes.joint_orders import depth_first
from backbeat.behaviors.takes.take import Conventions, MotionFile
from backbeat.behaviors.takes.timing import check_rate
from backbeat.models.common.errors import BackbeatError, gist
from backbeat.models.common.outside_file import decoded
from backbeat.models.robot.model import RobotModel

FORMAT = "deepmimic"
# Bytes of a file: a minute of the person at 60 frames a second has 2 MB.
MOST_BYTES = 20_000_000
# Numbers of a frame: of the root with the duration; and of the person.
ROOT, PERSON = 8, 44


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
        BackbeatError: what is wrong with it, or it is of a person.
    """
    frames = _frames(raw, path)
    width = len(frames[0])
    if width == PERSON and ROOT + robot.num_joints != PERSON:
        raise BackbeatError(
            f"{path}: its frames have {PERSON} numbers, as those of DeepMimic's person "
            f"have; joints of three axes are none of {robot.name}: retarget it first, "
            "and import what comes of it as CSV"
        )
    if width != ROOT + robot.num_joints:
        raise BackbeatError(
            f"{path}: its frames have {width} numbers, and those of {robot.name} have "
            f"{ROOT + robot.num_joints}: duration, place, quaternion and joints"
        )
    values = _table(frames, path)
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
