"""Success rates: their confidence intervals, and when there are enough runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log, sqrt
from statistics import NormalDist

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import check_values, key

PASSES, FAILS, UNDECIDED = "passes", "fails", "undecided"


def wilson(successes: int, runs: int, confidence: float = 0.95) -> tuple[float, float]:
    """Confidence interval of a probability of success.

    Wilson, "Probable Inference, the Law of Succession, and Statistical Inference",
    1927. It has its confidence for a number of runs fixed beforehand; after a
    sequential stop it is a description only.

    Args:
        successes: runs that succeeded.
        runs: all of them.
        confidence: probability with which the interval holds the truth.
    """
    if runs == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + 0.5 * confidence)
    p, n = successes / runs, runs
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # At the ends the formula gives exactly 0 and 1 but for rounding.
    low = 0.0 if successes == 0 else middle - half
    return low, 1.0 if successes == runs else middle + half


@dataclass
class SequentialTest:
    """Wald's test of two success rates against each other, run by run.

    Wald, "Sequential Tests of Statistical Hypotheses", 1945: the test goes on while
    the likelihood ratio of `passes` to `fails` lies between
    false_fail / (1 - false_pass) and (1 - false_fail) / false_pass. These bounds
    keep the sum of the two error rates, and each nearly.
    """

    fails: float = key(0.8, gt=0, lt=1)
    """A success rate that is not good enough."""
    passes: float = key(0.95, gt=0, lt=1)
    """A success rate that is good enough."""
    false_pass: float = key(0.05, gt=0, lt=0.5)
    """Probability of passing at the rate `fails`."""
    false_fail: float = key(0.05, gt=0, lt=0.5)
    """Probability of failing at the rate `passes`."""

    def check(self) -> "SequentialTest":
        """Returns the test when its values make sense.

        Raises:
            BackbeatError: they do not.
        """
        check_values(self, "sequential")
        if self.fails >= self.passes:
            raise BackbeatError(
                "sequential: fails and passes are success rates, 0 < fails < passes < "
                f"1; not {self.fails} and {self.passes}"
            )
        return self

    def decide(self, successes: int, runs: int) -> str:
        """PASSES, FAILS or UNDECIDED after a number of runs."""
        ratio = successes * log(self.passes / self.fails)
        ratio += (runs - successes) * log((1 - self.passes) / (1 - self.fails))
        if ratio >= log((1 - self.false_fail) / self.false_pass):
            return PASSES
        if ratio <= log(self.false_fail / (1 - self.false_pass)):
            return FAILS
        return UNDECIDED


@dataclass(frozen=True)
class Verdict:
    """What the runs of one cell say.

    Attributes:
        runs, successes: those that count, up to the stop.
        decision: PASSES, FAILS, or UNDECIDED when there were no more runs or no
            question.
        is_done: whether no more runs are needed.
        is_early: whether it was done before all seeds had run.
    """

    runs: int
    successes: int
    decision: str
    is_done: bool
    is_early: bool

    @property
    def rate(self) -> float:
        """Share of the runs that succeeded; NaN without any."""
        return self.successes / self.runs if self.runs else float("nan")


def judge_runs(
    outcomes: Sequence[bool],
    seeds: int,
    sequential: SequentialTest | None = None,
    required: float | None = None,
) -> Verdict:
    """Goes through outcomes in the order of seeds until they suffice.

    The order, and not which run ended first, decides what counts, so that any number
    of processes comes to the same verdict.

    Args:
        outcomes: successes of the first seeds, none left out.
        seeds: how many there are at most.
        sequential: stops early, with its error rates.
        required: success rate required of all seeds; what can no more be missed or
            reached is decided, without any error.
    """
    needed = None if required is None else ceil(required * seeds - 1e-9)
    successes = 0
    for n in range(len(outcomes) + 1):
        successes += n > 0 and bool(outcomes[n - 1])
        decision = UNDECIDED
        if needed is not None:
            if successes >= needed:
                decision = PASSES
            elif n - successes > seeds - needed:
                decision = FAILS
        if decision == UNDECIDED and sequential is not None:
            decision = sequential.decide(successes, n)
        if n and decision != UNDECIDED:
            return Verdict(n, successes, decision, True, n < seeds)
    return Verdict(len(outcomes), successes, UNDECIDED, len(outcomes) >= seeds, False)
