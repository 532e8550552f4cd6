"""Timing on one core: cases in turns, medians, and the machine it was on."""

import json
import os
import platform
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits


@dataclass(frozen=True)
class Timing:
    """How long a solve took.

    Attributes:
        seconds: processor time, which on an idle core is wall time [s].
        iterations: of the solver.
        converged: whether the solver says that it is done.
    """

    seconds: float
    iterations: int
    converged: bool = True

    @property
    def per_iteration(self) -> float:
        """Processor time of an iteration [s]."""
        return self.seconds / self.iterations


Case = Callable[[], Timing]


@contextmanager
def one_core() -> Iterator[None]:
    """Keeps this process, and what it starts, on one core and one BLAS thread."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        with threadpool_limits(1):
            yield
    finally:
        os.sched_setaffinity(0, allowed)


def stopwatch() -> Callable[[], float]:
    """Starts a watch; calling it gives the processor time since then [s]."""
    started = time.process_time()
    return lambda: time.process_time() - started


def medians(cases: Mapping[str, Case], repetitions: int) -> dict[str, Timing]:
    """Runs all cases in turns, so that a slow minute of the machine hits them alike.

    A first round compiles and warms up, and does not count.
    """
    rounds = [
        {name: run() for name, run in cases.items()} for _ in range(repetitions + 1)
    ]
    return {name: _median([r[name] for r in rounds[1:]]) for name in cases}


def _median(timings: Sequence[Timing]) -> Timing:
    return Timing(
        float(np.median([t.seconds for t in timings])),
        round(np.median([t.iterations for t in timings])),
        all(t.converged for t in timings),
    )


def fitted_exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """p of the power law c size^p that fits the values best, in logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def machine() -> dict[str, object]:
    """What the numbers were measured on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.split(":")[1].strip() for line in lines if "model name" in line]
    return {
        "processor": names[0] if names else platform.machine(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "drake": metadata.version("drake"),
    }


def markdown(
    heads: Sequence[str], rows: Sequence[Sequence[str]], words: int = 0
) -> str:
    """A table in Markdown.

    Args:
        heads: of the columns.
        rows: texts, one a column.
        words: columns at the left that are words; the others are numbers.
    """
    aligned = ["---"] * words + ["---:"] * (len(heads) - words)
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, aligned, *rows))


def write_results(path: Path, **found: object) -> None:
    """Writes what was measured, and on what machine, as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": machine(), **found}, indent=2) + "\n")
