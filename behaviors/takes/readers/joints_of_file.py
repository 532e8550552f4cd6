"""Whose motion a file may be: a person's, or by its joints that of some robots.

No robot has to be built for that, and few files have to be read beyond their headers.
"""

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from backbeat.behaviors.takes.naming import plain_name
from backbeat.behaviors.takes.readers import (
    body_npz,
    column_npz,
    deepmimic,
    holosoma,
    human_bvh,
    human_deepmimic,
    named_csv,
    opensim,
    robot_csv,
)
from backbeat.behaviors.takes.readers.archive import (
    array_names,
    array_shapes,
    read_arrays,
)

# Columns besides joints: none, time, the free base, both.
BESIDE = (0, 1, robot_csv.BASE, robot_csv.BASE + 1)


class FileJoints(NamedTuple):
    """What a file says of its joints.

    Attributes:
        names: of columns, joints among them; empty if it has none.
        width: number of columns without names; 0 if that is not known.
        of_person: whether they are those of a person, which is retargeted.
    """

    names: frozenset[str] = frozenset()
    width: int = 0
    of_person: bool = False

    def shared(self, joints: Collection[str]) -> int:
        """How many of a robot's joints the file may have; 0 where that is not known.

        Args:
            joints: names of all joints of the robot.
        """
        if self.names:
            return len(self.names.intersection(map(plain_name, joints)))
        beside = self.width - len(joints)
        # Behind the columns of the robot may be those of free objects.
        objects = beside > 0 and beside % holosoma.FREE == 0
        return len(joints) if beside in BESIDE or objects else 0


def joints_of_file(raw: bytes, path: str | Path, form: str) -> FileJoints:
    """What a file says of its joints; nothing where only its reader could say.

    Args:
        raw: the file.
        path: names it in errors.
        form: its format, see `formats.find_format`.

    Raises:
        BackbeatError: it is damaged.
    """
    if form == human_bvh.FORMAT:
        return FileJoints(of_person=True)
    if form == deepmimic.FORMAT:
        width = deepmimic.frame_width(raw, path)
        return FileJoints(width=width, of_person=width == human_deepmimic.NUMBERS)
    if form == robot_csv.FORMAT:
        return FileJoints(width=raw.strip().partition(b"\n")[0].count(b",") + 1)
    if form == named_csv.FORMAT:
        return _named(raw.partition(b"\n")[0], b",")
    if form == opensim.FORMAT:
        return _named(opensim.header(raw), None)
    if form == column_npz.FORMAT:
        return FileJoints(frozenset(map(plain_name, array_names(raw, path))))
    if raw.startswith(b"PK"):
        names = body_npz.names_in(
            read_arrays(raw, ("joint_names",), path), "joint_names", path
        )
        if names is not None:
            return FileJoints(frozenset(map(plain_name, names)))
        shapes = array_shapes(raw, ("qpos", "joint_pos"), path).values()
        widths = [shape[1] for shape in shapes if len(shape) == 2]
        return FileJoints(width=widths[0] if widths else 0)
    return FileJoints()


def _named(line: bytes, between: bytes | None) -> FileJoints:
    """The names in a line."""
    text = line.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    words = text.split(None if between is None else between.decode())
    return FileJoints(frozenset(plain_name(w.strip().strip('"')) for w in words))
