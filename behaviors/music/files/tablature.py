"""Drum tablature: a row of marks for each piece, a bar of music between bar lines.

    HH|x-x-x-x-|x-x-x-o-|
    SN|----O--g|----O---|
    BD|o---o---|o---o---|

Marks are those of `tab_marks`. Rows that stand together sound together, and groups of
rows follow each other. The marks of a bar share its beats evenly, so that twelve marks
in 4/4 are triplets. `|:` and `:|` repeat what is between them, `x3` after a line says
how often.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import groupby

from backbeat.behaviors.music.files.tab_marks import (
    RESTS,
    TabNote,
    check_marks,
    played,
)
from backbeat.behaviors.music.notation.percussion import ROWS, Members
from backbeat.behaviors.music.notation.score_description import MOST_STEPS_PER_BEAT
from backbeat.models.common.errors import BackbeatError, located

MOST_BARS = 4000
# Whatever has a bar line is a row. Possessive: a long line is read once.
_ROW = re.compile(r"([^|]*+)\|(.*)")
# Names of rows that drummers write out, or the other way around, by their letters and
# digits alone.
_NAMES = {
    **dict.fromkeys(("HIHAT", "HIHATS", "CLOSEDHIHAT", "HAT"), "hi_hat"),
    "OPENHIHAT": "open_hi_hat",
    **dict.fromkeys(("SNAREDRUM",), "snare"),
    **dict.fromkeys(("BASSDRUM", "KICKDRUM"), "kick"),
    **dict.fromkeys(("1T", "TOM1", "HIGHTOM", "HITOM", "SMALLTOM"), "high_tom"),
    **dict.fromkeys(("2T", "TOM2", "MIDTOM", "LOWTOM"), "mid_tom"),
    **dict.fromkeys(("3T", "TOM3", "FLOORTOM", "FLOOR"), "floor_tom"),
    **dict.fromkeys(("CRASH", "CRASHCYMBAL", "1C"), "crash"),
    "2C": "second_crash",
    **dict.fromkeys(("RIDECYMBAL",), "ride"),
    **dict.fromkeys(("HIHATFOOT", "FOOTHIHAT"), "pedal_hi_hat"),
}
_TIMES = re.compile(
    r"\s*+\(?\s*+(?:x\s*+(\d{1,4})|(\d{1,4})\s*+x)\s*+\)?\s*+$", re.I | re.A
)
# How a line begins that is for people.
COMMENT = "#"
_FROM = re.compile(r"# from line (\d{1,7})", re.ASCII)
_COUNTING = ("", "COUNT", "COUNTS", "BEAT", "BEATS")


@dataclass
class _Bar:
    """Marks of a bar by row, and the repeats that start or end with it."""

    rows: dict[str, str] = field(default_factory=dict)
    starts: bool = False
    ends: bool = False
    times: int = 2


def is_row(line: str) -> bool:
    """Whether a line of text is tablature: it has a bar line."""
    return _ROW.match(line) is not None and not is_comment(line)


def read_tab(
    text: str, members: Members, bar: Fraction, steps_per_beat: int, where: str
) -> tuple[list[TabNote], Fraction, Counter[str]]:
    """Reads the rows of a tablature.

    Args:
        text: the lines.
        members: what the kit has.
        bar: beats of a bar.
        steps_per_beat: 0 when marks between bar lines share a bar of the meter;
            otherwise of all marks, whose bar lines are for the eye.
        where: name of the tablature in errors.

    Returns:
        Notes, their length in beats, and how many strokes of each piece are choked
        that have no pedal for it.

    Raises:
        BackbeatError: an unknown row or mark, or rows that differ in length.
    """
    bars: list[_Bar] = []
    for system in systems(text):
        bars += _read_system(system, members, where)
    bars = _repeat(bars, where)
    if not bars:
        raise BackbeatError(f"{where}: holds no line such as HH|x-x-x-x-|")
    if steps_per_beat:
        return _in_steps(bars, bar, steps_per_beat, members)
    return _in_bars(bars, bar, members, where)


def systems(text: str) -> list[list[tuple[int, str]]]:
    """Rows that sound together, with their numbers; groups follow each other.

    Groups are separated by blank lines; but rows of different pieces that all stand
    alone, each with a blank line after it, are one group.
    """
    found = groups_of(text)
    return [[line for group in found for line in group]] if are_apart(found) else found


def groups_of(text: str) -> list[list[tuple[int, str]]]:
    """Lines between blank ones, with their numbers."""
    lines = list(_numbered(text))
    groups = groupby(lines, key=lambda line: bool(line[1].strip()))
    return [list(group) for is_text, group in groups if is_text]


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, from 1 or as a line of `from_line` says."""
    number = 1
    for line in text.splitlines():
        start = _FROM.fullmatch(line)
        if start:
            number = int(start[1])
            continue
        if not is_comment(line):
            yield number, line
        number += 1


