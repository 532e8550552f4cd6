"""Edits of a score: hits that are set and taken away, as changes of its text.

An edit is plain data, as a page sends it, see `edits`. Hits are called by the beat at
which they are heard, counted from zero over the whole score, and by their drum. In a
part that is repeated they change in all repetitions.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from backbeat.behaviors.editing.edits import apply_edit, beat, number, plain, with_music
from backbeat.behaviors.editing.yaml_text import REFUSAL, with_item, with_value, without
from backbeat.behaviors.music.files.hand_parts import has_bars
from backbeat.behaviors.music.files.score_compiler import LOUDNESS, compile_score
from backbeat.behaviors.music.files.tab_marks import PLAIN
from backbeat.behaviors.music.notation.percussion import Members
from backbeat.behaviors.music.notation.score import HANDS, Score
from backbeat.behaviors.music.notation.score_description import (
    LOUDEST,
    HitDescription,
    PartDescription,
    ScoreDescription,
)
from backbeat.models.common.errors import BackbeatError, KeyPath, unknown_name
from backbeat.models.common.yaml_file import parse_yaml, read_tree
from backbeat.models.common.yaml_lines import YamlLines

# Keys of a score that may be set.
SCORE_KEYS = ("title", "bpm", "swing", "unplayable")
ORDER = list(
    dict.fromkeys(("title", "bpm", *(item.name for item in fields(ScoreDescription))))
)
HIT_KEYS = tuple(item.name for item in fields(HitDescription))
PART_KEYS = tuple(item.name for item in fields(PartDescription))
# Hits that are so close are at one place [beats]: triplets are written in few digits.
SAME = 2e-3
MARKS = {velocity: mark for mark, velocity in LOUDNESS.items()}


def edited_score(text: str, edit: Mapping[str, Any], members: Members) -> str:
    """The text of a score after an edit.

    Args:
        text: a score that can be read.
        edit: what is done.
        members: what the kit has.

    Raises:
        BackbeatError: the edit makes no sense, or cannot be written, or hands cannot
            play what comes of it; says bar and beat.
    """
    new = apply_edit(EDITS, edit, WrittenScore(text, members), "edit of a score")
    description = parse_yaml(ScoreDescription, new, "the score")
    compile_score(description, members, "the score")
    return new


@dataclass(frozen=True)
class Slot:
    """Where a hit is written: a word of a hand's line, or an item of a list.

    Attributes:
        key: "left", "right" or "hits".
        index: which word or item.
    """

    key: str
    index: int


@dataclass(frozen=True)
class WrittenScore:
    """A score as it is written.

    Attributes:
        text: the file.
        members: what the kit has.
    """

    text: str
    members: Members

    @cached_property
    def description(self) -> ScoreDescription:
        """What the text says."""
        return parse_yaml(ScoreDescription, self.text, "the score")

    @cached_property
    def straight(self) -> Score:
        """The score without swing: hits are where they are written."""
        even = replace(self.description, swing=0.5, absent="drop")
        return compile_score(even, self.members, "the score")

    def place(self, at: float) -> tuple[int, float]:
        """The part of a beat, and the beat within its first repetition.

        Raises:
            BackbeatError: there are no hits there; says bar, beat and why.
        """
        for i, section in enumerate(self.straight.sections):
            if section.beat - SAME <= at < section.beat + section.beats - SAME:
                part = self.description.parts[i]
                why = cannot_have_hits(part)
                if why:
                    raise BackbeatError(f"{self.words(at)}: {why}")
                once = section.beats / part.repeat
                return i, max(0.0, (at - section.beat) % once)
        raise BackbeatError(f"{self.words(at)}: after the end of the score")

    def words(self, at: float) -> str:
        """Bar and beat of a beat."""
        return self.straight.tempo.in_words(at, 3)

    def bar(self, i: int) -> float:
        """Beats of the bars of a part."""
        start = self.straight.sections[i].beat
        return self.straight.tempo.meter.at(start).beats

    def steps(self, i: int) -> int:
        """Steps per beat of the lines of a part."""
        return (
            self.description.parts[i].steps_per_beat or self.description.steps_per_beat
        )

    def slots(self, i: int, b: float, member: str) -> list[Slot]:
        """Where the hits of a drum on a beat of a part are written, but in a tab."""
        part, found = self.description.parts[i], []
        for hand in HANDS:
            for k, word in enumerate(_words(getattr(part, hand))):
                is_there = abs(k / self.steps(i) - b) < SAME
                if is_there and self._member(word.rstrip("!?")) == member:
                    found.append(Slot(hand, k))
        for j, hit in enumerate(part.hits):
            at = (hit.bar - 1) * self.bar(i) + hit.beat - 1
            if abs(at - b) < SAME and self._member(hit.member) == member:
                found.append(Slot("hits", j))
        return found

    def _member(self, word: str) -> str:
        return "" if word == "-" else self.members.named(word, "the score")

    def number(self, member: str) -> int:
        """The number of a drum."""
        return next(n for n, name in self.members.numbers.items() if name == member)

    def bars(self, i: int) -> int:
        """Bars of a part, once."""
        part, section = self.description.parts[i], self.straight.sections[i]
        return round(section.beats / part.repeat / self.bar(i))


def cannot_have_hits(part: PartDescription) -> str:
    """Why no hit can be put into a part; "" where one can."""
    named = f" {part.name!r}" if part.name else ""
    if part.hold:
        return f"hands rest in the hold{named}; put hits into a part that is played"
    if part.goto and not has_bars(part):
        return f"hands are on their way in the goto{named}, which has no bars"
    return ""


def hit(now: WrittenScore, at: Any, member: Any, hand: Any, velocity: Any) -> str:
    """Puts a hit on a beat, or changes the one of that drum there.

    A hand's line has it where it can say it, else the list of hits.
    """
    loud = int(number("velocity", velocity, 1, LOUDEST))
    if hand not in ("", *HANDS):
        raise unknown_name("hand", str(hand)[:20], HANDS)
    i, b = now.place(beat(at))
    name = _drum(now, member)
    slots = now.slots(i, b, name)
    if len(slots) > 1:
        raise BackbeatError(f"{now.words(at)}: both hands hit the {name}; {REFUSAL}")
    if slots and slots[0].key == "hits":
        return _listed(now, i, slots[0].index, hand, loud)
    text = now.text
    if slots:
        slot = slots[0]
        hand = hand or slot.key
        word = "-"
        if hand == slot.key and loud in MARKS:
            word = f"{now.number(name)}{MARKS[loud]}"
        text = _with_word(text, ("parts", i, slot.key), slot.index, word)
        if word != "-":
            return text
    return _added(WrittenScore(text, now.members), i, b, (name, hand, loud))


def unhit(now: WrittenScore, at: Any, member: Any) -> str:
    """Takes the hit of a drum on a beat away."""
    i, b = now.place(beat(at))
    name = _drum(now, member)
    slots = now.slots(i, b, name)
    if not slots:
        in_tab = f"is written in tablature; {REFUSAL}"
        why = in_tab if now.description.parts[i].tab else "is not there"
        raise BackbeatError(f"{now.words(at)}: the hit of the {name} {why}")
    text = now.text
    # The last first, so that the others stay where they are.
    for slot in reversed(slots):
        place: KeyPath = ("parts", i, slot.key)
        if slot.key == "hits":
            text = _with_bars(now, text, i, slot.index)
            text = without(text, (*place, slot.index))
        else:
            text = _with_word(text, place, slot.index, "-")
    return text


def taps(now: WrittenScore, hits: Any) -> str:
    """Puts many hits, [beat, drum, velocity] each, hands open: as they were tapped."""
    rows: list[Any] = hits if isinstance(hits, list) else [None]
    if not all(isinstance(row, list) and len(row) == 3 for row in rows):
        raise BackbeatError("taps are a list of [beat, drum, velocity]")
    for at, member, velocity in rows:
        text = hit(now, at, member, "", velocity)
        now = WrittenScore(text, now.members)
    return now.text


def setting(now: WrittenScore, key: Any, value: Any) -> str:
    """Sets a key of the whole score, such as its tempo."""
    if key not in SCORE_KEYS:
        raise unknown_name("key of a score that can be set", str(key)[:40], SCORE_KEYS)
    return with_value(now.text, (key,), plain(value), ORDER)


def music(now: WrittenScore, backing: Any, offset: Any) -> str:
    """Names a recording that plays along, and where in it the music begins."""
    return with_music(now.text, backing, offset, ORDER)


EDITS: dict[str, Callable[..., str]] = {
    act.__name__: act for act in (hit, unhit, taps, setting, music)
}


def _drum(now: WrittenScore, member: Any) -> str:
    if member not in now.members.names:
        raise unknown_name("drum of the kit", str(member)[:40], now.members.names)
    return str(member)


def _listed(now: WrittenScore, i: int, j: int, hand: str, velocity: int) -> str:
    """The text with another hand and velocity of a hit of the list of a part."""
    text, place, old = (
        now.text,
        ("parts", i, "hits", j),
        now.description.parts[i].hits[j],
    )
    if velocity != old.velocity:
        text = with_value(text, (*place, "velocity"), velocity, HIT_KEYS)
    if hand and hand != old.hand:
        text = with_value(text, (*place, "hand"), hand, HIT_KEYS)
    return without(text, (*place, "hand")) if old.hand and not hand else text


def _added(now: WrittenScore, i: int, b: float, new: tuple[str, str, int]) -> str:
    """The text with one more hit of a drum, by a hand, with a velocity."""
    (name, hand, loud), part = new, now.description.parts[i]
    words = _words(getattr(part, hand)) if hand else []
    k = round(b * now.steps(i))
    fits = abs(k / now.steps(i) - b) < SAME and k < len(words)
    if fits and words[k] != "-":
        other = now.members.named(words[k].rstrip("!?"), "the score")
        at = now.straight.sections[i].beat + b
        raise BackbeatError(
            f"{now.words(at)}: the {hand} hand hits the {other} there; choose the "
            "other hand or none"
        )
    if fits and loud in MARKS and name not in now.members.feet:
        word = f"{now.number(name)}{MARKS[loud]}"
        return _with_word(now.text, ("parts", i, hand), k, word)
    bar = int((b + SAME) // now.bar(i))
    row: dict[str, Any] = {"bar": bar + 1, "beat": plain(b - bar * now.bar(i) + 1)}
    row["member"] = name
    if loud != PLAIN:
        row["velocity"] = loud
    if hand:
        row["hand"] = hand
    places = [(h.bar, h.beat) for h in part.hits]
    index = sum(place <= (row["bar"], row["beat"]) for place in places)
    return with_item(now.text, ("parts", i, "hits"), index, row, PART_KEYS)


def _with_bars(now: WrittenScore, text: str, i: int, index: int) -> str:
    """The text with the bars of a part that would get shorter without a hit."""
    part = now.description.parts[i]
    lasts = part.bars or part.left or part.right or part.tab.strip()
    others = [hit.bar for j, hit in enumerate(part.hits) if j != index]
    if lasts or part.hits[index].bar <= max(others, default=0):
        return text
    return with_value(text, ("parts", i, "bars"), now.bars(i), PART_KEYS)


def _words(line: str) -> list[str]:
    return line.replace("|", " ").split()


def _with_word(text: str, place: KeyPath, index: int, word: str) -> str:
    """The text with another word in a hand's line; those behind it keep their columns.

    Raises:
        BackbeatError: the line is written in a way that does not allow it.
    """
    wanted: Any = read_tree(text, "the score")
    span = YamlLines(text).value_span(place)
    if span is None:
        raise BackbeatError(REFUSAL)
    a, b = span
    # What a block of lines begins with is no word.
    head = re.match(r"[|>][-+\d]*[^\n]*\n", text[a:b])
    start = a + (head.end() if head else 0)
    found = list(re.finditer(r"""[^\s|"']+""", text[start:b]))
    if index >= len(found):
        raise BackbeatError(REFUSAL)
    first, last = (start + at for at in found[index].span())
    spaces = len(re.match(" *", text[last:]).group())  # type: ignore[union-attr]
    longer = len(word) - (last - first)
    rest = last + max(0, min(longer, spaces - 1))
    new = text[:first] + word + " " * max(0, -longer) + text[rest:]
    words = _words(_at(wanted, place))
    words[index] = word
    try:
        tree: Any = read_tree(new, "the score")
    except BackbeatError:
        raise BackbeatError(REFUSAL) from None
    if _words(_at(tree, place)) != words:
        raise BackbeatError(REFUSAL)
    _at(wanted, place[:-1])[place[-1]] = _at(tree, place)
    if tree != wanted:
        raise BackbeatError(REFUSAL)
    return new


def _at(tree: Any, place: KeyPath) -> Any:
    for step in place:
        tree = tree[step]
    return tree
