"""A live show that obeys its pages, without a browser."""

import os
import signal
import time

import numpy as np
import pytest

from backbeat.behaviors.kinematic.behavior import KINEMATIC
from backbeat.behaviors.library.store import Library
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.runs.file import load_run
from backbeat.stage.live.economy import Economy
from backbeat.stage.live.playback import Playback
from backbeat.stage.players.performing import perform
from backbeat.stage.players.player import Player
from backbeat.stage.players.repertoire import Repertoire
from backbeat.stage.web.commands import Command
from backbeat.stage.web.savings import Saving, Savings
from tests.backbeat.performances import drumming, swaying


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    library = Library(tmp_path_factory.mktemp("library"))
    library.save(swaying(1.0))
    library.save(drumming(True, 4.0))
    (library.folder / "broken.parquet").write_text("nothing")
    return library


@pytest.fixture
def player(library):
    player = Player(library.load("sway"), Repertoire(library), Playback(chooses=True))
    yield player
    player.close()


def ask(player, name, value=None):
    player.obey(Command(name, value))
    player.frame()


def until(player, condition, seconds=60.0):
    end = time.perf_counter() + seconds
    while not condition():
        assert time.perf_counter() < end
        player.frame()


def test_a_shelf_is_beside_what_plays_again_and_again(player):
    player.frame()
    # No browser has come yet.
    assert player.transport.time == 0.0
    assert not player.is_over
    assert player.transport.loops
    ask(player, "play", True)
    until(player, lambda: player.transport.time > 0.1)
    ask(player, "play", False)
    stood = player.transport.time
    player.frame()
    assert player.transport.time == stood


def test_a_figure_has_the_robot_of_a_behavior(player):
    lines = np.array(player._repertoire.figure(b"atlas/sway")["lines"])
    # As high as Atlas, but for what is above its neck, and on the ground.
    assert 1.4 < lines[:, [1, 3]].max() < 1.9
    assert -0.05 < lines[:, [1, 3]].min() < 0.1
    assert np.ptp(lines[:, [0, 2]]) > 0.3
    assert player._repertoire.figure(b"atlas/none")["lines"] == []


def test_only_what_can_be_read_is_offered(player):
    rows = Repertoire(player._repertoire._library).rows()
    assert [row["name"] for row in rows] == ["drums", "sway"]
    ask(player, "choose", "broken")
    assert player.source.behavior.name == "sway"
    assert "not a whole Backbeat file" in player.notice[1]
    ask(player, "choose", "swai")
    assert player.notice == (2, player.notice[1])
    assert "did you mean sway" in player.notice[1]


def test_another_behavior_is_played_from_its_start(player):
    ask(player, "loop", True)
    ask(player, "speed", 0.5)
    ask(player, "choose", "drums")
    assert player.source.behavior.name == "drums"
    assert player.transport.is_playing
    assert (player.transport.loops, player.transport.speed) == (True, 0.5)
    ask(player, "choose", "sway")
    assert player.source.behavior.name == "sway"


def test_planned_and_simulated_take_turns(player):
    """Back is what was simulated, forward comes by simulating."""
    ask(player, "mode", "simulated")
    assert player.busy
    assert not player.source.is_simulated
    until(player, lambda: player.source.is_simulated)
    take = player.source
    assert take.reach < 0
    ask(player, "seek", 0.3)
    until(player, lambda: player.transport.time > 0.3 - 1e-6)
    assert take.reach == pytest.approx(0.3, abs=1e-6)
    now = take.frame_at(0.3).state.q.copy()
    ask(player, "seek", 0.1)
    assert take.reach == pytest.approx(0.3, abs=1e-6)
    then = take.frame_at(0.1)
    assert then.time == pytest.approx(0.1, abs=0.034)
    assert abs(then.state.q - now).max() > 0.01
    assert abs(take.frame_at(0.3).state.q - now).max() == 0.0
    ask(player, "play", True)
    until(player, lambda: take.reach > 0.35)
    ask(player, "mode", "planned")
    assert not player.source.is_simulated


def planner_process(player):
    return player.source.live._running._processes.planner


def plans_beside(player):
    player.source.live.advance(0.001)
    return not player.source.live.waits_for_planner


def test_plans_are_made_beside_a_live_simulation(player, monkeypatch):
    """A planner ends with its take; when it dies, the plan is still there to see."""
    monkeypatch.setattr("backbeat.stage.live.economy.cores", lambda: 2)
    player.economy = Economy("least")
    ask(player, "mode", "simulated")
    until(player, lambda: player.source.is_simulated)
    ask(player, "play", False)
    until(player, lambda: plans_beside(player))
    first = planner_process(player)
    ask(player, "mode", "planned")
    with pytest.raises(ProcessLookupError):
        os.kill(first.process_id, 0)
    ask(player, "mode", "simulated")
    until(player, lambda: player.source.is_simulated and plans_beside(player))
    os.kill(planner_process(player).process_id, signal.SIGKILL)
    ask(player, "seek", 0.3)
    until(player, lambda: not player.source.is_simulated)
    assert "planner process ended" in player.notice[1]