def from_line(number: int) -> str:
    """A line which says that the next has some number."""
    return f"{COMMENT} from line {number}"


def is_comment(line: str) -> bool:
    """Whether a line is for people, and says so."""
    return line.lstrip().startswith((COMMENT, "//"))


def are_apart(groups: list[list[tuple[int, str]]]) -> bool:
    """Whether groups of rows are the single rows of one."""
    rows = [_ROW.match(group[0][1]) for group in groups]
    labels = [_plain(row[1]) for row in rows if row]
    return (
        len(groups) > 1
        and all(len(group) == 1 for group in groups)
        and len(set(labels)) == len(groups)
        and len({row[2].count("|") for row in rows if row}) == 1
    )


def _plain(label: str) -> str:
    """Letters and digits of a label, as capitals."""
    return "".join(c for c in label.upper() if c.isalnum())


def _read_system(
    lines: list[tuple[int, str]], members: Members, where: str
) -> list[_Bar]:
    """Bars of rows that sound together."""
    bars: list[_Bar] = []
    first = lines[0][0]
    for number, line in lines:
        here = f"{where}, line {number}"
        match = _ROW.match(line)
        if match is None:
            raise BackbeatError(
                f"{here}: {line.strip()[:40]!r} is no row of a tablature such as "
                "HH|x-x-x-x-|",
                line=number,
            )
        label = match[1].strip()
        if label.upper() in _COUNTING:
            continue
        with located(line=number):
            _piece(label, members, here)
            chunks, times = _split(match[2], here)
        if not chunks:
            raise BackbeatError(f"{here}: there are no marks", line=number)
        if bars and len(chunks) != len(bars):
            raise BackbeatError(
                f"{here}: {label} has {len(chunks)} bars and the rows above it from "
                f"line {first} have {len(bars)}",
                line=number,
            )
        bars = bars or [_Bar() for _ in chunks]
        for at, (chunk, into) in enumerate(zip(chunks, bars, strict=True), 1):
            into.starts |= chunk.startswith(":")
            into.ends |= chunk.endswith(":")
            marks = chunk.strip(": ")
            if not marks:
                raise BackbeatError(
                    f"{here}, bar {at}: there are no marks", line=number
                )
            if label in into.rows:
                raise BackbeatError(f"{here}: there are two rows {label}", line=number)
            with located(line=number):
                piece = members.plain(_piece(label, members, here))
                check_marks(marks, piece, f"{here}, bar {at}")
            into.rows[label] = marks
        if times and not any(b.starts or b.ends for b in bars):
            bars[0].starts = bars[-1].ends = True
        for into in bars:
            into.times = times or into.times
    for at, into in enumerate(bars, 1):
        with located(line=first):
            _check_lengths(into, f"{where}, line {first}, bar {at}")
    for into in bars:
        into.rows = {_piece(k, members, where): v for k, v in _merged(into, members)}
    return bars


def _merged(bar: _Bar, members: Members) -> list[tuple[str, str]]:
    """Rows of a bar; those of one piece, such as two crashes, become one."""
    rows: dict[str, tuple[str, str]] = {}
    for label, marks in bar.rows.items():
        piece = _piece(label, members, "")
        if piece in rows:
            both = zip(rows[piece][1], marks, strict=True)
            marks = "".join(b if a in RESTS else a for a, b in both)
        rows[piece] = (label, marks)
    return list(rows.values())


