"""The page of a hand and its target, driven in a browser."""

import time

import numpy as np
import pytest

from backbeat.stage.task_space_player import TaskSpacePlayer

pytestmark = pytest.mark.browser


def until(player, window, condition, seconds=40.0):
    """Plays until a JavaScript expression is true."""
    end = time.perf_counter() + seconds
    while not window.run(f"Boolean({condition})"):
        assert time.perf_counter() < end
        for _ in range(3):
            player.frame()


def test_a_slider_and_keys_move_the_hand(window):
    player = TaskSpacePlayer("ur10")
    try:
        window.open(player.url)
        until(player, window, "window.backbeat?.state().playing")
        says = "document.querySelector('#overlay').innerText.includes"
        until(player, window, f"{says}('mm off') && {says}('ur10 in task space')")
        first, began = window.picture(), player.live.now().hand
        assert first.std() > 0.08

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
        arrived = player.live.time + 1.2
        while player.live.time < arrived:
            player.frame()
        assert player.live.now().hand[2] > began[2] + 0.15
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


def test_the_pelvis_of_atlas_has_its_sliders(window):
    player = TaskSpacePlayer("atlas")
    try:
        window.open(player.url)
        until(player, window, "window.backbeat?.state().playing")
        said = window.page.inner_text("#overlay .panel")
        for words in ("up and down", "feedforward", "sampling period", "angle noise"):
            assert words in said
        assert window.picture().std() > 0.08
    finally:
        player.close()
    window.wait_for("document.querySelector('.remark').textContent.includes('over')")
    window.errors.clear()
