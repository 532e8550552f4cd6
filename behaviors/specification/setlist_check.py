"""Checking of setlists: what is wrong with one, with lines, before it is solved."""

from dataclasses import fields
from pathlib import Path

from backbeat.behaviors.dance.rules import RuleFinding
from backbeat.behaviors.setlist.specification import SetlistEntry, SetlistSpecification
from backbeat.behaviors.specification.kinds import read_setlist
from backbeat.behaviors.specification.located import (
    LocatedFinding,
    Parse,
    located,
    misfit,
    refuse,
    unknown_keys,
)
from backbeat.behaviors.specification.setlist_rules import number_of, setlist_findings
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.yaml_file import parse_yaml
from backbeat.models.common.yaml_lines import Place, YamlLines


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
    found = unknown_keys(lines, places, path.name)
    if not found:
        try:
            setlist = read_setlist(text, path.name)
            found = setlist_findings(setlist, path.parent, warns)
        except BackbeatError as error:
            found = [
                RuleFinding(True, _setlist_misfit(lines, text, path.name), str(error))
            ]
    return located(lines, found)


def refuse_setlist(text: str, path: str | Path) -> None:
    """Refuses a setlist that has a failure, with its line.

    Raises:
        BackbeatError: the first one, and how many more there are.
    """
    path = Path(path)
    refuse(check_setlist(text, path, False), path)


def on_its_line(error: BackbeatError, text: str, path: str | Path) -> BackbeatError:
    """An error about a number of a setlist, with the line where that stands."""
    number = number_of(str(error))
    if number is None:
        return error
    line = YamlLines(text).line(("behaviors", number))
    return BackbeatError(f"{path}:{line}: {error}")


def _setlist_misfit(lines: YamlLines, text: str, where: str) -> Place:
    """The first key of a setlist whose value is not of its kind, or the top."""

    def whole(line: str) -> None:
        parse_yaml(SetlistSpecification, line, where)

    def number(line: str) -> None:
        parse_yaml(SetlistEntry, line, where)

    rows: Place = ("behaviors",)
    places: list[tuple[Place, Parse]] = [((), whole)]
    places += [((*rows, i), number) for i in range(lines.length(rows))]
    return misfit(lines, text, places)
