"""Motions of a sweep: behaviors of a library, or built for the weights of its cells.

A behavior whose trajectory has weights of its own is built once, into a library beside
the table of the sweep, and taken from there until its specification, its weights or our
sources change.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import lru_cache
from pathlib import Path

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.specification.kinds import Variant, find_specification
from backbeat.common.verified import load_verified
from backbeat.jobs.building import build_one
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.processes.pool import Job, Outcome, run_jobs
from backbeat.mpc.sweep.cells import Cell
from backbeat.optimization.problem.weights import TrajectoryWeights
from backbeat.optimization.terms.user_file import UserFile

# Folder of the libraries, and letters of the weights in the name of one.
FOLDER, LETTERS = "motions", 40
# Called with what a build does now.
Tell = Callable[[str], None]


@lru_cache(maxsize=4)
def loaded(library: str | Path, name: str, robot: str) -> Behavior:
    """A behavior of a library that passed verification; the last few are kept."""
    return load_verified(library, name, robot=robot)


class SweepMotions:
    """The behaviors that a sweep runs."""

    def __init__(self, library: str | Path, folder: str | Path) -> None:
        """Nothing is read or built yet.

        Args:
            library: of behaviors as they are.
            folder: of the sweep.
        """
        self._library, self._folder = Path(library), Path(folder)
        self._keys: dict[tuple[Path, str, str], str] = {}

    def library(self, cell: Cell) -> Path:
        """The library that has the behavior of a cell."""
        if not cell.trajectory:
            return self._library
        text = json.dumps(cell.trajectory, sort_keys=True)
        words = "-".join(_values(cell)).replace(" ", "-")[:LETTERS]
        mark = hashlib.sha256(text.encode()).hexdigest()[:8]
        return self._folder / FOLDER / f"{words}-{mark}"

    def behavior(self, cell: Cell) -> Behavior:
        """The behavior of a cell.

        Raises:
            BackbeatError: there is none, or it failed verification.
        """
        return loaded(self.library(cell), cell.behavior, cell.robot)

    def key(self, cell: Cell) -> str:
        """The key of the build of a cell's behavior, as it was at first."""
        named = self.library(cell), cell.behavior, cell.robot
        if named not in self._keys:
            self._keys[named] = str(self.behavior(cell).provenance.get("key"))
        return self._keys[named]

    def build(
        self,
        cells: Sequence[Cell],
        tell: Tell,
        processes: int | None,
        executors: Sequence[Executor],
        terms: UserFile | None,
    ) -> None:
        """Builds the behaviors whose trajectories have weights of their own.

        Args:
            cells: of the sweep.
            tell: called with what is built.
            processes, executors: as of `run_jobs`.
            terms: of the user's own, which trajectories have besides, if it has any.

        Raises:
            BackbeatError: a behavior is not in the library, has no specification here,
                or no motion with its weights.
        """
        has_terms = terms and terms.kind(TrajectoryWeights) is not TrajectoryWeights
        file = str(terms.file) if terms and has_terms else ""
        jobs: dict[str, Job] = {}
        for cell in cells:
            if not cell.trajectory:
                self.key(cell)
                continue
            named = cell.behavior, cell.robot_name, *_values(cell)
            title = ", ".join(filter(None, named))
            variant = Variant(robot=cell.robot, terms=file, weights=cell.trajectory)
            what = _specification(cell.behavior), self.library(cell), False, False
            jobs[title] = Job(title, build_one, (*what, variant))
        watcher = _Teller(tell)
        for outcome in run_jobs(list(jobs.values()), watcher, processes, executors):
            if isinstance(outcome.error, BackbeatError):
                raise BackbeatError(outcome.error.about(outcome.name))
            if outcome.error is not None:
                raise outcome.error


def _values(cell: Cell) -> list[str]:
    """Weights of the trajectory of a cell, a word each."""
    return [f"{name} {value:g}" for name, value in cell.trajectory.items()]


def _specification(behavior: str) -> str:
    """Path of the specification of a behavior, wherever a process is."""
    try:
        return str(find_specification(behavior).resolve())
    except BackbeatError as error:
        raise BackbeatError(
            f"weights.trajectory builds {behavior} anew, of the specification that "
            f"ships or of {behavior}.yaml in this folder: {error}"
        ) from None


class _Teller:
    """Says what is built; a `Watcher`."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._said = tell, dict[str, str]()

    def progress(self, job: str, share: float, what: str) -> None:
        """Says what a build does, once."""
        if self._said.get(job) != what:
            self._said[job] = what
            self._tell(f"{job}: {what}")

    def line(self, job: str, text: str) -> None:
        """Iterations are not asked for."""

    def done(self, outcome: Outcome) -> None:
        """What became of builds is known at the end."""
