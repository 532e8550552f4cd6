"""Checking: failures and warnings of a specification, with lines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from backbeat.behaviors.motion.authored import Specification
from backbeat.behaviors.motion.finding import RuleFinding, without_slip
from backbeat.behaviors.music.files.score_reader import NOTES
from backbeat.behaviors.setlist.specification import SetlistSpecification
from backbeat.behaviors.specification.fault_lines import fault_line, fault_place
from backbeat.behaviors.specification.kinds import (
    SETLIST,
    drumming_text,
    kind_class,
    kind_of,
    parse_specification,
    read_setlist,
    with_robot_beside,
)
from backbeat.behaviors.specification.old_keys import OLD_KEYS
from backbeat.behaviors.specification.robot_checking import is_robot, robot_faults
from backbeat.behaviors.specification.setlist_rules import setlist_findings
from backbeat.models.common.errors import (
    BackbeatError,
    behind_place,
    one_line,
)
from backbeat.models.common.outside_file import is_file, read_text
from backbeat.models.common.schema import unknown_keys
from backbeat.models.common.yaml_file import read_tree
from backbeat.models.common.yaml_lines import Span, YamlLines

# Mends may uncover each other, but not for ever.
ROUNDS = 8


@dataclass(frozen=True)
class LocatedFinding:
    """A finding and where it stands.

    Attributes:
        line: line of the file, counted from 1.
        finding: what it is.
        span: characters that its fix takes the place of; None if it has no fix.
        file: which file, if it is another one than that which is checked.
    """

    line: int
    finding: RuleFinding
    span: Span | None = None
    file: Path | None = None

    def sentence(self, path: str | Path) -> str:
        """One line as compilers write it."""
        kind = "failure" if self.finding.fails else "warning"
        fix = f" [--fix: {self.finding.fix}]" if self.span else ""
        file = self.file or path
        sentence = behind_place(self.finding.sentence, file, self.line)
        return one_line(f"{file}:{self.line}: {kind}: {sentence}{fix}")


def check_file(path: str | Path) -> list[LocatedFinding]:
    """All that is wrong or odd in a specification, setlist or robot YAML.

    Raises:
        BackbeatError: the file cannot be read.
    """
    path = Path(path)
    if path.suffix.lower() in NOTES:
        try:
            text = drumming_text(path)
        except BackbeatError as error:
            return [_failure(str(error), 1)]
        return check_specification(text, path)
    text = read_text(path)
    try:
        if is_robot(text, path):
            return check_robot(path)
        kind = kind_of(text, path.name)
    except BackbeatError as error:
        return [_failure(str(error), error.line or 1)]
    if kind == SETLIST:
        return check_setlist(text, path)
    return check_specification(text, path)


def check_robot(path: str | Path) -> list[LocatedFinding]:
    """All that is wrong or odd about a robot YAML."""
    try:
        faults, oddities = robot_faults(path)
    except BackbeatError as error:
        return [_failure(str(error), error.line or 1)]
    found = [_failure(sentence, 1) for sentence in faults]
    warnings = [RuleFinding(False, (), sentence) for sentence in oddities]
    return [*found, *(LocatedFinding(1, w) for w in warnings)]


def check_setlist(
    text: str, path: str | Path, warns: bool = True
) -> list[LocatedFinding]:
    """All findings of a setlist, in order of lines.

    Args:
        text: the setlist; it is YAML of that kind.
        path: where it is, or would be.
        warns: look at what dances become with what is carried, too.
    """
    path = Path(path)
    found = _unknown_keys(SetlistSpecification, text, path.name)
    if not found:
        try:
            setlist = read_setlist(text, path.name)
            found = setlist_findings(setlist, path.parent, warns)
        except BackbeatError as error:
            found = [_misfit(error, text)]
    return _located(text, found)


def refuse_setlist(text: str, path: str | Path) -> None:
    """Refuses a setlist that has a failure, with its line.

    Raises:
        BackbeatError: the first one, and how many more there are.
    """
    path = Path(path)
    _refuse(check_setlist(text, path, False), path)


def on_its_line(error: BackbeatError, text: str, path: str | Path) -> BackbeatError:
    """An error about an entry of a setlist, with the line where that stands."""
    if error.file is not None or error.path[:1] != ("behaviors",):
        return error
    line = YamlLines(text).line(error.path[:2])
    return BackbeatError(f"{path}:{line}: {error}", file=path, line=line)


def _misfit(error: BackbeatError, text: str) -> RuleFinding:
    """A text that cannot be read, with the first key whose value does not fit."""
    return RuleFinding(True, fault_place(error, YamlLines(text)), str(error))


def check_specification(
    text: str, path: str | Path, plans: bool = True
) -> list[LocatedFinding]:
    """All findings of a specification of a single motion, in order of lines.

    Args:
        text: the specification as YAML.
        path: where it is, or would be; of notes, their file.
        plans: lay out its problem too, which a build does anyway.
    """
    path = Path(path)
    try:
        schema = kind_class(kind_of(text, path.name), path.name)
        found = _unknown_keys(schema, text, path.name)
        if found:
            return _located(text, found)
        specification = with_robot_beside(parse_specification(text, path.name), path)
    except BackbeatError as error:
        return _located(text, [_misfit(error, text)])
    return _findings(specification, text, path, plans)


def _findings(
    specification: Specification, text: str, path: Path, plans: bool
) -> list[LocatedFinding]:
    """Findings of a specification that can be read."""
    folder = path.parent
    try:
        found = _located(text, specification.findings(folder, plans))
        unread = specification.unread_lines(folder) if plans else []
    except BackbeatError as error:
        return [_fault(error, path)]
    return found + [
        LocatedFinding(line, RuleFinding(False, (), sentence), file=file)
        for file, line, sentence in unread
    ]


def planning_error(error: BackbeatError, path: str | Path) -> BackbeatError:
    """An error of laying out a problem, with the file and line where that stands."""
    fault = _fault(error, Path(path))
    if fault.file is None or not is_file(fault.file):
        return error
    return BackbeatError(
        f"{fault.file}:{fault.line}: {error.without(fault.file)}",
        file=fault.file,
        line=fault.line,
    )


def _fault(error: BackbeatError, path: Path) -> LocatedFinding:
    """A failure in a specification, or in a file that it names."""
    file = path if error.file is None or not is_file(error.file) else error.file
    finding = RuleFinding(True, error.path, str(error))
    return LocatedFinding(fault_line(error, file), finding, file=file)


def _failure(sentence: str, line: int) -> LocatedFinding:
    return LocatedFinding(line, RuleFinding(True, (), sentence))


def _located(text: str, found: Sequence[RuleFinding]) -> list[LocatedFinding]:
    """Findings with their lines in a text, in order."""
    if not found:
        return []
    lines = YamlLines(text)
    located = [LocatedFinding(lines.line(f.path), f, _span(lines, f)) for f in found]
    return sorted(located, key=lambda item: (item.line, not item.finding.fails))


def _span(lines: YamlLines, finding: RuleFinding) -> Span | None:
    """Where the fix goes."""
    if finding.fix is None:
        return None
    find = lines.key_span if finding.renames else lines.value_span
    return find(finding.path)


def _unknown_keys(schema: Any, text: str, where: str) -> list[RuleFinding]:
    """Keys that a kind of file does not have, now or under an old name."""
    tree = read_tree(text, where)
    old = OLD_KEYS.get(str(tree.get("kind")), {})
    found = []
    for unknown in unknown_keys(schema, tree):
        path, name = unknown.path, str(unknown.path[-1])
        if len(path) > 1 or name not in old:
            fix = without_slip(name, set(unknown.known) - set(unknown.given))
            sentence = str(unknown.error(where))
            found.append(RuleFinding(True, path, sentence, fix, True))
    return found


def autofixed(text: str, path: str | Path) -> tuple[str, list[LocatedFinding]]:
    """A specification or setlist in which all is corrected that has one obvious fix.

    Comments and layout stay as they are.

    Args:
        text: the file.
        path: where it is.

    Returns:
        The text, and what was autofixed.
    """
    path = Path(path)
    done: list[LocatedFinding] = []
    is_setlist = kind_of(text, path.name) == SETLIST
    check = check_setlist if is_setlist else check_specification
    for _ in range(ROUNDS):
        wanted = {
            item.span: item for item in check(text, path) if item.span is not None
        }
        if not wanted:
            break
        for (a, b), item in sorted(wanted.items(), reverse=True):
            fix = item.finding.fix
            new = f"{fix:g}" if isinstance(fix, float) else str(fix)
            text = text[:a] + new + text[b:]
        done += [replace(item, span=None) for item in wanted.values()]
    return text, done


def refuse_failures(specification: Specification, text: str, path: str | Path) -> None:
    """Refuses a specification whose rules find a failure, with its line.

    Args:
        specification: as it was read.
        text: its YAML.
        path: where it is, or would be.

    Raises:
        BackbeatError: the first failure, and how many more there are.
    """
    path = Path(path)
    _refuse(_findings(specification, text, path, False), path)


def _refuse(found: Sequence[LocatedFinding], path: Path) -> None:
    failures = [f for f in found if f.finding.fails]
    if failures:
        more = len(failures) - 1
        rest = f" (and {more} more: backbeat check {path})" if more else ""
        line = failures[0].line
        raise BackbeatError(
            f"{path}:{line}: {failures[0].finding.sentence}{rest}",
            file=path,
            line=line,
        )
