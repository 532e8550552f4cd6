"""What commands show while they work."""

import ast
import os
import re
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from backbeat.cli.common import console

# In which the bars are drawn at least once [s].
PICTURE = 0.5


@pytest.fixture
def screen(monkeypatch):
    """What a terminal of 80 columns has shown."""
    screen = StringIO()
    terminal = Console(width=80, force_terminal=True, file=screen)
    monkeypatch.setattr(console, "remarks", terminal)
    return screen


def test_a_bar_says_what_is_done_on_a_narrow_terminal(screen):
    with console.progress_bar("outstanding-standing") as report:
        time.sleep(PICTURE)
        report(0.5, "in closed loop")
        time.sleep(PICTURE)
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.getvalue())
    assert re.search(r"outstanding-standing +━+ +0 % 0:00:0\d getting ready", plain)
    assert re.search(r" 50 % 0:00:0\d in closed loop", plain)


def test_brackets_are_what_somebody_wrote(screen):
    with console.progress_bar("song [live] [/b]") as report:
        report(0.5, "played [/x]")
        time.sleep(PICTURE)
    assert "song [live] [/b]" in screen.getvalue()
    assert "played [/x]" in screen.getvalue()


LONG = "/tmp/" + "folder/" * 40 + "file.yaml"


def test_nothing_is_cut_where_there_is_no_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    table = Table("file", "what")
    table.add_row(LONG, "of a person")
    console.Screen().print(table, LONG)
    console.Screen(stderr=True).print(f"written to {LONG}")
    out, err = capsys.readouterr()
    assert re.search(f"{LONG} +│ of a person", out)
    assert f"written to {LONG}\n" in err


def test_progress_fills_no_line_where_there_is_no_terminal(capsys):
    with console.progress_bar("stand") as report:
        report(0.5, "in closed loop")
    assert max(map(len, capsys.readouterr().err.splitlines())) < 120


def test_a_path_that_doctor_prints_is_whole_in_a_pipe(tmp_path):
    """So that it can be copied, and found by `grep`."""
    folder = tmp_path / ("a" * 100) / ("b" * 100)
    changed = {"BACKBEAT_COMPILED": str(folder), "COLUMNS": "80"}
    printed = subprocess.run(
        [sys.executable, "-m", "backbeat.cli.main", "doctor"],
        env=os.environ | changed,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    assert str(folder) in printed


def test_every_command_prints_so():
    """A console of Rich's own wraps at 80 columns wherever it prints."""
    package = Path(console.__file__).parents[1]
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                assert ast.unparse(node.func) != "Console", path
