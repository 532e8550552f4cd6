"""The backing of a dance: where in it the dance begins, and what is heard."""

import numpy as np
import pytest
import scipy

from backbeat.behaviors.drumming.drummer import score_events
from backbeat.behaviors.editing.dance_document import DanceDocument
from backbeat.behaviors.specification.checking import check_specification
from backbeat.behaviors.specification.kinds import parse_specification
from backbeat.models.common.errors import BackbeatError
from backbeat.sound.mix import PEAK, RATE, mixed, read_backing
from backbeat.sound.notes import Performance, SoundExtras
from backbeat.sound.page import packed_sound
from tests.behaviors.test_score import part, score

DANCE = """\
kind: dance
name: little
bpm: 120
beats: 8
backing: song.wav  # mine
offset: 1.5
tracks: {head: [{move: nod, at: 2, beats: 4}]}
"""


def write_ramp(path, seconds=3.0):
    """A recording of which each sample says when it is, in tenths."""
    t = np.arange(int(seconds * RATE)) / RATE
    scipy.io.wavfile.write(path, RATE, np.round(3276.7 * t).astype("<i2"))


@pytest.mark.parametrize(("offset", "begins"), [(1.5, -1.5), (0.0, 0.0), (-0.25, 0.25)])
def test_the_dance_begins_where_the_file_says(tmp_path, offset, begins):
    text = DANCE.replace("1.5", f"{offset}")
    plan = parse_specification(text, "it").plan(tmp_path)
    (music,) = (event for event in plan.events if event.kind == "music")
    assert (music.time, music.what) == (begins, "song.wav")
    write_ramp(tmp_path / "song.wav")
    backing = read_backing(tmp_path / "song.wav")
    sound = mixed([], 4.0, backing, music=music.time)
    # At a time the sample of that time and the offset is heard.
    for at in (0.5, 1.0):
        heard = sound[round(at * RATE), 0]
        assert heard == pytest.approx(PEAK * (at + offset) / 3.0, abs=2e-3)
    silent = Performance("it", (), 4.0, np.zeros(0), music=music.time)
    packed = packed_sound(silent, SoundExtras(backing=backing))["backing"]
    assert packed["start"] == max(0.0, begins)


def test_a_score_has_the_same_keys():
    bars = part("- 3 - -", "- - 6 -")
    for offset in (0.0, 2.25):
        whole = score(bars, backing="song.wav", offset=offset)
        events = score_events(whole, lambda member, hand: (0.0, 0.0))
        (music,) = (event for event in events if event.kind == "music")
        assert music.time == -offset


def test_a_backing_that_is_not_there_is_said_and_the_dance_goes_on(tmp_path):
    (found,) = check_specification(DANCE, tmp_path / "it.yaml", False)
    assert not found.finding.fails
    assert found.line == 5
    assert "no file song.wav beside it" in found.finding.sentence
    (tmp_path / "song.wav").write_bytes(b"no sound")
    (found,) = check_specification(DANCE, tmp_path / "it.yaml", False)
    assert "is not a WAV file" in found.finding.sentence
    write_ramp(tmp_path / "song.wav")
    assert not check_specification(DANCE, tmp_path / "it.yaml", False)


def test_recording_and_offset_are_one_edit_that_is_undone(tmp_path):
    plain = DANCE.replace("backing: song.wav  # mine\noffset: 1.5\n", "")
    document = DanceDocument(tmp_path / "it.yaml", plain)
    edit = {"edit": "music", "backing": "song.wav", "offset": 1.5}
    document.apply(edit, document.revision)
    assert document.text == DANCE.replace("  # mine", "")
    assert (document.sheet().backing, document.sheet().offset) == ("song.wav", 1.5)
    document.apply({"edit": "music", "backing": "", "offset": 0}, document.revision)
    assert document.text == plain
    document.apply({"edit": "undo"}, document.revision)
    document.apply({"edit": "undo"}, document.revision)
    assert document.text == plain


@pytest.mark.parametrize(
    ("backing", "offset"), [("../song.wav", 0), (7, 0), ("a" * 300, 0), ("a.wav", "1")]
)
def test_an_edit_with_a_path_or_no_time_is_refused(tmp_path, backing, offset):
    document = DanceDocument(tmp_path / "it.yaml", DANCE)
    edit = {"edit": "music", "backing": backing, "offset": offset}
    with pytest.raises(BackbeatError):
        document.apply(edit, document.revision)
    assert document.text == DANCE
