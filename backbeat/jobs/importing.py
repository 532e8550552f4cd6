"""Importing a folder of takes: jobs for them, a table that grows, and what is made."""

import hashlib
import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from backbeat.behaviors.building.build_key import robot_and_sources
from backbeat.behaviors.library.robots import USUAL_ROBOT, folder_name
from backbeat.behaviors.library.row_table import locked
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.library.stored import Stored
from backbeat.behaviors.recording.take_file import take_digest
from backbeat.jobs.import_settings import ImportSettings, write_story
from backbeat.jobs.sweeping import Progress
from backbeat.jobs.take_files import FoundTakes, TakeFile
from backbeat.jobs.take_table import (
    CERTIFIED,
    CUT,
    FAILED,
    KIND,
    REFUSED,
    TakeTable,
    table_path,
    takes_folder,
)
from backbeat.models.common.errors import BackbeatError, ended, one_line
from backbeat.models.common.outside_file import is_there, read_bytes
from backbeat.models.common.processes.pool import Job, Outcome, Report, run_stream

# Raised when imports are made in another way, so that all are made again.
WAY = 1


@dataclass(frozen=True)
class TakeWork:
    """What a job makes of one take.

    Attributes:
        settings: what is asked for of all of them.
        file: the take.
        sha256: of the file; "" if it cannot be read.
        key: hash of all that decides what comes of it.
    """

    settings: ImportSettings
    file: TakeFile
    sha256: str
    key: str

    @property
    def folder(self) -> Path:
        """Where its specification is."""
        return takes_folder(self.settings.library) / self.file.name


# The job: what is in its row of the table.
ImportTake = Callable[[Report, TakeWork], dict[str, Any]]


@dataclass(frozen=True)
class ImportResult:
    """What became of a folder.

    Attributes:
        rows: rows of the takes of the folder, by their sources.
        table: file with a row for each take.
        taken: takes that an earlier call had made.
        made: takes of this call.
        gone: sources of the table that the folder has no more.
        failures: takes that something broke at, which are tried again.
    """

    rows: Mapping[str, Mapping[str, Any]]
    table: Path
    taken: int
    made: int
    gone: tuple[str, ...]
    failures: tuple[Outcome, ...]


def check_library(library: str | Path, folder: str | Path) -> None:
    """Refuses a library that has something else in it than an import.

    Args:
        library: folder to write.
        folder: that of the takes.

    Raises:
        BackbeatError: so it is.
    """
    library, folder = Path(library), Path(folder)
    if library.resolve() == folder.resolve():
        raise BackbeatError(
            f"{library} is the folder of the takes; name another one for what is made"
        )
    if not is_there(library) or is_there(takes_folder(library)):
        return
    if not library.is_dir():
        raise BackbeatError(f"{library} is a file; name a folder with -o")
    if any(library.iterdir()):
        raise BackbeatError(
            f"{library} has other files than those of an import; name a folder that is "
            "new or empty with -o"
        )


def import_takes(
    found: FoundTakes,
    settings: ImportSettings,
    import_take: ImportTake,
    progress: Progress | None = None,
    processes: int | None = None,
    executors: Sequence[Executor] = (),
    force: bool = False,
    apart: bool = True,
) -> ImportResult:
    """Makes behaviors of takes that are new or have changed.

    Args:
        found: the takes.
        settings: what is asked for of all of them.
        import_take: the job of one.
        progress: called whenever a take is done, or some were taken from the table.
        processes: how many takes at a time; None for one a core.
        executors: where to run instead, see `backbeat.jobs.cluster`; they read the
            takes and write the library under the same paths.
        force: make all of them again.
        apart: run takes in processes of our own, where their memory is bounded and
            one that dies takes nothing else with it.

    Raises:
        BackbeatError: the table cannot be read or written, or there is no such robot.
    """
    path = table_path(settings.library)
    common = _common_key(settings)
    with locked(path, KIND):
        table = TakeTable(settings.library)
        write_story(settings)
        runner = _Runner(found, settings, common, table, import_take, progress, force)
        outcomes = run_stream(runner.next_job, runner, processes, executors, apart)
    sources = {take.source for take in found.takes}
    return ImportResult(
        rows={s: row for s, row in table.rows.items() if s in sources},
        table=path,
        taken=runner.taken,
        made=len(outcomes),
        gone=tuple(s for s in table.rows if s not in sources),
        failures=tuple(o for o in outcomes if o.error is not None),
    )


