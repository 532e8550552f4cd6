"""The grid of a score as data: rows of drums, parts, hits, and what is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.editing.edits import plain
from backbeat.behaviors.editing.score_edits import (
    SCORE_KEYS,
    WrittenScore,
    cannot_have_hits,
)
from backbeat.behaviors.editing.timeline import Mark, Sheet
from backbeat.behaviors.music.files.score_compiler import compile_score
from backbeat.behaviors.music.notation.percussion import NOTES, Members
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.music.notation.score import Hit, Score
from backbeat.behaviors.music.playing.tempo_scale import with_tempo_scale
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.drum_kit import DrumKit


@dataclass(frozen=True)
class GridHit:
    """A hit as it is seen.

    Attributes:
        beat: when, as it is written, counted from zero.
        member: the drum.
        hand: that plays it; "" for none.
        velocity: as in MIDI.
        is_open: whether the file leaves the hand open.
        fails: whether two hands cannot play it.
    """

    beat: float
    member: str
    hand: str
    velocity: int
    is_open: bool
    fails: bool


@dataclass(frozen=True)
class GridPart:
    """A part of the score.

    Attributes:
        name: of the part.
        start, beats: when, and how long with all repetitions [beats].
        repeat: how often it is played.
        why: why hits cannot be put there; "" where they can.
    """

    name: str
    start: float
    beats: float
    repeat: int
    why: str


@dataclass(frozen=True)
class DrumGrid(Sheet):
    """What a score holds; hands rest where it has no hit, so that it is never empty.

    Attributes:
        parts: in order.
        hits: in order of time.
    """

    parts: list[GridPart] = field(default_factory=list)
    hits: list[GridHit] = field(default_factory=list)


def drum_grid(text: str, drumming: DrummingSpecification, kit: DrumKit) -> DrumGrid:
    """The grid of a score, with what two hands that reach everything can play of it.

    Args:
        text: the score.
        drumming: the specification that names it.
        kit: the drums.
    """
    members = kit_members(kit)
    try:
        written = WrittenScore(text, members)
        straight = written.straight
        timed = with_tempo_scale(straight, drumming.tempo_scale)
    except BackbeatError as error:
        return DrumGrid(drumming.name, marks=[Mark(True, str(error))], is_read=False)
    hits, why = _in_hands(written, straight, kit)
    parts = [
        GridPart(s.name, plain(s.beat), plain(s.beats), p.repeat, cannot_have_hits(p))
        for s, p in zip(straight.sections, written.description.parts, strict=True)
    ]
    meter, end = straight.tempo.meter, straight.beats
    firsts = {p.bar: p.beat for p in reversed(meter.pulses(end - 1e-6))}
    beats = [*np.arange(np.ceil(end)), end]
    scale = timed.beats / end if end else 1.0
    return DrumGrid(
        name=drumming.name,
        robot=drumming.robot,
        beats=plain(end),
        bpm=written.description.bpm,
        bars=sorted((start, bar) for bar, start in firsts.items()),
        keys={key: getattr(written.description, key) for key in SCORE_KEYS},
        marks=[Mark(True, why)] if why else [],
        backing=written.description.backing,
        offset=written.description.offset,
        times=[round(timed.tempo.time(float(b) * scale), 5) for b in beats],
        parts=parts,
        hits=hits,
    )


def _in_hands(
    written: WrittenScore, straight: Score, kit: DrumKit
) -> tuple[list[GridHit], str]:
    """Hits with hands, and why two hands cannot play them; "" where they can."""
    places = {m: kit.strike_pose(m).translation() - kit.p_WK for m in kit.members}
    even = replace(written.description, swing=0.5, absent="drop")

    def played(unplayable: str) -> Sequence[Hit]:
        asked = replace(even, unplayable=unplayable)
        return compile_score(
            asked, written.members, "the score", HandModel(places)
        ).hits

    why = ""
    try:
        found = played(even.unplayable)
    except BackbeatError as error:
        why = str(error.fault)
        try:
            found = played("drop")
        except BackbeatError:
            found = straight.hits
    hands = {(hit.beat, hit.member): hit.hand for hit in found}
    rows = [
        GridHit(
            plain(hit.beat),
            hit.member,
            hit.hand or hands.get((hit.beat, hit.member), ""),
            hit.velocity,
            not hit.hand,
            (hit.beat, hit.member) not in hands,
        )
        for hit in straight.hits
    ]
    return rows, why


def drum_rows(members: Members) -> dict[str, Any]:
    """The rows of a grid, and the drum of each note of a MIDI keyboard or pad."""
    notes = {note: members.playing(members.of_note(note)) for note in NOTES}
    return {
        "rows": [
            {"member": name, "number": number, "foot": members.feet.get(name, "")}
            for number, name in sorted(members.numbers.items())
        ],
        "notes": {n: m for n, m in notes.items() if m in members.names},
    }
