"""Tuning: a sweep whose cases are trials of weights, and the scores of these.

    name: firm-stand
    behaviors: [stand]
    seeds: 2
    base: {duration: 4.0, state: estimated, steps: off, push: {impulse: 60}}
    tune:
      measure: com_error_max_mm
      weights: {weights.predictive.com: [10, 1000], recovery.watch: [0.01, 0.1]}
      trials: 24

A point has a coordinate from 0 to 1 for each weight: the logarithm of a weight between
its bounds, or the weight itself where a bound is zero.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import f, rankdata

from backbeat.models.common.bounds import SEED
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import read_text
from backbeat.models.common.schema import key
from backbeat.models.common.yaml_file import parse_yaml, read_tree
from backbeat.mpc.sweep.cells import Sweep, SweepFile, yaml_text
from backbeat.mpc.sweep.specification import parse_sweep

# The largest value that is survived, as the sweep's `search` has it.
MARGIN = "margin"
# Columns of the table that a tuning can make small, and those it can make large.
SMALL = (
    "com_error_rms_mm",
    "com_error_max_mm",
    "joint_error_rms_deg",
    "torque_peak_fraction",
    "foot_slip_mm",
    "timing_mean_ms",
    "beat_error_max_ms",
)
LARGE = (MARGIN, "hits_made")
MEASURES = (*SMALL, *LARGE)
# Where weights and thresholds are among the settings of a scenario.
PLACES = ("weights.", "recovery.")
# A run that is not survived counts so much more than any measure.
FALL = 1e6
MOST_TRIALS, MOST_WEIGHTS = 10_000, 50
# Coefficients that say how the score follows a weight: fewer trials say nothing.
PARAMETERS = 3
# Digits of a weight that is tried.
DIGITS = 4
# The case without a change of weights.
SHIPPED = "as given"


@dataclass
class TuneSettings:
    """What is tuned, and for what."""

    measure: str = key("com_error_rms_mm", choices=MEASURES)
    """What a tuning makes small or large."""
    weights: dict[str, list[float]] = key(dict)
    """Lowest and highest value of each weight, by its place in a scenario."""
    trials: int = key(24, ge=1, le=MOST_TRIALS)
    """How many weights are tried, in generations of equal size."""
    seed: int = key(0, ge=0, le=SEED)
    """Seed of the choice."""

    def check(self, where: str) -> None:
        """Raises a BackbeatError about names and ranges of weights."""
        if not 1 <= len(self.weights) <= MOST_WEIGHTS:
            raise BackbeatError(
                f"{where}: name 1 to {MOST_WEIGHTS} weights with their ranges, for "
                "instance weights: {weights.predictive.com: [10, 1000]}"
            )
        for name, bounds in self.weights.items():
            if not name.startswith(PLACES):
                raise BackbeatError(
                    f"{where}: {name} is no weight; names begin with weights. or "
                    "recovery., as weights.predictive.com"
                )
            is_range = len(bounds) == 2 and np.isfinite(bounds).all()
            if not (is_range and 0 <= bounds[0] < bounds[1]):
                raise BackbeatError(
                    f"{where}: {name} needs its lowest and its highest value, as "
                    f"[10, 1000], not {bounds}"
                )


@dataclass
class TuneFile(SweepFile):
    """A sweep that says what to tune."""

    tune: TuneSettings = key(TuneSettings)
    """What is tuned, and for what."""


@dataclass(frozen=True)
class TuningTrial:
    """Weights that were tried.

    Attributes:
        number: from 1 on; 0 for the weights as they were given.
        values: by name.
        survived: share of the runs that were.
        measure: mean of what is tuned over the runs, NaN where none has it.
        score: what the tuning makes small.
    """

    number: int
    values: Mapping[str, float]
    survived: float
    measure: float
    score: float

    @property
    def title(self) -> str:
        """Its case in the sweep."""
        return f"trial {self.number}" if self.number else SHIPPED


@dataclass(frozen=True)
class Tuning:
    """A specification that has been read.

    Attributes:
        sweep: what is run for each trial.
        settings: what is tuned.
    """

    sweep: Sweep
    settings: TuneSettings

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the weights."""
        return tuple(self.settings.weights)

    def values(self, point: np.ndarray) -> dict[str, float]:
        """Weights at a point, by name."""
        found = {}
        for u, (name, (low, high)) in zip(
            np.clip(point, 0.0, 1.0), self.settings.weights.items(), strict=True
        ):
            linear = low + u * (high - low)
            value = linear if low == 0 else low * (high / low) ** u
            found[name] = float(f"{value:.{DIGITS}g}")
        return found

    def of_trials(self, trials: Mapping[str, Mapping[str, float]]) -> Sweep:
        """The sweep that runs its own cases once for each trial.

        Args:
            trials: weights by title.
        """
        cases = {
            joined(title, case): {**settings, **values}
            for title, values in trials.items()
            for case, settings in self.sweep.cases.items()
        }
        return replace(self.sweep, cases=cases)

    def score(
        self, summary: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], title: str
    ) -> tuple[float, float, float]:
        """Share survived, measure and score of a trial.

        Args:
            summary: of its sweep.
            rows: of the table, of all its runs.
            title: of the trial.
        """
        cases = [joined(title, case) for case in self.sweep.cases]
        mine = [row for row in rows if row["case"] in cases]
        name = self.settings.measure
        if name == MARGIN:
            margins = [m for m in summary["margins"] if m["case"] in cases]
            measure = float(np.mean([m["margin"] or 0.0 for m in margins]))
            return 1.0, measure, -measure
        survived = float(np.mean([bool(row["survived"]) for row in mine]))
        known = [row[name] for row in mine if row["survived"] and row[name] is not None]
        measure = float(np.mean(known)) if known else float("nan")
        cost = (-measure if name in LARGE else measure) if known else 0.0
        return survived, measure, FALL * (1.0 - survived) + cost


