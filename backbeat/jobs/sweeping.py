"""Running a sweep: jobs for its runs, a table that grows, a summary at the end."""

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from backbeat.behaviors.library.row_table import locked
from backbeat.jobs.motions import SweepMotions, loaded
from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.processes.pool import Job, Outcome, Report, run_stream
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.analysis.survival import RECOVERY
from backbeat.mpc.control.user_code import UserCode, load_user_code
from backbeat.mpc.engines.choosing import check_engine
from backbeat.mpc.scenario.requested_tempo import run_length
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.sweep.cells import Sweep
from backbeat.mpc.sweep.schedule import Schedule, SweepRun
from backbeat.mpc.sweep.summary import summarize
from backbeat.mpc.sweep.table import (
    KIND,
    SweepTable,
    commit,
    failed_row,
    result_row,
    run_key,
)
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.optimization.terms.user_file import UserFile, load_user_file

# Called with the number of runs that are known and of those that may be missing yet,
# and what has just ended.
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class SweepResult:
    """What became of a sweep.

    Attributes:
        summary: see `backbeat.mpc.sweep.summary`.
        table: file with a row for each run.
        summary_file: the summary as JSON.
        taken: runs that an earlier call had made.
        made: runs of this call.
        failures: runs that could not be had.
        rows: of the table, of the runs of this sweep alone.
    """

    summary: Mapping[str, Any]
    table: Path
    summary_file: Path
    taken: int
    made: int
    failures: tuple[Outcome, ...]
    rows: tuple[Mapping[str, Any], ...] = ()


def run_sweep(
    sweep: Sweep,
    library: str | Path,
    folder: str | Path,
    progress: Progress | None = None,
    processes: int | None = None,
    executors: Sequence[Executor] = (),
    controller: UserCode | None = None,
    terms: UserFile | None = None,
) -> SweepResult:
    """Makes the runs of a sweep that are not in its table yet.

    Args:
        sweep: the sweep.
        library: folder of behaviors.
        folder: where the table and the summary are.
        progress: called whenever a run has ended, or some were taken from the table.
        processes: how many runs at a time; None for one a core.
        executors: where to run instead, see `backbeat.jobs.cluster`; they read the
            library, and the user's files, under the same path.
        controller: makes what takes the place of our controllers; None for these.
        terms: of the user's own, which the programs have besides; None for none.

    Raises:
        BackbeatError: a behavior is not in the library, an engine is not installed, a
            disturbance cannot be judged, or the table cannot be read or written.
    """
    library = Path(library)
    folder = Path(folder)
    if not executors and any(c.engine_name == "mujoco" for c in sweep.cells):
        check_engine("mujoco")
    base = ControllerWeights.with_terms(terms)
    for cell in sweep.cells:
        cell.scenario.control.on_weights(base)
    motions = SweepMotions(library, folder)

    def tell(what: str) -> None:
        if progress is not None:
            progress(0, len(sweep.cells) * len(sweep.seeds), what)

    motions.build(sweep.cells, tell, processes, executors, terms)
    _check_durations(sweep, motions)
    path = folder / f"{sweep.settings.name}.parquet"
    with locked(path, KIND):
        own = controller, terms
        runner = _Runner(sweep, motions, SweepTable(path), progress, own)
        try:
            outcomes = run_stream(runner.next_job, runner, processes, executors)
        finally:
            # Also of a sweep that is interrupted: what is known by then.
            summary = runner.summary()
            summary_file = path.with_suffix(".summary.json")
            with replacing(summary_file) as file:
                file.write(json.dumps(summary, indent=1).encode())
    failures = tuple(o for o in outcomes if o.error is not None)
    made = len(outcomes) - len(failures)
    counts = runner.taken, made, failures, runner.rows()
    return SweepResult(summary, path, summary_file, *counts)


def _check_durations(sweep: Sweep, motions: SweepMotions) -> None:
    """Raises a BackbeatError when a disturbance comes too late to be judged."""
    for cell in sweep.cells:
        scenario = cell.scenario
        end = run_length(scenario, motions.behavior(cell))
        there = ((item.name, item) for item in scenario.disturbances.everything())
        drawn = ((kind.name, sampling) for kind, sampling in cell.draws)
        for name, item in chain(there, drawn):
            over = item.latest_end()
            if over is not None and (judged := over + RECOVERY) > end:
                raise BackbeatError(
                    f"{cell.title()}: the {name} is judged at {judged:.2f} s, "
                    f"{RECOVERY:g} s after its end, but the run ends at {end:.2f} s; "
                    f"{name} earlier, or ask for a longer duration or lead_out"
                )


