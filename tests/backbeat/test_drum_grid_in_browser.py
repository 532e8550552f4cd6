"""A score edited on its grid in a browser: by mouse, by key, tapped, and by MIDI."""

import pytest
import yaml

from backbeat.behaviors.library.store import Library
from tests.backbeat.test_author_in_browser import authored, open_page, revision

pytestmark = [pytest.mark.browser, pytest.mark.slow]
__all__ = ["authored"]

DRUMMING = "kind: drumming\nname: song\nscore: song\nseat: chair\n"
SCORE = """\
# Made by hand.
bpm: 96
parts:
  - {name: ready, hold: 4, rest: {left: snare, right: floor_tom}}
  - name: verse   # two bars
    left:  "- - - 3! - - - 3! | - - - 3! - - - 3!"
    right: "7 - 7 -  7 - 7 -  | 7 - 7 -  7 - 7 - "
  - {name: fill, bars: 1}
  - {name: rest, hold: 4, rest: {left: snare, right: floor_tom}}
"""
# A MIDI pad that the page is given in place of a real one.
PAD = """
window.pad = { onmidimessage: null };
navigator.requestMIDIAccess = async () => ({
  inputs: new Map([["pad", window.pad]]), onstatechange: null });
"""


@pytest.fixture
def song(window, authored, tmp_path):
    (tmp_path / "scores").mkdir()
    (tmp_path / "scores" / "song.yaml").write_text(SCORE)
    (tmp_path / "song.yaml").write_text(DRUMMING)
    window.page.add_init_script(PAD)
    open_page(window, authored("song.yaml").url)
    return tmp_path / "scores" / "song.yaml"


def place(window, member, beat):
    """Where a beat of a drum is on the page."""
    # At once: a row is another one as soon as anything is new.
    x, bottom, width = window.run(
        f"""(() => {{ const row = document.querySelector(
        '#timeline [data-member="{member}"]').getBoundingClientRect();
        return [row.x, row.bottom, backbeat.timeline.view.beat]; }})()"""
    )
    return x + (beat + 0.1) * width, bottom - 4


def after(window, act):
    """Does something, and waits for the document that comes of it."""
    before = revision(window)
    act()
    window.wait_for(f"backbeat.timeline.dance.now().revision > {before}")


def test_hits_are_set_and_taken_with_the_mouse_and_verified(window, song, tmp_path):
    click = window.page.mouse.click
    after(window, lambda: click(*place(window, "hi_hat", 12)))
    made = SCORE.replace(
        "{name: fill,", "{name: fill, hits: [{bar: 1, beat: 1, member: hi_hat}],"
    )
    assert song.read_text() == made
    after(window, lambda: window.page.select_option("#timeline .hand", "left"))
    made = made.replace("member: hi_hat}", "member: hi_hat, hand: left}")
    assert song.read_text() == made
    # A hit of a line is taken away, and the one of the list gets louder by a drag.
    after(window, lambda: click(*place(window, "snare", 5.5)))
    made = made.replace('"- - - 3! -', '"- - - -  -')
    assert song.read_text() == made
    x, y = place(window, "hi_hat", 12)
    mouse = window.page.mouse

    def drag():
        mouse.move(x, y)
        mouse.down()
        for up in (8, 20):
            mouse.move(x, y - up)
        mouse.up()

    after(window, drag)
    assert "member: hi_hat, velocity: 110, hand: left}" in song.read_text()
    # Where hands rest there is none, and the page says where and why.
    now = revision(window)
    click(*place(window, "snare", 1))
    window.wait_for("!document.querySelector('#overlay .notice').hidden")
    said = "bar 1 beat 2: hands rest in the hold 'ready'"
    window.until_says("#overlay .notice", said)
    assert revision(window) == now
    window.wait_for(
        f"backbeat.state().revision >= {now} && backbeat.state()['is shown now'] "
        "&& backbeat.state().shown === 'verified'",
        240,
    )
    events = Library(tmp_path / "library").load("song").events
    assert sum(event.kind == "strike" for event in events) == 12
    while window.run("backbeat.timeline.dance.now().undo"):
        after(window, lambda: window.page.keyboard.press("Control+z"))
    assert song.read_text() == SCORE


def test_the_grid_is_gone_over_with_keys(window, song):
    press = window.page.keyboard.press
    press("a")
    for key in ["ArrowRight"] * 8 + ["ArrowDown"] * 3:
        press(key)
    # Hi-hat, crash, snare, high tom; two steps a beat.
    after(window, lambda: press("Enter"))
    assert "hits:\n      - {bar: 1, beat: 1, member: high_tom}" in song.read_text()
    after(window, lambda: press("Shift+ArrowUp"))
    assert "member: high_tom, velocity: 98}" in song.read_text()
    after(window, lambda: press("l"))
    assert "velocity: 98, hand: left}" in song.read_text()
    after(window, lambda: press("Delete"))
    assert not yaml.safe_load(song.read_text())["parts"][1]["hits"]


def test_what_two_hands_cannot_play_is_marked_with_bar_and_beat(window, song):
    for member in ("crash", "floor_tom", "snare"):
        after(window, lambda m=member: window.page.mouse.click(*place(window, m, 13)))
    window.wait_for("document.querySelector('#timeline .hit.fails')", 30)
    window.until_says("#timeline .why", "two hands cannot play")
    window.until_says("#timeline .why", "bar 4, beat 2")


def test_hits_are_tapped_on_keys_and_on_a_midi_pad(window, song):
    window.wait_for("backbeat.state().shown !== 'nothing'", 120)
    window.run("backbeat.deck.loop(false)")
    window.page.click("#timeline .record")
    window.wait_for("window.pad.onmidimessage !== null")
    window.wait_for("backbeat.state().playing")
    window.run("backbeat.deck.play(false)")
    # A key, a note of the pad with its velocity, one that ends a note, and a kick.
    for beat, tap in (
        (
            12.1,
            "dispatchEvent(new KeyboardEvent('keydown', {key: '5'}))",
        ),
        (13.2, "pad.onmidimessage({data: [0x99, 38, 71]})"),
        (13.7, "pad.onmidimessage({data: [0x99, 38, 0]})"),
        (14.0, "pad.onmidimessage({data: [0x99, 36, 71]})"),
    ):
        window.run(f"backbeat.deck.seek(backbeat.timeline.timeOf({beat})); {tap}")
    assert window.run("document.querySelectorAll('#timeline .ghost').length") == 2
    after(window, lambda: window.page.click("#timeline .record"))
    fill = yaml.safe_load(song.read_text())["parts"][2]
    assert fill["hits"] == [
        {"bar": 1, "beat": 1, "member": "mid_tom"},
        {"bar": 1, "beat": 2, "member": "snare", "velocity": 71},
    ]


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_all_drums_are_on_the_screen(window, song, size):
    window.page.set_viewport_size({"width": size[0], "height": size[1]})
    window.wait_for(f"innerWidth === {size[0]}")
    desk = window.page.locator("#timeline").bounding_box()
    for member in ("hi_hat", "ride"):
        x, y = place(window, member, 0.5)
        assert 0 < x < size[0]
        assert desk["y"] < y < desk["y"] + desk["height"]
    assert window.run("document.documentElement.scrollWidth <= innerWidth")
