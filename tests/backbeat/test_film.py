import os
from dataclasses import replace

import numpy as np
import pytest
from scipy.io import wavfile

from backbeat.behaviors.library.behavior import music_events
from backbeat.models.common.errors import BackbeatError
from backbeat.sound.mix import PEAK, RATE
from backbeat.sound.notes import SoundExtras, planned
from backbeat.stage.recording import film as film_module
from backbeat.stage.recording.film import _sound as sound_of
from backbeat.stage.recording.film import check_film, is_film
from backbeat.stage.sources.kinds import PlannedSource
from tests.backbeat.performances import drumming, swaying


@pytest.mark.parametrize(
    ("name", "expected"), [("a.mp4", True), ("a.GIF", True), ("a.html", False)]
)
def test_a_film_is_known_by_its_name(tmp_path, name, expected):
    assert is_film(tmp_path / name) is expected


@pytest.mark.parametrize("missing", ["chromium", "ffmpeg"])
def test_a_missing_program_is_named_with_the_cure(tmp_path, monkeypatch, missing):
    def which(name):
        return None if missing in name or "chrom" in missing else f"/usr/bin/{name}"

    monkeypatch.setattr("shutil.which", which)
    with pytest.raises(BackbeatError, match=f"apt install {missing}"):
        check_film(tmp_path / "a.mp4")


def test_sound_begins_with_the_picture():
    """A lead-in is silent, and what a film leaves out is not heard."""
    performance = planned(drumming(True, 2.0))
    at, late, early = (
        sound_of(performance, SoundExtras(), start) for start in (0.0, -0.5, 0.25)
    )
    assert not late[:22050].any()
    np.testing.assert_array_equal(late[22050:], at)
    np.testing.assert_array_equal(early, at[11025:])


FAKE = """#!/usr/bin/env bash
# Keeps the sound and the arguments, takes the pictures, and writes a film.
printf '%s\\n' "$@" > {folder}/arguments
for word in "$@"; do
  case "$word" in *.wav) cp "$word" {folder}/sound.wav;; esac
done
wc -c > {folder}/bytes
echo film > "${{!#}}"
"""


def dance_to_music():
    """A dance that begins half a second into a tone that lasts a second."""
    events = tuple(music_events("song.wav", -0.5))
    return replace(swaying(2.0), bpm=98.0, events=events)


@pytest.mark.parametrize("kind", ["mp4", "gif"])
def test_the_film_of_a_dance_has_its_music(tmp_path, monkeypatch, kind):
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "ffmpeg").write_text(FAKE.format(folder=tmp_path))
    (tools / "ffmpeg").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setattr(film_module, "need_chromium", lambda: None)
    pictures = [b"one", b"two"]
    monkeypatch.setattr(film_module, "_pictures", lambda *_: iter(pictures))
    t = np.arange(RATE) / RATE
    tone = np.repeat(0.5 * np.sin(2 * np.pi * 441.0 * t)[:, None], 2, 1)
    source = PlannedSource(dance_to_music())
    path, extras = tmp_path / f"a.{kind}", SoundExtras(backing=tone)
    film_module.film(source, path, 30.0, extras, lambda *_: None)
    assert path.read_text() == "film\n"
    assert int((tmp_path / "bytes").read_text()) == 6
    told = (tmp_path / "arguments").read_text().split()
    assert told[told.index("-framerate") + 1] == ("30" if kind == "mp4" else "15")
    assert told.count("-i") == (2 if kind == "mp4" else 1)
    assert ("aac" in told, "-shortest" in told) == (kind == "mp4",) * 2
    if kind == "gif":
        return
    rate, samples = wavfile.read(tmp_path / "sound.wav")
    sound = samples / 32767.0
    # Half a second of the tone is left of it when the dance begins.
    heard = np.flatnonzero(np.abs(sound).max(1) > 0.01) / rate
    assert heard[-1] == pytest.approx(0.5, abs=0.01)
    assert heard[0] == pytest.approx(0.0, abs=0.01)
    spectrum = np.abs(np.fft.rfft(sound[: rate // 2, 0]))
    assert 2 * np.argmax(spectrum) == pytest.approx(441, abs=2)
    assert np.abs(sound).max() == pytest.approx(PEAK, abs=1e-3)