def simulate(
    report: Report,
    library: str | Path,
    scenario: Scenario,
    key: str,
    controller: tuple[str, str] | None = None,
    terms: tuple[str, str] | None = None,
) -> dict[str, Any]:
    """The job of one run: its row of the table.

    Args:
        report: told of the progress.
        library: folder of behaviors.
        scenario: settings.
        key: of the behavior's build.
        controller: where a user's own is, as FILE.py:NAME, and the file's hash; None
            for ours.
        terms: where those of the user's own are, and the file's hash; None for none.

    Raises:
        BackbeatError: the behavior is no longer the one of this key, or the scenario
            does not fit it.
    """
    behavior = loaded(library, scenario.behavior, scenario.robot)
    if str(behavior.provenance.get("key")) != key:
        raise BackbeatError(f"{behavior.name} was built again while the sweep ran")
    own = load_user_code(controller[0]) if controller else None
    added = load_user_file(terms[0]) if terms else None
    for file, given in ((own, controller), (added, terms)):
        if file and given and file.sha256 != given[1]:
            raise BackbeatError(f"{file.file} was changed while the sweep ran")
    weights = ControllerWeights.with_terms(added)

    def progress(share: float) -> None:
        report.progress(share, "in closed loop")

    try:
        run = run_scenario(
            scenario, behavior, weights, progress=progress, controller=own
        )
        row = result_row(run_metrics(run))
    except BackbeatError:
        raise
    except (MemoryError, OSError) as error:
        # The machine's fault says nothing about the robot: to be run again.
        raise BackbeatError(
            f"{behavior.name}: this machine could not simulate it ({error!r})"
        ) from error
    except Exception as error:
        # A run that a fault of ours ends is one that was not survived, and says so.
        row = failed_row(error)
    return row


class _Runner:
    """Gives out jobs and takes in what they found; a `jobs.Watcher`."""

    def __init__(
        self,
        sweep: Sweep,
        motions: SweepMotions,
        table: SweepTable,
        progress: Progress | None,
        own: tuple[UserCode | None, UserFile | None],
    ) -> None:
        self._controller, self._terms = own
        self.taken, self.known = 0, 0
        self._sweep, self._motions = sweep, motions
        self._table, self._report = table, progress
        self._schedule = Schedule(sweep)
        self._begun: dict[str, tuple[SweepRun, str, Scenario]] = {}
        self._rows: dict[tuple[int, float | None, int], Mapping[str, Any]] = {}

    def next_job(self) -> Job | None:
        """The next run that is not in the table; those in it are taken from there."""
        before = self.taken
        job = self._next_job()
        if self._report and self.taken > before:
            told = f"{self.taken - before} taken from the table"
            self._report(self.known, self._schedule.remaining(), told)
        return job

    def _next_job(self) -> Job | None:
        while (run := self._schedule.next_run()) is not None:
            cell = self._sweep.at_level(self._sweep.cells[run.cell], run.level)
            scenario = cell.seeded(run.seed)
            library, built = self._motions.library(cell), self._motions.key(cell)
            own, terms = self._controller, self._terms
            code = own.sha256 + own.name if own else ""
            key = run_key(scenario, built, code + (terms.sha256 if terms else ""))
            if key in self._table.rows:
                self.taken += 1
                self._take(run, self._table.rows[key], "")
                continue
            name = f"{cell.title()}, seed {run.seed}"
            self._begun[name] = run, key, scenario
            places = (
                (f"{own.file}:{own.name}", own.sha256) if own else None,
                (str(terms.file), terms.sha256) if terms else None,
            )
            return Job(name, simulate, (library, scenario, built, *places))
        return None

    def progress(self, job: str, share: float, what: str) -> None:
        """Runs are many and short; only their ends are reported."""

    def line(self, job: str, text: str) -> None:
        """Runs have nothing to say."""

    def done(self, outcome: Outcome) -> None:
        """Stores a run that has ended."""
        run, key, scenario = self._begun.pop(outcome.name)
        if outcome.error is not None:
            self._schedule.give_up(run)
            return
        cell = self._sweep.cells[run.cell]
        about = {
            "behavior": cell.behavior,
            "robot": self._motions.behavior(cell).robot_model.name,
            "engine": cell.engine_name,
            "behavior_key": self._motions.key(cell),
            "case": cell.case,
            "values": json.dumps(cell.values),
            "level": run.level,
            "seed": run.seed,
            "controller": str(self._controller or ""),
            "terms": json.dumps(self._terms.story()) if self._terms else "",
            "trajectory": json.dumps(cell.trajectory) if cell.trajectory else "",
            "scenario": json.dumps(scenario.to_dict()),
        }
        self._table.add_run(key, {**about, **outcome.value})
        self._take(run, self._table.rows[key], outcome.name)

    def _take(self, run: SweepRun, row: Mapping[str, Any], title: str) -> None:
        self._rows[run.cell, run.level, run.seed] = row
        self._schedule.record(run, bool(row["survived"]))
        self.known += 1
        if self._report and title:
            word = "survived" if row["survived"] else "not survived"
            self._report(self.known, self._schedule.remaining(), f"{title}: {word}")

    def rows(self) -> tuple[Mapping[str, Any], ...]:
        """Rows of the runs that are known."""
        return tuple(self._rows.values())

    def summary(self) -> dict[str, Any]:
        """The summary of what is known, with the commit of our sources."""
        own = self._controller
        about = {"controller": own.story()} if own else {}
        if self._terms:
            about["terms"] = self._terms.story()
        summary = summarize(self._schedule, self._rows)
        return {"commit": commit(), **about, **summary}
