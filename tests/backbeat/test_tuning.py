"""Weights that are tuned: trials, what is found, and going on after an interruption."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from backbeat.behaviors.library.store import Library
from backbeat.cli.main import main
from backbeat.jobs import sweeping, tuning
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.sweep.specification import load_sweep
from backbeat.mpc.sweep.tuning import (
    Importance,
    TuningTrial,
    chance_share,
    importances,
    load_tuning,
)
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.mpc.weights.files import load_weights
from backbeat.optimization.terms.user_file import load_terms, load_user_file
from backbeat.report.pages.tuning import tuning_page
from tests.backbeat.test_cards import TERM
from tests.backbeat.test_sweeping import METRICS

TEXT = """
name: found
behaviors: [stand]
seeds: 2
base: {duration: 0.1, lead_in: 0.1}
cases: {soft: {friction: 0.6}, hard: {friction: 0.8}}
tune:
  measure: com_error_rms_mm
  weights:
    weights.predictive.com: [10, 1000]
    weights.predictive.velocity: [1, 100]
  trials: 20
"""
BEST = 60.0


@pytest.fixture
def specification(tmp_path: Path) -> Path:
    """A sweep with what is to be tuned."""
    path = tmp_path / "found.yaml"
    path.write_text(TEXT)
    return path


@pytest.fixture
def stored(library_folder: Path, built) -> Path:
    """A library with the behavior."""
    built("stand")
    return library_folder


def made_up(report, library, scenario: Scenario, key: str, *own) -> dict[str, Any]:
    """A run whose error follows one weight, and falls where that is large."""
    weights = scenario.control.on_weights(None).predictive
    error = 1.0 + abs(np.log(weights.com / BEST)) + 0.01 * (scenario.seed % 3)
    survived = weights.com < 700.0
    metrics = {**METRICS, "com_error_mm": {"rms": error, "max": 2 * error}}
    metrics |= {"survived": survived, "fell": not survived}
    metrics["fell_at_s"] = None if survived else 0.05
    return sweeping.result_row(metrics)


def known(*arguments: Any) -> dict[str, Any]:
    """A run that should have been in the table."""
    raise AssertionError("it was known")


@pytest.fixture
def unsimulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that are made up."""
    monkeypatch.setattr(sweeping, "simulate", made_up)


def test_the_weight_that_matters_is_found_and_told(
    specification: Path, stored: Path, unsimulated: None, tmp_path: Path
) -> None:
    found = tuning.tune(load_tuning(specification), stored, tmp_path / "out", None, 1)
    assert len(found.trials) == 22
    assert found.trials[0].values == {}
    assert found.best.score == min(trial.score for trial in found.trials)
    assert abs(np.log(found.best.values["weights.predictive.com"] / BEST)) < 0.5
    # Fresh seeds give the same here, as noise is that of the seed alone.
    given, tuned = found.fresh
    assert tuned.measure < given.measure
    # The best value is in the middle of the range: no rank correlation sees that.
    told = found.importances["weights.predictive.com"]
    assert told.share > 0.5
    assert told.p_value < 0.01
    assert told.share > found.importances["weights.predictive.velocity"].share
    told = load_weights(found.files["weights"])
    assert told == {
        "predictive": {
            name.rpartition(".")[2]: value for name, value in found.best.values.items()
        }
    }
    table = pd.read_parquet(found.files["trials"])
    assert len(table) == 22
    assert table["survived"].between(0, 1).all()
    page = tuning_page(found)
    for said in ("com_error_rms_mm", "weights.predictive.velocity", found.best.title):
        assert said in page
    # Of two weights each is clear below half of what one would be.
    com, velocity = found.importances
    for p_value, marked in ((0.03, 0), (0.02, 1)):
        told = {
            com: Importance(0.5, p_value, "low"),
            velocity: Importance(0.1, 0.6, "high"),
        }
        other = tuning_page(replace(found, importances=told))
        assert other.count("<td>matters</td>") == marked


SHAPES = {
    "low": lambda x: x,
    "high": lambda x: -x,
    "middle": lambda x: (x - 0.5) ** 2,
    "either end": lambda x: -((x - 0.5) ** 2),
}


def scored(count: int, score, seed: int) -> list[TuningTrial]:
    """Trials of two weights with a score of the first, and some noise."""
    draws = np.random.default_rng(seed)
    return [
        TuningTrial(n, {"a": a, "b": b}, 1.0, 0.0, score(a) + 0.02 * noise)
        for n, (a, b, noise) in enumerate(draws.random((count, 3)), start=1)
    ]


