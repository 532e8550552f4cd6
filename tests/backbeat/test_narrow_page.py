"""A live page in windows of all sizes, driven in a browser."""

import pytest

from backbeat.stage.drawing.backdrop import ASPECT
from backbeat.stage.live.show import LiveShow
from backbeat.stage.sources.kinds import PlannedSource
from backbeat.stage.web.commands import PLAYING
from backbeat.stage.web.panel import SIMULATING
from tests.backbeat.performances import swaying

pytestmark = pytest.mark.browser

SIZES = [(390, 844), (880, 700), (1024, 768), (1440, 900)]
CHOICE = {"name": "sway", "kind": "posture", "seconds": 2.0, "bpm": 0, "summary": ""}
STATE = {
    "playing": False,
    "speed": 1.0,
    "loop": False,
    "mode": "simulated",
    "start": 0.0,
    "end": 2.0,
    "reach": 2.0,
    "name": "sway",
    "settings": {"tempo": 1.0, "friction": 0.8},
    "notice": [0, ""],
}


@pytest.fixture
def page(window):
    """A page that shows a simulation at rest."""
    more = {"choices": [CHOICE | {"verified": True}], "chooses": False}
    take = PlannedSource(swaying(2.0))
    show = LiveShow(take, None, PLAYING | SIMULATING, True, more)
    try:
        show.draw(take.frame_at(0.5), 0.0, "", STATE)
        window.open(show.url)
        window.wait_for("document.querySelector('.panel button')")
        window.wait_for("viewer.camera.zoom > 1")
        yield window.page
    finally:
        show.close()
    window.wait_for("document.querySelector('.remark').textContent.includes('over')")
    window.errors.clear()


def box(page, selector):
    """(left, top, right, bottom) of what is seen of an element; None for nothing."""
    found = page.query_selector(f"#overlay {selector}").bounding_box()
    if found is None:
        return None
    x, y = found["x"], found["y"]
    return x, y, x + found["width"], y + found["height"]


def overlap(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_layers_and_controls_open_and_close_beside_all_else(page, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_timeout(300)
    is_narrow = size[0] < 900
    assert (box(page, "aside") is None) is is_narrow
    assert (box(page, ".panel") is None) is is_narrow
    openers = {"aside": ".show-layers", ".panel": ".show-panel"} if is_narrow else {}
    for part, opener in openers.items():
        # By the mouse, for what covers the button is the fault.
        page.click(f"#overlay {opener}", timeout=20_000)
        seen = box(page, part)
        assert seen is not None
        for other in (opener, "footer", "header h1", ".mode"):
            assert not overlap(seen, box(page, other)), other
        page.click(f"#overlay {opener}", timeout=20_000)
        assert box(page, part) is None
    if not is_narrow:
        assert not overlap(box(page, "aside"), box(page, ".panel"))
        assert not overlap(box(page, ".panel"), box(page, "footer"))
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= size[0]
    assert page.query_selector("meta[name=viewport]") is not None


def test_the_robot_is_as_large_again_when_the_window_is(page):
    zoom = "viewer.camera.zoom"

    def resize(width, height):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(f"innerWidth === {width}")
        page.wait_for_timeout(100)

    resize(1440, 900)
    wide = page.evaluate(zoom)
    # A picture higher than wide shows as much to the sides as one of this aspect.
    narrow = 390 / 844 / ASPECT * wide
    resize(390, 844)
    page.wait_for_function(f"Math.abs({zoom} - {narrow}) < 1e-6")
    resize(1440, 900)
    page.wait_for_function(f"Math.abs({zoom} - {wide}) < 1e-6")


def test_keys_are_listed_as_they_belong_together(page):
    page.click("#overlay button.help")
    listed = page.eval_on_selector_all(
        "dialog.keys dt", "all => all.map((one) => one.textContent)"
    )
    assert listed.index("0") == listed.index("+") + 1
    assert listed.index("1") == listed.index("d") + 1


def test_the_space_bar_plays_after_a_choice(page):
    page.click("#overlay button.choose")
    page.click("dialog.chooser .list button")
    # A loaded machine takes a moment for it.
    page.wait_for_function("!document.querySelector('dialog.chooser').open")
    page.keyboard.press(" ")
    page.wait_for_timeout(200)
    assert not page.evaluate("document.querySelector('dialog.chooser').open")
