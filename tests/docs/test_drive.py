"""The examples of docs/how_to/drive.md run as they are printed."""

import re
from pathlib import Path

import pytest

from backbeat.behaviors.library.store import Library
from backbeat.mpc.driving.steered_plan import ACCELERATION, FORWARD, SIDEWAYS, TURN
from backbeat.mpc.scenario.settings import all_events
from backbeat.mpc.scenario.specification import load_scenario
from backbeat.mpc.sweep.specification import parse_sweep

PAGE = (Path(__file__).parents[2] / "docs/how_to/drive.md").read_text()


def test_the_scenario_is_one(tmp_path):
    path = tmp_path / "scenario.yaml"
    path.write_text(re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[0])
    events = all_events(load_scenario(path))
    assert [e.time for e in events] == pytest.approx([0.5, 4.0, 8.0])
    assert events[1].values() == {"drive": [0.2, 0.1, 0.3]}


def test_a_sweep_varies_it():
    (text,) = re.findall(r"`(variations: .*?)`", PAGE, re.DOTALL)
    text = " ".join(text.split())
    base = "behaviors: [step-in-place]\nbase: {duration: 5}\n"
    cells = parse_sweep(base + text, "page").cells
    assert [c.scenario.control.drive for c in cells] == [
        [[0.5, 0.3, 0, 0]],
        [[0.5, 0, 0.2, 0]],
    ]


def test_the_program_walks(built, tmp_path, monkeypatch, capsys):
    behavior = built("step-in-place")
    monkeypatch.setattr(Library, "load", lambda self, name: behavior)
    monkeypatch.chdir(tmp_path)
    exec(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0], {})
    assert "'steps': " in capsys.readouterr().out


def test_limits_are_those_of_the_page():
    assert f"{100 * FORWARD:.0f} and {100 * SIDEWAYS:.0f} %" in PAGE
    assert f"| {TURN:g} rad |" in PAGE
    x, y, turn = ACCELERATION
    assert f"{x:g} m/s² forward, {y:g} m/s² sideways, {turn:g} rad/s²" in PAGE
