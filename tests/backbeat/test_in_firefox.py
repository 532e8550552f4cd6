"""Pages in Firefox: a dance is edited, verified and played; a recording plays."""

import time
from io import BytesIO

import numpy as np
import pytest
from matplotlib.image import imread

from backbeat.stage.recording.html import record_behavior
from tests.backbeat.firefox import Firefox, missing
from tests.backbeat.performances import drumming
from tests.backbeat.test_author_in_browser import READY, SHORT, Authored

pytestmark = [pytest.mark.browser, pytest.mark.slow]
# Of the block that is dragged: its middle, and pixels of a beat.
BLOCK = """(() => { const box = document.querySelector(
  '#timeline .block[data-key="arms 0"]').getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2, backbeat.timeline.view.beat];
})()"""


@pytest.fixture
def firefox(tmp_path):
    lacks = missing()
    if lacks:
        pytest.skip(lacks)
    browser = Firefox(tmp_path, 1440, 900)
    yield browser
    browser.close()


def seen(firefox):
    """(height, width, 3) what is seen, 0 to 1, once the robot is drawn."""
    for _ in range(60):
        image = imread(BytesIO(firefox.screenshot()), "png")[..., :3]
        if image[:400].std() > 0.08:
            return np.asarray(image)
        time.sleep(0.5)
    raise AssertionError("nothing is drawn")


def until_verified(firefox, revision):
    firefox.wait_for(
        f"backbeat.state().revision >= {revision} && backbeat.state()['is shown now'] "
        "&& backbeat.state().shown === 'verified'",
        240,
    )


def test_a_block_is_dragged_verified_and_played(firefox, tmp_path):
    path = tmp_path / "short.yaml"
    path.write_text(SHORT)
    authored = Authored(tmp_path, "short.yaml")
    try:
        firefox.open(authored.url)
        firefox.wait_for(f"{READY} && !document.getElementById('loading')")
        until_verified(firefox, 0)
        x, y, beat = firefox.run(BLOCK)
        firefox.drag((x, y), (x + 2 * beat, y))
        until_verified(firefox, 1)
        assert path.read_text() == SHORT.replace("wave, at: 2", "wave, at: 4")
        seen(firefox)
        firefox.run("document.querySelector('button.play').click()")
        firefox.wait_for("backbeat.time() > 1.0")
    finally:
        firefox.open("about:blank")
        authored.end()


def test_a_recording_plays(firefox, tmp_path):
    path = record_behavior(drumming(True, 3.0), tmp_path / "drums.html", 10.0).path
    firefox.open(path.resolve().as_uri())
    firefox.wait_for("window.backbeat?.sound && !document.getElementById('loading')")
    firefox.run("backbeat.seek(0.5)")
    first = seen(firefox)
    firefox.run("backbeat.play()")
    firefox.wait_for("backbeat.time() > 1.5")
    firefox.run("backbeat.seek(2.0)")
    assert (np.abs(seen(firefox) - first).max(2) > 0.1).mean() > 0.002
