"""Formats of motion files: which there are, how each is told, and its reader."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from backbeat.behaviors.takes.readers import (
    body_npz,
    column_npz,
    deepmimic,
    holosoma,
    human_bvh,
    named_csv,
    opensim,
    robot_csv,
)
from backbeat.behaviors.takes.readers.archive import array_names, array_shapes
from backbeat.behaviors.takes.take import Conventions, MotionFile
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.robot.model import RobotModel

Read = Callable[[bytes, str | Path, RobotModel, Conventions], MotionFile]


class Format(NamedTuple):
    """A format of motion files.

    Attributes:
        read: its reader.
        summary: what it is, in a few words.
    """

    read: Read
    summary: str


FORMATS: Mapping[str, Format] = {
    named_csv.FORMAT: Format(
        named_csv.read_named_csv, "CSV with a line of names: time, joints, base"
    ),
    robot_csv.FORMAT: Format(
        robot_csv.read_robot_csv,
        "CSV without names: place, quaternion with w last, joints depth first; "
        "csv-g1, csv-h1 say the robot too",
    ),
    "beyondmimic": Format(
        body_npz.read_body_npz, "NPZ of joint and body states, breadth first"
    ),
    "mjlab": Format(body_npz.read_body_npz, "NPZ of the same, depth first"),
    holosoma.FORMAT: Format(
        holosoma.read_holosoma, "NPZ of qpos and fps, or of states for training"
    ),
    column_npz.FORMAT: Format(
        column_npz.read_column_npz, "NPZ with an array for each column"
    ),
    deepmimic.FORMAT: Format(
        deepmimic.read_deepmimic, "JSON of frames with a duration, root and joints"
    ),
    opensim.FORMAT: Format(opensim.read_opensim, "OpenSim's .mot and .sto"),
    human_bvh.FORMAT: Format(
        human_bvh.read_human_bvh, "a person's skeleton, which is retargeted"
    ),
}
_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_PICKLES = (".pkl", ".pickle", ".p", ".joblib")


def format_named(name: str, robot: RobotModel) -> str:
    """A format by its name, or by that of a CSV file of the robot, such as csv-g1.

    Raises:
        BackbeatError: there is none, or it is of another robot.
    """
    if name in FORMATS:
        return name
    if name == f"csv-{robot.name}":
        return robot_csv.FORMAT
    if re.fullmatch(r"csv-\w+", name):
        raise BackbeatError(
            f"the format {name} is of another robot than {robot.name}, whose is "
            f"csv-{robot.name}; name the robot with --robot"
        )
    raise unknown_name("format of motions", name, FORMATS)


def find_format(raw: bytes, path: str | Path) -> str:
    """The format that a file is in, by what it begins with.

    Raises:
        BackbeatError: it is in none, or in one that only code could read.
    """
    suffix = Path(path).suffix.lower()
    if _PICKLE.match(raw) or suffix in _PICKLES:
        raise _of_pickle(path)
    if raw.startswith(b"PK"):
        return _of_arrays(raw, path)
    if raw.startswith(b"\x93NUMPY"):
        raise BackbeatError(
            f"{path} is a single array without names; save it as CSV, or as NPZ with "
            "qpos and fps"
        )
    if b"\x00" in raw[:1000]:
        raise BackbeatError(
            f"{path} is in no format that is known; these are {', '.join(FORMATS)}"
        )
    start = raw[:100].removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"{", b"[")):
        return deepmimic.FORMAT
    if start.upper().startswith(b"HIERARCHY"):
        return human_bvh.FORMAT
    if opensim.is_opensim(raw):
        return opensim.FORMAT
    return robot_csv.FORMAT if robot_csv.is_headerless(raw) else named_csv.FORMAT


def _of_pickle(path: str | Path) -> BackbeatError:
    """Why a pickle is not read, and what to do."""
    return BackbeatError(
        f"{path} is a pickle, which runs code when it is read, and is not read; GMR's "
        "batch_gmr_pkl_to_csv.py makes CSV of its pickles, which can be"
    )


def _of_arrays(raw: bytes, path: str | Path) -> str:
    """The format of an NPZ file, by the names of its arrays."""
    names = set(array_names(raw, path))
    if any(n.endswith(".pkl") for n in names):  # As PyTorch packs what it saves.
        raise _of_pickle(path)
    if "qpos" in names:
        return holosoma.FORMAT
    if "joint_pos" in names:
        shapes = array_shapes(raw, ("joint_pos", "joint_vel"), path)
        return holosoma.FORMAT if holosoma.is_training(shapes) else "mjlab"
    if "t" in names and any(n.startswith("q.") for n in names):
        return column_npz.FORMAT
    if "poses" in names:
        raise BackbeatError(
            f"{path} has poses of a person (SMPL); retarget it first, and import what "
            "comes of it"
        )
    there = ", ".join(sorted(names)[:8]) or "none"
    raise BackbeatError(
        f"{path}: its arrays ({there}) are of no format that is known: joint_pos with "
        "body_pos_w and body_quat_w (beyondmimic, mjlab), qpos with fps (holosoma), "
        "t with q.NAME (npz)"
    )


def read_motion(
    raw: bytes, path: str | Path, robot: RobotModel, told: Conventions
) -> MotionFile:
    """What a file of robot joints holds, in the format that is said or found.

    Args:
        raw: the file.
        path: names it in errors.
        robot: whose motion it is.
        told: what the user says about it.

    Raises:
        BackbeatError: what is wrong with it.
    """
    name = format_named(told.format, robot) if told.format else find_format(raw, path)
    return FORMATS[name].read(raw, path, robot, told)
