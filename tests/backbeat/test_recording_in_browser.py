from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.library.behavior import Event
from backbeat.behaviors.music.notation.meter import Meter, MeterChange, MeterMap
from backbeat.stage.recording.acts import record_show
from backbeat.stage.recording.html import record_behavior, record_run
from tests.backbeat.performances import drumming, run_of, swaying

pytestmark = pytest.mark.browser

STARTED = "window.backbeat && window.backbeat.time() > 0.3"


@pytest.fixture(scope="module")
def run_page(tmp_path_factory):
    path = tmp_path_factory.mktemp("recordings") / "run.html"
    return record_run(run_of(swaying(duration=3.0)), path).path


def share(picture, is_wanted):
    """Share of the picture's pixels whose red, green and blue satisfy a condition."""
    return float(np.mean(is_wanted(*np.moveaxis(picture, 2, 0))))


def orange(r, g, b):
    """The color of the robot's joints."""
    return (r > 0.75) & (g < 0.62) & (b < 0.4)


def gold(r, g, b):
    """The color of a cymbal that was just hit."""
    return (r > 0.85) & (g > 0.66) & (b < 0.45)


def green(r, g, b):
    """The color of force arrows."""
    return (g > 0.45) & (r < 0.35) & (b < g - 0.05)


def test_a_recording_asks_nobody(window, run_page):
    asked = []
    window.page.on("request", lambda request: asked.append(request.url))
    window.open(run_page)
    window.wait_for(STARTED)
    assert {url.split(":")[0] for url in asked} <= {"file", "data", "blob"}


@pytest.mark.parametrize("scheme", ["before", "after"])
def test_nothing_of_meshcats_own_words_is_seen(window, run_page, scheme, tmp_path):
    """Neither while its program is read, as between the acts of a show, nor later."""
    page = run_page
    if scheme == "before":
        page = tmp_path / "begun.html"
        page.write_text(run_page.read_text().partition("<script")[0])
    window.open(page)
    if scheme == "after":
        window.wait_for(STARTED)
    seen = window.page.inner_text("body")
    assert "connection" not in seen.lower()
    assert "Controls" not in seen
    background = "getComputedStyle(document.body).backgroundColor"
    assert window.run(background) == "rgb(75, 82, 93)"


def test_a_recording_begins_by_itself_and_can_be_stopped(window, run_page):
    window.open(run_page)
    window.wait_for(STARTED)
    window.page.click("button.play")
    assert not window.run("viewer.animator.playing")
    stopped = window.run("window.backbeat.time()")
    window.page.wait_for_timeout(300)
    assert window.run("window.backbeat.time()") == stopped
    window.page.keyboard.press("Space")
    assert window.run("viewer.animator.playing")


def test_a_recording_starts_again_when_it_is_over(window, run_page):
    window.open(run_page)
    window.wait_for(STARTED)
    window.run("backbeat.seek(2.8), backbeat.play()")
    window.wait_for("window.backbeat.time() < 1.0")
    assert window.run("viewer.animator.playing")


def test_the_picture_has_a_robot_that_moves(window, run_page):
    window.open(run_page)
    window.wait_for(STARTED)
    window.run("window.backbeat.seek(0.6)")
    first = window.picture()
    window.run("window.backbeat.seek(1.1)")
    second = window.picture()
    moved = np.abs(first - second).max(2) > 0.1
    assert 0.003 < moved.mean() < 0.5
    # It is the robot that moves, not the caption.
    assert not moved[:80, :300].any()
    assert first.std() > 0.08
    assert share(first, orange) > 0.002
    assert share(first, green) > 0.001


def test_the_caption_names_what_is_seen(window, tmp_path):
    path = record_behavior(drumming(True, 4.0), tmp_path / "drums.html", 15.0).path
    window.open(path)
    window.wait_for(STARTED)
    window.run("window.backbeat.seek(2 * 60 / 98 + 0.01)")
    window.wait_for("document.querySelector('#overlay').innerText.includes('0:01.2')")
    said = window.page.inner_text("#overlay")
    for words in (
        "drums",
        "Atlas swings its arms <and> smiles.",
        "as planned",
        "base welded in place",
        "bar 1",
        "Hold",
        "0:01.2",
    ):
        assert words in said
    dots = window.run(
        "[...document.querySelectorAll('.beats i')].map(d => d.className)"
    )
    assert dots == ["", "", "now", ""]
    assert "drums" in window.page.title()


def test_a_layer_can_be_switched_off_and_on(window, run_page):
    window.open(run_page)
    window.wait_for(STARTED)
    window.run("window.backbeat.seek(1.0)")
    button = window.page.get_by_role("button", name="contact forces")
    before = share(window.picture(), green)
    button.click()
    without = share(window.picture(), green)
    button.click()
    after = share(window.picture(), green)
    assert without < 0.3 * before
    assert after == pytest.approx(before, rel=0.05)
    # Meshcat's own tree knows the layer by the same name.
    assert window.run("'contact forces' in viewer.scene_tree.children")


