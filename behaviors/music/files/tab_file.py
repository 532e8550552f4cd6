"""Tablature files: text as drummers share it, with a head and named sections.

    title: Money beat
    bpm: 110

    [verse] x2
    HH|x-x-x-x-|
    SN|----O---|

Keys before the first section or row are those of a score, later ones those of a part.
Lines without a bar line that are neither are for people.
"""

import difflib
import re
from collections.abc import Callable
from pathlib import Path

from backbeat.behaviors.music.files.ends import final_bar, lead_in
from backbeat.behaviors.music.files.tablature import (
    COMMENT,
    are_apart,
    from_line,
    groups_of,
    is_comment,
    is_row,
)
from backbeat.behaviors.music.notation.meter import first_meter, read_meter
from backbeat.behaviors.music.notation.percussion import Members
from backbeat.behaviors.music.notation.score_description import (
    PartDescription,
    ScoreDescription,
)
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.models.common.bounds import BYTES, ENTRIES, check_count
from backbeat.models.common.errors import BackbeatError, located, shown
from backbeat.models.common.outside_file import read_text

# Of lines without blanks at their ends; possessive, as long ones are read once.
_SECTION = re.compile(r"\[([^\]]{0,60})\]\s*+(?:x\s*+(\d{1,4}))?", re.I | re.A)
_KEY = re.compile(r"([A-Za-z][A-Za-z_ ]{1,19}?)\s*+[:=]\s*+(.*)", re.A)
SUFFIXES = (".tab", ".txt")
# Text on how often a passage is played.
_UNCLEAR = re.compile(
    r"(?i)^[\s(\[]*(?:x\s*\d+|\d+\s*x)[\s)\]]*$"
    r"|\b(?:repeat|play)\w*\b.{0,40}(?:\d|\b(?:twice|thrice|again|two|three|four)\b)"
    r"|(?:\d|\b(?:two|three|four))\s*times\b"
)
# Lines that a remark lists.
_TOLD = 5
_SAME = {"tempo": "bpm", "time": "meter", "name": "title", "time_signature": "meter"}


def _number(text: str) -> float:
    return float(re.sub(r"(?i)\s*bpm$", "", text))


_HEAD: dict[str, Callable[[str], object]] = {
    "title": str,
    "bpm": _number,
    "meter": str,
    "swing": float,
    "swing_note": int,
    "absent": str,
    "unplayable": str,
    "backing": str,
    "offset": float,
    "count_in": int,
}
_PART: dict[str, Callable[[str], object]] = {
    "bpm": _number,
    "end_bpm": _number,
    "meter": str,
    "steps_per_beat": int,
    "repeat": int,
}


def read_tab_file(text: str, members: Members, where: str) -> ScoreDescription:
    """Reads a tablature file, and puts a rest before and after it.

    Raises:
        BackbeatError: too large, a key or its value makes no sense, or no rows.
    """
    if len(text) > BYTES["tablature"]:
        raise BackbeatError(f"{where} is larger than {BYTES['tablature'] / 1e6:g} MB")
    score = ScoreDescription()
    part = PartDescription()
    parts = [part]
    rows: list[list[str]] = [[]]
    for number, line in enumerate(text.splitlines(), 1):
        here = f"{where}, line {number}"
        section = _SECTION.fullmatch(line.strip())
        key = _KEY.fullmatch(line.strip())
        if is_row(line) and not _is_known(key):
            # Rows are named by their numbers in the file.
            rows[-1] += [line] if rows[-1] else [from_line(number), line]
            continue
        if rows[-1]:
            rows[-1].append(COMMENT if line.strip() else "")
        if section:
            part = PartDescription(name=section[1], repeat=int(section[2] or 1))
            parts.append(part)
            rows.append([])
        elif key and not is_comment(line):
            at_head = part is parts[0] and not rows[-1]
            if not at_head and rows[-1]:
                part = PartDescription(name=part.name)
                parts.append(part)
                rows.append([])
            with located(line=number):
                _set(score if at_head else part, _named(key), key[2], here)
        elif _UNCLEAR.search(line) and not is_comment(line):
            raise BackbeatError(
                f"{here}: {line.strip()[:60]!r} could mean that a passage is played so "
                "often, or so often again; write x3 after the last bar line of a row "
                "for three times, or # before what is for people",
                line=number,
            )
        check_count(where, "parts", len(parts), ENTRIES["parts"])
    for part, lines in zip(parts, rows, strict=True):
        part.tab = "\n".join(lines)
    score.parts = [p for p in parts if p.tab]
    if not score.parts:
        raise BackbeatError(f"{where}: holds no line such as HH|x-x-x-x-|")
    return _with_rests(score, members, where)


