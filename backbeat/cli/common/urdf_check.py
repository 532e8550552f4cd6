"""The check of a URDF as `backbeat check` and `backbeat lint` print it."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

if TYPE_CHECKING:
    from backbeat.models.urdf.linting.lint import LintReport
    from backbeat.models.urdf.reading.finding import Finding

# Findings of one rule that are shown each for itself.
MOST_OF_A_RULE = 5


class Shows(NamedTuple):
    """What of a report is printed.

    Attributes:
        as_json: all of it, as JSON.
        support: the support table, after the findings.
        every: each of many findings of one rule.
    """

    as_json: bool = False
    support: bool = False
    every: bool = False


# Findings alone.
NOTHING_MORE = Shows()


def check_urdf(
    file: Path,
    fix: bool = False,
    output: Path | None = None,
    gazebo: bool = False,
    drake: bool = True,
    shows: Shows = NOTHING_MORE,
) -> int:
    """Checks a URDF, prints what was found, and returns the exit code.

    Args:
        file: the URDF.
        fix: whether to write a corrected copy.
        output: path of the copy; beside the file if None.
        gazebo: whether to check the rules of Gazebo too.
        drake: whether Drake reads the file as well, in a process of its own.
        shows: what is printed.

    Raises:
        BackbeatError: the file cannot be read, is no URDF, or no copy can be written.
    """
    from backbeat.models.urdf.linting.drake_reader import DrakeReader
    from backbeat.models.urdf.linting.lint import lint

    with DrakeReader() as reader:
        if drake:
            reader.start()  # Its imports take longer than all that follows.
        fixed = _write_fixed(file, output) if fix else []
        report = lint(file, reader if drake else None, gazebo)
    if shows.as_json:
        from backbeat.cli.common.console import print_json

        print_json(report.as_data() | ({"fixed": fixed} if fix else {}))
        return report.exit_code
    for sentence in fixed:
        typer.echo(f"{file}: fixed: {sentence}")
    _print(report, file, shows.every)
    if shows.support:
        _print_support(report)
    return report.exit_code


def _write_fixed(file: Path, output: Path | None) -> list[str]:
    """Writes the corrected copy; what was fixed."""
    from backbeat.models.common.atomic_file import (
        check_place,
        refuse_to_replace,
        replacing,
    )
    from backbeat.models.urdf.linting.autofix import autofix

    path = output or file.with_name(f"{file.stem}.fixed{file.suffix}")
    refuse_to_replace(path, file)
    check_place(path)
    raw, done = autofix(file)
    if not done:
        return ["nothing: what is wrong has no obvious fix"]
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
    drake = report.fixed or report.drake
    asked = ""
    if drake is not None and drake.outcome == "read":
        asked = (
            f"; Drake reads {drake.bodies} bodies, {drake.actuators} actuators and "
            f"{drake.total_mass_kg:.6g} kg with {len(drake.warnings)} warnings"
        )
    typer.echo(f"{counts}{asked}")


def _rest(finding: "Finding", number: int, file: Path) -> str:
    return f"{file}: and {number} more like this (--all) [{finding.rule}]"


def _print_support(report: "LintReport") -> None:
    from rich.table import Table

    from backbeat.cli.common.console import Screen

    table = Table("element", "attribute", "support", "lines", "remark", box=None)
    for use in report.uses:
        lines = ", ".join(map(str, use.lines[:3]))
        more = f" and {len(use.lines) - 3} more" if len(use.lines) > 3 else ""
        entry = use.entry
        table.add_row(
            entry.element,
            entry.attribute,
            entry.support.value,
            lines + more,
            entry.remark,
        )
    Screen().print(table)
