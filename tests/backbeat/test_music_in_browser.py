"""A recording under the beats in a browser: waveform, tempo, offset, and the sound."""

import base64
import io
from pathlib import Path

import numpy as np
import pytest
import scipy

from tests.backbeat.test_author_in_browser import SHORT, authored, open_page

pytestmark = [pytest.mark.browser, pytest.mark.slow]
__all__ = ["authored"]
BPM, FIRST, RATE = 104.3, 0.37, 22050
# The first 12 s of `recording` as Ogg Vorbis.
OGG = Path(__file__).parent / "beats.ogg"
# What a user does who lets a file go over the page.
DROP = """(([name, text]) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], name));
  const at = {bubbles: true, cancelable: true, dataTransfer: data};
  document.body.dispatchEvent(new DragEvent("dragover", at));
  document.body.dispatchEvent(new DragEvent("drop", at));
})(%s)"""


def recording(seconds=24.0):
    """A WAV file: a drum on each beat, over noise and a tone."""
    t = np.arange(int(seconds * RATE)) / RATE
    rng = np.random.default_rng(3)
    sound = 0.01 * rng.standard_normal(len(t)) + 0.05 * np.sin(2 * np.pi * 220 * t)
    for k in range(int((seconds - FIRST) * BPM / 60)):
        since = t - (FIRST + k * 60 / BPM)
        loud = 0.8 if k % 4 == 0 else 0.45
        on = since >= 0
        sound[on] += loud * np.exp(-25 * since[on]) * np.sin(2 * np.pi * 90 * since[on])
    file = io.BytesIO()
    whole = np.round(32767 * np.clip(sound, -1, 1)).astype("<i2")
    scipy.io.wavfile.write(file, RATE, whole)
    return base64.b64encode(file.getvalue()).decode()


def drop(window, name, text):
    window.run(DROP % [name, text])


@pytest.fixture
def page(window, authored, tmp_path):
    (tmp_path / "short.yaml").write_text(SHORT)
    open_page(window, authored("short.yaml").url)
    return window


def test_the_tempo_of_a_dropped_recording_is_found_and_written(page, tmp_path):
    drop(page, "song.wav", recording())
    page.wait_for("backbeat.timeline.music.song() !== null")
    page.page.click("#timeline .find-tempo")
    page.wait_for("backbeat.timeline.dance.now().timeline.bpm !== 120")
    bpm = page.run("backbeat.timeline.dance.now().timeline.bpm")
    assert bpm == pytest.approx(BPM, abs=0.1)
    assert f"bpm: {bpm}" in (tmp_path / "short.yaml").read_text()
    # A beat of the dance is on a beat of the recording.
    offset = page.run("backbeat.timeline.music.song().offset")
    beats = (offset - FIRST) * BPM / 60
    assert abs(beats - round(beats)) * 60 / BPM < 0.02
    # The waveform is highest where the drum is struck.
    row = page.run(
        """(() => { const wave = document.querySelector("#timeline .wave");
        const {data, width, height} = wave.getContext("2d")
          .getImageData(0, 0, wave.width, wave.height);
        return Array.from({length: width}, (_, x) => { let n = 0;
          for (let y = 0; y < height; y++) n += data[4 * (y * width + x) + 3] > 0;
          return n; }); })()"""
    )
    beat = page.run("backbeat.timeline.view.beat")
    columns = np.array(row, float)
    struck = [
        columns[round(k * beat) : round(k * beat) + 6].max() for k in range(1, 15)
    ]
    between = [columns[round((k + 0.8) * beat)] for k in range(1, 15)]
    assert min(struck) > 2 * max(between)


def test_the_offset_is_dragged_into_the_file_and_undone(page, tmp_path):
    path, song = tmp_path / "short.yaml", "backbeat.timeline.music.song()"
    drop(page, "song.wav", recording(8.0))
    page.wait_for(f"{song} !== null")
    assert path.read_text() == SHORT
    wave = page.page.locator("#timeline .wave").bounding_box()
    beat = page.run("backbeat.timeline.view.beat")
    mouse = page.page.mouse
    mouse.move(wave["x"] + 200, wave["y"] + 20)
    mouse.down()
    mouse.move(wave["x"] + 200 - 2 * beat, wave["y"] + 20)
    mouse.up()
    page.wait_for("backbeat.timeline.dance.now().revision === 1")
    offset = page.run(f"{song}.offset")
    assert offset == pytest.approx(1, abs=0.02)
    lines = f"backing: song.wav\noffset: {offset:g}\ntracks:"
    assert path.read_text() == SHORT.replace("tracks:", lines)
    # It is not beside the dance: said, and the dance goes on.
    marks = page.run("backbeat.timeline.dance.now().timeline.marks")
    assert any("song.wav beside it" in m["sentence"] for m in marks)
    assert not any(m["fails"] for m in marks)
    # The file has the last word, after an undo too.
    page.page.click("#timeline .no-song")
    assert page.run(song) is None
    drop(page, "song.wav", recording(8.0))
    page.wait_for(f"{song}?.offset === {offset}")
    path.write_text(path.read_text().replace(f"offset: {offset:g}", "offset: 0.5"))
    page.wait_for(f"{song}.offset === 0.5")
    page.page.keyboard.press("Control+z")
    page.wait_for(f"{song}.offset === {offset}")


def test_an_ogg_is_decoded_and_its_tempo_found(page, tmp_path):
    ogg = base64.b64encode(OGG.read_bytes()).decode()
    drop(page, "song.ogg", ogg)
    page.wait_for("backbeat.timeline.music.song() !== null")
    seconds = page.run("backbeat.timeline.music.song().buffer.duration")
    assert seconds == pytest.approx(12.0, abs=0.1)
    page.page.click("#timeline .find-tempo")
    page.wait_for("backbeat.timeline.dance.now().timeline.bpm !== 120")
    bpm = page.run("backbeat.timeline.dance.now().timeline.bpm")
    assert bpm == pytest.approx(BPM, abs=0.2)
    assert "backing: song.ogg" in (tmp_path / "short.yaml").read_text()


def test_a_tempo_is_tapped(page):
    drop(page, "song.wav", recording(8.0))
    page.wait_for("backbeat.timeline.music.song() !== null")
    for _ in range(6):
        page.page.keyboard.press("b")
        page.page.wait_for_timeout(480)
    page.wait_for("backbeat.timeline.dance.now().timeline.bpm !== 120")
    bpm = page.run("backbeat.timeline.dance.now().timeline.bpm")
    assert 60 < bpm < 126  # A page under test taps late, and never early.


def test_taps_give_the_line_through_them(page):
    found = page.run(
        "tempoOf.ofTaps([1.02, 1.49, 2.01, 2.5, 3.51, 3.99].map((t) => t + 0.2))"
    )
    assert found["bpm"] == pytest.approx(120, abs=1)
    assert found["phase"] == pytest.approx(1.2, abs=0.02)


def test_what_is_no_recording_is_refused_in_a_sentence(page):
    text = base64.b64encode(b"<script>alert(1)</script>").decode()
    drop(page, "song.ogg", text)
    page.wait_for("!document.querySelector('#overlay .notice').hidden")
    page.until_says("#overlay .notice", "song.ogg is no recording")
    assert page.run("backbeat.timeline.music.song()") is None
