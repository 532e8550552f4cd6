"""The page of a hand and its target: commands do what they say."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from backbeat.cli.main import app
from backbeat.models.common.errors import BackbeatError
from backbeat.stage.players.task_space_panel import TASK_COMMANDS, TOGGLES, task_offers
from backbeat.stage.players.task_space_player import TaskSpacePlayer
from backbeat.stage.web.commands import read_command

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def player():
    player = TaskSpacePlayer("ur10", wait=False)
    yield player
    player.close()


def post(player, name, value=None, **headers):
    """Sends a command as a page does, without any proxy; gives the status."""
    body = json.dumps({"do": name, "value": value}).encode()
    sent = {"Content-Type": "application/json", "Origin": player.url[:-1], **headers}
    request = urllib.request.Request(f"{player.url}command", body, sent)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=10) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return int(error.code)


def ask(player, path):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(player.url + path, timeout=10) as response:
        return json.loads(response.read())


def frames(player, seconds):
    end = player.live.time + seconds
    while player.live.time < end:
        player.frame()


def test_a_command_moves_the_target_and_the_hand_follows(player):
    began = np.array(ask(player, "state")["hand"])
    assert post(player, "set", {"name": "target", "to": [0.0, 0.1, 0.1]}) == 200
    frames(player, 1.2)
    state = ask(player, "state")
    assert np.allclose(state["hand"] - began, [0.0, 0.1, 0.1], atol=2e-3)
    assert state["settings"]["target"] == [0.0, 0.1, 0.1]
    assert re.fullmatch(r"hand 0\.\d mm off", state["rate words"])


def test_every_switch_and_slider_that_is_offered_can_be_set(player):
    offer = ask(player, "info")["tasks"]
    assert [t["name"] for t in offer["toggles"]] == [t.name for t in TOGGLES][:4]
    for toggle in offer["toggles"]:
        before = ask(player, "state")["settings"][toggle["name"]]
        assert post(player, "set", {"name": toggle["name"], "to": not before}) == 200
        player.frame()
        assert ask(player, "state")["settings"][toggle["name"]] is not before
    for slider in offer["sliders"]["sensing"]:
        for value in (slider["high"], slider["low"]):
            assert post(player, "set", {"name": slider["name"], "to": value}) == 200
            player.frame()
            assert ask(player, "state")["settings"][slider["name"]] == value
    assert post(player, "reset") == 200
    player.frame()
    assert ask(player, "state")["settings"]["gravity_compensation"]
    assert ask(player, "state")["notice"][0] == 0


def test_time_stands_still_while_paused(player):
    post(player, "play", False)
    player.frame()
    stood = player.live.time
    player.frame()
    assert player.live.time == stood
    post(player, "play", True)
    player.frame()
    player.frame()
    assert player.live.time > stood


def test_nothing_happens_before_somebody_looks():
    player = TaskSpacePlayer("atlas")
    try:
        player.frame()
        player.frame()
        assert player.live.time == 0.0
        offer = ask(player, "info")["tasks"]
        assert offer == json.loads(
            json.dumps(task_offers(True, player.live.loop.hand_start))
        )
        assert "pelvis" in offer["sliders"]
    finally:
        player.close()


def test_a_page_of_somebody_else_is_refused(player):
    value = {"name": "target", "to": [0.0, 0.0, 0.1]}
    assert post(player, "set", value, Origin="http://elsewhere.example") == 403
    assert post(player, "set", value, Host="elsewhere.example") == 403
    assert post(player, "set", {"name": "x" * 5000, "to": 0}) == 413
    assert player._server.commands() == []


@pytest.mark.parametrize(
    "value",
    [
        {"name": "target", "to": [0.0, 0.0, 9.0]},
        {"name": "target", "to": [0.0, 0.0]},
        {"name": "target", "to": [0.0, 0.0, float("nan")]},
        {"name": "period", "to": 0.0},
        {"name": "period", "to": True},
        {"name": "task", "to": 1},
        {"name": "stiffness", "to": 1e9},
        {"name": ["task"], "to": True},
        "task",
    ],
)
def test_what_no_slider_offers_is_refused(value):
    with pytest.raises(BackbeatError, match="set takes"):
        read_command(json.dumps({"do": "set", "value": value}), TASK_COMMANDS)


def test_a_setting_of_another_robot_becomes_a_notice(player):
    assert post(player, "set", {"name": "pelvis_rate", "to": 2.0}) == 200
    player.frame()
    number, sentence = ask(player, "state")["notice"]
    assert number == 1
    assert "unknown setting" in sentence


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--task-space", "ur5"], "unknown robot with a hand"),
        (["--task-space", "ur10", "--simulated"], "--task-space has a robot and not"),
        (["stand", "--task-space", "ur10"], "--task-space has a robot and nothing"),
        (["--task-space", "ur10", "--port", "80"], "--port 80 is not between"),
    ],
)
def test_a_mistake_is_answered_in_one_sentence(options, sentence):
    result = CliRunner().invoke(app, ["play", *options])
    assert isinstance(result.exception, BackbeatError)
    assert sentence in str(result.exception)


def test_ctrl_c_ends_it(request):
    command = [sys.executable, "-m", "backbeat.cli.main", "play", "--no-browser-wait"]
    show = subprocess.Popen(
        [*command, "--task-space", "ur10"],
        cwd=CHECKOUT,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Where the tests run in the background, Ctrl-C may be ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    request.addfinalizer(show.kill)
    assert "On stage at http://127.0.0.1:" in show.stdout.readline()
    time.sleep(0.3)
    show.send_signal(signal.SIGINT)
    _, errors = show.communicate(timeout=20)
    assert show.returncode == 0
    assert "Traceback" not in errors
    assert "The show is over." in errors
