"""A robot that is driven on the page: by keys, by the pad and by a gamepad."""

import numpy as np
import pytest

from backbeat.behaviors.library.store import Library
from backbeat.stage.live.playback import Playback
from backbeat.stage.players.player import Player
from backbeat.stage.players.repertoire import Repertoire
from tests.backbeat.page_turns import Driven

pytestmark = [pytest.mark.browser, pytest.mark.slow]

GAMEPAD = """
window.stickOfTest = [0, 0, 0, 0];
Object.defineProperty(navigator, 'getGamepads', {
  value: () => [null, { axes: window.stickOfTest, buttons: [] }] });
"""


@pytest.fixture(scope="module")
def walker(built, tmp_path_factory):
    library = Library(tmp_path_factory.mktemp("library"))
    library.save(built("step-in-place"))
    return library


@pytest.fixture
def driven(window, walker):
    behavior = walker.load("step-in-place")
    playback = Playback(engine="mujoco", is_driven=True, detail="least")
    player = Player(behavior, Repertoire(walker), playback)
    window.page.add_init_script(GAMEPAD)
    window.page.set_viewport_size({"width": 480, "height": 360})
    window.page.goto(player.show.url, wait_until="commit")
    driven = Driven(window, player)
    driven.until(lambda: window.run("Boolean(window.backbeat?.state?.().drive)"))
    driven.until(lambda: player.source.live.time > 0.2)
    yield driven
    window.leave()
    player.close()


def place(driven):
    """(3,) place of the base on the ground [m], and its heading [rad]."""
    w, x, y, z, *p = driven.player.source.live.glance().state.q[:6]
    return np.array([*p, np.arctan2(2 * (w * z + x * y), 1 - 2 * (y**2 + z**2))])


def goes(driven, seconds):
    """How far the base gets within some seconds of the simulation [m, m, rad]."""
    live, before = driven.player.source.live, place(driven)
    until = live.time + seconds
    driven.until(lambda: live.time > until)
    assert not live.is_over
    return place(driven) - before


def stands(driven):
    """Waits until it has stopped, and checks that it stands."""
    driven.until(lambda: driven.player._hands.command == [0.0, 0.0, 0.0])
    goes(driven, 2.5)
    assert np.abs(goes(driven, 0.7)).max() < 3e-3


def test_it_walks_while_a_key_is_held_and_then_stands(driven):
    page = driven.page
    page.keyboard.down("ArrowUp")
    driven.until(lambda: driven.player._hands.command != [0.0, 0.0, 0.0])
    forward, left, turned = goes(driven, 4.0)
    page.keyboard.up("ArrowUp")
    # Half of 0.92 m/s, which it reaches after the first second and a half.
    assert 0.9 < forward < 1.84
    assert abs(left) < 0.1
    assert abs(turned) < 0.1
    stands(driven)
    page.keyboard.down("ArrowLeft")
    assert goes(driven, 3.0)[2] > 0.5
    page.keyboard.up("ArrowLeft")
    stands(driven)


def test_it_walks_by_the_pad_and_by_a_gamepad_with_camera_and_pushes(driven):
    page = driven.page
    target = "viewer.controls.target.toArray()"
    before = np.array(driven.window.run(target))
    button = page.query_selector(".drive [aria-label='to the left']")
    button.dispatch_event("pointerdown", {"pointerId": 1, "isPrimary": True})
    assert goes(driven, 4.0)[1] > 0.3
    button.dispatch_event("pointerup", {"pointerId": 1})
    stands(driven)
    # The camera has gone with it; to the left is away from the screen.
    seen = np.array(driven.window.run(target)) - before
    assert -seen[2] == pytest.approx(place(driven)[1], abs=0.06)
    driven.window.run("window.stickOfTest = [0, -0.8, 0, 0]")
    assert goes(driven, 1.5)[0] > 0.1
    driven.press("d")
    live = driven.player.source.live
    driven.until(lambda: live.scenario_so_far().disturbances.pushes)
    assert goes(driven, 2.5)[0] > 0.5
    driven.window.run("window.stickOfTest = [0, 0.1, 0, 0]")
    stands(driven)


def test_a_page_that_goes_stops_it(driven):
    driven.page.keyboard.down("ArrowUp")
    driven.until(lambda: driven.player._hands.command != [0.0, 0.0, 0.0])
    driven.window.leave()
    player = driven.player
    for _ in range(600):
        player.frame()
        if player._hands.command == [0.0, 0.0, 0.0]:
            break
    assert player._hands.command == [0.0, 0.0, 0.0]
