"""A live show whose robot is driven, without a browser."""

import time

import pytest

from backbeat.behaviors.library.store import Library
from backbeat.models.common.errors import BackbeatError
from backbeat.stage.live.playback import Playback
from backbeat.stage.players.player import Player
from backbeat.stage.players.repertoire import Repertoire
from backbeat.stage.web.commands import Command, read_command
from backbeat.stage.web.panel import SIMULATING
from tests.backbeat.performances import swaying

STOP = [0.0, 0.0, 0.0]


@pytest.fixture(scope="module")
def library(built, tmp_path_factory):
    library = Library(tmp_path_factory.mktemp("library"))
    library.save(built("step-in-place"))
    library.save(swaying(1.0))
    return library


@pytest.fixture
def player(library):
    playback = Playback(engine="mujoco", detail="least", wait=False)
    player = Player(library.load("sway"), Repertoire(library), playback)
    yield player
    player.close()


def until(player, condition, seconds=120.0):
    end = time.perf_counter() + seconds
    while not condition():
        assert time.perf_counter() < end
        player.frame()


def test_any_robot_is_driven_by_steps_in_place_until_its_page_is_silent(player):
    player.obey(Command("mode", "driven"))
    assert player.source.behavior.name == "step-in-place"
    until(player, lambda: player.source.is_simulated)
    assert player._state()["mode"] == "driven"
    assert player._scenario.sensing.state == "estimated"
    assert player._state()["drive"]["fastest"][0] == pytest.approx(0.92, abs=0.01)
    live = player.source.live
    until(player, lambda: live.time > 0.0)
    player.obey(Command("drive", [0.4, 0.0, 0.0]))
    assert player._state()["drive"]["command"] == [0.4, 0.0, 0.0]
    told = live.time
    until(player, lambda: player._state()["drive"]["command"] == STOP)
    # Nothing has repeated it.
    assert 1.0 < live.time - told < 1.5
    assert live.glance().state.q[4] > 0.05
    drives = [e.drive for e in live.scenario_so_far().disturbances.events]
    assert drives == [[0.4, 0.0, 0.0], STOP]
    player.obey(Command("choose", "sway"))
    until(player, lambda: player.source.is_simulated)
    assert player._state()["mode"] == "simulated"
    assert player._state()["drive"] is None
    assert player.source.end == pytest.approx(live_end(player))


def live_end(player):
    """End of a behavior that is simulated as it is, with its lead-out [s]."""
    scenario = player.source.live._running.scenario
    return player.source.behavior.duration + scenario.timing.lead_out


def test_what_cannot_be_driven_says_what_can(library, tmp_path):
    repertoire = Repertoire(Library(tmp_path), swaying(1.0))
    with pytest.raises(BackbeatError, match=r"sway cannot be driven, .*backbeat build"):
        repertoire.to_drive(swaying(1.0))


def test_a_command_to_walk_is_three_numbers():
    with pytest.raises(BackbeatError, match="drive takes x, y and z"):
        read_command(b'{"do": "drive", "value": [1, 2]}', SIMULATING)
    with pytest.raises(BackbeatError, match="a number from -5 to 5"):
        read_command(b'{"do": "drive", "value": [1e3, 0, 0]}', SIMULATING)
