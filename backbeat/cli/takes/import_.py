"""`backbeat import`: recorded motions become behaviors, one or a folder of them."""

from pathlib import Path
from typing import Annotated

import typer

from backbeat.cli.author.new_from_recording import recorded_dance_files
from backbeat.cli.common.completion import robots, takes
from backbeat.cli.common.options import Scheduler
from backbeat.cli.common.take_options import (
    NO_OPTIONS,
    TakeOptions,
    with_take_options,
)
from backbeat.jobs.robot_of_take import robot_of

TakeOrFolder = Annotated[
    Path,
    typer.Argument(
        help="Motion file: CSV, NPZ, DeepMimic, OpenSim or BVH; or a folder of them.",
        autocompletion=takes,
    ),
]
RobotOfTake = Annotated[
    str,
    typer.Option(
        help="Robot that ships, or path of a robot YAML; by default the one that ships "
        "whose joints the file has.",
        autocompletion=robots,
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Specification to write: NAME.yaml; of a folder, a new library.",
    ),
]
TakesAtATime = Annotated[
    int | None,
    typer.Option(min=1, help="Takes of a folder in parallel; by default one per core."),
]
Again = Annotated[
    bool, typer.Option("--force", help="Make all takes of a folder again.")
]

TakeCut = Annotated[
    str,
    typer.Option(
        help="Part to keep of a motion with hands, knees or the back on the floor, or "
        "a fall: longest, or all, as files NAME-1.yaml, NAME-2.yaml and so on. Of "
        "takes of a folder it is the longest.",
    ),
]


@with_take_options
def command(
    take: TakeOrFolder,
    robot: RobotOfTake = "",
    output: Output = None,
    jobs: TakesAtATime = None,
    scheduler: Scheduler = None,
    force: Again = False,
    cut: TakeCut = "",
    take_options: TakeOptions = NO_OPTIONS,
) -> None:
    """Reads a motion, says what it took it for, and writes a specification that builds.

    Of a folder all motions are imported and built, into a library with a table and a
    page; the same command goes on where it was stopped.

    `backbeat check TAKE --robot g1` says whether a motion is feasible as it is.
    """
    from backbeat.cli.author.new import write_new
    from backbeat.cli.takes.folder import import_folder
    from backbeat.cli.takes.parts import ALL, check_cut, kept_parts
    from backbeat.jobs.take_files import plain_name
    from backbeat.models.common.errors import BackbeatError
    from backbeat.models.common.outside_file import is_folder

    check_cut(cut)
    described = take_options.described()
    if is_folder(take):
        if cut == ALL:
            raise BackbeatError(
                "of each take of a folder the longest part is kept; import a take by "
                "itself for --cut all"
            )
        return import_folder(take, output, robot, described, jobs, scheduler, force)
    if jobs is not None or scheduler is not None or force:
        raise BackbeatError(
            f"--jobs, --scheduler and --force are of a folder of takes, and {take} is "
            "none"
        )
    path = output or Path(f"{plain_name(take.stem)}.yaml")
    if path.suffix not in (".yaml", ".yml"):
        raise BackbeatError(f"{path}: a specification is called NAME.yaml")
    robot = robot or robot_of(take, described, typer.echo)
    files: dict[Path, str | bytes] = {}
    named = []
    for name, part in kept_parts(path.stem, take, described, robot, cut):
        files |= recorded_dance_files(name, path.parent, take, part, robot)
        named.append(str(path.with_name(f"{name}.yaml")))
    for made in write_new(files):
        typer.echo(f"wrote {made}")
    typer.echo(f"next: backbeat build {' '.join(named)}")
