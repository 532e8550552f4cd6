"""A child process that answers requests: how it starts, answers, fails and ends.

Requests and answers are frames on its standard input and output; what libraries print
there goes to its standard error. It ends when its input does, and so never outlives
its parent. Nothing that takes long to import is imported here.
"""

import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from backbeat.models.common.closing import Closing
from backbeat.models.common.errors import BackbeatError, clipped
from backbeat.models.common.processes.frames import FrameReader, frame

# Most bytes of a message, and of a piece of one.
_MOST, _CHUNK = 1 << 30, 1 << 16


class ChildEndedError(BackbeatError):
    """A child process has ended."""


class ChildSilentError(BackbeatError):
    """A child process did not answer in time, and was ended."""


class ChildProcess(Closing):
    """A running child process, seen from its parent."""

    def __init__(self, module: str, name: str, instead: str = "") -> None:
        """Starts it.

        Args:
            module: run as a program; it begins with `requests`.
            name: of the process, for messages.
            instead: what a user can do without it, for messages.
        """
        self._name, self._instead = name, instead
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._reader = FrameReader(_MOST)
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=os.environ | threads | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )

    @property
    def process_id(self) -> int:
        """Of the child."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether the child runs no more."""
        return self._process.poll() is not None

    def close(self) -> None:
        """Ends the child."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue

    def send(self, request: bytes) -> None:
        """Sends a request.

        Raises:
            ChildEndedError: the child does not run.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(frame(request, _MOST))
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._ended() from None

    def receive(self, seconds: float) -> bytes:
        """Waits for the next answer.

        Args:
            seconds: longest time without a byte [s].

        Raises:
            ChildEndedError: the child has ended.
            ChildSilentError: nothing came in time; the child has been ended.
        """
        assert self._process.stdout is not None
        output = self._process.stdout.fileno()
        while (answer := self._reader.next()) is None:
            if not select.select([output], [], [], seconds)[0]:
                self._process.kill()
                self._process.wait()
                raise ChildSilentError(
                    f"the {self._name} process has not answered for {seconds:g} s and "
                    f"was ended{self._instead and f'; {self._instead}'}"
                )
            piece = os.read(output, _CHUNK)
            if not piece:
                raise self._ended()
            self._reader.feed(piece)
        return answer

    def _ended(self) -> ChildEndedError:
        code = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        why = f": {clipped(lines[-1])}" if lines else ""
        return ChildEndedError(f"the {self._name} process ended with code {code}{why}")


class Parent:
    """The process that started this one, seen from this one."""

    def __init__(self) -> None:
        """Takes over standard input and output."""
        self._answers = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)

    def requests(self) -> Iterator[bytes]:
        """What the parent requests, until it closes the input."""
        reader = FrameReader(_MOST)
        while piece := os.read(0, _CHUNK):
            reader.feed(piece)
            while (request := reader.next()) is not None:
                yield request

    def answer(self, content: bytes) -> None:
        """Sends an answer."""
        self._answers.write(frame(content, _MOST))
        self._answers.flush()
