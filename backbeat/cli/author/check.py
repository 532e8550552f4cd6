"""`backbeat check`: what is wrong with a file, before anything is made of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from backbeat.cli.common.completion import checked_files, robots
from backbeat.cli.common.take_options import (
    NO_OPTIONS,
    TakeOptions,
    with_take_options,
)
from backbeat.cli.common.urdf_check import check_urdf

# Endings of robot descriptions, which `backbeat lint` checks too.
URDF = (".urdf", ".xacro", ".sdf", ".xml", ".mjcf")
# Endings of motion files.
TAKES = (".csv", ".npz", ".mot", ".sto", ".json", ".txt", ".pkl", ".bvh")


@with_take_options
def command(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Specifications, setlists, scenarios, sweeps, kits, robot YAMLs, "
            "overlays, URDFs and motion files; or shipped names of behaviors.",
            autocompletion=checked_files,
        ),
    ],
    fix: Annotated[
        bool,
        typer.Option(
            "--fix",
            help="Write what has one obvious fix: into a YAML, and of a URDF into "
            "NAME.fixed.urdf beside it.",
        ),
    ] = False,
    robot: Annotated[
        str,
        typer.Option(
            help="Robot of motion files: one that ships, or path of a robot YAML; by "
            "default the one that ships whose joints they have.",
            autocompletion=robots,
        ),
    ] = "",
    take_options: TakeOptions = NO_OPTIONS,
) -> None:
    """Lists failures and warnings by line; `backbeat lint` has more on URDFs.

    A motion file, such as CSV or NPZ, is verified as it is: feet, joints, balance and
    torques. The options of its format are for motion files alone.
    """
    from backbeat.cli.author.check_take import check_take

    takes = [n for n in files if Path(n).suffix.lower() in TAKES]
    refuse_options_of_takes(takes, robot, take_options)
    described = take_options.described()
    _check_all(files, fix, lambda path: check_take(path, robot, described))


def _check_all(files: list[str], fix: bool, judge: Callable[[Path], int]) -> None:
    """Prints what is wrong with files, and ends with its code.

    Args:
        files: names and paths.
        fix: whether to write what has one obvious fix.
        judge: prints what a motion file is, and gives its exit code.
    """
    from backbeat.behaviors.specification.checking import check_file
    from backbeat.behaviors.specification.kinds import find_specification
    from backbeat.cli.author.schema import check_settings, reader_of

    failures = warnings = fixes = code = 0
    others = False
    for name in files:
        if Path(name).suffix.lower() in URDF:
            code = max(code, check_urdf(Path(name), fix))
            continue
        if Path(name).suffix.lower() in TAKES:
            code = max(code, judge(Path(name)))
            continue
        path = find_specification(name)
        others = True
        reader = reader_of(path)
        if reader is not None:
            found = check_settings(path, reader)
        else:
            if fix:
                fix_file(path)
            found = check_file(path)
        for item in found:
            typer.echo(item.sentence(path))
        failures += sum(item.finding.fails for item in found)
        warnings += sum(not item.finding.fails for item in found)
        fixes += sum(item.span is not None for item in found)
    if others:
        hint = f"; --fix corrects {fixes}" if fixes and not fix else ""
        counts = f"{counted(failures, 'failure')}, {counted(warnings, 'warning')}"
        typer.echo(f"{counts}{hint}")
    if failures or code:
        raise typer.Exit(2 if failures else code)


def refuse_options_of_takes(
    takes: list[str], robot: str, take_options: TakeOptions
) -> None:
    """Refuses options that no file is there for.

    Raises:
        BackbeatError: one was given, and no motion file.
    """
    from backbeat.models.common.errors import BackbeatError

    if not takes and (robot or take_options.are_given):
        raise BackbeatError(
            "--robot, --format and the like are of motion files "
            f"({', '.join(TAKES)}), and none was named"
        )


def counted(number: int, what: str) -> str:
    """A count with its noun, in the plural if need be."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def fix_file(path: Path) -> None:
    """Corrects a specification or setlist in place, and prints what was corrected."""
    from backbeat.behaviors.specification.checking import autofixed
    from backbeat.behaviors.specification.kinds import SETLIST, kind_of, kinds
    from backbeat.models.common.atomic_file import replacing
    from backbeat.models.common.errors import BackbeatError, one_line
    from backbeat.models.common.outside_file import read_text

    try:
        text = read_text(path)
        if kind_of(text, path.name) not in (*kinds(), SETLIST):
            return
    except BackbeatError:
        return  # The check reports it.
    new, done = autofixed(text, path)
    if new == text:
        return
    with replacing(path) as file:
        file.write(new.encode())
    for item in done:
        typer.echo(one_line(f"{path}:{item.line}: fixed to {item.finding.fix}"))
