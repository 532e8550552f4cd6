"""The robot whose motion a take is, where the user names none."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from backbeat.behaviors.dance.recorded_move import RecordingDescription

# Robots of which a file may be, where none is named.
TRIED = ("atlas", "g1", "h1", "t1")


def robot_of(take: Path, described: "RecordingDescription") -> str:
    """The robot that ships whose motion a file is; says which one.

    Raises:
        BackbeatError: it is of none, or of more than one.
    """
    from backbeat.behaviors.recording.take_file import read_take
    from backbeat.models.common.errors import BackbeatError
    from backbeat.models.robot.description import find_description
    from backbeat.models.robot.model import RobotModel

    if take.suffix.lower() == ".bvh":
        raise BackbeatError(
            f"{take} is a person's motion, which any robot can have; say which with "
            f"--robot, such as {' or '.join(TRIED)}"
        )
    fits, refusals = [], []
    for name in TRIED:
        robot = RobotModel(find_description(name))
        try:
            read_take(take, robot, described.conventions())
            fits.append(name)
        except BackbeatError as error:
            refusals.append(error)
    if len(fits) == 1:
        typer.echo(f"{take.name} has the joints of {fits[0]}, whose motion it is")
        return fits[0]
    if fits:
        raise BackbeatError(
            f"{take} may be a motion of {' or '.join(fits)}; say which with --robot"
        )
    if len({str(e) for e in refusals}) == 1:  # It is not the robot.
        raise refusals[0]
    raise BackbeatError(
        f"{take} is no motion of {', '.join(TRIED)}, of which none was named with "
        f"--robot; of {TRIED[0]}: {refusals[0].without(take)}"
    )