@pytest.mark.parametrize("best", SHAPES)
def test_a_weight_that_matters_is_seen_however_it_does(best: str) -> None:
    """A parabola has a rank correlation of about zero, and matters all the same."""
    found = importances(scored(24, SHAPES[best], 1))
    assert found["a"].best == best
    assert found["a"].share > 0.9
    assert found["a"].p_value < 1e-6
    assert found["b"].share < chance_share(24) < found["a"].share


@pytest.mark.parametrize("count", [6, 24])
def test_weights_without_effect_matter_as_often_as_is_said(count: int) -> None:
    found = [importances(scored(count, lambda a: 0.0, seed)) for seed in range(400)]
    told = [one for by_name in found for one in by_name.values()]
    assert 0.03 < np.mean([one.share > chance_share(count) for one in told]) < 0.07
    assert 0.03 < np.mean([one.p_value < 0.05 for one in told]) < 0.07


def test_too_few_trials_say_nothing() -> None:
    assert importances(scored(3, SHAPES["low"], 1)) == {}
    assert importances([]) == {}
    assert chance_share(3) == 1.0


def test_a_tuning_goes_on_where_it_was(
    specification: Path,
    stored: Path,
    unsimulated: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = load_tuning(specification)
    first = tuning.tune(told, stored, tmp_path / "out", None, 1)
    monkeypatch.setattr(sweeping, "simulate", known)
    again = tuning.tune(told, stored, tmp_path / "out", None, 1)
    assert [t.values for t in again.trials] == [t.values for t in first.trials]
    assert [t.score for t in again.trials] == [t.score for t in first.trials]


def test_the_command_prints_and_writes_what_it_found(
    specification: Path,
    stored: Path,
    unsimulated: None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ["tune", specification, "--library", stored, "-o", tmp_path / "out"]
    words += ["--jobs", 1, "--trials", 10]
    monkeypatch.setattr("sys.argv", ["backbeat", *map(str, words)])
    with pytest.raises(SystemExit, match="0"):
        main()
    said = capsys.readouterr().out
    assert "on seeds that no trial had" in said
    assert (tmp_path / "out" / "found.html").stat().st_size > 5000
    monkeypatch.setattr("sys.argv", ["backbeat", *map(str, words), "--json"])
    with pytest.raises(SystemExit, match="0"):
        main()
    told = json.loads(capsys.readouterr().out)
    assert told["best"]["score"] <= told["given"]["score"]


def test_terms_of_ones_own_are_tuned(
    stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs are told of their file; its weights are found like others."""
    path, file, seen = tmp_path / "found.yaml", tmp_path / "shift.py", set()
    path.write_text(TEXT.replace("weights.predictive.com", "weights.own.ahead"))
    file.write_text(TERM)
    terms = load_terms(file, (PredictiveWeights,))

    def noted(report, library, scenario: Scenario, key: str, controller, told):
        seen.add(told)
        base = ControllerWeights.with_terms(load_user_file(told[0]))
        ahead = scenario.control.on_weights(base).predictive.ahead
        error = 1.0 + abs(np.log(ahead / BEST))
        metrics = {**METRICS, "com_error_mm": {"rms": error, "max": error}}
        return sweeping.result_row(metrics | {"survived": True})

    monkeypatch.setattr(sweeping, "simulate", noted)
    places = load_tuning(path), stored, tmp_path / "out"
    found = tuning.tune(*places, processes=1, terms=terms)
    assert seen == {(str(file), terms.sha256)}
    best = found.best.values["weights.own.ahead"]
    assert abs(np.log(best / BEST)) < 0.5
    assert load_weights(found.files["weights"])["own"] == {"ahead": best}
    with pytest.raises(BackbeatError, match=r"--with FILE\.py"):
        tuning.tune(*places)


REFUSED = {
    "no weight; names begin": TEXT.replace("weights.predictive.com:", "friction:"),
    "needs its lowest and its highest": TEXT.replace("[10, 1000]", "[1000, 10]"),
    "unknown measure": TEXT.replace("com_error_rms_mm", "beauty"),
    "margin and a search": TEXT.replace("com_error_rms_mm", "margin"),
    "did you mean": TEXT.replace("predictive.com", "predictive.cmo"),
    "trials is 0; it must be from 1": TEXT.replace("trials: 20", "trials: 0"),
    "without a tune section": TEXT[: TEXT.index("tune:")],
}


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_tuned_is_refused(tmp_path: Path, why: str) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(REFUSED[why])
    with pytest.raises(BackbeatError, match=why):
        load_tuning(path)


def test_a_sweep_refers_to_the_command_that_tunes(specification: Path) -> None:
    with pytest.raises(BackbeatError, match="backbeat tune"):
        load_sweep(specification)


def test_libraries_are_needed(specification: Path, tmp_path: Path) -> None:
    empty = Library(tmp_path / "none").folder
    with pytest.raises(BackbeatError, match="stand"):
        tuning.tune(load_tuning(specification), empty, tmp_path / "out")
