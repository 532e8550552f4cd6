"""Finding: a fact about a robot description that its user should know."""

from dataclasses import asdict, dataclass
from enum import IntEnum
from typing import Any

# A sentence may quote the file, and a file may hold anything.
_LONGEST = 600


class Severity(IntEnum):
    """How bad it is; the number is the exit code that it leads to, see `exit_code`."""

    NOTE = 0
    WARNING = 1
    ERROR = 2


@dataclass(frozen=True)
class Finding:
    """One finding.

    Attributes:
        rule: name of what was looked for; docs/how_to/descriptions.md lists them.
        severity: how bad it is.
        line: line in the file, counted from 1; 0 if it is nowhere in particular.
        where: what it is about, e.g. "link 'LINK'".
        says: what is wrong, as a sentence without its full stop.
        remedy: what to do about it; "" if nothing has to be done.
    """

    rule: str
    severity: Severity
    line: int
    where: str
    says: str
    remedy: str = ""

    def sentence(self, path: object) -> str:
        """The finding as a line that editors can jump from."""
        place = f"{path}:{self.line}" if self.line else str(path)
        return f"{place}: {self.severity.name.lower()}: {self.what} [{self.rule}]"

    @property
    def what(self) -> str:
        """Where it is, what is wrong and what to do, on one line of bounded length."""
        remedy = f"; {self.remedy}" if self.remedy else ""
        what = " ".join(f"{self.where}: {self.says}{remedy}".split())
        return what if len(what) <= _LONGEST else f"{what[:_LONGEST]}..."

    def as_data(self) -> dict[str, Any]:
        """Plain data, with the severity as a word."""
        return asdict(self) | {"severity": self.severity.name.lower()}


def exit_code(findings: list[Finding]) -> int:
    """0 with nothing but notes, 1 with warnings, 2 with errors."""
    return int(max((f.severity for f in findings), default=Severity.NOTE))
