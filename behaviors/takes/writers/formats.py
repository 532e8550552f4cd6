"""Formats that motions are written in: which there are, and their usual rate."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from backbeat.behaviors.takes.writers import arrays, mcap_file, text
from backbeat.behaviors.takes.writers.states import MotionStates
from backbeat.models.common.errors import BackbeatError, unknown_name

Write = Callable[[MotionStates], bytes]


class WrittenFormat(NamedTuple):
    """A format that is written.

    Attributes:
        write: makes the file.
        suffix: of its name.
        rate: samples a second that its readers are used to; None for those stored.
        summary: what it is, in a few words.
    """

    write: Write
    suffix: str
    rate: float | None
    summary: str


WRITTEN: Mapping[str, WrittenFormat] = {
    "csv": WrittenFormat(
        text.write_named_csv, ".csv", None, "CSV with names: time, base, joints"
    ),
    "csv-robot": WrittenFormat(
        text.write_robot_csv, ".csv", 30.0, "CSV without names: place, xyzw, joints"
    ),
    "beyondmimic": WrittenFormat(
        arrays.write_beyondmimic,
        ".npz",
        50.0,
        "NPZ of joints and bodies, breadth first",
    ),
    "mjlab": WrittenFormat(
        arrays.write_mjlab, ".npz", 50.0, "NPZ of joints and bodies, depth first"
    ),
    "holosoma": WrittenFormat(
        arrays.write_holosoma, ".npz", 50.0, "NPZ of qpos, qvel and bodies"
    ),
    "npz": WrittenFormat(
        arrays.write_columns, ".npz", None, "NPZ with an array for each column"
    ),
    "mcap": WrittenFormat(
        mcap_file.write_mcap, ".mcap", 50.0, "MCAP with Foxglove's messages, to watch"
    ),
}


def written_format(name: str, robot: str) -> WrittenFormat:
    """A format by its name, or by that of a CSV file of the robot, such as csv-g1.

    Args:
        name: of the format.
        robot: whose motion is written.

    Raises:
        BackbeatError: there is none, or it is of another robot.
    """
    if name == f"csv-{robot}":
        return WRITTEN["csv-robot"]
    if name not in WRITTEN and re.fullmatch(r"csv-\w+", name):
        raise BackbeatError(
            f"the format {name} is of another robot, and the motion is of {robot}; "
            f"csv-{robot} is there, and a behavior of another robot is named with "
            "--robot"
        )
    if name not in WRITTEN:
        raise unknown_name("format to write", name, WRITTEN)
    return WRITTEN[name]
