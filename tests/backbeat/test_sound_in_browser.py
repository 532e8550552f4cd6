from dataclasses import replace

import numpy as np
import pytest

from backbeat.sound.mix import RATE
from backbeat.sound.notes import SoundExtras
from backbeat.stage.recording.acts import record_show
from backbeat.stage.recording.html import record_behavior, record_run
from tests.backbeat.performances import drumming, run_of, swaying
from tests.tolerances import SOUND_APART

pytestmark = pytest.mark.browser

STARTED = "window.backbeat && window.backbeat.time() > 0.3"
HEARD = "backbeat.sound.heard() !== null"
# The sound follows the picture at the next frame, which a slow machine may draw late.
DRAWN = "new Promise((d) => requestAnimationFrame(() => requestAnimationFrame(d)))"
# Samples the sound's clock and the picture's clock in the same instant for a while;
# at the end both go round to the beginning.
APART = """new Promise((done) => {
  const found = [], round = viewer.animator.duration;
  const look = () => {
    const heard = backbeat.sound.heard(), apart = heard - backbeat.now();
    if (heard !== null) found.push(apart - round * Math.round(apart / round));
    if (found.length < 25) setTimeout(look, 20); else done(found);
  };
  look();
})"""
# Listens to what goes to the loudspeaker: for every window of samples, the time of
# the picture at its end, and the samples.
LISTEN = """(seconds) => new Promise((done) => {
  const context = backbeat.sound.context(), lag = context.outputLatency
    || context.baseLatency || 0;
  const ear = context.createAnalyser(), begun = performance.now(), windows = [];
  ear.fftSize = 16384;
  backbeat.sound.output().connect(ear);
  const look = () => {
    const samples = new Float32Array(ear.fftSize);
    ear.getFloatTimeDomainData(samples);
    const now = backbeat.now() + lag, blocks = [];
    for (let i = 0; i < samples.length; i += 64)
      blocks.push(Math.max(...samples.subarray(i, i + 64).map(Math.abs)));
    windows.push([now, blocks]);
    if (performance.now() - begun < 1000 * seconds) setTimeout(look, 15);
    else done({ rate: context.sampleRate, last: [...samples],
      windows });
  };
  look();
})"""


def snare_alone():
    """Strikes that have died away when the next one comes."""
    behavior = drumming(True, 6.0)
    events = (replace(e, what="snare", velocity=110) for e in behavior.strikes())
    return replace(behavior, events=tuple(events))


@pytest.fixture(scope="module")
def drums(tmp_path_factory):
    path = tmp_path_factory.mktemp("sound") / "drums.html"
    return record_behavior(snare_alone(), path, 15.0).path


def begin(window, page):
    # A small picture is drawn fast without a graphics card.
    window.page.set_viewport_size({"width": 740, "height": 300})
    window.open(page)
    window.wait_for(STARTED)
    window.page.click("button.sound")
    window.wait_for(HEARD)


def apart(window):
    """Greatest distance of what is heard from what is seen [s]."""
    window.wait_for(HEARD)
    return np.abs(window.run(APART)).max()


def test_a_page_is_silent_until_it_is_asked(window, drums):
    window.open(drums)
    window.wait_for(STARTED)
    assert window.run("backbeat.sound.heard()") is None
    assert window.run("backbeat.sound.context()") is None
    assert window.page.get_attribute("button.sound", "aria-pressed") == "false"
    window.page.click("button.sound")
    assert window.page.get_attribute("button.sound", "aria-pressed") == "true"
    window.wait_for(HEARD)
    window.page.click("button.sound")
    window.wait_for("backbeat.sound.heard() === null")


def test_sound_and_picture_stay_together(window, drums):
    begin(window, drums)
    assert apart(window) < SOUND_APART
    # Pause: nothing is heard. Play: together again.
    window.page.click("button.play")
    window.wait_for("backbeat.sound.heard() === null")
    window.page.click("button.play")
    assert apart(window) < SOUND_APART
    # Scrub while it plays, to both sides.
    for time in (4.2, 0.7):
        begun = window.page.evaluate(
            "(t) => { const s = document.querySelector('input.time'); s.value = t;"
            " s.dispatchEvent(new Event('input')); return performance.now(); }",
            time,
        )
        window.run(DRAWN)
        assert apart(window) < SOUND_APART
        now, since = window.run(f"[backbeat.now(), performance.now() - {begun}]")
        assert now == pytest.approx(time + 1e-3 * since, abs=0.6)
    # Scrub while it stands still.
    window.run("backbeat.seek(2.0)")
    window.wait_for("backbeat.sound.heard() === null")
    window.run("backbeat.play()")
    assert apart(window) < SOUND_APART


