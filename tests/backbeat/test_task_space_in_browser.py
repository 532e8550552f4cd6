"""The page of a hand and its target, driven in a browser."""

import time

import numpy as np
import pytest

from tests.backbeat.performances import hand_player

pytestmark = pytest.mark.browser


def until(player, window, condition, seconds=40.0):
    """Plays until a JavaScript expression is true."""
    end = time.perf_counter() + seconds
    while not window.run(f"Boolean({condition})"):
        assert time.perf_counter() < end
        for _ in range(3):
            player.frame()


def test_a_slider_and_keys_move_the_hand(window, tmp_path):
    player = hand_player("ur10", tmp_path)
    try:
        window.open(player.show.url)
        until(player, window, "window.backbeat?.state().playing")
        says = "document.querySelector('#overlay').innerText.includes"
        until(player, window, f"{says}('hand error') && {says}('ur10')")
        first, began = window.full_picture(), player.source.live.now().hand

        window.run(
            """(() => {
            const all = document.querySelectorAll('#overlay .panel label.slider');
            const range = [...all].find((row) => row.dataset.setting === 'target z')
              .querySelector('input');
            range.value = 0.2;
            range.dispatchEvent(new Event('input'));
            })()"""
        )
        until(player, window, "window.backbeat.state().settings.target[2] === 0.2")
        arrived = player.source.live.time + 1.2
        while player.source.live.time < arrived:
            player.frame()
        assert player.source.live.now().hand[2] > began[2] + 0.15
        moved = np.abs(first - window.picture()).max(2) > 0.1
        assert 0.002 < moved.mean() < 0.5

        for y in (-0.02, -0.04):
            window.page.keyboard.press("d")
            until(player, window, f"window.backbeat.state().settings.target[1] === {y}")
        for key in ("4", "1"):
            window.page.keyboard.press(key)
        until(player, window, "window.backbeat.state().settings.hand_sensing")
        until(player, window, "!window.backbeat.state().settings.gravity_compensation")
        window.page.keyboard.press("?")
        window.wait_for("document.querySelector('dialog.keys').open")
        keys = window.page.inner_text("dialog.keys")
        assert "target up" in keys
        assert "sense hand on, off" in keys
        window.run("document.querySelector('dialog.keys').close()")
        window.page.dispatch_event("#overlay .panel .reset", "click")
        until(player, window, "window.backbeat.state().settings.target[2] === 0")
    finally:
        player.close()
    window.wait_for("document.querySelector('.remark').textContent.includes('over')")
    window.errors.clear()


def test_the_pelvis_of_atlas_has_its_sliders(window, tmp_path):
    player = hand_player("atlas", tmp_path)
    try:
        window.open(player.show.url)
        until(player, window, "window.backbeat?.state().playing")
        said = window.page.inner_text("#overlay .panel")
        for words in ("up and down", "feedforward", "sampling period", "angle noise"):
            assert words in said
        window.full_picture()
    finally:
        player.close()
    window.wait_for("document.querySelector('.remark').textContent.includes('over')")
    window.errors.clear()


def seen_at(window):
    """Where the target is on the screen [pixels]."""
    there = window.run("window.backbeat.drag.onScreen()")
    return there["x"], there["y"]


def settled(player, window):
    """Where the target is on the screen once the camera has come [pixels].

    The page plays before it has drawn all that it is sent, of which the camera is
    the last.
    """
    now, frames = seen_at(window), 0
    while frames < 15:
        player.frame()
        before, now = now, seen_at(window)
        frames = frames + 1 if now == pytest.approx(before, abs=0.1) else 0
    return now


def asked(window):
    return np.array(window.run("window.backbeat.state().settings.target"))


def play(player, seconds):
    end = player.source.live.time + seconds
    while player.source.live.time < end:
        player.frame()


def rest(player, window):
    """Plays until what the page asks for has stayed as it is for a while.

    A page tells late what it was told to do, the later the busier the machine is.
    """
    now, since = asked(window), time.perf_counter()
    while time.perf_counter() < since + 2.0:
        play(player, 0.1)
        before, now = now, asked(window)
        if np.any(now != before):
            since = time.perf_counter()


