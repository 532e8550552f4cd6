"""Specifications to start from, for a robot of the user's own."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backbeat.models.robot.model import RobotModel

# The robot that ships.
ATLAS = "atlas"

POSTURE = """\
# A tour of postures of {title}. Check it, build it, and watch it:
#   backbeat check {path}
#   backbeat build {path}
#   backbeat play {name}
# docs/reference/keys.md has all keys.
kind: posture
name: {name}
summary: {title} takes postures of my own.
{robot}
stations:
  # A posture of the robot's YAML: {postures}.
  - {{posture: {last}, move: 1.5, hold: 0.5}}
  # Angles of single joints that differ from the posture.
  - {{posture: {start}, angles: {{{joint}: {angle:.3g}}}, move: 1.5, hold: 0.5}}
  - {{posture: {start}, move: 1.5, hold: 0.5}}
{joints}"""
DANCE = """\
# A dance of {title}. Check it, build it, and watch it:
#   backbeat check {path}
#   backbeat build {path}
#   backbeat play {name}
# Moves of legs suit every robot with a left and a right sole. Those of arms and head
# that ship name the joints of Atlas; docs/how_to/dances.md explains how to write moves
# for the joints below.
kind: dance
name: {name}
summary: {title} dances a dance of my own.
{robot}
bpm: 98
meter: 4/4
beats: 20
tracks:
  legs:
    - {{move: bounce, at: 2, beats: 6, values: {{depth: {depth:.3g}}}}}
    - {{move: sway, at: 9, beats: 8, values: {{width: {width:.3g}}}}}
{joints}"""
# Of the height of the base: how deep a first dance goes, and how far to the side.
_DEPTH, _WIDTH = 0.04, 0.03
# How far a joint is turned as an example, of its range and at most [rad or m].
_SHARE, _MOST = 0.2, 0.3


@dataclass(frozen=True)
class RobotToStart:
    """A robot that a specification is written for.

    Attributes:
        key: the robot as the specification names it.
        model: the robot.
        start: posture that it starts from.
    """

    key: str
    model: "RobotModel"
    start: str

    @property
    def lines(self) -> str:
        """The lines of a specification that name it."""
        return f"robot: {self.key}\nstart: {self.start}"

    def joints(self) -> str:
        """Its joints by group with their limits, as comments."""
        robot = self.model
        groups = {g: list(map(int, i)) for g, i in robot.groups.items()}
        named = {j for i in groups.values() for j in i}
        legs = [int(j) for j in robot.leg_joints if int(j) not in named]
        rest = [j for j in range(robot.num_joints) if j not in {*named, *legs}]
        groups |= {"legs": legs, "others": rest}
        lines = [f"# Joints of {robot.name}, as columns of a recording have them, by"]
        lines.append("# group, with their ranges [rad or m]:")
        for group, indices in groups.items():
            lines += [f"#   {group}:"] if indices else []
            for j in indices:
                low, high = robot.position_lower[j], robot.position_upper[j]
                lines.append(f"#     {robot.joint_names[j]}: {low:.3g} to {high:.3g}")
        return "\n".join(lines) + "\n"


def robot_to_start(robot: str, folder: Path) -> RobotToStart:
    """A robot by its shipped name or the path of its YAML.

    Args:
        robot: name or path.
        folder: where the specification is written.

    Raises:
        BackbeatError: there is no such robot, or it has no posture to start from.
    """
    from backbeat.models.common.errors import BackbeatError
    from backbeat.models.robot.description import SHIPPED, find_description
    from backbeat.models.robot.model import RobotModel

    path = find_description(robot)
    model = RobotModel(path)
    postures = [*model.posture_names]
    if not postures:
        raise BackbeatError(
            f"{path}: the robot has no posture to start from; write one under "
            "`postures`"
        )
    start = "stand" if "stand" in postures else postures[0]
    key = (
        robot if robot in SHIPPED else os.path.relpath(path.resolve(), folder.resolve())
    )
    return RobotToStart(key, model, start)


def posture_files(name: str, folder: Path, own: RobotToStart) -> dict[Path, str]:
    """A tour of postures, by path.

    Raises:
        BackbeatError: the name is not one of a behavior.
    """
    from backbeat.behaviors.library.stored import check_name

    path, robot = folder / f"{check_name(name)}.yaml", own.model
    joint, angle = _example(own)
    text = POSTURE.format(
        name=name,
        title=robot.name,
        path=path,
        robot=own.lines,
        start=own.start,
        last=[*robot.posture_names][-1],
        postures=", ".join(robot.posture_names),
        joint=joint,
        angle=angle,
        joints=own.joints(),
    )
    return {path: text}


def _example(own: RobotToStart) -> tuple[str, float]:
    """A joint that carries nothing, or little, and an angle for it."""
    robot = own.model
    q = robot.posture(own.start)[robot.base_positions :]
    free = [j for j in range(robot.num_joints) if j not in set(robot.leg_joints)]
    j = (free or [robot.num_joints - 1])[-1]
    low, high = robot.position_lower[j], robot.position_upper[j]
    step = min(_SHARE * (high - low), _MOST)
    return robot.joint_names[j], q[j] + (step if q[j] + step <= high else -step)


def dance_files(name: str, folder: Path, own: RobotToStart) -> dict[Path, str]:
    """A choreography, by path.

    Raises:
        BackbeatError: the name is not one of a behavior, or the robot has no soles.
    """
    from backbeat.behaviors.library.stored import check_name
    from backbeat.models.common.errors import BackbeatError

    path, robot = folder / f"{check_name(name)}.yaml", own.model
    try:
        robot.feet  # noqa: B018 - says which foot a dance would lack
    except BackbeatError as error:
        raise BackbeatError(
            f"{error}; a tour of postures needs none, start with "
            f"`backbeat new posture {name} --robot ...`"
        ) from None
    height = float(robot.posture(own.start)[6])
    text = DANCE.format(
        name=name,
        title=robot.name,
        path=path,
        robot=own.lines,
        depth=_DEPTH * height,
        width=_WIDTH * height,
        joints=own.joints(),
    )
    return {path: text}


def drumming_line(own: RobotToStart) -> str:
    """The line that names a robot that drums.

    Raises:
        BackbeatError: it has no sticks.
    """
    from backbeat.models.common.errors import BackbeatError
    from backbeat.models.robot.description import load_description

    if "sticks" not in load_description(own.model.description).equipment:
        raise BackbeatError(
            f"{own.model.name} has no sticks: its YAML needs an equipment `sticks`, as "
            "that of Atlas has"
        )
    return f"robot: {own.key}\n"
