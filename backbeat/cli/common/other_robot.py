"""`--robot`: which robot a behavior is for, or is built for."""

from pathlib import Path
from typing import Annotated

import typer

from backbeat.cli.common.completion import robots

BuiltForRobot = Annotated[
    str,
    typer.Option(
        "--robot",
        help="Robot that ships, or path of a robot YAML, in place of the behavior's "
        "own.",
        autocompletion=robots,
    ),
]
OfRobot = Annotated[
    str,
    typer.Option(
        "--robot",
        help="Robot of the behavior: one that ships, or the path of a robot YAML. By "
        "default Atlas or, without such a behavior, the only robot that has one.",
        autocompletion=robots,
    ),
]


def placed_robot(robot: str) -> str:
    """A robot as `--robot` names it, its path from any folder."""
    is_file = robot.endswith((".yaml", ".yml"))
    return str(Path(robot).absolute()) if is_file else robot


def refuse_robot_of_run(name: str, robot: str) -> None:
    """Refuses `--robot` beside a run file, which has a robot of its own.

    Raises:
        BackbeatError: both are given.
    """
    from backbeat.models.common.errors import BackbeatError

    if robot and name.endswith(".parquet"):
        raise BackbeatError(f"--robot is of a behavior, and {name} is a run of its own")


def file_stem(name: str, robot: str) -> str:
    """How files of a behavior are called that a command writes.

    Args:
        name: of the behavior.
        robot: as `--robot` names it; "" for none.
    """
    if not robot:
        return name
    from backbeat.behaviors.library.robots import folder_name, robot_name

    return f"{name}.{folder_name(robot_name(placed_robot(robot)))}"
