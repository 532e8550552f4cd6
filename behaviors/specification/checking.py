"""Checking: failures and warnings of a specification, with lines."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from backbeat.behaviors.dance.arrangement import MeterDescription, MoveDescription
from backbeat.behaviors.dance.choreography import DanceSpecification
from backbeat.behaviors.dance.recordings.description import RecordingDescription
from backbeat.behaviors.dance.rules import RuleFinding, findings, nearest
from backbeat.behaviors.dance.vocabulary.move import Move
from backbeat.behaviors.dance.vocabulary.move_file import vocabulary
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.motion.authored import Specification
from backbeat.behaviors.music.files.tab_file import unread_lines
from backbeat.behaviors.setlist.specification import SetlistEntry, SetlistSpecification
from backbeat.behaviors.specification.fault_lines import fault_line, fault_place
from backbeat.behaviors.specification.kinds import (
    kind_of,
    parse_specification,
    read_any,
    read_setlist,
    with_robot_beside,
)
from backbeat.behaviors.specification.robot_checking import is_robot, robot_faults
from backbeat.behaviors.specification.setlist_rules import setlist_findings
from backbeat.models.common.errors import (
    BackbeatError,
    behind_place,
    one_line,
    unknown_name,
)
from backbeat.models.common.outside_file import is_file, read_text
from backbeat.models.common.yaml_lines import Place, Span, YamlLines

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
    """All that is wrong or odd in a specification; of one kind but dances the first.

    Raises:
        BackbeatError: the file cannot be read.
    """
    path = Path(path)
    if path.suffix not in (".yaml", ".yml"):
        return check_other(path)
    text = read_text(path)
    try:
        if is_robot(text, path):
            return check_robot(path)
        kind = kind_of(text, path.name)
    except BackbeatError as error:
        return [_failure(str(error), error.line or 1)]
    if kind == SetlistSpecification.kind:
        return check_setlist(text, path)
    if kind != DanceSpecification.kind:
        return check_other(path)
    return check_dance(text, path)


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
    lines = YamlLines(text)
    known = [f.name for f in fields(SetlistSpecification)]
    own = [f.name for f in fields(SetlistEntry)]
    rows: Place = ("behaviors",)
    places: list[tuple[Place, list[str]]] = [((), known)]
    places += [((*rows, i), own) for i in range(lines.length(rows))]
    found = _unknown_keys(lines, places, path.name)
    if not found:
        try:
            setlist = read_setlist(text, path.name)
            found = setlist_findings(setlist, path.parent, warns)
        except BackbeatError as error:
            found = [_misfit(error, lines)]
    return _located(lines, found)


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


def _misfit(error: BackbeatError, lines: YamlLines) -> RuleFinding:
    """A text that cannot be read, with the first key whose value does not fit."""
    return RuleFinding(True, fault_place(error, lines), str(error))


def check_other(path: str | Path) -> list[LocatedFinding]:
    """The first failure of a specification that is no dance, or of its score."""
    path = Path(path)
    file = path
    specification: Specification | SetlistSpecification | None = None
    try:
        specification, _ = read_any(path)
        if isinstance(specification, DrummingSpecification) and specification.score:
            file = specification.score_path(path.parent)
        if not isinstance(specification, SetlistSpecification):
            specification.plan(path.parent)
        found = unread_lines(file)
    except BackbeatError as error:
        return [_fault(error, path)]
    return [
        LocatedFinding(line, RuleFinding(False, (), sentence), file=file)
        for line, sentence in found
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


def check_dance(
    text: str, path: str | Path, compiles: bool = True
) -> list[LocatedFinding]:
    """All findings of a choreography, in order of lines.

    Args:
        text: the choreography; it is YAML of kind dance.
        path: where it is, or would be.
        compiles: lay out its problem too, which a build does anyway.
    """
    path = Path(path)
    lines = YamlLines(text)
    found = _keys(lines, path.name)
    if not found:
        found = _values(text, lines, path, compiles)
    return _located(lines, found)


def _located(lines: YamlLines, found: Sequence[RuleFinding]) -> list[LocatedFinding]:
    """Findings with their lines, in order."""
    located = [LocatedFinding(lines.line(f.path), f, _span(lines, f)) for f in found]
    return sorted(located, key=lambda item: (item.line, not item.finding.fails))


def _span(lines: YamlLines, finding: RuleFinding) -> Span | None:
    """Where the fix goes."""
    if finding.fix is None:
        return None
    find = lines.key_span if finding.renames else lines.value_span
    return find(finding.path)


def _keys(lines: YamlLines, where: str) -> list[RuleFinding]:
    """Keys that a choreography does not have."""
    known = [f.name for f in fields(DanceSpecification)]
    own = [f.name for f in fields(MoveDescription)]
    places: list[tuple[Place, list[str]]] = [((), known)]
    for track in lines.names(("tracks",)):
        rows: Place = ("tracks", track)
        places += [((*rows, i), own) for i in range(lines.length(rows))]
    changes: Place = ("meters",)
    known = [f.name for f in fields(MeterDescription)]
    places += [((*changes, i), known) for i in range(lines.length(changes))]
    known = [f.name for f in fields(RecordingDescription)]
    places += [(("recordings", n), known) for n in lines.names(("recordings",))]
    return _unknown_keys(lines, places, where)


def _unknown_keys(
    lines: YamlLines, places: Sequence[tuple[Place, list[str]]], where: str
) -> list[RuleFinding]:
    """Keys at some places of a file that are not among those known there."""
    found = []
    for place, names in places:
        for key in lines.names(place):
            if key not in names:
                error = unknown_name(f"key in {where}", key, names)
                fix = nearest(key, names)
                found.append(RuleFinding(True, (*place, key), str(error), fix, True))
    return found


def _values(
    text: str, lines: YamlLines, path: Path, compiles: bool
) -> list[RuleFinding]:
    try:
        dance = with_robot_beside(parse_specification(text, path.name), path)
        assert isinstance(dance, DanceSpecification)
        moves = vocabulary(path.parent)
    except BackbeatError as error:
        return [_misfit(error, lines)]
    try:
        dance.check_grid()
    except BackbeatError as error:
        return [RuleFinding(True, error.path, str(error))]
    found, recorded = _recordings(dance, path.parent)
    if any(f.fails for f in found):
        return found
    found += findings(dance, moves | recorded)
    if compiles and not any(f.fails for f in found):
        try:
            found += dance.compiled(path.parent)[1]
        except BackbeatError as error:
            found.append(RuleFinding(True, ("tracks",), str(error)))
    return found


def _recordings(
    dance: DanceSpecification, folder: Path
) -> tuple[list[RuleFinding], dict[str, Move]]:
    """What is wrong with recordings, or was changed; and those that are moves."""
    found: list[RuleFinding] = []
    moves: dict[str, Move] = {}
    for name in dance.recordings:
        place: Place = ("recordings", name)
        try:
            (move,) = dance.recorded(folder, [name]).values()
        except BackbeatError as error:
            found.append(RuleFinding(True, place, str(error)))
        else:
            moves[name] = move
            found += [RuleFinding(False, place, change) for change in move.changes]
    return found, moves


def autofixed(text: str, path: str | Path) -> tuple[str, list[LocatedFinding]]:
    """A choreography or setlist with all corrected that has one obvious fix.

    Comments and layout stay as they are.

    Args:
        text: the file.
        path: where it is.

    Returns:
        The text, and what was autofixed.
    """
    path = Path(path)
    done: list[LocatedFinding] = []
    is_setlist = kind_of(text, path.name) == SetlistSpecification.kind
    check = check_setlist if is_setlist else check_dance
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


def refuse_failures(text: str, path: str | Path) -> None:
    """Refuses a choreography that has a failure, with its line.

    Raises:
        BackbeatError: the first one, and how many more there are.
    """
    path = Path(path)
    _refuse(check_dance(text, path, False), path)


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
