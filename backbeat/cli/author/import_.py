"""`backbeat import`: a recorded motion becomes a behavior to build."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.author.new_from_recording import recorded_dance_files
from backbeat.cli.common.completion import robots, takes
from backbeat.cli.common.take_options import (
    NO_OPTIONS,
    TakeOptions,
    with_take_options,
)

if TYPE_CHECKING:
    from backbeat.behaviors.dance.recorded_move import RecordingDescription

# Robots of which a file may be, where none is named.
TRIED = ("atlas", "g1", "h1", "t1")


@with_take_options
def command(
    take: Annotated[
        Path,
        typer.Argument(
            help="Motion file: CSV, NPZ, DeepMimic, OpenSim or BVH.",
            autocompletion=takes,
        ),
    ],
    robot: Annotated[
        str,
        typer.Option(
            help="Robot that ships, or path of a robot YAML; by default the one that "
            "ships whose joints the file has.",
            autocompletion=robots,
        ),
    ] = "",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Specification to write: NAME.yaml."),
    ] = None,
    take_options: TakeOptions = NO_OPTIONS,
) -> None:
    """Reads a motion, says what it took it for, and writes a specification that builds.

    `backbeat check TAKE --robot g1` says whether a motion is feasible as it is.
    """
    from backbeat.cli.author.new import write_new
    from backbeat.models.common.errors import BackbeatError

    described = take_options.described()
    path = output or Path(f"{_plain(take.stem)}.yaml")
    if path.suffix not in (".yaml", ".yml"):
        raise BackbeatError(f"{path}: a specification is called NAME.yaml")
    robot = robot or robot_of(take, described)
    files = recorded_dance_files(path.stem, path.parent, take, described, robot)
    for made in write_new(files):
        typer.echo(f"wrote {made}")
    typer.echo(f"next: backbeat build {path}")


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
    possible = _by_joints(take, described.format)
    if len(possible) == 1:
        typer.echo(f"{take.name} has the joints of {possible[0]}, whose motion it is")
        return possible[0]
    fits, refusals = [], []
    for name in possible:
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


def _by_joints(take: Path, form: str) -> list[str]:
    """Robots that ship of which a file may be, by its names or number of joints.

    Raises:
        BackbeatError: the file is in no format that is known, or is damaged.
    """
    from backbeat.behaviors.recording.take_file import take_bytes
    from backbeat.behaviors.takes.readers.formats import FORMATS, find_format
    from backbeat.behaviors.takes.readers.joints_of_file import joints_of_file
    from backbeat.models.common.outside_file import is_there
    from backbeat.models.robot.description import find_description, load_description

    if not is_there(take):
        return list(TRIED)  # Its reader says what is wrong.
    raw = take_bytes(take)
    found = joints_of_file(
        raw, take, form if form in FORMATS else find_format(raw, take)
    )
    shared = {}
    for name in TRIED:
        described = load_description(find_description(name))
        joints = {joint for group in described.groups.values() for joint in group}
        shared[name] = found.shared(joints)
    # Without names, a number of columns may be that of one robot or of another.
    most = max(shared.values()) if found.names else 1
    return [n for n in TRIED if shared[n] >= most] or list(TRIED)


def _plain(stem: str) -> str:
    """The name of a behavior, of a file's."""
    kept = "".join(c if c.isalnum() and c.isascii() else "-" for c in stem.lower())
    return "-".join(filter(None, kept.split("-"))) or "take"
