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
from backbeat.mpc.control.task_space_setup import hand_start
from backbeat.stage.web.commands import read_command
from backbeat.stage.web.panel import SIMULATING
from backbeat.stage.web.task_panel import TOGGLES, task_offers
from tests.backbeat.performances import hand_player

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def player(tmp_path_factory):
    player = hand_player("ur10", tmp_path_factory.mktemp("library"), wait=False)
    yield player
    player.close()


def post(player, name, value=None, **headers):
    """Sends a command as a page does, without any proxy; gives the status."""
    body = json.dumps({"do": name, "value": value}).encode()
    sent = {
        "Content-Type": "application/json",
        "Origin": player.show.url[:-1],
        **headers,
    }
    request = urllib.request.Request(f"{player.show.url}command", body, sent)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=10) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return int(error.code)


def ask(player, path):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(player.show.url + path, timeout=10) as response:
        return json.loads(response.read())


def frames(player, seconds):
    end = player.source.live.time + seconds
    while player.source.live.time < end:
        player.frame()


def test_a_command_moves_the_target_and_the_hand_follows(player):
    began = np.array(ask(player, "state")["hand"])
    assert post(player, "set", {"name": "target", "to": [0.0, 0.1, 0.1]}) == 200
    frames(player, 1.2)
    state = ask(player, "state")
    assert np.allclose(state["hand"] - began, [0.0, 0.1, 0.1], atol=2e-3)
    assert state["settings"]["target"] == [0.0, 0.1, 0.1]
    assert re.fullmatch(r"hand error 0\.\d mm", state["rate words"])


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
    stood = player.source.live.time
    player.frame()
    assert player.source.live.time == stood
    post(player, "play", True)
    player.frame()
    player.frame()
    assert player.source.live.time > stood


def test_nothing_happens_before_somebody_looks(tmp_path):
    player = hand_player("atlas", tmp_path)
    try:
        player.frame()
        player.frame()
        assert player.source.live.time == 0.0
        offer = ask(player, "info")["tasks"]
        start = hand_start(player.source.behavior)
        assert offer == json.loads(json.dumps(task_offers(True, start)))
        assert "pelvis" in offer["sliders"]
    finally:
        player.close()


def test_a_page_of_somebody_else_is_refused(player):
    value = {"name": "target", "to": [0.0, 0.0, 0.1]}
    assert post(player, "set", value, Origin="http://elsewhere.example") == 403
    assert post(player, "set", value, Host="elsewhere.example") == 403
    assert post(player, "set", {"name": "x" * 5000, "to": 0}) == 413
    assert player.show.commands() == []


@pytest.mark.parametrize(
    "value",
    [
        {"name": "target", "to": [0.0, 0.0, 9.0]},
        {"name": "target", "to": [0.0, 0.0]},
        {"name": "target", "to": [0.0, 0.0, float("nan")]},
        {"name": "period", "to": 1e9},
        {"name": "stiffness", "to": 1.0},
        {"name": ["task"], "to": True},
        "task",
    ],
)
def test_what_no_slider_offers_is_refused(value):
    with pytest.raises(BackbeatError, match="set takes"):
        read_command(json.dumps({"do": "set", "value": value}), SIMULATING)


@pytest.mark.parametrize(
    ("name", "to", "words"),
    [
        ("pelvis_rate", 2.0, "unknown setting"),
        ("period", 0.0, "has to be 0.001 s or more"),
        ("period", True, "must be from 0 to 0.1"),
        ("task", 1, "on or off, true or false"),
        ("tempo", 0.9, "is a setting of behaviors"),
    ],
)
def test_what_does_not_fit_becomes_a_notice(player, name, to, words):
    before = ask(player, "state")["notice"][0]
    assert post(player, "set", {"name": name, "to": to}) == 200
    player.frame()
    number, sentence = ask(player, "state")["notice"]
    assert number == before + 1
    assert words in sentence


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