def test_half_speed_keeps_them_together(window, drums):
    begin(window, drums)
    window.page.fill("input.speed", "0.5")
    window.run(DRAWN)
    assert apart(window) < SOUND_APART


def test_when_it_starts_again_the_drums_do_too(window, drums):
    begin(window, drums)
    window.run("backbeat.seek(5.6), backbeat.play()")
    window.wait_for("backbeat.now() < 1.0 && backbeat.sound.next() > 0")
    assert apart(window) < SOUND_APART


def test_each_hit_reaches_the_loudspeaker_when_it_is_seen(window, drums):
    begin(window, drums)
    window.run("backbeat.seek(0.45), backbeat.play()")
    window.wait_for(HEARD)
    told = window.page.evaluate(LISTEN, 3.0)
    onsets = heard_onsets(told)
    first, last = told["windows"][0][0], told["windows"][-1][0] - 0.05
    struck = [e.time for e in snare_alone().strikes() if first < e.time < last]
    assert len(struck) >= 6
    late = [np.abs(onsets - time).min() for time in struck]
    assert max(late) < SOUND_APART


def heard_onsets(told):
    """Times of the picture at which loudness jumps [s]."""
    loudness = {}
    for end, blocks in told["windows"]:
        times = end - 64.0 * np.arange(len(blocks), 0, -1) / told["rate"]
        loudness |= dict(zip(np.round(times, 3), blocks, strict=True))
    times = np.array(sorted(loudness))
    level = np.array([loudness[t] for t in times])
    before = [level[max(i - 12, 0) : i].max(initial=0.0) for i in range(len(level))]
    return times[(level > 0.02) & (level > 1.5 * np.array(before))]


def test_a_backing_and_a_click_are_heard(window, tmp_path):
    t = np.arange(3 * RATE) / RATE
    tone = np.repeat(0.3 * np.sin(2 * np.pi * 440.0 * t)[:, None], 2, axis=1)
    behavior = drumming(True, 3.0)
    extras = SoundExtras(click=True, backing=tone)
    path = record_behavior(behavior, tmp_path / "backed.html", 10.0, extras).path
    begin(window, path)
    window.run("backbeat.seek(1.0), backbeat.play()")
    window.wait_for(HEARD)
    told = window.page.evaluate(LISTEN, 0.3)
    samples = np.array(told["last"])
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    at = round(440.0 * len(samples) / told["rate"])
    assert spectrum[at - 1 : at + 2].max() > 8 * np.median(spectrum)
    data = "JSON.parse(document.getElementById('backbeat-sound').textContent)"
    voices = window.run(f"{data}.voices.map((v) => v.member)")
    assert "the click" in voices


def test_without_hits_there_is_no_switch(window, tmp_path):
    path = record_run(run_of(swaying(1.0)), tmp_path / "sway.html", 10.0).path
    window.open(path)
    window.wait_for("window.backbeat")
    assert not window.page.is_visible("button.sound")


def test_in_a_show_the_next_performance_sounds_too(window, tmp_path):
    # Long enough that on a busy machine the first one does not end meanwhile, after
    # which the show would go on of itself.
    drums = [("One", drumming(True, 30.0)), ("Two", drumming(False, 30.0))]
    window.open(record_show(drums, tmp_path / "show.html", 10.0).path)
    frame = "document.querySelector('iframe')?.contentWindow"
    window.wait_for(f"{frame}?.backbeat?.sound")
    window.page.frame_locator("iframe").locator("button.sound").click()
    window.wait_for(f"{frame}.backbeat.sound.heard() !== null")
    window.page.get_by_role("tab", name="Two").click()
    window.wait_for(
        f"{frame}?.backbeat?.sound && {frame}.backbeat.sound.heard() != null"
    )
