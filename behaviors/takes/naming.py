"""Names of columns: joints and the floating base, as various tools spell them."""

import re
from collections.abc import Sequence

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.robot.model import RobotModel

PLACE = ("base.x", "base.y", "base.z")
QUATERNION = ("base.qw", "base.qx", "base.qy", "base.qz")
ANGLES = ("base.roll", "base.pitch", "base.yaw")
BASE = (*PLACE, *QUATERNION, *ANGLES)
TIME = ("t", "time")
# What other tools write before and behind the name of a joint.
_BEFORE = re.compile(r"^(q|pos|position|joint_pos|dof_pos|qpos|joint)[./]")
_BEHIND = re.compile(r"(_joint|_dof|_pos|_position|/position|/value)+$")
_UNITS = (("_rad", "radians"), ("_deg", "degrees"))
_ROOT = r"(?:(?:base|root|pelvis|floating_base|trunk)[._/])?"
_OF_BASE = (
    (
        re.compile(_ROOT + r"(?:(?:pos|position|trans|translation|t)[._/]?)?([xyz])$"),
        "",
    ),
    (re.compile(_ROOT + r"(?:quat|rot|orientation|quaternion)[._/]([wxyz])$"), "q"),
    (re.compile(_ROOT + r"q([wxyz])$"), "q"),
    (re.compile(_ROOT + r"(roll|pitch|yaw)$"), ""),
)


class ColumnNames:
    """What columns of a file are of.

    Attributes:
        robot: whose joints they are.
    """

    def __init__(self, robot: RobotModel) -> None:
        """Prepares the names of a robot's joints."""
        self.robot = robot
        self._known = frozenset(robot.joint_names)
        plain = [_plain(name) for name in robot.joint_names]
        self._joints = {
            p: name
            for p, name in zip(plain, robot.joint_names, strict=True)
            if plain.count(p) == 1
        }

    def find(self, name: str) -> tuple[str, str]:
        """The joint or base coordinate that a column is of, and its unit, "" if open.

        Raises:
            BackbeatError: it is of neither.
        """
        found = self.look_up(name)
        if found is None:
            raise unknown_name("column", name, (*self.robot.joint_names, *BASE))
        return found

    def look_up(self, name: str) -> tuple[str, str] | None:
        """As `find`; None for a column that is of neither."""
        stem, unit = _without_unit(name)
        for spelling in (name, name.removeprefix("q."), stem):
            if spelling in BASE or spelling in self._known:
                return spelling, unit
            if spelling in self.robot.joint_aliases:
                return self.robot.joint_names[self.robot.joint_index(spelling)], unit
        plain = _plain(stem)
        if plain in self._joints:
            return self._joints[plain], unit
        for pattern, letter in _OF_BASE:
            if found := pattern.match(stem.lower()):
                return f"base.{letter}{found[1]}", unit
        return None


def _without_unit(name: str) -> tuple[str, str]:
    for ending, unit in _UNITS:
        if name.lower().endswith(ending):
            return name[: -len(ending)], unit
    return name, ""


def plain_name(name: str) -> str:
    """A name without its unit and what tools write around it, in small letters."""
    return _plain(_without_unit(name)[0])


def _plain(name: str) -> str:
    """A name without what tools write around it, in small letters."""
    stem = _BEFORE.sub("", name.strip().lower())
    return _BEHIND.sub("", stem).replace("-", "_").replace(" ", "_")


def one_unit(units: Sequence[str], at: str) -> str:
    """The unit that the names of columns give; "" if they give none.

    Raises:
        BackbeatError: they give two.
    """
    given = {u for u in units if u}
    if len(given) > 1:
        raise BackbeatError(
            f"{at}: the names of some columns end in _deg and of others in _rad; "
            "use one unit"
        )
    return given.pop() if given else ""
