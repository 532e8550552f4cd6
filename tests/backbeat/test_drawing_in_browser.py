"""A page without a graphics card draws plainly, and any page says what is loaded."""

import numpy as np
import pytest

from backbeat.stage.live.show import LiveShow
from backbeat.stage.sources.kinds import PlannedSource
from tests.backbeat.performances import swaying

pytestmark = pytest.mark.browser

# Milliseconds of a picture, the best of some: other programs only make it longer.
TIME = """(() => {
  const gl = viewer.renderer.getContext(), pixel = new Uint8Array(4), times = [];
  for (let i = 0; i < 4; i++) {
    const began = performance.now();
    viewer.renderer.render(viewer.scene, viewer.camera);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    times.push(performance.now() - began);
  }
  return Math.min(...times);
})()"""
TRIANGLES = """(() => {
  let count = 0;
  viewer.scene_tree.find(["robot"]).object.traverse(({ isMesh, geometry: g }) => {
    if (isMesh) count += (g.index ? g.index.count : g.attributes.position.count) / 3;
  });
  return count;
})()"""
# What the cover says while the page loads.
LISTEN = """
window.said = [];
new MutationObserver(() => {
  const text = document.querySelector("#loading span")?.textContent;
  if (text && window.said.at(-1) !== text) window.said.push(text);
}).observe(document, { childList: true, subtree: true, characterData: true });
"""


@pytest.fixture
def show():
    take = PlannedSource(swaying(2.0))
    show = LiveShow(take, None)
    show.draw(take.frame_at(0.5), 0.0)
    yield show
    show.close()


def measured(window, url):
    """Time of a picture [ms], triangles of the robot, and the picture."""
    window.page.set_viewport_size({"width": 1000, "height": 640})
    window.open("about:blank")
    window.open(url)
    window.wait_for("!document.getElementById('loading')")
    window.wait_for("viewer.camera.zoom > 1")
    picture = window.picture()
    if window.run("drawing().isPlain"):
        # What came last is simplified a while after it came.
        window.page.wait_for_timeout(1500)
        picture = window.picture()
    return window.run(TIME), window.run(TRIANGLES), picture


def test_without_a_graphics_card_a_picture_takes_a_fraction_of_the_time(window, show):
    full_time, full_count, full = measured(window, f"{show.url}#full")
    assert not window.run("drawing().isPlain")
    assert window.run("viewer.renderer.shadowMap.enabled")
    time, count, plain = measured(window, show.url)
    assert window.run("drawing().isPlain")
    assert not window.run("viewer.renderer.shadowMap.enabled")
    assert count < 0.75 * full_count
    assert time < full_time / 4
    # It is the same picture, with light and shade, if not to the pixel.
    assert plain.std() > 0.08
    assert np.abs(plain.mean((0, 1)) - full.mean((0, 1))).max() < 0.1
    window.open("about:blank")


def test_loading_says_how_far_it_is_and_nothing_is_left_of_meshcats_own(window, show):
    window.page.add_init_script(LISTEN)
    window.open(show.url)
    window.wait_for("!document.getElementById('loading')")
    said = window.run("window.said")
    assert said[0].startswith("loading")
    parts = [int(text.split()[1]) for text in said if text.startswith("part")]
    assert parts == sorted(parts)
    for selector in (".dg.main", "#stats-plot", "#status-message"):
        shown = f"document.querySelector({selector!r})?.getClientRects().length ?? 0"
        assert window.run(shown) == 0, selector
    for name in ("Grid", "Axes"):
        node = f"viewer.scene_tree.find([{name!r}])"
        assert not window.run(f"{node}.object.visible")
    window.open("about:blank")


def test_a_browser_without_3d_says_so_and_what_to_do(window, show):
    window.page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    window.open(show.url)
    window.wait_for("document.querySelector('#loading span').textContent.length > 60")
    window.until_says("#loading", "hardware acceleration")
    assert window.run("document.querySelector('#loading progress')") is None
    window.open("about:blank")
    # Meshcat itself finds no context, which the console tells.
    assert window.errors
    window.errors.clear()
