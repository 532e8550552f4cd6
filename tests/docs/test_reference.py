"""The reference: what it shows runs, and what it lists is all there is."""

import contextlib
import io
import re
import runpy
from pathlib import Path

import pytest

from backbeat.cli.main import SUBCOMMANDS
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.runs.metric_definitions import METRICS, metric_table
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from tests.docs.pages import DOCS, blocks, page


@pytest.fixture
def folder(tmp_path, library_folder, built, monkeypatch):
    """A working folder whose library has `stand`."""
    built("stand")
    (tmp_path / "library").symlink_to(library_folder)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_of_the_ten_nouns_has_an_example_of_three_lines_that_runs(folder):
    names = re.findall(r"^## (\w+)$", page("nouns"), re.MULTILINE)
    examples = blocks("nouns", "python")
    assert len(names) == len(examples) == 10
    known: dict[str, object] = {}
    for name, code in zip(names, examples, strict=True):
        assert sum(map(bool, code.splitlines())) == 3
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, f"{name} of nouns.md", "exec"), known)
        # What the example makes is of that class.
        assert any(type(value).__name__ == name for value in known.values()), name


def test_every_metric_is_defined_and_no_other(built):
    """A run's own keys; those that a run may lack are defined too."""
    scenario = Scenario.of(behavior="stand", duration=0.05, lead_in=0.0, lead_out=0.0)
    metrics = run_metrics(run_scenario(scenario, built("stand")))
    assert set(METRICS) - set(metrics) == {"controller"}
    assert set(metrics) <= set(METRICS)
    for name, value in metrics.items():
        parts = re.findall(r"\w+", METRICS[name].parts)
        if isinstance(value, dict) and parts:
            assert set(value) <= set(parts), name
    assert all(of.text.endswith(".") for of in METRICS.values())
    assert metric_table() in page("metrics")


def test_commands_are_those_of_the_program_with_all_options():
    """`make tables` writes the page."""
    made = runpy.run_path(str(DOCS / "command_page.py"))["command_page"]()
    assert made == page("commands")
    assert re.findall(r"^### `backbeat (\w+)`", made, re.MULTILINE) == list(SUBCOMMANDS)
    assert made.count("\n```sh\n") == len(SUBCOMMANDS)
    assert "| `--weights` |" in made
    assert str(Path.cwd()) not in made
