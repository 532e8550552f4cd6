"""Messages while functions are compiled, by this process or another one."""

import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TextIO

# How long it takes about [s], where nothing is measured yet.
USUAL = 20


class BuildProgress:
    """A line about what goes on, which is written anew where that can be seen."""

    def __init__(self, stream: TextIO | None = None) -> None:
        """Says nothing yet; by default to stderr."""
        self._stream = stream or sys.stderr
        self._is_terminal, self._has_begun = self._stream.isatty(), False

    def say(self, words: str) -> None:
        """Says how far it is; once, where lines stay."""
        if self._is_terminal:
            self._write(f"\r\x1b[K{words} ... ")
        elif not self._has_begun:
            self._write(f"{words} ... ")
        self._has_begun = True

    def end(self) -> None:
        """Says that it is done, if anything was said."""
        if self._has_begun:
            self._write("done.\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class Count:
    """How many parts are compiled, in a file that other processes read."""

    def __init__(self, file: str | Path) -> None:
        """Counts in a file."""
        self._file = Path(file)

    def write(self, done: int, parts: int, began: float) -> None:
        """Writes how many of how many are done, and when that began [s]."""
        self._file.write_text(f"{done} {parts} {began}", "utf-8")

    def read(self) -> tuple[int, int, float] | None:
        """The same; None where nothing is compiled, or nothing of it known."""
        # It may be gone, or half written, at any time.
        with suppress(OSError, ValueError):
            done, parts, began = self._file.read_text("utf-8").split()
            return int(done), int(parts), float(began)
        return None

    def clear(self) -> None:
        """Nothing is compiled any more."""
        self._file.unlink(missing_ok=True)


def in_words(done: int, parts: int, began: float) -> str:
    """How far a compilation is, and how long it will go on."""
    since = max(time.time() - began, 0.0)
    # Those under way count for one that is done.
    left = since * (parts - done) / (done + 1) if done else max(USUAL, since)
    return f"{done} of {parts} parts, some {5 * max(round(left / 5), 1)} s more"
