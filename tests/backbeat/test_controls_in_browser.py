"""Every control of a live page, driven in a browser: it works, and is undone."""

import contextlib
from pathlib import Path

import numpy as np
import pytest

from backbeat.behaviors.library.store import Library
from backbeat.mpc.disturbances.registry import only_kinds, register_file
from backbeat.mpc.runs.file import load_run
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.mpc.weights.files import load_weights
from backbeat.mpc.weights.in_runs import changed_in_run
from backbeat.optimization.terms.user_file import load_user_file
from backbeat.stage.live.playback import Playback
from backbeat.stage.players.player import Player
from backbeat.stage.players.repertoire import Repertoire
from tests.backbeat.page_turns import Driven
from tests.backbeat.performances import drumming, swaying

pytestmark = pytest.mark.browser

ROPE = Path(__file__).parents[2] / "docs/how_to/own_disturbance.py"
# Buttons and sliders of the panel, and what each of them sets.
TOGGLES = ("timing", "forces", "posture", "steps")
SLIDERS = {"tempo": 1.2, "beat_priority": 0.9, "friction": 0.3, "plan_delay": 0.02}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    library = Library(tmp_path_factory.mktemp("library"))
    library.save(swaying(20.0))
    library.save(drumming(True, 4.0))
    return library


@pytest.fixture
def driven(window, library):
    player = Player(library.load("sway"), Repertoire(library), Playback())
    window.page.goto(player.show.url, wait_until="commit")
    driven = Driven(window, player)
    ready = "Boolean(window.backbeat?.state && backbeat.state().playing !== undefined)"
    driven.until(lambda: window.run(ready))
    yield driven
    window.leave()
    player.close()


@pytest.fixture
def with_rope():
    """The rope of docs, registered while a page is open."""
    with only_kinds():
        register_file(load_user_file(ROPE))
        yield


def test_a_disturbance_from_outside_is_added_by_its_sliders(with_rope, driven):
    player = driven.player
    driven.click("[data-mode=simulated]")
    driven.until(lambda: player.source.is_simulated)
    driven.until(
        lambda: not driven.window.run("document.querySelector('.panel').hidden")
    )
    driven.until(lambda: player.source.reach > 0.1)
    driven.slide("[aria-label=stiffness]", 800.0)
    driven.click(".panel [data-disturbance=rope]")
    live = player.source.live
    driven.until(lambda: live.scenario_so_far().disturbances.ropes)
    (rope,) = live.scenario_so_far().disturbances.ropes
    assert (rope.stiffness, rope.damping) == (800.0, 20.0)
    driven.until(lambda: live.time > rope.time + 0.1)
    line = "viewer.scene_tree.find(['lines of disturbances', '1'])"
    driven.until(lambda: driven.window.run(f"{line}.object.visible"))


def test_play_controls_by_button_and_by_key(driven):
    transport = driven.player.transport
    driven.until(lambda: transport.is_playing)
    for act in (lambda: driven.click("button.play"), lambda: driven.press(" ")):
        # The button does what the page shows, which a loaded machine shows later.
        for is_playing in (False, True):
            act()
            driven.until(
                lambda on=is_playing: transport.is_playing == on == driven.shows_play()
            )
    driven.press(" ")
    driven.until(lambda: not transport.is_playing)
    driven.slide("input.time", 3.0)
    driven.until(lambda: transport.time == pytest.approx(3.0))
    for there, back in (("button.on", "button.back"), (".", ",")):
        go = driven.click if len(there) > 1 else driven.press
        go(there)
        driven.until(lambda: transport.time > 3.01)
        go(back)
        driven.until(lambda: transport.time < 3.01)
    driven.press("ArrowRight")
    driven.until(lambda: transport.time == 3.5)
    driven.press("ArrowLeft")
    driven.until(lambda: transport.time == 3.0)
    driven.slide("input.speed", 0.5)
    driven.until(lambda: transport.speed == 0.5)
    driven.press("0")
    driven.until(lambda: transport.speed == 1.0)
    for act in (lambda: driven.click("button.loop"), lambda: driven.press("l")):
        loops = transport.loops
        act()
        driven.until(lambda loops=loops: transport.loops != loops)
    assert not transport.loops


