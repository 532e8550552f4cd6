"""Tuning weights: trials by differential evolution, each a few runs of a sweep.

Trials follow from the seed and from what runs find, and runs that are in the table are
not made again: a tuning that was interrupted goes on where it was. Source
    Storn, Price, "Differential Evolution: A Simple and Efficient Heuristic for Global
    Optimization over Continuous Spaces", 1997.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy
import yaml

from backbeat.jobs.sweeping import Progress, run_sweep
from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.sweep.tuning import (
    SHIPPED,
    Tuning,
    TuningResult,
    TuningTrial,
    importances,
)
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.optimization.terms.user_file import UserFile

# Trials of a generation, at least: differential evolution needs five.
LEAST = 5
# Share of the trials that are of the first generation.
FIRST = 0.3


class _Trials:
    """Runs trials and keeps what they found."""

    def __init__(
        self,
        tuning: Tuning,
        library: Path,
        folder: Path,
        progress: Progress | None,
        processes: int | None,
        executors: Sequence[Executor],
        terms: UserFile | None,
    ) -> None:
        self.tuning, self.found = tuning, list[TuningTrial]()
        self._places, self._terms = (library, folder), terms
        self._progress, self._where = progress, (processes, executors)
        self._known = 0

    @property
    def tried(self) -> int:
        """How many there are, without the weights as given."""
        return len([trial for trial in self.found if trial.number])

    def run(
        self, trials: Mapping[str, Mapping[str, float]], first_seed: int | None = None
    ) -> list[TuningTrial]:
        """Runs trials by title, in their order; those of other seeds are not kept."""
        sweep = self.tuning.of_trials(trials)
        if first_seed is not None:
            settings = replace(sweep.settings, first_seed=first_seed)
            sweep = replace(sweep, settings=settings)
        result = run_sweep(
            sweep, *self._places, self._tell, *self._where, terms=self._terms
        )
        if result.failures:
            lost = result.failures[0]
            raise BackbeatError(f"{lost.name} could not be run: {lost.error}")
        self._known += result.made + result.taken
        out = []
        for title, values in trials.items():
            number = 0 if title == SHIPPED else int(title.rpartition(" ")[2])
            told = self.tuning.score(result.summary, result.rows, title)
            out.append(TuningTrial(number, dict(values), *told))
        if first_seed is None:
            self.found += out
        return out

    def score(self, points: np.ndarray) -> np.ndarray:
        """(S,) scores of (weights, S) points, as the optimizer asks for them."""
        start = self.tried + 1
        trials = {
            f"trial {start + i}": self.tuning.values(point)
            for i, point in enumerate(points.T)
        }
        return np.array([trial.score for trial in self.run(trials)])

    def _tell(self, known: int, remaining: int, what: str) -> None:
        if self._progress is not None:
            left = max(0, self.tuning.settings.trials - self.tried)
            runs = self.tuning.sweep.settings.seeds * len(self.tuning.sweep.cells)
            after = max(remaining, left * runs - known)
            self._progress(self._known + known, after, what)


def tune(
    tuning: Tuning,
    library: str | Path,
    folder: str | Path,
    progress: Progress | None = None,
    processes: int | None = None,
    executors: Sequence[Executor] = (),
    terms: UserFile | None = None,
) -> TuningResult:
    """Searches the weights that make the measure best.

    Args:
        tuning: what is tuned.
        library: folder of behaviors.
        folder: where the table of all runs and what is found are written.
        progress, processes, executors, terms: as of `run_sweep`.

    Raises:
        BackbeatError: as `run_sweep`, or a run could not be had.
    """
    folder, settings = Path(folder), tuning.settings
    # Weights of the user's own are refused before anything runs.
    base, lowest = ControllerWeights.with_terms(terms), np.zeros(len(tuning.names))
    for cell in tuning.of_trials({"lowest": tuning.values(lowest)}).cells:
        cell.scenario.control.on_weights(base)
    where = processes, executors, terms
    trials = _Trials(tuning, Path(library), folder, progress, *where)
    trials.run({SHIPPED: {}})
    generations = max(1, settings.trials // max(LEAST, round(FIRST * settings.trials)))
    first = max(LEAST, -(-settings.trials // generations))
    wide = len(tuning.names)
    start = scipy.stats.qmc.LatinHypercube(
        wide, rng=np.random.default_rng(settings.seed)
    ).random(first)
    scipy.optimize.differential_evolution(
        trials.score,
        [(0.0, 1.0)] * wide,
        init=start,
        maxiter=generations - 1,
        rng=np.random.default_rng(settings.seed),
        polish=False,
        updating="deferred",
        vectorized=True,
        # Every trial that was asked for is made.
        tol=0.0,
        atol=0.0,
    )
    best = min(trials.found, key=lambda trial: trial.score)
    fresh: list[TuningTrial] = []
    if best.number:
        after = tuning.sweep.settings.first_seed + tuning.sweep.settings.seeds
        fresh = trials.run({SHIPPED: {}, best.title: best.values}, first_seed=after)
    found = tuple(trials.found)
    files = _write(tuning, found, best, folder)
    return TuningResult(tuning, found, best, tuple(fresh), importances(found), files)


def _write(
    tuning: Tuning, trials: Sequence[TuningTrial], best: TuningTrial, folder: Path
) -> dict[str, Path]:
    """Writes the table of trials and, where any are better, a weights file."""
    name = tuning.sweep.settings.name
    files = {"trials": folder / f"{name}.trials.parquet"}
    rows = [
        {
            "trial": trial.number,
            **{n: trial.values.get(n) for n in tuning.names},
            "survived": trial.survived,
            tuning.settings.measure: trial.measure,
            "score": trial.score,
        }
        for trial in trials
    ]
    with replacing(files["trials"]) as file:
        pd.DataFrame(rows).to_parquet(file)
    if best.number:
        files["weights"] = folder / f"{name}.weights.yaml"
        with replacing(files["weights"]) as file:
            file.write(weights_file(tuning, best).encode())
    return files


def weights_file(tuning: Tuning, best: TuningTrial) -> str:
    """A weights file with what was tuned; the rest is as it ships."""
    measure, name = tuning.settings.measure, tuning.sweep.settings.name
    said = f"Tuned for {measure} by {name}, trial {best.number}."
    tree: dict[str, Any] = {"summary": said}
    for name, value in best.values.items():
        *sections, key = name.removeprefix("weights.").split(".")
        branch = tree
        for section in sections:
            branch = branch.setdefault(section, {})
        branch[key] = value
    return str(yaml.safe_dump(tree, sort_keys=False))
