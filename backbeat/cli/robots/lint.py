"""`backbeat lint`: what is wrong with a URDF, and what becomes of each part of it."""

from pathlib import Path
from typing import Annotated

import typer

from backbeat.cli.common.completion import robot_files
from backbeat.cli.common.urdf_check import Shows, check_urdf


def command(
    file: Annotated[
        Path,
        typer.Argument(help="Robot description, a URDF.", autocompletion=robot_files),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Findings and support table as JSON.")
    ] = False,
    fix: Annotated[
        bool,
        typer.Option("--fix", help="Write a copy with what has one obvious fix."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where --fix writes; NAME.fixed.urdf beside if not given.",
        ),
    ] = None,
    gazebo: Annotated[
        bool, typer.Option("--gazebo", help="Check the rules of Gazebo as well.")
    ] = False,
    drake: Annotated[
        bool, typer.Option(help="Have Drake read the file too, in a process apart.")
    ] = True,
    support: Annotated[
        bool, typer.Option("--support", help="List every element and its support.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Show each of many findings of one kind.")
    ] = False,
    fates: Annotated[bool, typer.Option("--fates", hidden=True)] = False,
) -> None:
    """Ends with 0 if there is nothing worse than notes, 1 on warnings, 2 on errors."""
    from backbeat.models.common.errors import BackbeatError

    if output is not None and not fix:
        raise BackbeatError(f"--output {output} is where --fix writes; say --fix too")
    if fates:
        typer.echo(
            "--fates is called --support now; the old name is accepted for one more "
            "version",
            err=True,
        )
    shows = Shows(as_json, support or fates, every)
    raise typer.Exit(check_urdf(file, fix, output, gazebo, drake, shows))