class Importance(NamedTuple):
    """How the score follows a weight.

    Attributes:
        share: of the variance of the scores' ranks that the weight explains, 0 to 1.
        p_value: how often as much comes of a weight without effect, were the trials
            independent.
        best: where in its range the score is best: low, middle, high, or either end.
    """

    share: float
    p_value: float
    best: str


@dataclass(frozen=True)
class TuningResult:
    """What a tuning has found.

    Attributes:
        tuning: what was tuned.
        trials: all of them, the weights as given first.
        best: the one with the best score.
        fresh: weights as given and the best ones on seeds that no trial had, in this
            order; empty where the weights as given are the best.
        importances: of the weights, by name.
        files: what was written, by kind.
    """

    tuning: Tuning
    trials: tuple[TuningTrial, ...]
    best: TuningTrial
    fresh: tuple[TuningTrial, ...]
    importances: Mapping[str, Importance]
    files: Mapping[str, Path]

    def to_plain(self) -> dict[str, Any]:
        """Plain data of what was found."""
        return {
            "best": asdict(self.best),
            "given": asdict(self.trials[0]),
            "fresh": [asdict(trial) for trial in self.fresh],
            "importances": {n: told._asdict() for n, told in self.importances.items()},
            "files": {kind: str(path) for kind, path in self.files.items()},
        }


def joined(title: str, case: str) -> str:
    """Name of the case of a trial."""
    return f"{title}, {case}" if case else title


def load_tuning(path: str | Path) -> Tuning:
    """Reads a sweep with what is to be tuned in it.

    Raises:
        BackbeatError: unreadable, unknown keys, or values that make no sense.
    """
    path = Path(path)
    tree = read_tree(read_text(path), str(path))
    if "tune" not in tree:
        raise BackbeatError(
            f"{path} is a sweep without a tune section, which says what to tune; "
            "`backbeat sweep` runs it as it is"
        )
    where = f"{path}: tune"
    settings = parse_yaml(TuneSettings, yaml_text(tree.pop("tune"), where), where)
    settings.check(where)
    sweep = parse_sweep(yaml_text(tree, str(path)), str(path), path.stem)
    if (settings.measure == MARGIN) != (sweep.settings.search is not None):
        raise BackbeatError(
            f"{where}: the measure margin and a search go together: the search names "
            "the quantity whose margin is measured"
        )
    tuning = Tuning(sweep, settings)
    # Names and both bounds of every weight, before anything runs.
    for end in (0.0, 1.0):
        ends = tuning.values(np.full(len(settings.weights), end))
        assert tuning.of_trials({"end": ends}).cells
    return tuning


def importances(trials: Sequence[TuningTrial]) -> dict[str, Importance]:
    """How much of the score follows each weight, however it does: over one peak too.

    Ranks of the scores are fitted by a parabola in the ranks of the weight; the p-value
    is that of the F-test of its two coefficients. Weights that took no more than two
    values are left out. Source: Iman, Conover, "The Use of the Rank Transform in
    Regression", 1979.
    """
    tried = [trial for trial in trials if trial.number]
    ranks = rankdata([trial.score for trial in tried])
    found = {}
    for name in tried[0].values if len(tried) > PARAMETERS else ():
        values = [trial.values[name] for trial in tried]
        if len(set(values)) > 2 and len(set(ranks)) > 2:
            found[name] = _importance(rankdata(values), ranks)
    return found


def chance_share(trials: int) -> float:
    """Share that a weight without effect exceeds in one tuning of twenty."""
    if trials <= PARAMETERS:
        return 1.0
    most = 2 * float(f.ppf(0.95, 2, trials - PARAMETERS))
    return most / (most + trials - PARAMETERS)


def _importance(x: np.ndarray, y: np.ndarray) -> Importance:
    """Of ranks of a weight for those of the score."""
    u, count = (x - x.mean()) / len(x), len(x)
    fit = np.polynomial.Polynomial.fit(u, y, 2)
    left = float(np.sum((y - fit(u)) ** 2))
    share = max(0.0, 1.0 - left / float(np.sum((y - y.mean()) ** 2)))
    odds = np.divide(share / 2, max((1.0 - share) / (count - PARAMETERS), 1e-300))
    low, middle, high = fit(np.array([u.min(), 0.0, u.max()]))
    # Of scores, which are small where they are good.
    (_, where) = min((low, "low"), (middle, "middle"), (high, "high"))
    if middle > max(low, high):
        where = "either end"
    return Importance(share, float(f.sf(odds, 2, count - PARAMETERS)), where)