def test_predicted_forces_are_off_until_they_are_asked_for(window, run_page):
    window.open(run_page)
    window.wait_for("window.backbeat?.time() > 0.2")
    forces = "viewer.scene_tree.find(['predicted forces']).object.visible"
    footholds = "viewer.scene_tree.find(['predicted footholds']).object.visible"
    assert window.run(footholds)
    assert not window.run(forces)
    window.page.click("#overlay aside button:has-text('predicted forces')")
    assert window.run(forces)


def test_a_hit_flashes_and_trails_follow_the_sticks(window, tmp_path):
    behavior = drumming(False, 4.0)
    window.open(record_behavior(behavior, tmp_path / "drums.html").path)
    window.wait_for(STARTED)
    strike = next(e for e in behavior.strikes() if e.what == "ride")
    window.run(f"window.backbeat.seek({strike.time - 0.05})")
    before = window.picture()
    window.run(f"window.backbeat.seek({strike.time + 0.02})")
    after = window.picture()
    assert share(after, gold) > share(before, gold) + 0.005
    glow = (
        "viewer.scene_tree.find(['hits', 'ride', '<object>']).object.material.opacity"
    )
    assert window.run(glow) > 0.3
    trail = "viewer.scene_tree.find(['stick trails', 'l_stick_tip', '<object>']).object"
    assert window.run(f"{trail}.geometry.index.count") > 100
    assert window.run(f"{trail}.material.uniforms.now.value") == pytest.approx(
        strike.time + 0.02, abs=0.01
    )


def test_a_show_plays_one_performance_after_the_other(window, tmp_path):
    performances = [("First", swaying(1.0)), ("Second", run_of(swaying(2.0)))]
    window.open(record_show(performances, tmp_path / "demo.html", 10.0).path)
    selected = "document.querySelector('[aria-selected=true]').textContent"
    window.wait_for("document.querySelectorAll('iframe').length === 1")
    assert window.run(selected) == "First"
    window.wait_for(f"{selected} === 'Second'")
    window.page.get_by_role("tab", name="First").click()
    window.wait_for(f"{selected} === 'First'")
    window.wait_for(
        "document.querySelectorAll('iframe').length === 1 &&"
        " document.querySelector('iframe').contentWindow.backbeat?.time() > 0.2"
    )
    assert share(window.picture(), orange) > 0.002


def test_acts_of_a_show_leave_a_phone_its_picture(window, tmp_path):
    """In one row beside which the chosen one is seen, however many there are."""
    titles = ["Opening", "A dance of two bars", "Drums", "Drums and dance", "The end"]
    acts = [(title, swaying(duration=1.0)) for title in titles]
    window.page.set_viewport_size({"width": 390, "height": 844})
    window.open(record_show(acts, tmp_path / "demo.html", 10.0).path)
    window.wait_for("document.querySelectorAll('iframe').length === 1")
    assert window.page.locator("header").bounding_box()["height"] < 100
    window.run("document.querySelectorAll('nav button')[4].click()")
    window.wait_for("document.querySelector('iframe')?.title === 'The end'")
    tab = window.page.get_by_role("tab", name="The end").bounding_box()
    assert tab["x"] >= 0
    assert tab["x"] + tab["width"] <= 390


def test_a_recording_shows_bars_of_its_meter_and_where_hands_are(window, tmp_path):
    bars = MeterMap(Meter(7, 8), (MeterChange(3.5, Meter(3, 4)),))
    events = (
        Event(0.0, "rest", "snare", "l_stick_tip", duration=1.0),
        Event(0.0, "rest", "floor_tom", "r_stick_tip", duration=1.0),
        Event(2.0, "strike", "ride", "l_stick_tip", 90),
        Event(3.0, "strike", "hi_hat", "r_stick_tip", 90),
    )
    music = replace(drumming(duration=4.0), bpm=120.0, meter=bars, events=events)
    window.open(record_behavior(music, tmp_path / "odd.html").path)
    window.wait_for(STARTED)

    def at(t, path):
        """Which dots are lit at a time, when the words there are on the page."""
        window.run(f"window.backbeat.seek({t})")
        words = f"document.querySelector('[data-say=path]').textContent === '{path}'"
        window.wait_for(words)
        lit = "[...document.querySelectorAll('.beats i')].map(i => i.className)"
        return window.page.inner_text("[data-say='bar']"), window.run(lit)

    bar, dots = at(0.5, "Hold snare and floor tom, s = 0.50")
    assert (bar, dots) == ("bar 1", ["", "", "now", "", "", "", ""])
    words = "left Goto ride, s = 0.80 · right Goto hi hat, s = 0.40"
    bar, dots = at(1.8, words)  # a tenth of a beat into the waltz
    assert (bar, dots) == ("bar 2", ["now", "", ""])
