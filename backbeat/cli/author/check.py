"""`backbeat check`: what is wrong with a specification, before it is built."""

from pathlib import Path
from typing import Annotated

import typer

from backbeat.cli.common.completion import specifications


def command(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Specifications: YAML files, or names that ship.",
            autocompletion=specifications,
        ),
    ],
    fix: Annotated[
        bool,
        typer.Option("--fix", help="Write what has one obvious mend into the file."),
    ] = False,
) -> None:
    """Lists failures, which keep it from being built, and warnings, by line."""
    from backbeat.behaviors.specification.checking import check_file
    from backbeat.behaviors.specification.kinds import find_specification

    failures = warnings = mends = 0
    for name in files:
        path = find_specification(name)
        if fix:
            fix_file(path)
        found = check_file(path)
        for item in found:
            typer.echo(item.sentence(path))
        failures += sum(item.finding.fails for item in found)
        warnings += sum(not item.finding.fails for item in found)
        mends += sum(item.span is not None for item in found)
    hint = f"; --fix mends {mends}" if mends and not fix else ""
    typer.echo(f"{counted(failures, 'failure')}, {counted(warnings, 'warning')}{hint}")
    if failures:
        raise typer.Exit(2)


def counted(number: int, what: str) -> str:
    """So many of something, as people say it."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def fix_file(path: Path) -> None:
    """Mends a choreography or setlist in place, and says what it did."""
    from backbeat.behaviors.dance.choreography import DanceSpecification
    from backbeat.behaviors.setlist.specification import SetlistSpecification
    from backbeat.behaviors.specification.checking import mended
    from backbeat.behaviors.specification.kinds import kind_of
    from backbeat.models.common.atomic_file import replacing
    from backbeat.models.common.errors import BackbeatError, one_line
    from backbeat.models.common.outside_file import read_text

    try:
        text = read_text(path)
        mendable = (DanceSpecification.kind, SetlistSpecification.kind)
        if kind_of(text, path.name) not in mendable:
            return
    except BackbeatError:
        return  # The check tells.
    new, done = mended(text, path)
    if new == text:
        return
    with replacing(path) as file:
        file.write(new.encode())
    for item in done:
        typer.echo(one_line(f"{path}:{item.line}: mended to {item.finding.mend}"))
