"""Long motions: solved, filled in and verified window by window.

Windows depend on each other at their seams only, so that they are solved side by
side, and those that did not change since the last time are not solved again.
"""

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from backbeat.behaviors.library.build_cost import SOLVING
from backbeat.behaviors.motion.concatenation import COLUMNS, make_continuous
from backbeat.behaviors.motion.plan import MotionPlan
from backbeat.behaviors.solving.retries import Retries
from backbeat.behaviors.solving.window_steps import (
    Source,
    WorkerState,
    around,
    certificate_of,
    fill,
    solve,
    violations_of,
    why_not,
)
from backbeat.behaviors.solving.window_store import Arrays, WindowStore, fingerprint
from backbeat.models.common.errors import NoMotionError
from backbeat.models.common.processes.pool import (
    Job,
    Outcome,
    Report,
    run_jobs,
    worker_processes,
)
from backbeat.optimization.diagnosis.costs import KnotCosts
from backbeat.optimization.interior_point.solution import Violation
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.verification.certificate import Certificate, worst_of
from backbeat.optimization.windows.pieces import (
    Knots,
    Window,
    from_neighbors,
    joined,
    window_problem,
)

# Motions from this length on are solved in windows [s].
LONG = 45.0
# What a behavior has for each of its times besides its motion.
CENTROIDAL = ("com", "momentum", "inertia")
# The check of a certificate that is about knots.
KNOTS = "knot_violation"
# Parts of a problem that its source and the code decide.
_GIVEN = ("robot", "collisions")
# Called with a share of the work and what is done.
Progress = Callable[[float, str], None]


class FoundMotion(NamedTuple):
    """A motion, found and verified.

    Attributes:
        motion: the motion.
        centroidal: its center of mass, momentum about it and inertia.
        certificate: the worst of all windows.
        log: iterations of the solver; of all windows, one after the other.
        limits: active limits, as records.
        violation: the worst of all knots, scaled.
        seconds: time it took [s].
        knots: its knots; None where they are not requested.
        costs: what each term costs at these; None where nothing keeps it.
    """

    motion: DenseTrajectory
    centroidal: tuple[np.ndarray, np.ndarray, np.ndarray]
    certificate: Certificate
    log: list[dict[str, float]]
    limits: list[dict[str, Any]]
    violation: float
    seconds: float
    knots: Knots | None = None
    costs: KnotCosts | None = None

    def all_violations(self) -> list[Violation]:
        """Where the motion fails verification."""
        return self.certificate.all_violations()


@dataclass
class WindowedSolver:
    """Where long motions are made: what is kept, and how many hands there are.

    Attributes:
        folder: keeps what was found in windows; None keeps nothing.
        processes: windows that are worked on at a time.
        steps: how many steps on windows were taken by the last motion.
    """

    folder: Path | None = None
    processes: int = 1
    steps: int = 0

    def solve(
        self,
        source: Source,
        plan: MotionPlan,
        progress: Progress,
        explains: bool = True,
    ) -> tuple[MotionPlan, FoundMotion]:
        """Solves and verifies a long motion.

        What no motion is found for is played otherwise, as long as the plan has other
        ways; a motion that failed verification is returned when there are none.

        Args:
            source: where the motion comes from.
            plan: its plan.
            progress: called as the work goes on.
            explains: whether it is found out why there is no motion.

        Returns:
            The plan that was followed in the end, and its motion.

        Raises:
            NoMotionError: no motion was found in a window, or in time: why, and when.
        """
        self.steps, retries = 0, Retries(source.specification.name, keeps_windows=True)
        with worker_processes(self.processes) as workers:
            while True:
                work = _Work(source, plan, WindowStore(self.folder), workers)
                found = solve_long(work, progress, retries.stage(plan))
                self.steps += work.made
                is_good = isinstance(found, FoundMotion) and found.certificate.passed
                other = None if is_good else retries.next(plan, found.all_violations())
                if other is None:
                    break
                plan, source = other, source._replace(hints=other.hints)
        if isinstance(found, FoundMotion):
            work.store.forget()
            return plan, found
        why = f": {found.why(source)}" if explains else ""
        raise NoMotionError(f"{source.specification.name}: no motion found{why}")


class NothingFound(NamedTuple):
    """Windows without a motion.

    Attributes:
        windows: what was found instead, by number.
        given: what neighbors gave to each.
    """

    windows: dict[int, Arrays]
    given: dict[int, tuple[np.ndarray, ...]]

    def all_violations(self) -> list[Violation]:
        """What kept them from being solved."""
        return [t for made in self.windows.values() for t in violations_of(made)]

    def why(self, source: Source) -> str:
        """A sentence on the first of them."""
        i = min(self.windows)
        return why_not(source, i, self.given[i], self.windows[i])