def test_another_behavior_is_chosen_and_a_beat_gone_to(driven):
    error = pytest.importorskip("playwright.sync_api").Error
    player, page = driven.player, driven.page
    driven.press("c")
    page.wait_for_function("document.querySelector('dialog.chooser').open")
    driven.leave()
    driven.click(".chooser [data-choice='atlas/drums']")
    driven.until(lambda: player.source.behavior.name == "drums")
    driven.until(driven.knows("drums"))

    def goes_to_a_beat():
        # A slow page may still be loading itself anew.
        with contextlib.suppress(error):
            page.eval_on_selector(
                "input.beat",
                "(s) => { s.value = 4; s.dispatchEvent(new Event('change')); }",
            )
            return True
        return False

    driven.until(goes_to_a_beat)
    driven.press(" ")
    driven.until(lambda: player.transport.time >= 3 * 60 / 98 - 1e-6)
    driven.press("?")
    page.wait_for_function("document.querySelector('dialog.keys').open")
    driven.window.until_says("dialog.keys", "play, pause")


def test_what_is_done_to_a_simulation_is_undone(driven):
    player = driven.player
    driven.click("[data-mode=simulated]")
    driven.until(lambda: player.source.is_simulated)
    driven.until(
        lambda: not driven.window.run("document.querySelector('.panel').hidden")
    )
    # In the lead-in there is nothing of the behavior to make again.
    driven.until(lambda: player.source.reach > 0.1)
    first = driven.settings()
    for name in TOGGLES:
        driven.click(f".panel [data-setting={name}]")
        driven.until(lambda name=name: driven.settings()[name] is False)
        driven.click(".panel .undo:not(:disabled)")
        driven.until(lambda: driven.settings() == first)
    for name, value in SLIDERS.items():
        driven.slide(f".panel [data-setting={name}] input", value)
        driven.until(lambda n=name, v=value: driven.settings()[n] == pytest.approx(v))
        driven.press("u")
        driven.until(lambda: driven.settings() == first)
    for key in "wasd":
        count = len(player.source.live.scenario_so_far().disturbances.pushes)
        driven.press(key)
        driven.until(
            lambda n=count: (
                len(player.source.live.scenario_so_far().disturbances.pushes) == n + 1
            )
        )
    driven.press("r")
    driven.until(lambda: not player.source.live._running.scenario.disturbances.pushes)
    driven.click("[data-mode=planned]")
    driven.until(lambda: not player.source.is_simulated)


def on_screen(driven, push):
    """To the right on the screen, and away from the viewer on the ground [N s]."""
    x, y, _ = push.impulse
    sight = driven.window.run(
        "viewer.camera.getWorldDirection(new MeshCat.THREE.Vector3()).toArray()"
    )
    ahead = np.array([sight[0], -sight[2]])
    ahead /= np.linalg.norm(ahead)
    return [x * ahead[1] - y * ahead[0], x * ahead[0] + y * ahead[1]]


