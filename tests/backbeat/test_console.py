"""What commands show while they work."""

import re
import time
from io import StringIO

import pytest
from rich.console import Console

from backbeat.cli import console

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
