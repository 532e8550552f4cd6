"""`backbeat import`: a recorded motion becomes a behavior to build."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.author import new_from_recording as recorded
from backbeat.cli.common.completion import robots, takes

if TYPE_CHECKING:
    from backbeat.behaviors.dance.recorded_move import RecordingDescription

# Robots of which a file may be, where none is named.
TRIED = ("atlas", "g1", "h1", "t1")
LONGEST, ALL = CUTS = ("longest", "all")
TakeCut = Annotated[
    str,
    typer.Option(
        help="Part to keep of a motion with hands, knees or the back on the floor, or "
        "a fall: longest, or all, as files NAME-1.yaml, NAME-2.yaml and so on."
    ),
]


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
    form: recorded.TakeFormat = "",
    unit: recorded.TakeUnit = "",
    length: recorded.TakeLength = "",
    quaternion: recorded.TakeQuaternion = "",
    up: recorded.TakeUp = "",
    rate: recorded.TakeRate = None,
    ignore: recorded.TakeIgnore = None,
    skeleton: recorded.TakeSkeleton = "",
    start: recorded.TakeStart = None,
    end: recorded.TakeEnd = None,
    jumps: recorded.TakeJumps = "",
    cut: TakeCut = "",
) -> None:
    """Reads a motion, says what it took it for, and writes a specification that builds.

    `backbeat check TAKE --robot g1` says whether a motion is feasible as it is.
    """
    from backbeat.cli.author.new import write_new
    from backbeat.models.common.errors import BackbeatError, unknown_name

    if cut and cut not in CUTS:
        raise unknown_name("part to keep", cut, CUTS)
    described = recorded.described_take(
        form, unit, length, quaternion, up, rate, ignore, skeleton, start, end
    )
    path = output or Path(f"{_plain(take.stem)}.yaml")
    if path.suffix not in (".yaml", ".yml"):
        raise BackbeatError(f"{path}: a specification is called NAME.yaml")
    robot = robot or robot_of(take, described)
    described.jumps = jumps
    files: dict[Path, str | bytes] = {}
    named = []
    for name, part in _parts(path.stem, take, described, robot, cut):
        files |= recorded.recorded_dance_files(name, path.parent, take, part, robot)
        named.append(str(path.with_name(f"{name}.yaml")))
    for made in write_new(files):
        typer.echo(f"wrote {made}")
    typer.echo(f"next: backbeat build {' '.join(named)}")


def _parts(
    name: str, take: Path, described: "RecordingDescription", robot: str, cut: str
) -> Iterator[tuple[str, "RecordingDescription"]]:
    """What of a take becomes a behavior: names, and the take with its part.

    Raises:
        BackbeatError: it has to be cut, and none of its parts was asked for; or none
            remains.
    """
    from backbeat.behaviors.cuts.finding import find_parts
    from backbeat.behaviors.recording.take_file import read_take
    from backbeat.models.common.errors import BackbeatError
    from backbeat.models.robot.description import find_description
    from backbeat.models.robot.model import RobotModel

    model = RobotModel(find_description(robot))
    read = read_take(take, model, described.conventions())
    found = find_parts(read, model, described.start, described.end, str(take))
    if found.is_whole:
        yield name, described
        return
    if not found.parts or not cut:
        how = "take one with --start and --end, or keep them with --cut longest or all"
        way = f"; {how}" if found.parts else ""
        raise BackbeatError(f"{take}: {found.sentence()}{way}")
    typer.echo(f"{take.name}: {found.sentence()}")
    parts = [found.longest] if cut == LONGEST else list(found.parts)
    for k, (start, end) in enumerate(parts, 1):
        kept = replace(described, start=round(start, 2), end=round(end, 2))
        yield (f"{name}-{k}" if cut == ALL else name), kept


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


def _plain(stem: str) -> str:
    """The name of a behavior, of a file's."""
    kept = "".join(c if c.isalnum() and c.isascii() else "-" for c in stem.lower())
    return "-".join(filter(None, kept.split("-"))) or "take"
