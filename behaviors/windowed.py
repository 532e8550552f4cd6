"""Long motions: solved, filled in and verified window by window.

Windows depend on each other at their seams only, so that they are solved side by
side, and those that did not change since the last time are not solved again.
"""

import json
import signal
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from functools import cached_property
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from behaviors.authored import Specification
from behaviors.behavior import centroidal_quantities
from behaviors.concatenation import COLUMNS, make_continuous, rows, with_contacts
from behaviors.motion_plan import MotionPlan
from behaviors.window_store import Arrays, WindowStore, fingerprint
from models.errors import BackbeatError
from optimization.explanation import active_limits, explain
from optimization.interior_point import InteriorPoint
from optimization.reconstruction import DenseTrajectory, reconstruct
from optimization.trajectory_problem import TrajectoryProblem
from optimization.trajectory_solution import TrajectorySolution
from optimization.transcription import Transcription
from optimization.verification import Certificate, Verifier, knot_check, worst_of
from optimization.windows import (
    Knots,
    Window,
    given_ends,
    joined,
    make_windows,
    ordered,
    piece,
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


class Source(NamedTuple):
    """Where a motion comes from: what another process needs to work on it.

    Attributes:
        specification: what was authored.
        folder: where it was found.
        key: hash of the code and of the robot.
    """

    specification: Specification
    folder: Path
    key: str


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
        knots: its knots; None where nobody asks for them.
    """

    motion: DenseTrajectory
    centroidal: tuple[np.ndarray, np.ndarray, np.ndarray]
    certificate: Certificate
    log: list[dict[str, float]]
    limits: list[dict[str, Any]]
    violation: float
    seconds: float
    knots: Knots | None = None


@dataclass
class Workshop:
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
        self, source: Source, plan: MotionPlan, progress: Progress
    ) -> FoundMotion:
        """As `solve_long`."""
        with ExitStack() as stack:
            executor = None
            if self.processes > 1:
                # Who interrupts us waits for the windows under way, and keeps them.
                executor = ProcessPoolExecutor(
                    self.processes,
                    get_context("spawn"),
                    signal.signal,
                    (signal.SIGINT, signal.SIG_IGN),
                )
                stack.callback(executor.shutdown, cancel_futures=True)
            work = _Work(source, plan, WindowStore(self.folder), executor)
            found = solve_long(work, progress)
            self.steps = work.made
        return found


def solve_long(work: "_Work", progress: Progress) -> FoundMotion:
    """Solves and verifies a long motion.

    Args:
        work: what it is, and who does it.
        progress: called as the work goes on.

    Raises:
        BackbeatError: no motion was found in a window: which limit, and when.
    """
    started = time.perf_counter()
    problem, windows = work.plan.problem, work.windows
    found: dict[int, Knots] = {}
    logs: dict[int, list[dict[str, float]]] = {}
    for free, start in ((True, 0.0), (False, 0.35)):
        asked = {
            i: tuple(() if free else given_ends(windows, found, i))
            for i, window in enumerate(windows)
            if window.is_free == free
        }
        for i, made in work.run(solve, asked, _part(progress, start, 0.35, "solving")):
            found[i] = Knots(made["q"], made["w"])
            logs[i] = json.loads(str(made["log"]))
    knots = joined(windows, [found[i] for i in range(len(windows))])
    asked = {i: tuple(around(w, knots)) for i, w in enumerate(windows)}
    pieces = work.run(fill, asked, _part(progress, 0.7, 0.3, "verifying"))
    filled = [arrays for _, arrays in pieces]
    starts = [float(problem.times[w.first]) if w.first else 0.0 for w in windows]
    work.store.forget()
    names = (*COLUMNS, *CENTROIDAL)
    columns = {n: np.concatenate([part[n] for part in filled]) for n in names}
    t = [part["t"] + start for part, start in zip(filled, starts, strict=True)]
    motion = {n: columns[n] for n in COLUMNS}
    make_continuous(motion["q"], motion["tau"].shape[1])
    com, momentum, inertia = (columns[n] for n in CENTROIDAL)
    certificate = _worst(filled, starts)
    return FoundMotion(
        motion=DenseTrajectory(
            t=np.concatenate(t), contacts=problem.contact_names, **motion
        ),
        centroidal=(com, momentum, inertia),
        certificate=certificate,
        log=[entry for i in range(len(windows)) for entry in logs[i]],
        limits=_limits(filled, starts),
        violation=next(c.value for c in certificate.checks if c.name == KNOTS),
        seconds=time.perf_counter() - started,
        knots=knots,
    )


def _part(progress: Progress, start: float, share: float, what: str) -> Progress:
    """Progress of a part of the work."""
    return lambda done, _: progress(start + share * done, what)


def around(window: Window, knots: Knots) -> Knots:
    """The knots of a motion that the curves of a window are made of."""
    a, b = window.margins(len(knots.q))
    return Knots(*(x[max(0, a - 1) : b + 1] for x in knots))


Asked = dict[int, tuple[np.ndarray, ...]]
Step = Callable[[Source, int, tuple[np.ndarray, ...]], Arrays]


@dataclass
class _Work:
    """Takes steps on windows that were not taken before."""

    source: Source
    plan: MotionPlan
    store: WindowStore
    executor: Executor | None
    made: int = 0

    @cached_property
    def bench(self) -> "_Bench":
        """Where this process works on the motion."""
        return _Bench(_name(self.source), self.plan)

    @property
    def windows(self) -> list[Window]:
        """The windows of the plan."""
        return self.bench.windows

    def run(
        self, step: Step, asked: Asked, progress: Progress
    ) -> list[tuple[int, Arrays]]:
        """What the step finds in each of some windows, in order."""
        keys = {i: self._key(step, i, given) for i, given in asked.items()}
        results = {i: self.store.load(key) for i, key in keys.items()}
        missing = [i for i, known in results.items() if known is None]
        self.made += len(missing)
        _BENCH[:] = [self.bench]
        if self.executor is not None and len(missing) > 1:
            jobs = {
                self.executor.submit(
                    _take, step, self.store, keys[i], self.source, i, asked[i]
                ): i
                for i in missing
            }
            made = ((jobs[job], job.result()) for job in as_completed(jobs))
        else:
            made = (
                (i, _take(step, self.store, keys[i], self.source, i, asked[i]))
                for i in missing
            )
        for n, (i, arrays) in enumerate(made):
            results[i] = arrays
            progress((n + 1) / len(missing), "")
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


@dataclass
class _Bench:
    """What a process needs to work on a motion, made once.

    Attributes:
        name: name of its source.
        plan: what it works on.
    """

    name: str
    plan: MotionPlan

    @cached_property
    def windows(self) -> list[Window]:
        """The windows of the plan."""
        return make_windows(self.plan.problem)

    @cached_property
    def verifier(self) -> Verifier:
        """Verifies motions of the plan."""
        problem = self.plan.problem
        friction = problem.limits.friction
        return Verifier(problem.robot, problem.collisions, friction)


# What this process works on: one motion at most.
_BENCH: list[_Bench] = []


def _take(
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


def _name(source: Source) -> str:
    return f"{source.key} {source.folder} {source.specification!r}"


def _bench(source: Source) -> _Bench:
    """The bench of a source, whose plan a process compiles once."""
    name = _name(source)
    if not _BENCH or _BENCH[0].name != name:
        plan = source.specification.plan(source.folder)
        _BENCH[:] = [_Bench(name, plan)]
    return _BENCH[0]


def solve(source: Source, i: int, given: tuple[np.ndarray, ...]) -> Arrays:
    """Step: finds the knots of window i.

    Args:
        source: where the motion comes from.
        i: which window.
        given: what its neighbors give to it.

    Raises:
        BackbeatError: there is no motion.
    """
    bench = _bench(source)
    plan, window = bench.plan, bench.windows[i]
    problem = window_problem(plan.problem, window, given)
    solution = InteriorPoint(Transcription(problem)).solve()
    if not solution.is_solved:
        start = plan.problem.times[window.start]
        why = explain(solution).sentence(plan.bpm)
        raise BackbeatError(
            f"{source.specification.name}: no motion found in the window that begins "
            f"at {start:.2f} s (times count from there): {why}"
        )
    contacts = solution.transcription.contacts
    w = ordered(solution.w, contacts, plan.problem.contact_names)
    return {"q": solution.q, "w": w, "log": np.array(json.dumps(solution.log))}


def fill(source: Source, i: int, given: tuple[np.ndarray, ...]) -> Arrays:
    """Step: the curves of window i between its knots, verified.

    Args:
        source: where the motion comes from.
        i: which window.
        given: the knots around the window.
    """
    bench = _bench(source)
    problem, window = bench.plan.problem, bench.windows[i]
    curves = make_curves(problem, window, Knots(*given))
    own = with_contacts(rows(curves.whole, curves.own), problem.contact_names)
    # One sample more is verified, so that nothing between two windows is left out.
    is_last = window.last == problem.num_knots - 1
    seen = rows(curves.whole, slice(curves.own.start, curves.own.stop + (not is_last)))
    certificate = bench.verifier.verify(seen, knot_check(curves.solution))
    com, momentum, inertia = centroidal_quantities(problem.robot, own)
    limits = active_limits(curves.solution)
    return {
        "t": own.t - curves.start,
        **{n: getattr(own, n) for n in COLUMNS},
        "com": com,
        "momentum": momentum,
        "inertia": inertia,
        "certificate": np.array(json.dumps(certificate.to_dict())),
        "limits": np.array(json.dumps(limits.to_dict("records"))),
        "start": np.array(curves.start),
    }


class WindowCurves(NamedTuple):
    """The curves of a window, with margins.

    Attributes:
        solution: the knots and what they meet.
        whole: the curves, margins included.
        own: samples of the window itself.
        start: time of `whole` at which the window begins [s].
    """

    solution: TrajectorySolution
    whole: DenseTrajectory
    own: slice
    start: float


def make_curves(
    problem: TrajectoryProblem, window: Window, knots: Knots
) -> WindowCurves:
    """The curves of a window between its knots.

    Args:
        problem: the whole problem.
        window: which part of it.
        knots: those of `around` the window.
    """
    part, guess, (start, end) = piece(problem, window, knots, problem.contact_names)
    solution = InteriorPoint(Transcription(part)).evaluate(guess)
    whole = reconstruct(solution)
    last = len(whole.t)
    if window.last < problem.num_knots - 1:
        last = int(np.searchsorted(whole.t, end - 1e-9))
    first = 0 if window.first == 0 else int(np.searchsorted(whole.t, start - 1e-9))
    return WindowCurves(solution, whole, slice(first, last), start)


def _worst(pieces: Sequence[Arrays], starts: Sequence[float]) -> Certificate:
    """The worst of every check over all windows."""
    return worst_of(
        Certificate.from_dict(json.loads(str(arrays["certificate"]))).later(
            start - float(arrays["start"])
        )
        for arrays, start in zip(pieces, starts, strict=True)
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