def test_with_one_core_plans_are_made_inside(monkeypatch):
    monkeypatch.setattr("backbeat.stage.live.economy.cores", lambda: 1)
    assert Saving.PLANNER not in Economy("least").savings.taken
    monkeypatch.setattr("backbeat.stage.live.economy.cores", lambda: 2)
    assert Economy("least").savings.taken == tuple(Saving)


def test_the_detail_that_is_asked_for_holds(player):
    """Under way the watch ends; longer steps come with a reset."""
    player.economy = Economy("full")
    ask(player, "mode", "simulated")
    until(player, lambda: player.source.is_simulated)
    live = player.source.live
    assert (live.time_step, live._running.is_watching) == (0.001, True)
    ask(player, "detail", "least")
    assert player._state()["detail"] == "least"
    assert (live.time_step, live._running.is_watching) == (0.001, False)
    assert player.source.frame > 1.5 / 30
    ask(player, "reset")
    until(player, lambda: player.source.is_simulated and player.source.live is not live)
    assert player.source.live.time_step == 0.002
    ask(player, "play", True)
    until(player, lambda: player.transport.time > 0.2)
    assert not player.source.live.scenario_so_far().monitoring.watch_forces


def test_in_the_lead_in_longer_steps_begin_anew_by_themselves(player, monkeypatch):
    monkeypatch.setattr(Savings, "note", saves_all)
    monkeypatch.setattr("backbeat.stage.live.economy.WINDOW", 0.0)
    ask(player, "mode", "simulated")
    until(player, lambda: player.source.is_simulated)
    ask(player, "play", True)
    until(player, lambda: player.source.live.time_step == 0.002)
    ask(player, "play", True)
    until(player, lambda: player.source.reach > 0.1)


def saves_all(savings, measured):
    has_changed = not savings.taken
    savings.latest, savings.taken = measured, tuple(savings._possible)
    return has_changed


def test_what_failed_verification_is_not_simulated(player):
    ask(player, "choose", "sway")
    object.__setattr__(player.source.behavior, "kind", KINEMATIC)
    ask(player, "mode", "simulated")
    assert "has no forces and is not simulated" in player.notice[1]
    assert player._state()["mode"] == "planned"


def test_a_simulated_show_ends_by_itself_when_nobody_is_waited_for(library):
    urls, short = [], swaying(0.2)
    playback = Playback(wait=False, is_simulated=True)
    perform(short, Repertoire(library, short), playback, urls.append)
    assert urls[0].startswith("http://127.0.0.1:")


def test_a_fault_in_the_making_is_not_hidden(library, monkeypatch):
    def fail(*arguments):
        raise ZeroDivisionError

    monkeypatch.setattr("backbeat.stage.live.preparation.LiveSimulation", fail)
    playback, sway = Playback(wait=False, is_simulated=True), library.load("sway")
    with pytest.raises(ZeroDivisionError):
        perform(sway, Repertoire(library), playback, lambda url: None)


def test_a_mistake_in_the_making_is_told(library, monkeypatch):
    def refuse(*arguments):
        raise BackbeatError("no such robot")

    monkeypatch.setattr("backbeat.stage.live.preparation.LiveSimulation", refuse)
    player = Player(library.load("sway"), Repertoire(library), Playback())
    try:
        ask(player, "mode", "simulated")
        until(player, lambda: player.notice[0])
        assert player.notice[1] == "no such robot."
        assert player._state()["mode"] == "planned"
    finally:
        player.close()


@pytest.fixture(scope="module")
def simulated(library):
    player = Player(swaying(6.0), Repertoire(library), Playback())
    player.obey(Command("mode", "simulated"))
    until(player, lambda: player.source.is_simulated)
    player.obey(Command("play", False))
    yield player
    player.close()


CHANGES = [
    *((name, False) for name in ("timing", "forces", "posture", "steps")),
    ("beat_priority", 0.9),
    ("tempo", 1.2),
    ("friction", 0.3),
    ("plan_delay", 0.02),
    ("left_hand", [0.0, 0.1, 0.05]),
    ("right_hand", [0.1, 0.0, 0.0]),
]


@pytest.mark.parametrize(("name", "value"), CHANGES)
def test_every_setting_can_be_changed_and_undone(simulated, name, value):
    def now():
        return simulated._state()["settings"]

    before = now()
    ask(simulated, "set", (name, value))
    assert now() == before | {name: value}
    assert simulated._state()["undo"] == 1
    ask(simulated, "undo")
    assert now() == before
    assert simulated._state()["undo"] == 0
    assert simulated.notice[0] == 0