def unread(text: str) -> list[tuple[int, str]]:
    """Lines of a tablature file that say nothing to us, with their numbers."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        plain = line.strip()
        if not plain or is_row(line) or is_comment(line) or _SECTION.fullmatch(plain):
            continue
        if not _is_known(_KEY.fullmatch(plain)):
            found.append((number, plain))
    return found


def _is_known(key: re.Match[str] | None) -> bool:
    """Whether a line is a key of a score or part."""
    return key is not None and _named(key) in {*_HEAD, *_PART}


def _named(key: re.Match[str]) -> str:
    """The name of a key, as scores have it."""
    name = key[1].lower().replace(" ", "_")
    return _SAME.get(name, name)


def unread_lines(path: str | Path) -> list[tuple[int, str]]:
    """Lines of a tablature file that are not read, each with a sentence.

    Raises:
        BackbeatError: the file cannot be read.
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        return []
    return [
        (number, f"{shown(line, 40)} is not read; # before it says that it is not to")
        for number, line in unread(read_text(path, "tablature"))
    ]


def unread_in_words(text: str) -> list[str]:
    """The same as remarks, of which there is one at most."""
    found = [f"line {n} {shown(line, 40)}" for n, line in unread(text)]
    more = f" and {len(found) - _TOLD} more" if len(found) > _TOLD else ""
    return [f"not read: {', '.join(found[:_TOLD])}{more}"] if found else []


def apart_in_words(read: ScoreDescription) -> list[str]:
    """A remark where rows with blank lines between are played together."""
    groups = (groups_of(part.tab) for part in read.parts if part.tab)
    lines = [g[0][0][0] for g in groups if are_apart(g)]
    if not lines:
        return []
    return [
        f"from line {lines[0]} on, rows with blank lines between sound together; a "
        "line such as [fill] between them would have them follow each other"
    ]


def _set(
    target: ScoreDescription | PartDescription, key: str, value: str, here: str
) -> None:
    """Sets a key; what is far from every key is a line for people."""
    known = _HEAD if isinstance(target, ScoreDescription) else _PART
    if key not in known:
        near = difflib.get_close_matches(key, known, n=1, cutoff=0.66)
        if near:
            raise BackbeatError(f"{here}: unknown key {key!r}; did you mean {near[0]}?")
        return
    try:
        setattr(target, key, known[key](value))
    except (ValueError, OverflowError):
        raise BackbeatError(f"{here}: {value[:40]!r} is no value for {key}") from None


def _with_rests(
    score: ScoreDescription, members: Members, where: str
) -> ScoreDescription:
    """The score with a lead-in and a final bar."""
    meter = first_meter(score.beats_per_bar, score.meter, where)
    first, last = score.parts[0], meter
    for part in score.parts:
        last = read_meter(part.meter, where) if part.meter else last
    start = read_meter(first.meter, where) if first.meter else meter
    bpm = first.bpm or score.bpm
    try:
        Tempo(bpm)
    except BackbeatError as error:
        raise error.reworded(f"{where}: {error}") from None
    ready = lead_in(bpm, start.beats, members)
    ready.bpm, ready.meter = first.bpm, first.meter
    silence = PartDescription(name="silence", bars=1)  # time to come to rest
    score.parts = [ready, *score.parts, silence, final_bar(last.beats, members)]
    return score
