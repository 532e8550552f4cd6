"""Lint: all that a user should know about a URDF before a robot is made of it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backbeat.models.urdf.checks.gazebo_checks import check_for_gazebo
from backbeat.models.urdf.checks.loading_checks import CHECKS
from backbeat.models.urdf.checks.portability import check_portability
from backbeat.models.urdf.checks.support_table import (
    Use,
    support_findings,
    unevaluated,
    uses,
)
from backbeat.models.urdf.linting.drake_outcome import DrakeOutcome, ask, compare
from backbeat.models.urdf.linting.drake_reader import DrakeReader
from backbeat.models.urdf.reading.description import Description
from backbeat.models.urdf.reading.document import Document, read_document
from backbeat.models.urdf.reading.finding import Finding, Severity, exit_code
from backbeat.models.urdf.reading.meshes import check_meshes
from backbeat.models.urdf.reading.parsing import read_leniently


@dataclass(frozen=True)
class LintReport:
    """What lint found.

    Attributes:
        description: what could be read of the file.
        findings: the worst first, then by line.
        uses: every element and attribute with its support.
        drake: what Drake's reader made of it; None if it was not asked.
        fixed: what it made of the text that Backbeat loads in place of a file that
            Drake does not read; None if there is none.
    """

    description: Description
    findings: list[Finding]
    uses: list[Use]
    drake: DrakeOutcome | None
    fixed: DrakeOutcome | None = None

    @property
    def exit_code(self) -> int:
        """0 with nothing but notes, 1 with warnings, 2 with errors."""
        return exit_code(self.findings)

    def count(self, severity: Severity) -> int:
        """How many findings are so bad."""
        return sum(f.severity is severity for f in self.findings)

    def as_data(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "file": str(self.description.path),
            "robot": self.description.name,
            "errors": self.count(Severity.ERROR),
            "warnings": self.count(Severity.WARNING),
            "notes": self.count(Severity.NOTE),
            "exit_code": self.exit_code,
            "findings": [f.as_data() for f in self.findings],
            "uses": [u.as_data() for u in self.uses],
            "drake": self.drake.as_data() if self.drake else None,
            "drake_fixed": self.fixed.as_data() if self.fixed else None,
        }


def lint(
    path: str | Path, reader: DrakeReader | None = None, for_gazebo: bool = False
) -> LintReport:
    """Reads a URDF and says what is wrong with it, and what becomes of each part.

    Args:
        path: the URDF.
        reader: a process to ask Drake in; None does not ask.
        for_gazebo: whether to check for the rules of Gazebo too.

    Raises:
        BackbeatError: the file cannot be read, or is no URDF.
    """
    document = read_document(path)
    if reader is not None:
        reader.start()
    description, findings = examine(document)
    used = uses(document)
    findings += support_findings(used)
    if for_gazebo:
        findings += check_for_gazebo(description)
    drake = fixed = None
    if reader is not None:
        drake = ask(reader, description)
        if drake.outcome != "read" and exit_code(findings) < Severity.ERROR:
            fixed = _ask_fixed(reader, description)
        findings += compare(description, drake, findings, fixed)
    findings.sort(key=lambda f: (-f.severity, f.line))
    return LintReport(description, findings, used, drake, fixed)


def _ask_fixed(reader: DrakeReader, description: Description) -> DrakeOutcome | None:
    """What becomes of the text that Backbeat loads in place of a file."""
    # It brings Drake along, which a process of its own has had until here.
    from backbeat.models.urdf.loading.readable import readable

    text, _ = readable(description)
    return ask(reader, description, text) if text else None


def examine(document: Document) -> tuple[Description, list[Finding]]:
    """Reads a document, and says what in it cannot be read or makes no sense."""
    description, findings = read_leniently(document)
    findings = [*document.findings, *findings]
    told = {(f.rule, f.line) for f in findings}
    findings += [f for f in unevaluated(document) if (f.rule, f.line) not in told]
    for check in (*CHECKS, check_meshes):
        findings += check(description)
    findings += check_portability(document)
    return description, findings
