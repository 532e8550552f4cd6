"""Watching: a file that is being written, and a worker that builds at every save."""

import os
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from backbeat.behaviors.building.incremental_build import (
    Draft,
    IncrementalBuild,
    UpdatedBehavior,
)
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import is_folder, read_bytes

# How long the end waits for work that cannot be ended before [s].
PATIENCE = 5.0
# How long a motion may take to be shown before it is stored [s].
TO_SHOW = 1.0
# Time of the last change [ns] and size of a file or folder; None while there is none.
Stamp = tuple[int, int] | None


class FileWatch:
    """Notices that one of some files was saved with other contents.

    Attributes:
        saved_at: when the newest of them was [s since 1970].
    """

    def __init__(self, files: Callable[[], list[Path]]) -> None:
        """Remembers how the files are now.

        Args:
            files: asked for the files again after every change, for a file may name
                others.
        """
        self._files = files
        self._stamps: dict[Path, Stamp] = {}
        self._contents: dict[Path, bytes] = {}
        self.saved_at = 0.0
        self._look()

    def has_changed(self) -> bool:
        """Whether one was saved, added or named since the last time.

        A file that is gone or empty is about to come again: so do editors write.
        """
        now = {path: _stamp(path) for path in self._stamps}
        if all(s is None or s == self._stamps[path] for path, s in now.items()):
            return False
        before = self._contents
        self._look()
        return self._contents != before

    def _look(self) -> None:
        """Reads the files as they are now."""
        self._stamps = {path: _stamp(path) for path in self._files()}
        found = {path: _contents(path) for path in self._stamps}
        old = self._contents
        self._contents = {path: c or old.get(path, b"") for path, c in found.items()}
        times = [stamp[0] for stamp in self._stamps.values() if stamp]
        self.saved_at = 1e-9 * max(times, default=0)


def _stamp(path: Path) -> Stamp:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


def _contents(path: Path) -> bytes:
    """What a file holds, or the names in a folder; nothing where there is none."""
    try:
        if is_folder(path):
            names = sorted(p.name for p in path.iterdir())
            return b"\n".join(map(os.fsencode, names))
        return read_bytes(path, "CSV")
    except (OSError, BackbeatError):
        return b""  # The build reports what is wrong.


class SupersededError(Exception):
    """The work is not wanted any more: there is a newer save."""


@dataclass(frozen=True)
class Drafted:
    """A save was read: its draft, and from when to when it is another [s]."""

    draft: Draft
    changed: tuple[float, float] | None


@dataclass(frozen=True)
class Performed:
    """The verified motion of a save, and how long after the save it was there [s]."""

    updated: UpdatedBehavior
    seconds: float


@dataclass(frozen=True)
class Refused:
    """A save has no motion.

    Attributes:
        sentence: the reason.
        line: line of the file that it is about; None where only the whole is.
    """

    sentence: str
    line: int | None = None


@dataclass(frozen=True)
class Working:
    """What is being done, and the share of the work that is done."""

    what: str
    share: float = 0.0


News = Drafted | Performed | Refused | Working | Exception


class Worker:
    """Builds in a thread of its own; only the last save counts.

    What is compiled runs beside the thread that draws.
    """

    def __init__(self, incremental: IncrementalBuild) -> None:
        """Starts to wait for saves."""
        self._incremental = incremental
        self._news: queue.SimpleQueue[News] = queue.SimpleQueue()
        self._saved, self._is_closed = threading.Event(), False
        self._has_news, self._heard = threading.Event(), threading.Event()
        self._saved_at = 0.0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def save(self, at: float) -> None:
        """There is a save to build, and earlier ones no longer count.

        Args:
            at: when the file was saved [s since 1970].
        """
        self._saved_at = at
        self._saved.set()

    def news(self) -> list[News]:
        """What has happened since the last time, in order."""
        found = []
        self._has_news.clear()
        while not self._news.empty():
            found.append(self._news.get())
        if not found:
            # Whatever there was before has been shown.
            self._heard.set()
        return found

    def wait(self, seconds: float) -> None:
        """Waits for news, but not longer than some time [s]."""
        self._has_news.wait(seconds)

    def close(self) -> None:
        """Ends the work under way and waits until it has."""
        self._is_closed = True
        self._saved.set()
        self._heard.set()
        self._thread.join(PATIENCE)

    def _run(self) -> None:
        while True:
            self._saved.wait()
            self._saved.clear()
            if self._is_closed:
                return
            try:
                self._update(self._saved_at)
            except SupersededError:
                continue
            except BackbeatError as error:
                self._publish(Refused(str(error), error.line))
            except Exception as error:
                # A fault of ours, raised again where news are read.
                self._publish(error)

    def _publish(self, news: News) -> None:
        self._news.put(news)
        self._has_news.set()

    def _update(self, since: float) -> None:
        incremental = self._incremental
        draft = incremental.read()
        self._check_stop()
        self._publish(Drafted(draft, incremental.changed(draft)))
        found = incremental.perform(draft, self._check_stop)
        self._heard.clear()
        self._publish(Performed(found, time.time() - since))
        # To show it comes first: both take processor time.
        self._heard.wait(TO_SHOW)
        incremental.store(found.behavior)
        incremental.prepare(lambda share, what: self._check_stop())

    def _check_stop(self, share: float = 0.0, what: str = "") -> None:
        """Ends work that a newer save has superseded, and reports what is done."""
        if self._saved.is_set():
            raise SupersededError
        if what:
            self._publish(Working(what, share))
