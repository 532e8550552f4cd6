"""MIDI files become scores, whatever their format and resolution."""

import mido
import pytest

from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.music.files.midi import read_midi
from backbeat.behaviors.music.notation.meter import Meter
from backbeat.models.common.bounds import BYTES
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.description import kit_text
from backbeat.models.kit.drum_kit import DrumKit
from tests.behaviors.midi_files import bpm, hit, meter, midi_bytes

MEMBERS = kit_members(DrumKit())
KICK, SNARE, CLOSED, OPEN, PEDAL, CRASH = 36, 38, 42, 46, 44, 49


def read(tracks, **more):
    return read_midi(midi_bytes(tracks, **more), MEMBERS, "song.mid")


def played(score):
    """(beat from the file's own start, member, velocity) of hits."""
    return [(h.beat - score.lead_in, h.member, h.velocity) for h in score.hits]


@pytest.mark.parametrize("division", [24, 96, 480, 960, 32767])
def test_any_resolution_gives_the_same_beats(division):
    beats = (0, division, division + division // 2)
    score = read([[(t, hit(SNARE)) for t in beats]], division=division)
    assert [b for b, _, _ in played(score)] == pytest.approx([0, 1, 1.5], abs=0.03)


def test_tracks_are_merged_and_silent_notes_are_ends():
    off = mido.Message("note_on", channel=9, note=SNARE, velocity=0)
    tempo = [(0, bpm(100)), (960, bpm(50))]
    drums = [(0, hit(SNARE, 110)), (240, off), (960, hit(CRASH, 127))]
    more = [(480, hit(CLOSED, 40)), (480, hit(60, channel=0))]
    score = read([tempo, drums, more])
    assert played(score) == [
        (0, "snare", 110),
        (1, "hi_hat", 40),
        (2, "crash", 127),
    ]
    time, start = score.tempo.time, score.lead_in
    assert score.tempo.bpm == 100
    assert time(start + 2) - time(start) == pytest.approx(2 * 0.6)
    assert time(start + 3) - time(start + 2) == pytest.approx(1.2)


def test_formats_zero_and_one_say_the_same():
    events = [(0, bpm(93)), (0, hit(SNARE)), (480, hit(OPEN))]
    one = [events[:1], events[1:]]
    assert read([events], kind=0) == read(one, kind=1)


def test_meters_make_bars():
    score = read([[(0, meter(7, 8)), (7 * 240, meter(3, 4)), (4000, hit(SNARE))]])
    tempo, start = score.tempo, score.lead_in
    assert tempo.meter.first == Meter(7, 8)
    assert start % 3.5 == 0
    assert tempo.place(start)[1] == tempo.place(start + 3.5)[1] == 1
    first = tempo.place(start + 3.5)[0]
    assert tempo.place(start + 3.5 + 3) == (first + 1, 1)


@pytest.mark.parametrize("tempo", [60, 120, 240])
def test_a_drummer_rests_before_and_after(tempo):
    score = read([[(0, bpm(tempo)), (0, hit(SNARE)), (4800, hit(SNARE))]])
    first, last = score.holds
    assert first.beat == 0
    assert set(first.rest) == set(last.rest) == {"left", "right"}
    assert first.beat + first.beats == score.lead_in
    assert score.tempo.time(score.lead_in) >= 2.0
    assert last.beat - score.hits[-1].beat >= 0.75
    assert score.tempo.place(last.beat)[1] == 1
    assert score.beats == last.beat + last.beats


def test_a_silent_start_is_part_of_the_rest():
    score = read([[(0, bpm(120)), (10 * 1920 + 480, hit(SNARE))]])
    assert score.holds[0].beats == score.lead_in + 40
    assert played(score) == [(41, "snare", 90)]


def test_feet_are_not_hands_whatever_notes_a_kit_lists():
    score = read([[(0, hit(KICK)), (0, hit(PEDAL)), (480, hit(99))]])
    assert [m for _, m, _ in played(score)] == ["kick", "pedal_hi_hat", "note_99"]


def test_frames_a_second_make_half_second_beats():
    data = bytearray(midi_bytes([[(0, hit(SNARE)), (1000, hit(SNARE))]]))
    data[12:14] = bytes([0x100 - 25, 40])  # 25 frames of 40 ticks: milliseconds
    score = read_midi(bytes(data), MEMBERS, "song.mid")
    time = score.tempo.time
    assert time(score.hits[1].beat) - time(score.hits[0].beat) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "no MIDI file that can be read: it is empty or cut off"),
        (b"MThd", "no MIDI file that can be read"),
        (b"RIFF" + bytes(100), "no MIDI file that can be read"),
        (bytes(BYTES["MIDI"] + 1), "larger than 1 MB"),
        (midi_bytes([]), "no percussion, which is on channel 10; there are no notes"),
        (midi_bytes([[(0, hit(38, channel=2))]]), "it has 1 note on channel 3"),
        (midi_bytes([[(0, hit(38))], [(0, hit(38))]], kind=2), "format 2"),
        (midi_bytes([[(0, bpm(15)), (0, hit(38))]]), "bpm is 15"),
        (midi_bytes([[(0, hit(38)), (9, bpm(500)), (20, hit(38))]]), "bpm is 500"),
        (midi_bytes([[(0, meter(99, 4)), (0, hit(38))]]), "to 16 beats"),
        (midi_bytes([[(480 * 4001, hit(38))]]), "more than 4000 beats"),
        (midi_bytes([[(0, hit(38)) for _ in range(20_001)]]), "more than 20000 hits"),
        (midi_bytes([[(0, hit(38))]], division=0), "how fast"),
    ],
)
def test_what_is_no_drum_music_is_one_sentence(data, sentence):
    with pytest.raises(BackbeatError, match=sentence) as caught:
        read_midi(data, MEMBERS, "song.mid")
    assert "\n" not in str(caught.value)


