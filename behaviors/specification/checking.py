"""Checking: what is wrong with a specification, with lines, before it is solved."""

import re
from dataclasses import fields, replace
from pathlib import Path

from backbeat.behaviors.dance.arrangement import MeterDescription, MoveDescription
from backbeat.behaviors.dance.choreography import DanceSpecification
from backbeat.behaviors.dance.recorded_move import RecordingDescription
from backbeat.behaviors.dance.rules import RuleFinding, findings
from backbeat.behaviors.dance.vocabulary.move import Move
from backbeat.behaviors.dance.vocabulary.move_file import vocabulary
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.motion.authored import Specification
from backbeat.behaviors.music.files.tab_file import unread_lines
from backbeat.behaviors.setlist.specification import SetlistSpecification
from backbeat.behaviors.specification.fault_lines import fault_line
from backbeat.behaviors.specification.kinds import (
    kind_of,
    parse_specification,
    read_any,
    with_robot_beside,
)
from backbeat.behaviors.specification.located import (
    LocatedFinding,
    Parse,
    located,
    misfit,
    refuse,
    unknown_keys,
)
from backbeat.behaviors.specification.setlist_check import check_setlist
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import is_file, read_text
from backbeat.models.common.yaml_file import parse_yaml
from backbeat.models.common.yaml_lines import Place, YamlLines

# Mends may uncover each other, but not for ever.
ROUNDS = 8


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
        kind = kind_of(text, path.name)
    except BackbeatError as error:
        line = re.search(r"line (\d+)", str(error))
        return [_failure(str(error), int(line[1]) if line else 1)]
    if kind == SetlistSpecification.kind:
        return check_setlist(text, path)
    if kind != DanceSpecification.kind:
        return check_other(path)
    return check_dance(text, path)


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
        return [_fault(error, specification, path)]
    return [
        LocatedFinding(line, RuleFinding(False, (), sentence), file=file)
        for line, sentence in found
    ]


def planning_error(
    error: BackbeatError, specification: Specification, path: str | Path
) -> BackbeatError:
    """An error of laying out a problem, with the file and line where that stands."""
    path = Path(path)
    fault = _fault(error, specification, path)
    if fault.file is None or not is_file(fault.file):
        return error
    sentence = fault.finding.sentence.removeprefix(f"{fault.file}: ")
    return BackbeatError(f"{fault.file}:{fault.line}: {sentence}")


def _fault(
    error: BackbeatError,
    specification: Specification | SetlistSpecification | None,
    path: Path,
) -> LocatedFinding:
    """A failure in a specification, or in the score of one of drumming."""
    file = path
    if isinstance(specification, DrummingSpecification) and specification.score:
        file = specification.score_path(path.parent)
    if str(file) not in str(error) or not is_file(file):
        file = path
    finding = RuleFinding(True, (), str(error))
    return LocatedFinding(fault_line(str(error), file), finding, file=file)


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
    return located(lines, found)


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
    return unknown_keys(lines, places, where)


def _values(
    text: str, lines: YamlLines, path: Path, compiles: bool
) -> list[RuleFinding]:
    try:
        dance = with_robot_beside(parse_specification(text, path.name), path)
        assert isinstance(dance, DanceSpecification)
        moves = vocabulary(path.parent)
    except BackbeatError as error:
        return [RuleFinding(True, _dance_misfit(lines, text, path.name), str(error))]
    try:
        dance.check_grid()
    except BackbeatError as error:
        keys = ("fade", "tracks", "bpm", "beats_per_bar", "meters", "meter")
        key = next((k for k in keys if _word(k, str(error))), "beats")
        return [RuleFinding(True, (key,), str(error))]
    found, recorded = _recordings(dance, path.parent)
    if any(f.fails for f in found):
        return found
    found += findings(dance, moves | recorded)
    if compiles and not any(f.fails for f in found):
        try:
            dance.plan(path.parent)
            found += dance.carried_findings(moves | recorded)
        except BackbeatError as error:
            found.append(RuleFinding(True, ("tracks",), str(error)))
    return found


def _word(word: str, sentence: str) -> bool:
    """Whether a sentence has a word."""
    return re.search(rf"\b{word}\b", sentence) is not None


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


def _dance_misfit(lines: YamlLines, text: str, where: str) -> Place:
    """The first key of a dance whose value is not of its kind, or the top."""

    def move(line: str) -> None:
        parse_yaml(MoveDescription, line, where)

    def whole(line: str) -> None:
        parse_specification(f"kind: dance\nname: x\n{line}\n", where)

    places: list[tuple[Place, Parse]] = []
    for track in lines.names(("tracks",)):
        rows: Place = ("tracks", track)
        places += [((*rows, i), move) for i in range(lines.length(rows))]
    return misfit(lines, text, [*places, ((), whole)])


def mended(text: str, path: str | Path) -> tuple[str, list[LocatedFinding]]:
    """A choreography or setlist with all mended that has one obvious mend.

    Comments and layout stay as they are.

    Args:
        text: the file.
        path: where it is.

    Returns:
        The text, and what was mended.
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
            mend = item.finding.mend
            new = f"{mend:g}" if isinstance(mend, float) else str(mend)
            text = text[:a] + new + text[b:]
        done += [replace(item, span=None) for item in wanted.values()]
    return text, done


def refuse_failures(text: str, path: str | Path) -> None:
    """Refuses a choreography that has a failure, with its line.

    Raises:
        BackbeatError: the first one, and how many more there are.
    """
    path = Path(path)
    refuse(check_dance(text, path, False), path)
