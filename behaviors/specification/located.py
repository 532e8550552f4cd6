"""Located findings: what is wrong with a file, with the lines where it stands."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from backbeat.behaviors.dance.rules import RuleFinding, nearest
from backbeat.models.common.errors import BackbeatError, one_line, unknown_name
from backbeat.models.common.yaml_lines import Place, Span, YamlLines

# Reads a line of YAML, and refuses what does not fit.
Parse = Callable[[str], None]


@dataclass(frozen=True)
class LocatedFinding:
    """A finding and where it stands.

    Attributes:
        line: line of the file, counted from 1.
        finding: what it is.
        span: characters that its mend takes the place of; None if it has no mend.
        file: which file, if it is another one than that which is checked.
    """

    line: int
    finding: RuleFinding
    span: Span | None = None
    file: Path | None = None

    def sentence(self, path: str | Path) -> str:
        """One line as compilers write it."""
        kind = "failure" if self.finding.fails else "warning"
        mend = f" [--fix: {self.finding.mend}]" if self.span else ""
        file = self.file or path
        sentence = self.finding.sentence.removeprefix(f"{file}: ")
        sentence = sentence.removeprefix(f"{file}, line {self.line}").lstrip(",: ")
        return one_line(f"{file}:{self.line}: {kind}: {sentence}{mend}")


def located(lines: YamlLines, found: Sequence[RuleFinding]) -> list[LocatedFinding]:
    """Findings with their lines, in order."""
    placed = [LocatedFinding(lines.line(f.path), f, _span(lines, f)) for f in found]
    return sorted(placed, key=lambda item: (item.line, not item.finding.fails))


def _span(lines: YamlLines, finding: RuleFinding) -> Span | None:
    """Where the mend goes."""
    if finding.mend is None:
        return None
    find = lines.key_span if finding.renames else lines.value_span
    return find(finding.path)


def unknown_keys(
    lines: YamlLines, places: Sequence[tuple[Place, list[str]]], where: str
) -> list[RuleFinding]:
    """Keys at some places of a file that are not among those known there."""
    found = []
    for place, names in places:
        for key in lines.names(place):
            if key not in names:
                error = unknown_name(f"key in {where}", key, names)
                mend = nearest(key, names)
                found.append(RuleFinding(True, (*place, key), str(error), mend, True))
    return found


def misfit(lines: YamlLines, text: str, places: Sequence[tuple[Place, Parse]]) -> Place:
    """The first key at some places that cannot be read there, or the top."""
    for place, parse in places:
        for key in lines.names(place):
            span = lines.value_span((*place, key))
            if span is None:
                continue
            try:
                parse(f"{key}: {text[span[0] : span[1]]}")
            except BackbeatError:
                return (*place, key)
    return ()


def refuse(found: Sequence[LocatedFinding], path: str | Path) -> None:
    """Refuses a file that has failures.

    Raises:
        BackbeatError: the first one with its line, and how many more there are.
    """
    failures = [f for f in found if f.finding.fails]
    if failures:
        more = len(failures) - 1
        rest = f" (and {more} more: backbeat check {path})" if more else ""
        raise BackbeatError(
            f"{path}:{failures[0].line}: {failures[0].finding.sentence}{rest}"
        )
