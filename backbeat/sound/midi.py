"""MIDI out: a performance as a Standard MIDI File on the General MIDI drum channel."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import mido
import numpy as np

from backbeat.behaviors.music.notation.meter import Meter
from backbeat.models.common.atomic_file import replacing
from backbeat.models.kit.description import parse_kit
from backbeat.sound.notes import CLICK, STICKS, Note, Performance
from backbeat.sound.strokes import heard_strokes

CHANNEL = 9  # percussion, which people count as the tenth
# Fine enough to keep a hit within 0.04 ms at 98 BPM; the format allows 32767.
TICKS_PER_BEAT = 9600
# How long a note is held, or until the same drum is struck again [s].
HELD = 0.1
# Without music a file has this tempo [beats/min].
DEFAULT_BPM = 120.0
# Notes of the General MIDI level 2 drum map: sticks, metronome click, open hi-hat.
KNOCK, METRONOME, OPEN_HI_HAT = 31, 33, 46


def write_midi(
    performance: Performance,
    notes: Sequence[Note],
    path: str | Path,
) -> int:
    """Writes notes with the tempo of a performance, whole or not at all.

    Args:
        performance: whose tempo and name.
        notes: what is heard, in order of time; what would be before the beginning of
            the file is left out.
        path: file to write.

    Returns:
        The number of notes in the file.

    Raises:
        BackbeatError: the file cannot be written.
    """
    heard = [note for note in notes if note.time >= 0]
    lengths, ends = _tempo(performance.beats)
    file = mido.MidiFile(type=1, ticks_per_beat=TICKS_PER_BEAT)
    file.tracks.append(_conductor(performance, lengths))
    file.tracks.append(_drums(heard, lengths, ends, performance.kit))
    with replacing(Path(path)) as stream:
        file.save(file=stream)
    return len(heard)


def _tempo(beats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Length of every beat [us], as the format rounds it, and its beginning [s].

    Ticks are counted on the rounded beats, as players do: nothing drifts.
    """
    lengths = np.diff(beats) if len(beats) > 1 else np.array([60.0 / DEFAULT_BPM])
    rounded = np.maximum(np.round(1e6 * lengths), 1).astype(int)
    return rounded, 1e-6 * np.r_[0, np.cumsum(rounded)[:-1]]


def _tick(time: float, lengths: np.ndarray, starts: np.ndarray) -> int:
    """Tick of a time [s]; the last beat's tempo goes on for ever."""
    beat = max(int(np.searchsorted(starts, time, side="right")) - 1, 0)
    share = (time - starts[beat]) / (1e-6 * lengths[beat])
    return round((beat + share) * TICKS_PER_BEAT)


def _conductor(performance: Performance, lengths: np.ndarray) -> mido.MidiTrack:
    """The track with the tempo map, the meter and the name."""
    track = mido.MidiTrack()
    # The format's text is Latin-1.
    title = performance.name.encode("latin-1", "replace").decode("latin-1")
    track.append(mido.MetaMessage("track_name", name=title))
    said: list[tuple[int, mido.MetaMessage]] = []
    for change in performance.meter.moved(0.0):
        if change.beat <= len(lengths):
            tick = round(change.beat * TICKS_PER_BEAT)
            said.append((tick, _time_signature(change.meter)))
    before = 0
    for beat, length in enumerate(lengths):
        # A slower tempo than three bytes can say is as slow as they can.
        length = min(int(length), 0xFFFFFF)
        if length != before:
            message = mido.MetaMessage("set_tempo", tempo=length)
            said.append((beat * TICKS_PER_BEAT, message))
            before = length
    now = 0
    for tick, message in sorted(said, key=lambda item: item[0]):
        track.append(message.copy(time=tick - now))
        now = tick
    track.append(mido.MetaMessage("end_of_track"))
    return track


def _time_signature(meter: Meter) -> mido.MetaMessage:
    return mido.MetaMessage(
        "time_signature",
        numerator=meter.numerator,
        denominator=meter.denominator,
        # Of 24 to a quarter note; a metronome clicks once a pulse.
        clocks_per_click=max(1, round(24 * meter.pulse)),
    )


def _drums(
    notes: Sequence[Note], lengths: np.ndarray, starts: np.ndarray, kit: str
) -> mido.MidiTrack:
    """The track with the strikes."""
    members, numbers = parse_kit(kit).members, note_numbers(kit)
    next_start, events = dict[int, float](), []
    for stroke in reversed(heard_strokes(notes, kit, 1)):
        note, number = stroke.note, numbers[stroke.note.member]
        if stroke.is_open and OPEN_HI_HAT in members[note.member].notes:
            number = OPEN_HI_HAT
        end = min(note.time + HELD, next_start.get(number, np.inf))
        next_start[number] = note.time
        events.append((_tick(note.time, lengths, starts), 1, number, note.velocity))
        events.append((_tick(end, lengths, starts), 0, number, 0))
    track = mido.MidiTrack([mido.MetaMessage("track_name", name="drums")])
    now = 0
    # At the same tick, the end of a note comes before the next one's beginning.
    for tick, is_on, number, velocity in sorted(events):
        kind = "note_on" if is_on else "note_off"
        track.append(
            mido.Message(
                kind, channel=CHANNEL, note=number, velocity=velocity, time=tick - now
            )
        )
        now = tick
    track.append(mido.MetaMessage("end_of_track"))
    return track


def note_numbers(kit: str = "") -> Mapping[str, int]:
    """General MIDI note of every member of a kit, as text, of click and sticks."""
    members = parse_kit(kit).members
    return {
        **{name: m.notes[0] for name, m in members.items()},
        CLICK: METRONOME,
        STICKS: KNOCK,
    }
