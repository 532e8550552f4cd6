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

from behaviors.music.ends import final_bar, lead_in
from behaviors.music.meter import first_meter, read_meter
from behaviors.music.percussion import Members
from behaviors.music.score_description import PartDescription, ScoreDescription
from behaviors.music.tablature import is_row
from behaviors.music.tempo import Tempo
from models.bounds import BYTES
from models.errors import BackbeatError

# Of lines without blanks at their ends; possessive, as long ones are read once.
_SECTION = re.compile(r"\[([^\]]{0,60})\]\s*+(?:x\s*+(\d{1,4}))?", re.I | re.A)
_KEY = re.compile(r"([A-Za-z][A-Za-z_ ]{1,19}?)\s*+[:=]\s*+(.*)", re.A)
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
    for number, line in enumerate(text.splitlines(), 1):
        here = f"{where}, line {number}"
        section = _SECTION.fullmatch(line.strip())
        key = _KEY.fullmatch(line.strip())
        if is_row(line):
            part.tab += line + "\n"
        elif not line.strip():
            part.tab += "\n"
        elif section:
            part = PartDescription(name=section[1], repeat=int(section[2] or 1))
            parts.append(part)
        elif key and not line.lstrip().startswith(("#", "//")):
            at_head = part is parts[0] and not part.tab.strip()
            if not at_head and part.tab.strip():
                part = PartDescription(name=part.name)
                parts.append(part)
            name = key[1].lower().replace(" ", "_")
            _set(score if at_head else part, name, key[2], here)
    score.parts = [p for p in parts if p.tab.strip()]
    if not score.parts:
        raise BackbeatError(f"{where}: holds no line such as HH|x-x-x-x-|")
    for part in score.parts:
        part.tab = "\n" + part.tab  # lines count as in an editor: from a part's first
    return _with_rests(score, members, where)


def _set(
    target: ScoreDescription | PartDescription, key: str, value: str, here: str
) -> None:
    """Sets a key; what is far from every key is a line for people."""
    known = _HEAD if isinstance(target, ScoreDescription) else _PART
    key = _SAME.get(key, key)
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
        raise BackbeatError(f"{where}: {error}") from None
    ready = lead_in(bpm, start.beats, members)
    ready.bpm, ready.meter = first.bpm, first.meter
    silence = PartDescription(name="silence", bars=1)  # time to come to rest
    score.parts = [ready, *score.parts, silence, final_bar(last.beats, members)]
    return score
