"""MIDI files: the percussion channel becomes hits.

All tracks are read into one line of time in ticks, whose resolution the file states,
with its tempo map and meters ("Standard MIDI Files 1.0", MIDI Manufacturers
Association, 1996). Percussion is channel 10 as people count ("General MIDI System
Level 1", 1991), unless another one is named. Drum modules send the choke of a cymbal as
pressure on its key.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import mido

from backbeat.behaviors.music.files.ends import final_bar, lead_in
from backbeat.behaviors.music.files.midi_survey import survey
from backbeat.behaviors.music.files.score_finish import MOST_BEATS, MOST_HITS
from backbeat.behaviors.music.files.tab_marks import PLAIN, chokes_in_words
from backbeat.behaviors.music.notation.meter import Meter, MeterChange, MeterMap
from backbeat.behaviors.music.notation.percussion import Members
from backbeat.behaviors.music.notation.score import (
    LEAST_TRANSFER,
    Hit,
    Hold,
    Score,
    Section,
)
from backbeat.behaviors.music.notation.score_description import (
    PERCUSSION,
    PartDescription,
)
from backbeat.behaviors.music.notation.tempo import Tempo, TempoChange
from backbeat.models.common.bounds import BYTES
from backbeat.models.common.errors import BackbeatError, gist

# Tempo and meter of a file that has none.
USUAL_BPM, USUAL_METER = 120.0, (4, 4)

Value = TypeVar("Value")


@dataclass
class _Content:
    """What a file says, by tick."""

    ticks_per_beat: float
    hits: list[tuple[int, int, int]] = field(default_factory=list)  # tick, note, loud
    tempos: dict[int, float] = field(default_factory=dict)
    meters: dict[int, tuple[int, int]] = field(default_factory=dict)
    others: Counter[int] = field(default_factory=Counter)
    chokes: list[tuple[int, int]] = field(default_factory=list)  # tick, note


def read_midi(
    data: bytes,
    members: Members,
    where: str,
    targets: Mapping[int, str] | None = None,
    channel: int = PERCUSSION,
) -> Score:
    """Reads a MIDI file.

    A hold of whole bars is put before it and after it, for files have no sticks that
    have to rest somewhere; a silence at the start makes the first one longer.

    Args:
        data: bytes of the file.
        members: what the kit has.
        where: name of the file in errors.
        targets: members or pieces, "drop" or "refuse" by note; others are as usual.
        channel: of the drums, counted from one.

    Returns:
        A score whose hits are on any piece and whose hands are open; `lead_in` says
        where the file's own time begins, and `notes` what its notes became.

    Raises:
        BackbeatError: broken, too large or long, or without percussion.
    """
    if len(data) > BYTES["MIDI"]:
        raise BackbeatError(f"{where} is larger than {BYTES['MIDI'] / 1e6:g} MB")
    try:
        content = _read(data, channel)
    except Exception as error:
        # The library lets through whatever goes wrong inside it.
        said = str(error) or type(error).__name__
        if isinstance(error, EOFError):
            said = "it is empty or cut off"
        raise BackbeatError(
            f"{where} is no MIDI file that can be read: {gist(said, 120)}"
        ) from None
    _check_hits(content, channel, where)
    return _to_score(content, members, where, targets or {})


def _read(data: bytes, channel: int) -> _Content:
    """Reads with mido; raises anything."""
    survey(data)
    file = mido.MidiFile(file=BytesIO(data), clip=True)
    tracks = [t for t in file.tracks if any(not m.is_meta for m in t)]
    if file.type == 2 and len(tracks) > 1:
        raise ValueError("its tracks have times of their own (format 2); save format 1")
    content = _Content(_ticks_per_beat(file.ticks_per_beat))
    for tick, message in _timed(file):
        kind = message.type
        if kind == "note_on" and message.velocity > 0:
            if message.channel == channel - 1:
                content.hits.append((tick, message.note, message.velocity))
            else:
                content.others[message.channel + 1] += 1
        elif kind == "polytouch" and message.value > 0:
            if message.channel == channel - 1:
                content.chokes.append((tick, message.note))
        elif kind == "set_tempo":
            content.tempos[tick] = 6e7 / message.tempo
        elif kind == "time_signature":
            content.meters[tick] = message.numerator, message.denominator
    return content


def _timed(file: mido.MidiFile) -> Iterator[tuple[int, mido.Message]]:
    """Messages of all tracks with their tick."""
    for track in file.tracks:
        tick = 0
        for message in track:
            tick += message.time
            yield tick, message


def _ticks_per_beat(division: int) -> float:
    """Ticks of a beat; of half a second where a file counts frames."""
    if division > 0:
        return float(division)
    frames, ticks = -(division >> 8), division & 0xFF
    if frames <= 0 or ticks == 0:
        raise ValueError("it does not say how fast its ticks are")
    return 0.5 * frames * ticks


def _check_hits(content: _Content, channel: int, where: str) -> None:
    """Refuses a file without drums, and one with more than hands can play."""
    if not content.hits:
        others = content.others
        has = "there are no notes"
        if others:
            most = max(others, key=lambda c: others[c])
            has = (
                f"it has {_on_channels(others)}; --channel {most}, channel: {most} "
                "in a score, reads these"
            )
        usual = ", which is on channel 10" * (channel == PERCUSSION)
        on = usual or f" on channel {channel}"
        raise BackbeatError(f"{where} has no percussion{on}; {has}", path=("channel",))
    if len(content.hits) > MOST_HITS:
        raise BackbeatError(f"{where}: more than {MOST_HITS} hits")
    if max(content.hits)[0] / content.ticks_per_beat > MOST_BEATS:
        raise BackbeatError(f"{where}: more than {MOST_BEATS} beats")


def _on_channels(counts: Counter[int]) -> str:
    """Notes of channels in words."""
    told = [
        f"{n} {'note' if n == 1 else 'notes'} on channel {c}"
        for c, n in sorted(counts.items())
    ]
    return ", ".join(told)


def _to_score(
    content: _Content, members: Members, where: str, targets: Mapping[int, str]
) -> Score:
    """Ticks to beats, with rests at both ends."""
    per = content.ticks_per_beat
    bpm = content.tempos.get(0, USUAL_BPM)
    signature = content.meters.get(0, USUAL_METER)
    meter = _meter(signature, where)
    first = _tempo(bpm, meter, [], [], where)
    ready = lead_in(first.bpm, meter.beats, members)
    start = ready.hold
    last = start + max(content.hits)[0] / per
    tempo = _tempo(
        bpm,
        meter,
        [
            TempoChange(start + tick / per, value)
            for tick, value in _changes(content.tempos, bpm)
            if start + tick / per <= last
        ],
        [
            MeterChange(start + tick / per, _meter(value, where))
            for tick, value in _changes(content.meters, signature)
            if start + tick / per <= last
        ],
        where,
    )
    counts = Counter(note for _, note, _ in content.hits)
    pieces = {note: targets.get(note) or members.of_note(note) for note in counts}
    hits = [
        Hit(start + tick / per, pieces[note], "", velocity)
        for tick, note, velocity in sorted(content.hits)
    ]
    closed, said = _choked(content, members, targets)
    hits += [Hit(start + tick / per, *struck) for tick, struck in closed]
    hits.sort(key=lambda hit: hit.beat)
    if content.others:
        said.append(f"not read: {_on_channels(content.others)}")
    ready.hold = _before(tempo, hits[0].beat, start)
    end = _bar_after(tempo, last + LEAST_TRANSFER)
    finish = final_bar(tempo.meter.at(end).beats, members)
    holds = (_hold(ready, 0.0), _hold(finish, end))
    name = Path(where).stem
    sections = (
        Section(ready.name, 0.0, ready.hold),
        Section(name, ready.hold, end - ready.hold),
        Section(finish.name, end, finish.hold),
    )
    return Score(
        tempo,
        tuple(hits),
        holds,
        end + finish.hold,
        sections,
        tuple(said),
        lead_in=start,
        notes=tuple((n, pieces[n], counts[n]) for n in sorted(counts)),
    )


def _choked(
    content: _Content, members: Members, targets: Mapping[int, str]
) -> tuple[list[tuple[int, tuple[str, str, int]]], list[str]]:
    """Hits of a pedal that choke a hi-hat, by tick, and what is not choked in words."""
    pedal, closed, left = members.of_piece("pedal_hi_hat"), [], Counter[str]()
    for tick, note in content.chokes:
        member = members.playing(targets.get(note) or members.of_note(note))
        if members.plain(member) == "hi_hat" and pedal in members.feet:
            closed.append((tick, (pedal, "", PLAIN)))
        else:
            left[member] += 1
    return closed, chokes_in_words(left)


def _changes(values: dict[int, Value], first: Value) -> Iterator[tuple[int, Value]]:
    """Those values that differ from the one before."""
    steps = [(0, first), *sorted((t, v) for t, v in values.items() if t > 0)]
    for (_, before), (tick, value) in pairwise(steps):
        if value != before:
            yield tick, value


def _meter(signature: tuple[int, int], where: str) -> Meter:
    try:
        return Meter(*signature)
    except BackbeatError as error:
        raise error.reworded(f"{where}: {error}") from None


def _tempo(
    bpm: float,
    meter: Meter,
    changes: list[TempoChange],
    meters: list[MeterChange],
    where: str,
) -> Tempo:
    try:
        return Tempo(bpm, MeterMap(meter, tuple(meters)), tuple(changes))
    except BackbeatError as error:
        raise error.reworded(f"{where}: {error}") from None


def _before(tempo: Tempo, beat: float, least: float) -> float:
    """The last start of a bar up to a beat, and at least some beats."""
    _, at = tempo.place(beat)
    return max(least, round(beat - (at - 1), 9))


def _bar_after(tempo: Tempo, beat: float) -> float:
    """The first start of a bar after a beat."""
    _, at = tempo.place(beat)
    return round(beat - (at - 1) + tempo.meter.at(beat).beats, 9)


def _hold(part: PartDescription, beat: float) -> Hold:
    return Hold(beat, part.hold, part.name, part.rest, part.sway, part.sway_beats)