def _split(body: str, here: str) -> tuple[list[str], int]:
    """What stands between bar lines, and how often it is played; 0 if not said."""
    *chunks, rest = body.split("|")
    match = _TIMES.match(rest)
    times = int(match[1] or match[2]) if match else 0
    if match is None:
        chunks.append(rest.strip())
    elif times < 1:
        raise BackbeatError(f"{here}: cannot be played {times} times")
    return [c.strip() for c in chunks if c.strip()], times


def _piece(label: str, members: Members, here: str) -> str:
    """Member or piece of a row."""
    if label.upper() in ROWS:
        return members.of_piece(ROWS[label.upper()])
    if label.lower() in members.names:
        return label.lower()
    plain = _plain(label)
    if plain in ROWS or plain in _NAMES:
        return members.of_piece(ROWS.get(plain) or _NAMES[plain])
    known = dict.fromkeys(ROWS.values())
    shown = ", ".join(next(k for k, v in ROWS.items() if v == p) for p in known)
    raise BackbeatError(
        f"{here}: {label[:40]!r} is no row of a drum set; known: {shown}"
    )


def _check_lengths(bar: _Bar, here: str) -> None:
    lengths = {label: len(marks) for label, marks in bar.rows.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{label} {n}" for label, n in lengths.items())
        raise BackbeatError(f"{here}: rows differ in their number of marks: {said}")


def _repeat(bars: list[_Bar], where: str) -> list[_Bar]:
    """The bars in the order in which they are played."""
    played: list[_Bar] = []
    passage: list[_Bar] = []
    for bar in bars:
        if bar.starts:
            played += passage
            passage = []
        passage.append(bar)
        if bar.ends:
            if len(played) + len(passage) * bar.times > MOST_BARS:
                raise BackbeatError(f"{where}: more than {MOST_BARS} bars are played")
            played += passage * bar.times
            passage = []
    return played + passage


def _in_bars(
    bars: list[_Bar], length: Fraction, members: Members, where: str
) -> tuple[list[TabNote], Fraction, Counter[str]]:
    """Marks share the beats of their bar."""
    notes: list[TabNote] = []
    choked: Counter[str] = Counter()
    for index, bar in enumerate(bars):
        steps = max(len(marks) for marks in bar.rows.values())
        per_beat = steps / length
        if per_beat.denominator != 1 or per_beat > MOST_STEPS_PER_BEAT:
            raise BackbeatError(
                f"{where}, bar {index + 1}: {steps} marks do not share the "
                f"{float(length):g} beats of a bar evenly; add or remove marks, or set "
                "steps_per_beat"
            )
        for at, piece, mark in _marks(bar, 1 / per_beat):
            note = TabNote(index * length, at, piece, 0, swings=per_beat % 3 != 0)
            note = replace(note, beats=1 / per_beat)
            notes += played(note, mark, members, choked)
    return notes, len(bars) * length, choked


def _in_steps(
    bars: list[_Bar], length: Fraction, steps_per_beat: int, members: Members
) -> tuple[list[TabNote], Fraction, Counter[str]]:
    """Every mark takes its share of a beat, bar lines or none."""
    notes: list[TabNote] = []
    choked: Counter[str] = Counter()
    beat, step = Fraction(0), Fraction(1, steps_per_beat)
    for bar in bars:
        for at, piece, mark in _marks(bar, step):
            start = (beat + at) // length * length
            swings = steps_per_beat % 3 != 0
            note = TabNote(start, beat + at - start, piece, 0, "", swings, beats=step)
            notes += played(note, mark, members, choked)
        beat += max(map(len, bar.rows.values())) * step
    return notes, beat, choked


def _marks(bar: _Bar, step: Fraction) -> Iterator[tuple[Fraction, str, str]]:
    """Beat in a bar, piece and mark of all that is played."""
    for piece, marks in bar.rows.items():
        for i, mark in enumerate(marks):
            if mark not in RESTS:
                yield i * step, piece, mark
