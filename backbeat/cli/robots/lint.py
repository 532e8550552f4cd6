"""`backbeat lint`: what is wrong with a URDF, and what becomes of each part of it."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.common.completion import robot_files

if TYPE_CHECKING:
    from backbeat.models.urdf.linting.lint import LintReport
    from backbeat.models.urdf.reading.finding import Finding

# Findings of one rule that are shown each for itself.
MOST_OF_A_RULE = 5


def command(
    file: Annotated[
        Path,
        typer.Argument(help="Robot description, a URDF.", autocompletion=robot_files),
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Findings and fates as JSON.")
    ] = False,
    fix: Annotated[
        bool,
        typer.Option("--fix", help="Write a copy with what has one obvious mend."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="File that --fix writes; NAME.fixed.urdf beside the URDF if not "
            "given.",
        ),
    ] = None,
    gazebo: Annotated[
        bool, typer.Option("--gazebo", help="Also check the requirements of Gazebo.")
    ] = False,
    drake: Annotated[
        bool, typer.Option(help="Also read the file with Drake, in a separate process.")
    ] = True,
    fates: Annotated[
        bool, typer.Option("--fates", help="List every element and its fate.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Show all findings of each kind.")
    ] = False,
) -> None:
    """Ends with 0 if there is nothing worse than notes, 1 on warnings, 2 on errors."""
    from backbeat.models.common.errors import BackbeatError
    from backbeat.models.urdf.linting.drake_reader import DrakeReader
    from backbeat.models.urdf.linting.lint import lint

    if output is not None and not fix:
        raise BackbeatError(f"--output {output} is where --fix writes; say --fix too")
    with DrakeReader() as reader:
        if drake:
            reader.start()  # Its imports take longer than all that follows.
        mended = _write_mended(file, output) if fix else []
        report = lint(file, reader if drake else None, gazebo)
    if as_json:
        from backbeat.cli.common.console import print_json

        print_json(report.as_data() | ({"mended": mended} if fix else {}))
    else:
        for sentence in mended:
            typer.echo(f"{file}: mended: {sentence}")
        _print(report, file, every)
        if fates:
            _print_fates(report)
    raise typer.Exit(report.exit_code)


def _write_mended(file: Path, output: Path | None) -> list[str]:
    """Writes the corrected copy; what was mended."""
    from backbeat.models.common.atomic_file import (
        check_place,
        refuse_to_replace,
        replacing,
    )
    from backbeat.models.urdf.linting.mending import mend

    path = output or file.with_name(f"{file.stem}.fixed{file.suffix}")
    refuse_to_replace(path, file)
    check_place(path)
    raw, done = mend(file)
    if not done:
        return ["nothing: what is wrong has no obvious mend"]
    with replacing(path) as copy:
        copy.write(raw)
    return [*done, f"written to {path}"]


def _print(report: "LintReport", file: Path, every: bool) -> None:
    from backbeat.models.urdf.reading.finding import Severity

    many = Counter(f.rule for f in report.findings)
    shown: Counter[str] = Counter()
    for finding in report.findings:
        shown[finding.rule] += 1
        if every or shown[finding.rule] <= MOST_OF_A_RULE:
            typer.echo(finding.sentence(file))
        elif shown[finding.rule] == many[finding.rule]:
            typer.echo(_rest(finding, many[finding.rule] - MOST_OF_A_RULE, file))
    counts = ", ".join(
        f"{report.count(severity)} {severity.name.lower()}s"
        for severity in reversed(Severity)
    )
    drake = report.mended or report.drake
    asked = ""
    if drake is not None and drake.outcome == "read":
        asked = (
            f"; Drake reads {drake.bodies} bodies, {drake.actuators} actuators and "
            f"{drake.total_mass_kg:.6g} kg with {len(drake.warnings)} warnings"
        )
    typer.echo(f"{counts}{asked}")


def _rest(finding: "Finding", number: int, file: Path) -> str:
    return f"{file}: and {number} more like this (--all) [{finding.rule}]"


def _print_fates(report: "LintReport") -> None:
    from rich.table import Table

    from backbeat.cli.common.console import Screen

    table = Table("element", "attribute", "fate", "lines", "remark", box=None)
    for use in report.uses:
        lines = ", ".join(map(str, use.lines[:3]))
        more = f" and {len(use.lines) - 3} more" if len(use.lines) > 3 else ""
        entry = use.entry
        table.add_row(
            entry.element, entry.attribute, entry.fate.value, lines + more, entry.remark
        )
    Screen().print(table)
