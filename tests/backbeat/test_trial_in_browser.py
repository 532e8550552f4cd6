"""What is edited, simulated from its page: pushed, in other engines, by others."""

import pytest

from tests.backbeat.test_author_in_browser import (
    authored,
    drag_by,
    open_page,
    until_verified,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]
__all__ = ["authored"]
LITTLE = """\
kind: dance
name: little
bpm: 120
beats: 8
tracks:
  legs:
    - {move: bounce, at: 2, beats: 4}
"""
ERRORS = "(window.backbeat?.timeline?.dance.now()?.errors ?? null)"


@pytest.fixture
def page(window, authored, tmp_path):
    (tmp_path / "little.yaml").write_text(LITTLE)
    open_page(window, authored("little.yaml").url)
    until_verified(window, 0)
    return window


def test_a_run_with_a_push_leaves_its_errors_under_the_timeline(page):
    page.page.click("#timeline .simulate")
    page.wait_for("backbeat.state().shown === 'simulated'", 120)
    page.until_says("#timeline .shown", "simulated")
    page.wait_for("backbeat.time() > 1")
    page.page.click('#timeline [data-push="90"]')
    pushed_at = page.run("backbeat.state().time")
    page.wait_for(f"{ERRORS} !== null", 240)
    errors = page.run(ERRORS)
    assert errors["fell"] is None
    assert errors["engine"] == "drake"
    before = [off for t, off in errors["com"] if 0 < t < pushed_at]
    after = [off for t, off in errors["com"] if pushed_at < t < pushed_at + 1.5]
    assert max(after) > max(before) + 5  # 40 N s move Atlas by centimeters.
    most = max(off for _, off in errors["com"])
    page.until_says("#timeline .run", f"CoM error at most {most:.1f} mm")
    drawn = page.run(
        """(() => { const curve = document.querySelector("#timeline .errors");
        return curve.getContext("2d").getImageData(0, 0, curve.width, curve.height)
          .data.some((x) => x > 0); })()"""
    )
    assert drawn
    # An edit goes back to what is edited; the errors stay until the next run.
    drag_by(page, "legs 0", 0.5)
    until_verified(page, 1)
    assert page.run("backbeat.state().trial") == ""
    assert page.run(ERRORS) is not None


def test_another_engine_and_another_robot_try_it(page):
    pytest.importorskip("mujoco")
    page.page.select_option("#timeline .engine", "mujoco")
    page.page.select_option("#timeline .robot", "g1")
    page.page.keyboard.press("x")
    # The stage of another robot is another one: the page loads itself anew.
    ready = "Boolean(window.backbeat?.timeline?.dance.now())"
    page.wait_for(f"{ready} && backbeat.state().shown === 'simulated'", 300)
    page.wait_for(f"{ERRORS} !== null", 240)
    errors = page.run(ERRORS)
    assert (errors["engine"], errors["robot"]) == ("mujoco", "g1")
    page.page.keyboard.press("x")
    page.wait_for(f"{ready} && backbeat.state().shown === 'verified'")
    # While one drawing has gone and the other is not there yet, none is connected.
    page.errors = [e for e in page.errors if not e.startswith("WebSocket connection")]


def test_what_is_not_verified_is_not_simulated(page):
    refused = page.run(
        """(async () => { await backbeat.timeline.dance.edit({edit: "insert",
        move: "side-step", at: 3, track: ""}); backbeat.send("simulate",
        {engine: "drake", robot: ""}); })()"""
    )
    assert refused is None
    page.wait_for("!document.querySelector('#overlay .notice').hidden")
    page.until_says("#overlay .notice", "when it is verified")
    page.run("backbeat.send('simulate', {engine: 'else', robot: ''})")
    notice = "document.querySelector('#overlay .notice').textContent"
    page.wait_for(f"{notice}.includes('one of drake')")
    page.errors.clear()  # Of the browser, on the answer 400.
