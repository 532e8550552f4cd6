"""The table of results: what is said of a push that came too late to be judged."""

import io

import pytest
from rich.console import Console

from backbeat.cli.common.results import results_table
from backbeat.mpc.analysis.metrics import run_metrics
from tests.backbeat.performances import run_of, swaying


@pytest.fixture(scope="module")
def metrics():
    return run_metrics(run_of(swaying(3.0)))


def table_of(metrics, survived):
    """The table of a run that was pushed at 2 s, as text."""
    console = Console(width=200, file=io.StringIO())
    push = {"time_s": 2.0, "survived": survived}
    console.print(results_table([metrics | {"pushes": [push]}]))
    return console.file.getvalue()


def test_a_push_that_could_not_be_judged_is_no_fault_of_the_robot(metrics):
    text = table_of(metrics, None)
    assert "3 s done" in text
    assert "unsettled" not in text
    assert "disturbed at 2 s: whether the robot recovers is judged" in text


@pytest.mark.parametrize(("survived", "word"), [(True, "done"), (False, "unsettled")])
def test_a_push_that_was_judged(metrics, survived, word):
    text = table_of(metrics, survived)
    assert word in text
    assert "is judged" not in text