def test_the_mouse_drags_the_target_in_the_scene(window, tmp_path):
    player, mouse = hand_player("ur10", tmp_path), window.page.mouse
    sight = "viewer.camera.getWorldDirection(new MeshCat.THREE.Vector3()).toArray()"
    places = "viewer.camera.position.toArray()"
    try:
        window.open(player.show.url)
        until(player, window, "window.backbeat?.state().playing")
        x, y = settled(player, window)
        camera, start = window.run(places), player.source.live.now().hand
        # Three.js has y up: its (x, y, z) are our (x, z, -y).
        right, up, back = window.run(sight)
        forward = np.array([right, -back, up])

        mouse.move(x + 4, y + 3)
        mouse.down()
        for k in range(1, 9):
            mouse.move(x + 4 + 8 * k, y + 3 - 10 * k)
            player.frame()
        until(player, window, "window.backbeat.state().settings.target[2] > 0.05")
        rest(player, window)
        to = asked(window)
        # Under the pointer, and no nearer or farther than before.
        assert seen_at(window) == pytest.approx((x + 64, y - 80), abs=1.5)
        assert abs(to @ forward) < 2e-3
        assert np.linalg.norm(to) > 0.08

        # With Shift along the line of sight: it stays where it is on the screen.
        window.page.keyboard.down("Shift")
        for k in range(1, 6):
            mouse.move(x + 68, y - 77 - 10 * k)
            player.frame()
        rest(player, window)
        window.page.keyboard.up("Shift")
        away = asked(window) - to
        assert away @ forward > 0.03
        assert seen_at(window) == pytest.approx((x + 64, y - 80), abs=1.5)
        mouse.wheel(0, 400)
        rest(player, window)
        # Four notches nearer.
        nearer = asked(window) - to - away
        assert np.linalg.norm(nearer) == pytest.approx(0.04, abs=2e-3)
        assert nearer @ forward < -0.035
        assert seen_at(window) == pytest.approx((x + 64, y - 80), abs=1.5)
        mouse.up()
        play(player, 1.2)
        hand = player.source.live.now().hand - start
        np.testing.assert_allclose(hand, asked(window), atol=2e-3)
        assert window.run(places) == pytest.approx(camera, abs=1e-9)

        # Where no hand can reach: the page says how far off it is.
        x, y = seen_at(window)
        mouse.move(x, y)
        mouse.down()
        mouse.move(x - 150, 60, steps=6)
        for _ in range(8):
            mouse.wheel(0, 1000)
            player.frame()
        rest(player, window)
        mouse.up()
        play(player, 1.2)
        off = np.linalg.norm(
            player.source.live.now().hand - player.source.live.now().target
        )
        assert off > 0.05, asked(window)
        assert not player.source.live.is_over
        said = window.page.inner_text("#overlay .now")
        assert float(said.split("hand error ")[1].split(" mm")[0]) > 50

        # Beside the target the mouse turns the camera.
        mouse.move(120, 300)
        mouse.down()
        mouse.move(180, 320, steps=3)
        mouse.up()
        assert np.abs(np.subtract(window.run(places), camera)).max() > 0.1
    finally:
        player.close()
    window.wait_for("document.querySelector('.remark').textContent.includes('over')")
    window.errors.clear()


def test_a_finger_drags_it_too(window, tmp_path):
    player = hand_player("ur10", tmp_path)
    try:
        window.open(player.show.url)
        until(player, window, "window.backbeat?.state().playing")
        x, y = seen_at(window)
        touch = window.page.context.new_cdp_session(window.page)

        def point(kind, *places):
            points = [{"x": a, "y": b} for a, b in places]
            touch.send(
                "Input.dispatchTouchEvent", {"type": kind, "touchPoints": points}
            )
            player.frame()

        point("touchStart", (x + 18, y))
        for k in range(1, 6):
            point("touchMove", (x + 18 + 10 * k, y - 10 * k))
        point("touchEnd")
        until(player, window, "window.backbeat.state().settings.target[2] > 0.03")
        rest(player, window)
        assert seen_at(window) == pytest.approx((x + 50, y - 50), abs=1.5)
    finally:
        player.close()
    window.wait_for("document.querySelector('.remark').textContent.includes('over')")
    window.errors.clear()
