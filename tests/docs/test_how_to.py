"""How-to pages run from top to bottom as they are printed, in a folder of their own."""

import contextlib
import io
import re
import runpy
import shlex
import shutil
import socket
import subprocess
import threading

import numpy as np
import pytest
from typer.testing import CliRunner

from backbeat.behaviors.library.store import Library
from backbeat.cli.main import app
from tests.docs.pages import DOCS, page

BLOCK = re.compile(r"^```(yaml|python|sh)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def files_of(code):
    """Name of the file that the first line of a block names, or nothing."""
    return (re.match(r"# ([\w-]+\.(?:yaml|py))\n", code) or [None, None])[1]


def run_page(name):
    """Runs a page; what its code and commands have printed, joined."""
    said, known = [], {}
    for language, code in BLOCK.findall(page(name)):
        if file := files_of(code):
            with open(file, "w") as out:
                out.write(code)
        elif language == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(code, f"{name}.md", "exec"), known)
            said.append(printed.getvalue())
        elif language == "sh":
            said += map(run_command, code.splitlines())
    return "\n".join(said)


def run_command(line):
    """What a command prints; its exit code is 0 unless its comment has another."""
    command, _, comment = line.partition("  #")
    tool, *words = shlex.split(command)
    assert tool == "backbeat", line
    result = CliRunner().invoke(app, words, env={"COLUMNS": "200"})
    expected = int((re.search(r"exits with (\d)", comment) or "00")[1])
    assert result.exit_code == expected, f"{line}\n{result.output}\n{result.exception}"
    return result.output


@pytest.fixture
def folder(tmp_path, library_folder, built, monkeypatch):
    """A working folder; its library has `stand`, and takes what pages build."""
    built("stand")
    shutil.copytree(library_folder, tmp_path / "library")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Of each page: what it has to print, and files that are there afterwards.
PAGES = {
    "change_a_weight": (["weights.predictive.com"], "comparison.html"),
    "add_a_cost": (
        ["angular momentum about the vertical", "predictive.turning"],
        "without.parquet",
    ),
    "read_a_run": (["mm at"], "run.mcap run.csv"),
    "debug_a_motion": (["no motion found", "near"], "costs.svg"),
    "debug_a_fall": (["capture point 0.16 m away at"], "fall.html costs.svg"),
    "own_robot": (["nod"], "mine.yaml nod.html"),
    "import_a_take": (["my-take"], "my-take.yaml my-take.npz"),
    "midi_show": (["hits"], "drums.wav played.mid"),
}
EVERYDAY = {"read_a_run"}


@pytest.mark.parametrize(
    "name",
    [p if p in EVERYDAY else pytest.param(p, marks=pytest.mark.slow) for p in PAGES],
)
def test_a_page_runs_as_it_is_printed(folder, name):
    said = run_page(name)
    words, files = PAGES[name]
    assert [word for word in words if word not in said] == []
    assert [file for file in files.split() if not (folder / file).is_file()] == []


def test_a_command_that_fails_is_found(folder):
    with pytest.raises(AssertionError, match="track nothing"):
        run_command("backbeat track nothing")


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ here")
def test_a_client_in_cpp_gets_what_the_controllers_give(folder):
    bridge = runpy.run_path(str(DOCS / "how_to" / "own_bridge.py"))
    client = ["g++", "-std=c++17", "-Wall", "-Werror", "-o", "own_bridge"]
    subprocess.run([*client, DOCS / "how_to" / "own_bridge.cpp"], check=True)
    behavior = Library("library").load("stand")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = str(listening.getsockname()[1])
        served = threading.Thread(target=bridge["serve"], args=(behavior, listening, 1))
        served.start()
        ticks = ["./own_bridge", port, "25"]
        done = subprocess.run(ticks, capture_output=True, text=True, check=True)
        served.join(timeout=20)
    found = np.array(done.stdout.split(), float)
    alone = bridge["Bridge"](behavior)
    start = alone.header()
    for k in range(25):
        answer = alone.answer(
            f'{{"t": {k * 0.002}, "q": {start["q"]}, "v": {start["v"]}}}'
        )
    np.testing.assert_allclose(found, answer["effort"], rtol=1e-6, atol=1e-6)
    # The knees carry the robot.
    assert np.abs(found).max() > 50
    assert "error" in alone.answer('{"t": 0, "q": [1], "v": [2]}')