def _common_key(settings: ImportSettings) -> str:
    """Hash of what decides all takes alike: options, robot, our sources."""
    told = asdict(settings.described)
    if told["skeleton"]:
        told["skeleton"] = read_bytes(told["skeleton"], "YAML").decode(errors="replace")
    text = json.dumps([WAY, settings.robot, told], sort_keys=True)
    sources = robot_and_sources(settings.robot or USUAL_ROBOT)
    return hashlib.sha256(f"{text}\n{sources}".encode()).hexdigest()


class _Runner:
    """Gives out jobs and takes in what they found; a `jobs.Watcher`."""

    def __init__(
        self,
        found: FoundTakes,
        settings: ImportSettings,
        common: str,
        table: TakeTable,
        import_take: ImportTake,
        progress: Progress | None,
        force: bool,
    ) -> None:
        self.taken, self._done = 0, 0
        self._count, self._waiting = len(found.takes), iter(found.takes)
        self._settings, self._common, self._force = settings, common, force
        self._table, self._work, self._report = table, import_take, progress
        self._begun: dict[str, TakeWork] = {}

    def next_job(self) -> Job | None:
        """The next take that is not in the table as it is."""
        before = self.taken
        job = self._next_job()
        if self._report and self.taken > before:
            told = f"{self.taken - before} taken from the table"
            self._report(self._done, self._count - self._done, told)
        return job

    def _next_job(self) -> Job | None:
        for take in self._waiting:
            work = self._work_of(take)
            row = self._table.rows.get(take.source)
            if row and row["key"] == work.key and self._is_kept(row):
                self.taken += 1
                self._done += 1
                continue
            self._begun[take.source] = work
            return Job(take.source, self._work, (work,))
        return None

    def _is_kept(self, row: Mapping[str, Any]) -> bool:
        """Whether what a row says was made is there, and is not to be made again."""
        has_none = row["status"] not in (CERTIFIED, CUT)
        return not self._force and (has_none or is_there(self._behavior_path(row)))

    def _behavior_path(self, row: Mapping[str, Any]) -> Path:
        stored = Stored(folder_name(row["robot"]), row["name"])
        return Library(self._settings.library).path(stored)

    def _work_of(self, take: TakeFile) -> TakeWork:
        try:
            digest = told = take_digest(take.path)
        except BackbeatError as error:
            digest, told = "", str(error)
        text = "\n".join([self._common, take.name, told])
        key = hashlib.sha256(text.encode(errors="replace")).hexdigest()
        return TakeWork(self._settings, take, digest, key)

    def progress(self, job: str, share: float, what: str) -> None:
        """Takes are many and short; only their ends are reported."""

    def line(self, job: str, text: str) -> None:
        """Takes have nothing to say."""

    def done(self, outcome: Outcome) -> None:
        """Stores what came of a take."""
        work = self._begun.pop(outcome.name)
        before = self._table.rows.get(work.file.source)
        row = outcome.value if outcome.error is None else _broken(work, outcome.error)
        about = {
            "name": work.file.name,
            "source": work.file.source,
            "sha256": work.sha256,
            "version": version("backbeat"),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        row = {"key": work.key, **about, **row}
        for stale in (before, row):
            self._forget(stale, row)
        self._table.add(row)
        self._done += 1
        if self._report:
            told = one_line(f"{work.file.source}: {row['status']}")
            self._report(self._done, self._count - self._done, told)

    def _forget(self, old: Mapping[str, Any] | None, row: Mapping[str, Any]) -> None:
        """Removes what was made of a take before and is not made any more."""
        if not old or not old.get("robot"):
            return
        is_same = all(old[key] == row.get(key) for key in ("name", "robot"))
        if is_same and row["status"] not in (REFUSED, FAILED):
            return
        self._behavior_path(old).unlink(missing_ok=True)
        if old["name"] != row["name"]:
            left = takes_folder(self._settings.library) / old["name"]
            shutil.rmtree(left, ignore_errors=True)


def _broken(work: TakeWork, error: Exception) -> dict[str, Any]:
    """The row of a take that something broke at; without its key, it is tried again."""
    said = str(error) if isinstance(error, BackbeatError) else repr(error)
    return {"status": FAILED, "reason": ended(one_line(said)), "key": ""}