def test_a_part_of_a_file_is_no_file():
    data = midi_bytes([[(0, hit(38)), (480, hit(38))]])
    for end in range(len(data)):
        with pytest.raises(BackbeatError):
            read_midi(data[:end], MEMBERS, "song.mid")


def test_drums_on_another_channel_and_what_is_not_read():
    tracks = [[(0, hit(38, channel=1)), (0, hit(60, channel=3)), (9, hit(64))]]
    data = midi_bytes(tracks)
    score = read_midi(data, MEMBERS, "song", channel=2)
    assert [h.member for h in score.hits] == ["snare"]
    said = "not read: 1 note on channel 4, 1 note on channel 10"
    assert score.remarks == (said,)
    silent = midi_bytes([[(0, hit(38, channel=1)), (9, hit(42, channel=1))]])
    sentence = r"which is on channel 10; it has 2 notes on channel 2; --channel 2"
    with pytest.raises(BackbeatError, match=sentence):
        read_midi(silent, MEMBERS, "song")
    with pytest.raises(BackbeatError, match="no percussion on channel 5; it has"):
        read_midi(silent, MEMBERS, "song", channel=5)


def test_a_choke_is_the_pedal_s_or_is_said():
    """Drum modules send it as pressure on the key; its release has no pressure."""
    pressed = [
        mido.Message("polytouch", channel=9, note=note, value=value)
        for note, value in ((46, 127), (46, 0), (49, 100))
    ]
    track = [(0, hit(46)), (0, hit(49)), *((480, m) for m in pressed)]
    data = midi_bytes([track])
    score = read_midi(data, MEMBERS, "song")
    assert score.remarks == (
        "1 hit of crash to be choked: nothing stops the cymbal",
        "1 hit of hi_hat to be choked: nothing stops the cymbal",
    )
    kit = kit_members(DrumKit(text=kit_text("full-kit", ".")))
    score = read_midi(data, kit, "song")
    assert [h.beat - score.lead_in for h in score.hits] == [0, 0, 1]
    assert score.hits[-1].member == "pedal_hi_hat"
    assert score.remarks == ("1 hit of crash to be choked: nothing stops the cymbal",)