def test_a_part_that_is_dragged_is_pushed_that_way(driven):
    player, page = driven.player, driven.page
    driven.click("[data-mode=simulated]")
    driven.until(lambda: player.source.is_simulated)
    driven.until(lambda: player.source.reach > 0.1)
    x, y = driven.window.run(
        """(() => {
          const T = MeshCat.THREE, pane = viewer.dom_element.getBoundingClientRect();
          const link = viewer.scene_tree.find(["robot", "utorso"]).object;
          const at = link.localToWorld(new T.Vector3(0, 0, 0.3)).project(viewer.camera);
          return [pane.left + (0.5 + 0.5 * at.x) * pane.width,
            pane.top + (0.5 - 0.5 * at.y) * pane.height];
        })()"""
    )
    before = driven.window.run("viewer.camera.position.toArray()")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 40, y)
    page.mouse.move(x - 80, y)
    page.mouse.up()
    live = player.source.live
    driven.until(lambda: live.scenario_so_far().disturbances.pushes)
    (push,) = live.scenario_so_far().disturbances.pushes
    assert push.body == "utorso"
    right, away = on_screen(driven, push)
    assert -200.0 < right < -5.0
    assert abs(away) < 0.1 * abs(right)
    # The plots follow it.
    driven.until(lambda: live.time > push.time + 0.5)
    errors = "[data-measure='CoM error, mm']"
    driven.until(
        lambda: float(page.inner_text(f"label:has(+ {errors}) output") or 0) > 1.0
    )
    ink = f"document.querySelector(\"{errors}\").getContext('2d')"
    seen = f"{ink}.getImageData(0, 0, 416, 68).data.some((x) => x > 0)"
    assert driven.window.run(seen)
    # So do the terms of the program, asked for once they are seen.
    driven.window.run("document.querySelector('.panel .costs').scrollIntoView()")
    terms = ".panel .terms"
    driven.until(lambda: "center of mass away" in page.inner_text(terms))
    total = float(page.inner_text("label:has(+ .costs) output"))
    read = "(outputs) => outputs.map((one) => one.value)"
    values = page.eval_on_selector_all(f"{terms} output", read)
    assert len(values) == 7
    assert sum(map(float, values)) == pytest.approx(total, rel=0.1)
    # The camera has stayed where it was.
    assert driven.window.run("viewer.camera.position.toArray()") == before