def test_segments_come_when_a_new_tempo_has_them(simulated):
    def told():
        info = simulated.show._server.info
        return info["edition"], [s["time"] for s in info["segments"]]

    ask(simulated, "reset")
    ask(simulated, "play", False)
    edition, before = told()
    ask(simulated, "set", ("tempo", 0.8))
    later, after = told()
    assert later > edition
    assert len(after) == len(before) > 0
    assert after[-1] > before[-1] + 0.05
    ask(simulated, "set", ("friction", 0.7))
    assert told()[0] == later
    ask(simulated, "reset")
    assert told()[1] == before


def test_a_slider_on_its_way_is_one_change(simulated):
    for friction in (0.7, 0.6, 0.5):
        ask(simulated, "set", ("friction", friction))
    ask(simulated, "undo")
    assert simulated._state()["settings"]["friction"] == 0.8


def test_a_push_acts_on_the_present_and_a_reset_undoes_it(simulated):
    ask(simulated, "reset")
    ask(simulated, "seek", 0.0)
    until(simulated, lambda: simulated.transport.time > -1e-6)
    ask(simulated, "set", ("friction", 0.6))
    ask(simulated, "seek", -0.3)
    take, reach = simulated.source, simulated.source.reach
    ask(simulated, "push", ("pelvis", [0.0, 60.0, 0.0]))
    pushed = take.live.scenario_so_far().disturbances.pushes[-1].time
    assert reach < pushed <= reach + 0.05
    later = pushed + 0.15
    until(simulated, lambda: simulated.transport.time > later)
    frame = take.frame_at(later)
    assert frame.pushes["pelvis"].force[1] == 60.0
    velocity = frame.state.momentum[4] / frame.state.robot.total_mass
    assert velocity > 0.1
    ask(simulated, "reset")
    assert simulated.transport.time < 0
    assert take.live.settings()["friction"] == 0.8
    ask(simulated, "seek", later)
    until(simulated, lambda: take.reach > later - 1e-6)
    assert not take.frame_at(later).pushes
    assert abs(take.frame_at(later).state.momentum[4]) < 5.0


def test_what_makes_no_sense_is_told_and_changes_nothing(simulated):
    ask(simulated, "reset")
    before, notices = simulated._state()["settings"], simulated.notice[0]
    ask(simulated, "set", ("noise_scale", 2.0))
    assert "noise_scale needs state: estimated" in simulated.notice[1]
    ask(simulated, "set", ("tempo", 9.0))
    ask(simulated, "push", ("tail", [0.0, 0.0, 0.0]))
    assert "tail" in simulated.notice[1]
    assert simulated.notice[0] == notices + 3
    assert simulated._state()["settings"] == before
    assert simulated._state()["undo"] == 0


def test_a_page_chooses_the_engine_of_what_is_simulated(library, tmp_path):
    pytest.importorskip("mujoco", reason="the extra mujoco is not installed")
    playback = Playback(is_simulated=True, out=tmp_path)
    player = Player(swaying(6.0), Repertoire(library), playback)

    def engine():
        return player._state()["engine"], player.source.engine

    try:
        until(player, lambda: player.source.is_simulated)
        assert engine() == ("drake", "drake")
        ask(player, "set", ("friction", 0.6))
        ask(player, "engine", "mujoco")
        # What is shown is Drake's until the other is made.
        assert engine()[0] == "mujoco"
        until(player, lambda: player.source.engine == "mujoco")
        kind = player.show._server.info["kind"]
        assert kind == "simulated in closed loop, MuJoCo"
        ask(player, "push", ("pelvis", [0.0, 20.0, 0.0]))
        until(player, lambda: player.source.reach > 0.1)
        ask(player, "save")
        (path,) = tmp_path.glob("*.run.parquet")
        told = load_run(path)[1]["scenario"]
        assert told["engine"] == "mujoco"
        assert told["pushes"][0]["impulse"] == [0.0, 20.0, 0.0]
        # Another behavior, with kit and chair, goes on in the engine that was chosen.
        ask(player, "choose", "drums")
        until(player, lambda: player.source.is_simulated)
        assert engine() == ("mujoco", "mujoco")
        ask(player, "play", True)
        until(player, lambda: player.source.reach > -0.4)
        assert np.isfinite(player.source.frame_at(-0.4).state.q).all()
        ask(player, "engine", "drake")
        until(player, lambda: player.source.engine == "drake")
        assert engine() == ("drake", "drake")
        # Nothing was told but where the run is.
        assert player.notice == (1, f"saved: backbeat replay {path}.")
    finally:
        player.close()


def test_an_engine_that_is_not_installed_is_told_of(library, monkeypatch):
    def missing():
        raise BackbeatError("pip install mujoco-core")

    monkeypatch.setattr("backbeat.mpc.engines.choosing.load_mujoco", missing)
    player = Player(swaying(1.0), Repertoire(library), Playback())
    try:
        ask(player, "engine", "mujoco")
        assert player.notice[1] == "pip install mujoco-core."
        assert player._state()["engine"] == "drake"
        assert player._state()["mode"] == "planned"
    finally:
        player.close()
