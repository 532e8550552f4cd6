"""A dance edited on its timeline in a browser: by mouse, by key, on two pages."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from backbeat.behaviors.library.store import Library

pytestmark = pytest.mark.browser

SHORT = """\
# Made by hand.
kind: dance
name: short
bpm: 120
beats: 16
tracks:
  legs:
    - {move: bounce, at: 2, beats: 4}  # keep me
    - {move: side-step, at: 8}
  arms:
    - {move: wave, at: 2, beats: 4}
"""
READY = "Boolean(window.backbeat?.timeline?.dance.now())"
# What a person who writes the same dance would have in the file.
MADE = """\
kind: dance
name: mine
summary: Atlas dances mine.
bpm: 98
meter: 4/4
beats: 16
tracks:
  legs:
    - {move: bounce, at: 2, beats: 4}
    - {move: side-step, at: 8}
  body:
    - {move: twist, at: 2}
  arms:
    - {move: pump, at: 2}
    - {move: wave, at: 8}
  head:
    - {move: nod, at: 2}
"""


class Authored:
    """`backbeat author` in a process of its own, in a folder."""

    def __init__(self, folder, *arguments):
        self.folder = folder
        command = [sys.executable, "-m", "backbeat.cli.main", "author", *arguments]
        self.process = subprocess.Popen(
            [*command, "--no-open", "--library", "library"],
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=os.environ,
        )
        line = self.process.stdout.readline()
        self.url = re.search(r"http://\S+", line).group()

    def end(self):
        self.process.terminate()
        self.process.wait(60)
        self.process.stdout.close()


@pytest.fixture
def authored(window, tmp_path):
    started = []

    def start(*arguments):
        started.append(Authored(tmp_path, *arguments))
        return started[-1]

    yield start
    # A page whose server has gone complains.
    window.leave()
    for one in started:
        one.end()


def open_page(window, url):
    window.page.set_viewport_size({"width": 1440, "height": 900})
    window.page.goto(url, wait_until="commit")
    window.wait_for(READY)


def until_verified(window, revision):
    """Waits until the verified motion of a revision is on stage."""
    window.wait_for(
        f"backbeat.state().revision >= {revision} && backbeat.state()['is shown now'] "
        "&& ['verified', 'nothing'].includes(backbeat.state().shown)",
        180,
    )


def revision(window):
    return window.run("backbeat.timeline.dance.now().revision")


def block(window, key):
    """Place of a block on the page: its middle, and pixels of a beat."""
    # In one step, for blocks are drawn anew with all that is said about them.
    box = window.run(
        f"document.querySelector('#timeline .block[data-key=\"{key}\"]')"
        ".getBoundingClientRect().toJSON()"
    )
    beat = window.run("backbeat.timeline.view.beat")
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, beat


def drag(window, start, end):
    """Drags with the mouse, as a hand does, on the way too."""
    mouse = window.page.mouse
    mouse.move(*start)
    mouse.down()
    for share in (0.3, 0.7, 1.0):
        mouse.move(*(a + share * (b - a) for a, b in zip(start, end, strict=True)))
    mouse.up()


def drag_by(window, key, beats):
    x, y, beat = block(window, key)
    drag(window, (x, y), (x + beats * beat, y))


def add(window, move, at):
    """Drags a move from the palette onto the tracks."""
    search = window.page.locator("#timeline .palette input")
    search.fill(move)
    row = window.page.locator(f'#timeline .moves [data-move="{move}"]')
    box = row.bounding_box()
    lanes = window.page.locator("#timeline .lanes").bounding_box()
    beat = window.run("backbeat.timeline.view.beat")
    before = revision(window)
    end = (lanes["x"] + at * beat, lanes["y"] + 30)
    drag(window, (box["x"] + 40, box["y"] + 10), end)
    window.wait_for(f"backbeat.timeline.dance.now().revision > {before}")


def test_a_dance_is_made_from_nothing_with_the_mouse(window, authored, tmp_path):
    open_page(window, authored("--name", "mine").url)
    assert not (tmp_path / "mine.yaml").exists()
    window.wait_for("backbeat.state().phase === 'empty'")
    window.page.click("#timeline .add")
    placed = [("bounce", 2), ("side-step", 8), ("twist", 2)]
    for move, at in [*placed, ("pump", 2), ("wave", 8), ("nod", 2)]:
        add(window, move, at)
    window.page.click("#timeline .add")
    # The right end of the bounce, a beat on and back again.
    x, y, beat = block(window, "legs 0")
    end = x + 2 * beat - 5
    drag(window, (end, y), (end + beat, y))
    window.wait_for("backbeat.timeline.dance.now().revision === 7")
    drag(window, (end + beat, y), (end, y))
    until_verified(window, 8)
    assert (tmp_path / "mine.yaml").read_text() == MADE
    behavior = Library(tmp_path / "library").load("mine")
    assert behavior.certificate.passed
    assert {e.what for e in behavior.events if e.kind == "segment"} == {
        row["move"] for rows in yaml.safe_load(MADE)["tracks"].values() for row in rows
    }
    window.page.click("button.play")
    window.wait_for("backbeat.time() > 1.0")
    # The playhead goes with it, and a click on the ruler goes to a beat.
    window.page.click("button.play")
    window.wait_for("!backbeat.state().playing")
    ruler = window.page.locator("#timeline .ruler").bounding_box()
    beat = window.run("backbeat.timeline.view.beat")
    window.page.mouse.click(ruler["x"] + 8 * beat, ruler["y"] + 10)
    head = "document.querySelector('#timeline .playhead').getBoundingClientRect().x"
    at = ruler["x"] + 8 * beat
    window.wait_for(f"!backbeat.state().playing && Math.abs({head} - {at}) < 3")
    assert window.run("backbeat.time()") == pytest.approx(8 * 60 / 98, abs=0.05)


def test_edits_are_marked_verified_and_undone(window, authored, tmp_path):
    path = tmp_path / "short.yaml"
    path.write_text(SHORT)
    open_page(window, authored("short.yaml").url)
    until_verified(window, 0)
    # A drag is seen as a preview or as before first, and then verified.
    drag_by(window, "arms 0", 2)
    until_verified(window, 1)
    assert path.read_text() == SHORT.replace("wave, at: 2", "wave, at: 4")
    # A step onto a step: marked at once, with what would do.
    drag_by(window, "legs 1", -1)
    until_verified(window, 2)
    window.page.keyboard.press("d")
    window.wait_for("backbeat.timeline.dance.now().revision === 3")
    drag_by(window, "legs 2", -2)
    window.wait_for("document.querySelector('#timeline .block.fails') !== null", 5)
    window.wait_for("backbeat.state().phase === 'refused'")
    # The reason comes with the document, which the page then asks for.
    window.until_says("#timeline .why", "steps while")
    fixing = window.page.locator("#timeline .findings button").first
    window.until_says("#timeline .findings button", "at: ")
    fixing.click()
    window.wait_for("document.querySelector('#timeline .block.fails') === null")
    until_verified(window, 5)
    # By key: mirrored, moved, stretched, deleted; and all of it undone.
    window.page.locator('#timeline .block[data-key="legs 0"]').focus()
    for key, said in (
        ("m", "{move: bounce, at: 2, beats: 4, mirror: true}  # keep me"),
        ("ArrowRight", "{move: bounce, at: 2.5, beats: 4, mirror: true}  # keep me"),
        ("Shift+ArrowRight", "at: 2.5, beats: 4.5, mirror: true}  # keep me"),
    ):
        before = revision(window)
        window.page.keyboard.press(key)
        window.wait_for(f"backbeat.timeline.dance.now().revision > {before}")
        assert said in path.read_text()
    window.page.keyboard.press("Delete")
    window.wait_for("!document.querySelector('[data-key=\"legs 2\"]')")
    while window.run("backbeat.timeline.dance.now().undo"):
        before = revision(window)
        window.page.keyboard.press("Control+z")
        window.wait_for(f"backbeat.timeline.dance.now().revision > {before}")
    assert path.read_text() == SHORT
    before = revision(window)
    window.page.keyboard.press("Control+y")
    window.wait_for(f"backbeat.timeline.dance.now().revision > {before}")
    assert path.read_text() == SHORT.replace("wave, at: 2", "wave, at: 4")


def test_what_a_phrase_dances_again_follows_its_blocks(window, authored, tmp_path):
    path = tmp_path / "short.yaml"
    keys = "phrases: [{at: 2, beats: 4, again: [7]}]\ntempos: [{at: 8, bpm: 90}]\n"
    path.write_text(SHORT.replace("tracks:\n", f"{keys}tracks:\n"))
    open_page(window, authored("short.yaml").url)
    places = """[...document.querySelectorAll('#timeline .echo')].map((e) => [
        e.textContent, e.getBoundingClientRect().left - document.querySelector(
            `#timeline .block[data-key="${e.parentElement.dataset.track} 0"]`
        ).getBoundingClientRect().left]).sort()"""
    beat = window.run("backbeat.timeline.view.beat")
    shown = window.run(places)
    assert [name for name, _ in shown] == ["bounce", "wave"]
    assert [left for _, left in shown] == pytest.approx([5 * beat] * 2, abs=1)
    drag_by(window, "arms 0", 1)
    window.wait_for("backbeat.timeline.dance.now().revision === 1")
    window.until_there("#timeline .echo", 2)
    assert "wave, at: 3" in path.read_text()
    again = window.run(places)
    assert [left for _, left in again] == pytest.approx([5 * beat] * 2, abs=1)
    # The playhead goes by the tempo: 4 s to beat 8, and then 90 beats a minute.
    times = window.run("backbeat.timeline.dance.now().timeline.times")
    assert times[8:10] == pytest.approx([4.0, 4.0 + 60 / 90], abs=1e-4)


def test_two_pages_and_an_editor_do_not_overwrite_each_other(
    window, chromium, authored, tmp_path
):
    path = tmp_path / "short.yaml"
    path.write_text(SHORT)
    url = authored("short.yaml").url
    open_page(window, url)
    other = type(window)(chromium.new_page())
    open_page(other, url)
    drag_by(window, "legs 0", 1)
    moved = SHORT.replace("bounce, at: 2", "bounce, at: 3")
    other.wait_for("backbeat.timeline.dance.now().revision === 1")
    assert path.read_text() == moved
    edit = {"edit": "delete", "track": "arms", "row": 0}
    answer = other.run(
        f"""(async () => (await fetch("edit", {{method: "POST",
        headers: {{"Content-Type": "application/json",
        "X-Backbeat-Token": JSON.parse(document.getElementById("backbeat-info")
        .textContent).token}},
        body: JSON.stringify({{edit: {json.dumps(edit)}, revision: 0}})}})).json())()"""
    )
    assert "edited elsewhere meanwhile" in answer["refused"]
    assert path.read_text() == moved
    path.write_text(moved.replace("bpm: 120", "bpm: 110"))
    for page in (window, other):
        page.wait_for("backbeat.timeline.dance.now().timeline.bpm === 110")
    notice = "document.querySelector('#overlay .notice').textContent"
    assert window.run(notice) == "the file changed: reloaded"
    other.page.keyboard.press("Control+z")
    window.wait_for("backbeat.timeline.dance.now().timeline.bpm === 120")
    assert path.read_text() == moved
    other.page.close()


@pytest.mark.parametrize("size", [(1440, 900), (1024, 768), (390, 844)])
def test_the_page_fits_the_screen(window, authored, tmp_path, size):
    (tmp_path / "short.yaml").write_text(SHORT)
    open_page(window, authored("short.yaml").url)
    window.page.set_viewport_size({"width": size[0], "height": size[1]})
    window.wait_for(f"innerWidth === {size[0]}")
    desk = window.page.locator("#timeline").bounding_box()
    pane = window.page.locator("#meshcat-pane").bounding_box()
    assert desk["y"] == pytest.approx(pane["y"] + pane["height"], abs=1)
    assert desk["y"] + desk["height"] == pytest.approx(size[1], abs=1)
    assert window.run("document.documentElement.scrollWidth <= innerWidth")
    footer = window.page.locator("#overlay footer").bounding_box()
    assert footer["y"] + footer["height"] <= desk["y"]
    for selector in (".add", ".ruler", ".lane .block"):
        box = window.page.locator(f"#timeline {selector}").first.bounding_box()
        assert 0 <= box["x"] < size[0]
        assert desk["y"] <= box["y"] < size[1]


def test_what_cannot_be_opened_is_said_in_one_sentence(backbeat, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("my-dance.yaml").write_text(SHORT)
    Path("groove.yaml").write_text(SHORT)
    for arguments, words in (
        ((), "my-dance.yaml exists already"),
        (("--name", "No Name"), "is not a behavior name"),
        (("nothing",), "unknown behavior"),
        (("nothing.yaml",), "no specification file"),
        (("walk-2",), "is of kind footsteps; backbeat author edits dances"),
        (("groove",), "its copy groove.yaml exists already"),
        (("groove.yaml", "--name", "a"), "--name is for a new file"),
        (("groove.yaml", "--kind", "setlist"), "--kind is for a new file"),
        (("--kind", "posture"), "unknown kind of a new file that is edited on a page"),
        (("--kind", "setlist", "--name", "groove"), "groove.yaml exists already"),
    ):
        code, _, said = backbeat("author", *arguments)
        assert code == 2
        assert words in said
        assert said.count("\n") == 1