def test_sensors_pushes_hands_and_saving(driven, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    player, page = driven.player, driven.page

    def scenario():
        return player.source.live.scenario_so_far()

    def choose(selector, value):
        page.eval_on_selector(
            selector,
            "(s, x) => { s.value = x; s.dispatchEvent(new Event('change')); }",
            value,
        )

    driven.click("[data-mode=simulated]")
    driven.until(lambda: player.source.is_simulated)
    driven.until(
        lambda: not driven.window.run("document.querySelector('.panel').hidden")
    )
    # In the lead-in there is nothing of the behavior to make again.
    driven.until(lambda: player.source.reach > 0.1)
    for label, value in (("impulse", 20), ("direction", 90)):
        driven.slide(f".panel [aria-label='{label}']", value)
    choose(".panel select.body", "utorso")
    driven.click(".panel .shove")
    driven.until(lambda: scenario().disturbances.pushes)
    (push,) = scenario().disturbances.pushes
    assert push.body == "utorso"
    assert push.impulse == pytest.approx([0.0, 20.0, 0.0], abs=1e-9)
    # To the left as one looks at it, from wherever that is.
    driven.click(".panel [data-way='90']")
    driven.until(lambda: len(scenario().disturbances.pushes) == 2)
    assert on_screen(driven, scenario().disturbances.pushes[1]) == pytest.approx(
        [-20.0, 0.0], abs=0.5
    )

    first = driven.settings()
    driven.slide(".panel [aria-label='up']", 0.05)
    driven.until(lambda: driven.settings()["left_hand"] == [0.0, 0.0, 0.05])
    driven.click(".panel .home")
    driven.until(lambda: driven.settings() == first)

    driven.click(".panel .save")
    driven.until(lambda: list(tmp_path.glob("out/*.run.parquet")))
    (path,) = tmp_path.glob("out/*.run.parquet")
    assert len(load_run(path)[1]["scenario"]["pushes"]) == 2

    truthful = player.source.live
    choose(".panel select.sense", "estimated")
    driven.until(lambda: player.source.live is not truthful)
    driven.until(lambda: player.source.reach > 0.1)
    assert scenario().sensing.state == "estimated"
    first = driven.settings()
    driven.slide(".panel [data-setting=noise_scale] input", 3.0)
    driven.until(lambda: driven.settings()["noise_scale"] == 3.0)
    driven.press("u")
    driven.until(lambda: driven.settings() == first)
    sensing = player.source.live
    choose(".panel select.sense", "true")
    driven.until(lambda: player.source.live is not sensing)
    driven.until(lambda: player.source.reach > 0.1)
    assert scenario().sensing.state == "true"

    choose(".panel select.engine", "mujoco")
    driven.until(lambda: player.source.engine == "mujoco")
    driven.until(lambda: player.source.reach > 0.1)
    assert scenario().world.engine == "mujoco"
    caption = "document.querySelector('#overlay').textContent"
    driven.until(lambda: "MuJoCo" in driven.page.evaluate(caption))
    driven.click(".panel [data-way='180']")
    driven.until(lambda: scenario().disturbances.pushes)
    choose(".panel select.engine", "drake")
    driven.until(lambda: player.source.engine == "drake")


def test_weights_are_moved_found_taken_back_and_saved(driven, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    player, page = driven.player, driven.page
    driven.click("[data-mode=simulated]")
    driven.until(lambda: player.source.is_simulated and player.source.reach > 0.1)
    # Calm until it is opened; then there is a slider for each number.
    assert page.locator(".panel [data-weight]").count() == 0
    page.eval_on_selector(".panel .weights", "(section) => { section.open = true; }")
    com = ".panel [data-weight='predictive.com']"
    driven.until(lambda: page.locator(com).count() == 1)
    assert "1/(m^2 s)" in page.locator(f"{com} output").text_content()
    assert "Center of mass" in page.get_attribute(com, "title")
    page.fill(".panel .weights .search", "damping of a gait")
    seen = page.eval_on_selector_all(
        ".panel .weights label:not([hidden])", "(s) => s.map((x) => x.dataset.weight)"
    )
    assert not seen
    page.fill(".panel .weights .search", "center of mass stiffness")
    shown = ".panel .weights details[open] label:not([hidden])"
    names = page.eval_on_selector_all(shown, "(s) => s.map((x) => x.dataset.weight)")
    assert names == ["whole_body.com_stiffness", "stance.com_stiffness"]
    page.fill(".panel .weights .search", "")
    # Moved by tenths of decades.
    driven.slide(f"{com} input", 0.5)
    driven.slide(".panel [data-weight='recovery.alarm'] input", -1)
    usual = player.source.live.weights
    changed = {
        "predictive.com": usual.predictive.com * 10**0.5,
        "recovery.alarm": usual.recovery.alarm / 10,
    }
    driven.until(lambda: len(driven.settings()["weights"]) == 2)
    told = driven.settings()["weights"]
    assert told == pytest.approx(changed, rel=1e-5)
    with page.expect_download() as download:
        page.eval_on_selector(
            ".panel .weights .ends button:last-child", "(b) => b.click()"
        )
    assert download.value.suggested_filename == "sway.weights.yaml"
    download.value.save_as("mine.yaml")
    mine = load_weights("mine.yaml")
    assert mine["predictive"]["com"] == told["predictive.com"]
    # It is what `--weights FILE` reads.
    read = ControllerWeights().changed(mine, "mine.yaml")
    assert read == changed_in_run(usual, told, "the page")
    driven.click(f"{com} .back")
    driven.until(
        lambda: driven.settings()["weights"]["predictive.com"] == usual.predictive.com
    )
    page.wait_for_function(f'document.querySelector("{com} .back").hidden')
    driven.press("u")
    driven.until(lambda: driven.settings()["weights"] == told)
    driven.click(".panel .weights .ends button:first-child")
    driven.until(
        lambda: changed_in_run(usual, driven.settings()["weights"], "it") == usual
    )
