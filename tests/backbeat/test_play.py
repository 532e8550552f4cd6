import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from backbeat.behaviors.library.store import Library
from backbeat.cli.common.options import controller_terms
from backbeat.cli.main import app
from backbeat.models.common.errors import BackbeatError
from backbeat.stage.live.playback import Playback
from backbeat.stage.live.simulation import LiveSimulation
from backbeat.stage.players.performing import perform
from backbeat.stage.players.repertoire import Repertoire
from tests.backbeat.performances import drumming, swaying

CHECKOUT = Path(__file__).parents[2]
OWN_COST = CHECKOUT / "docs/how_to/own_cost.py"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    library = Library(tmp_path_factory.mktemp("library"))
    library.save(swaying(duration=1.0))
    library.save(drumming(duration=20.0))
    return library.folder


def backbeat(*arguments):
    """Calls `backbeat play`; a mistake of the user raises BackbeatError."""
    result = CliRunner().invoke(app, ["play", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def ask(url):
    """What the page's server answers, without any proxy."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=10) as response:
        return response.read().decode()


def test_a_recording_is_written_and_its_size_said(library, tmp_path):
    path = tmp_path / "out" / "sway.html"
    result = backbeat("sway", "--library", library, "--record", path)
    assert result.exit_code == 0
    assert re.fullmatch(r".*sway\.html \(\d+\.\d MB\)\n", result.stdout)
    assert path.stat().st_size > 1e6


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--speed", "0"], "--speed 0 is not between"),
        (["--speed", "nan"], "--speed nan is not between"),
        (["--fps", "1000"], "--fps 1000 is not between 5 and 120"),
        (["--port", "80"], "--port 80 is not between"),
        (["--record", "/proc/nothing/show.html"], "cannot write"),
        (["--record", "show.avi"], "is a page, show.html, or a film, show.mp4"),
        (
            ["--record", "show.html", "--with", str(OWN_COST)],
            "--with is for what is simulated: add --simulated",
        ),
    ],
)
def test_a_mistake_is_answered_in_one_sentence(
    library, tmp_path, monkeypatch, options, sentence
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BackbeatError, match=re.escape(sentence)):
        backbeat("sway", "--library", library, *options)


def test_terms_of_ones_own_are_in_what_is_simulated():
    """What a page saves has them, as a run of `backbeat track` has."""
    terms, sway = controller_terms(str(OWN_COST)), swaying(1.0)
    playback = Playback(is_simulated=True, terms=terms)
    live = LiveSimulation(sway, playback.begun(sway), instead=playback.instead)
    with closing(live):
        live.advance(0.7)
        weights = live.run_so_far().weights
    assert weights.own_terms() == terms.story()
    assert weights.own_keys() == ["turning", "level"]


def test_an_unknown_behavior_is_answered_with_the_right_one(library):
    with pytest.raises(BackbeatError, match="did you mean sway"):
        backbeat("swai", "--library", library)


def test_a_show_runs_by_the_clock_and_ends(library):
    seen, sway = [], swaying(1.0)
    repertoire = Repertoire(Library(library), sway)
    began = time.perf_counter()
    perform(sway, repertoire, Playback(speed=2.0, wait=False), seen.append)
    took = time.perf_counter() - began
    assert len(seen) == 1
    assert seen[0].startswith("http://127.0.0.1:")
    # A second at twice the speed, and what a loaded machine takes to open the stage.
    assert 0.5 <= took < 15.0


def test_without_a_library_one_sentence_says_how_to_begin(tmp_path):
    with pytest.raises(BackbeatError, match="build something, for instance by 'backb"):
        backbeat("--library", tmp_path)


def test_ctrl_c_ends_a_show_at_once(library, request):
    command = [sys.executable, "-m", "backbeat.cli.main", "play", "drums", "--loop"]
    command += ["--no-browser-wait", "--library", str(library)]
    show = subprocess.Popen(
        command,
        cwd=CHECKOUT,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Where the tests run in the background, Ctrl-C may be ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    request.addfinalizer(show.kill)
    url = re.search(r"http://127\.0\.0\.1:\d+/", show.stdout.readline()).group(0)
    page = ask(url)
    assert "<title>drums – Backbeat</title>" in page
    assert 'id="backbeat-motion"' not in page
    first = json.loads(ask(url + "state"))
    time.sleep(0.5)
    second = json.loads(ask(url + "state"))
    assert second["time"] > first["time"] + 0.2
    assert {trail["path"] for trail in second["trails"]} == {
        "/stick trails/l_stick_tip",
        "/stick trails/r_stick_tip",
    }
    began = time.perf_counter()
    show.send_signal(signal.SIGINT)
    _, errors = show.communicate(timeout=20)
    assert time.perf_counter() - began < 10.0
    assert show.returncode == 0
    assert "Traceback" not in errors
    assert "The show is over." in errors
