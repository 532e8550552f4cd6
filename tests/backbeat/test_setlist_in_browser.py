"""A setlist put together in a browser: by dragging, by key, and from its shelf."""

import json

import pytest

from tests.backbeat.test_author_in_browser import (
    READY,
    authored,
    revision,
    until_verified,
)
from tests.behaviors.short_show import BEND, TURN

pytestmark = pytest.mark.browser
__all__ = ["authored"]

NOD = """\
kind: posture
name: nod
stations:
  - {posture: stand, pelvis: 0.8, move: 0.7, hold: 0.1}
  - {posture: stand, move: 0.7, hold: 0.3}
"""
# What a person would have in the file.
MADE = """\
kind: setlist
name: tour
summary: Atlas performs tour.
behaviors:
  - {behavior: nod.yaml}
  - {behavior: turn.yaml}
  - {behavior: bend.yaml}
"""
ROW = "backbeat.timeline.dance.now().timeline.tracks.behaviors"
NAMES = f"{ROW}.map((entry) => entry.move).join()"
JOINTS = (
    "[...document.querySelectorAll('#timeline .joint')].map((j) => j.dataset.phase)"
)


@pytest.fixture
def page(window, authored, tmp_path):
    for name, text in {"turn": TURN, "bend": BEND, "nod": NOD}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    window.page.set_viewport_size({"width": 1440, "height": 900})
    window.page.goto(authored("--kind", "setlist", "--name", "tour").url)
    window.wait_for(READY)
    window.wait_for("document.querySelectorAll('.palette .list button').length > 3")
    return window


def drag_card(window, name, share):
    """Drags a card of the shelf to a share of the row."""
    selector = f"#timeline .list button:has(b:text-is('{name}'))"
    window.page.locator(selector).scroll_into_view_if_needed()
    box, row = window.box(selector), window.box("#timeline .lanes")
    mouse = window.page.mouse
    mouse.move(box["x"] + 60, box["y"] + 10)
    mouse.down()
    mouse.move(row["x"] + share * row["width"], row["y"] + 15, steps=4)
    mouse.up()


def until_row(window, *names):
    window.wait_for(f"{NAMES} === {json.dumps(','.join(names))}")


def test_a_setlist_is_put_together_with_the_mouse(page, tmp_path):
    path = tmp_path / "tour.yaml"
    assert not path.exists()
    page.until_says("#timeline .hint", "Drag a behavior")
    # By kind, searched, and dragged from the shelf: to the end, before, between.
    page.page.fill("#timeline .search", "bend.yaml")
    page.until_there("#timeline .list button", 1)
    page.page.fill("#timeline .search", "")
    titles = page.page.locator("#timeline .list h3").all_inner_texts()
    assert titles == sorted(titles)
    assert "posture" in titles
    drag_card(page, "bend.yaml", 0.3)
    until_row(page, "bend.yaml")
    drag_card(page, "turn.yaml", 0.01)
    until_row(page, "turn.yaml", "bend.yaml")
    drag_card(page, "nod.yaml", 0.98)
    until_row(page, "turn.yaml", "bend.yaml", "nod.yaml")
    until_verified(page, 3)
    assert page.run(JOINTS) == ["solved", "solved"]
    # The third to the front, by dragging it.
    block = page.box('#timeline .block[data-key="behaviors 2"]')
    mouse = page.page.mouse
    mouse.move(block["x"] + 20, block["y"] + 20)
    mouse.down()
    row = page.box("#timeline .lanes")
    mouse.move(row["x"] + 4, block["y"] + 20, steps=4)
    says = "document.querySelector('#timeline .says').textContent"
    page.wait_for(f"{says}.includes('nod.yaml before turn.yaml')")
    mouse.up()
    until_row(page, "nod.yaml", "turn.yaml", "bend.yaml")
    until_verified(page, 4)
    assert path.read_text() == MADE
    # What is seen of a block is when it is on stage.
    # Its time comes with the document, which the page then asks for.
    page.wait_for("backbeat.timeline.dance.now().edition === backbeat.state().script")
    entry = page.run(f"{ROW}[2]")
    page.run(f"backbeat.deck.seek({entry['start'] + 0.5})")
    page.wait_for("document.querySelector('[data-say=segment]').textContent === 'bend'")


def test_entries_are_changed_by_key_and_undone(page, tmp_path):
    path = tmp_path / "tour.yaml"
    path.write_text(MADE.replace("turn.yaml}", "turn.yaml}  # keep me"))
    kept = path.read_text()
    until_row(page, "nod.yaml", "turn.yaml", "bend.yaml")
    page.page.locator('#timeline .block[data-key="behaviors 1"]').focus()
    for key, row in (
        ("ArrowRight", ("nod.yaml", "bend.yaml", "turn.yaml")),
        ("d", ("nod.yaml", "bend.yaml", "turn.yaml", "turn.yaml")),
        ("Delete", ("nod.yaml", "bend.yaml", "turn.yaml")),
        ("[", ("nod.yaml", "bend.yaml", "turn.yaml")),
    ):
        page.page.keyboard.press(key)
        until_row(page, *row)
    assert "turn.yaml}  # keep me" in path.read_text()
    for _ in range(3):
        before = revision(page)
        page.page.keyboard.press("Control+z")
        page.wait_for(f"backbeat.timeline.dance.now().revision > {before}")
    until_row(page, "nod.yaml", "turn.yaml", "bend.yaml")
    assert path.read_text() == kept


def test_what_cannot_be_joined_is_said_between_the_blocks(page, tmp_path):
    path = tmp_path / "tour.yaml"
    path.write_text(MADE.replace("nod.yaml", "marsh"))
    page.until_there("#timeline .block.fails", 1)
    page.until_says("#timeline .why", "did you mean march?")
    page.page.locator("#timeline .block.fails").click()
    page.page.locator("#timeline .findings button").click()
    until_row(page, "march", "turn.yaml", "bend.yaml")


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_the_row_fits_the_screen(page, tmp_path, size):
    (tmp_path / "tour.yaml").write_text(MADE)
    until_row(page, "nod.yaml", "turn.yaml", "bend.yaml")
    if size[0] < 900:
        page.page.click("#timeline .add")
    page.page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for(f"innerWidth === {size[0]}")
    until_verified(page, 1)
    page.page.screenshot(path=tmp_path / "row.png")
    assert page.run("document.documentElement.scrollWidth <= innerWidth")
    desk = page.page.locator("#timeline").bounding_box()
    for selector in (".lane .block", ".joint", ".add"):
        box = page.page.locator(f"#timeline {selector}").first.bounding_box()
        assert 0 <= box["x"] < size[0]
        assert desk["y"] <= box["y"]
        assert box["y"] + box["height"] <= size[1]