def solve_long(
    work: "_Work", progress: Progress, stage: str = SOLVING
) -> FoundMotion | NothingFound:
    """Solves and verifies a long motion once.

    Args:
        work: the problem, and the processes that solve it.
        progress: called as the work goes on.
        stage: what is reported while windows are solved.
    """
    started = time.perf_counter()
    problem, windows = work.plan.problem, work.windows
    found: dict[int, Knots] = {}
    logs: dict[int, list[dict[str, float]]] = {}
    for free, start in ((True, 0.0), (False, 0.35)):
        asked = {
            i: tuple(() if free else from_neighbors(windows, found, i))
            for i, window in enumerate(windows)
            if window.is_free == free
        }
        pieces = work.run(solve, asked, _part(progress, start, 0.35, stage))
        failed = {i: made for i, made in pieces if "violations" in made}
        if failed:
            return NothingFound(failed, asked)
        for i, made in pieces:
            found[i] = Knots(made["q"], made["w"])
            logs[i] = json.loads(str(made["log"]))
    knots = joined(windows, [found[i] for i in range(len(windows))])
    asked = {i: tuple(around(w, knots)) for i, w in enumerate(windows)}
    pieces = work.run(fill, asked, _part(progress, 0.7, 0.3, "verifying"))
    filled = [arrays for _, arrays in pieces]
    starts = [float(problem.times[w.first]) if w.first else 0.0 for w in windows]
    names = (*COLUMNS, *CENTROIDAL)
    columns = {n: np.concatenate([part[n] for part in filled]) for n in names}
    t = [part["t"] + start for part, start in zip(filled, starts, strict=True)]
    make_continuous(columns["q"], columns["tau"].shape[1])
    motion = {n: columns[n] for n in COLUMNS}
    certificate = _worst(filled, starts)
    return FoundMotion(
        motion=DenseTrajectory(
            t=np.concatenate(t), contacts=problem.contact_names, **motion
        ),
        centroidal=tuple(columns[n] for n in CENTROIDAL),  # type: ignore[arg-type]
        certificate=certificate,
        log=[entry for i in range(len(windows)) for entry in logs[i]],
        limits=_limits(filled, starts),
        costs=_costs(filled, starts),
        violation=next(c.value for c in certificate.checks if c.name == KNOTS),
        seconds=time.perf_counter() - started,
        knots=knots,
    )


def _part(progress: Progress, start: float, share: float, what: str) -> Progress:
    """Progress of a part of the work."""
    return lambda done, _: progress(start + share * done, what)


Asked = dict[int, tuple[np.ndarray, ...]]
Step = Callable[[Source, int, tuple[np.ndarray, ...]], Arrays]


@dataclass
class _Work:
    """Takes steps on windows that were not taken before."""

    source: Source
    plan: MotionPlan
    store: WindowStore
    workers: Sequence[Executor]
    made: int = 0

    @cached_property
    def worker_state(self) -> WorkerState:
        """Where this process works on the motion."""
        return WorkerState(self.source, self.plan)

    @property
    def windows(self) -> list[Window]:
        """The windows of the plan."""
        return self.worker_state.windows

    def run(
        self, step: Step, asked: Asked, progress: Progress
    ) -> list[tuple[int, Arrays]]:
        """What the step finds in each of some windows, in order."""
        keys = {i: self._key(step, i, given) for i, given in asked.items()}
        results = {i: self.store.load(key) for i, key in keys.items()}
        missing = [i for i, known in results.items() if known is None]
        self.made += len(missing)
        self.worker_state.occupy()
        jobs = [
            Job(str(i), _take, (step, self.store, keys[i], self.source, i, asked[i]))
            for i in missing
        ]
        workers = self.workers if len(missing) > 1 else ()
        outcomes = run_jobs(jobs, _Listener(progress, len(jobs)), 1, workers)
        results |= {i: made.value for i, made in zip(missing, outcomes, strict=True)}
        return [(i, arrays) for i, arrays in sorted(results.items()) if arrays]

    def _key(self, step: Step, i: int, given: tuple[np.ndarray, ...]) -> str:
        window, problem = self.windows[i], self.plan.problem
        part = window_problem(problem, replace(window, is_free=True), rest=False)
        parts = [getattr(part, f.name) for f in fields(part) if f.name not in _GIVEN]
        owns = (window.first - window.start, window.last - window.start)
        return fingerprint(
            step.__name__,
            self.source.key,
            window.is_free,
            owns,
            problem.robot.equipment,
            list(given),
            parts,
        )


class _Listener:
    """Counts windows that are done; the first error ends the work."""

    def __init__(self, progress: Progress, count: int) -> None:
        self._progress, self._count, self._done = progress, count, 0

    def progress(self, job: str, share: float, what: str) -> None:
        """Windows do not report what they do."""

    def line(self, job: str, text: str) -> None:
        """Nor do they log anything."""

    def done(self, outcome: Outcome) -> None:
        """Counts a window."""
        if outcome.error is not None:
            raise outcome.error
        self._done += 1
        self._progress(self._done / self._count, "")


def _take(
    report: Report,
    step: Step,
    store: WindowStore,
    key: str,
    source: Source,
    i: int,
    given: tuple[np.ndarray, ...],
) -> Arrays:
    """Takes a step and keeps what it finds, whatever becomes of the rest."""
    made = step(source, i, given)
    store.save(key, made)
    return made


def _worst(pieces: Sequence[Arrays], starts: Sequence[float]) -> Certificate:
    """The worst of every check over all windows."""
    return worst_of(
        certificate_of(arrays).later(start - float(arrays["start"]))
        for arrays, start in zip(pieces, starts, strict=True)
    )


def _costs(pieces: Sequence[Arrays], starts: Sequence[float]) -> KnotCosts:
    """What terms cost over the knots of all windows."""
    return KnotCosts.joined(
        [
            KnotCosts.from_plain(json.loads(str(arrays["costs"]))).later(
                start - float(arrays["start"])
            )
            for arrays, start in zip(pieces, starts, strict=True)
        ]
    )


def _limits(pieces: Sequence[Arrays], starts: Sequence[float]) -> list[dict[str, Any]]:
    """Active limits of all windows, each from its first time to its last."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for arrays, start in zip(pieces, starts, strict=True):
        shift = start - float(arrays["start"])
        for row in json.loads(str(arrays["limits"])):
            row = row | {k: row[k] + shift for k in ("from_s", "to_s")}
            known = found.setdefault((row["kind"], row["what"]), row)
            if known is not row:
                known["to_s"] = max(known["to_s"], row["to_s"])
                known["knots"] += row["knots"]
    return sorted(found.values(), key=lambda row: -int(row["knots"]))
