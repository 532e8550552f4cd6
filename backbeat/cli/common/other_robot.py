"""`--robot`: a behavior on another robot than the one that it was written for."""

from pathlib import Path
from typing import Annotated

import typer

from backbeat.cli.common.completion import robots

OtherRobot = Annotated[
    str,
    typer.Option(
        "--robot",
        help="Robot that ships, or path of a robot YAML, in place of the behavior's "
        "own; its name goes behind that of the behavior.",
        autocompletion=robots,
    ),
]


def placed_robot(robot: str) -> str:
    """A robot as `--robot` names it, its path from any folder."""
    is_file = robot.endswith((".yaml", ".yml"))
    return str(Path(robot).absolute()) if is_file else robot


def name_on_robot(name: str, robot: str, library: Path) -> str:
    """Name in the library of a behavior as it was built for a robot.

    Args:
        name: of the behavior.
        robot: as `--robot` names it; "" for the behavior's own.
        library: folder of built behaviors.

    Raises:
        BackbeatError: there is no such robot, or nothing was built for it.
    """
    if not robot or not name:
        return name
    from backbeat.behaviors.library.store import Library
    from backbeat.behaviors.specification.transfer import name_on, robot_name
    from backbeat.models.common.errors import BackbeatError

    store, wanted = Library(library), robot_name(placed_robot(robot))
    own, built = name_on(name, wanted), store.names()
    if own in built:
        return own
    if name in built and robot_name(store.load(name).robot) == wanted:
        return name
    where = "" if library == Path("library") else f" --library {library}"
    raise BackbeatError(
        f"{name} is not built for {wanted}; build it first: "
        f"backbeat build {name} --robot {robot}{where}"
    )
