"""The parent's side of the process in which Drake reads descriptions.

Nothing that takes long to import is imported here, for its start comes first.
"""

import json
import os
import selectors
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from backbeat.models.common.closing import Closing

WORKER = Path(__file__).parent / "drake_worker.py"
# Longest time that a file may take, and that importing Drake may take [s].
PATIENCE, START = 4.0, 60.0

# A process that was started before it was requested.
_ahead: list["subprocess.Popen[bytes]"] = []


def start_ahead() -> None:
    """Starts a process now, for the first reader to come; it ends with its owner.

    A program that knows so early that it will need one spares the time that it takes
    to begin itself.
    """
    _ahead.append(_launch())


def _launch() -> "subprocess.Popen[bytes]":
    # Without -P the modules beside the worker would hide others of their name.
    return subprocess.Popen(
        [sys.executable, "-P", str(WORKER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


class DrakeReader(Closing):
    """A process with Drake in it; started when needed, and again after each death.

    Use it as a context: the process ends with the block.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        """Sets the longest time that a file may take [s]."""
        self._patience = patience
        self._process: subprocess.Popen[bytes] | None = None
        self._fresh = False
        self.starts = 0

    def start(self) -> None:
        """Starts the process, whose imports go on while its owner does other things."""
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = _ahead.pop() if _ahead else _launch()
            self.starts += 1
            self._fresh = True

    def close(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def read(
        self,
        path: str | Path,
        folders: Mapping[str, Path],
        text: str = "",
        patience: float | None = None,
    ) -> dict[str, Any]:
        """Has Drake read a file; what the worker answers, or its silence as outcome.

        Args:
            path: the file.
            folders: where packages are, by name.
            text: what is read in place of the file; "" for the file itself.
            patience: longest time that it may take [s]; None for that of the reader.
        """
        path = Path(path)
        self.start()
        known = {name: str(folder) for name, folder in folders.items()}
        request = {"path": str(path.resolve()), "packages": known, "text": text}
        answer = self._ask(
            json.dumps(request).encode() + b"\n",
            self._patience if patience is None else patience,
        )
        if isinstance(answer, str):
            self.close()
            self.start()  # For the next file.
            return {"outcome": answer}
        said: dict[str, Any] = json.loads(answer)
        return said

    def _ask(self, request: bytes, patience: float) -> bytes | str:
        """A line of answer, or the word for none."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        if self._fresh:
            ready = self._line(START)
            if isinstance(ready, str):
                return ready
            self._fresh = False
        try:
            process.stdin.write(request)
            process.stdin.flush()
        except BrokenPipeError:
            return "aborts"
        return self._line(patience)

    def _line(self, patience: float) -> bytes | str:
        """The next line of output, or the word for none within some seconds."""
        assert self._process is not None
        assert self._process.stdout is not None
        output, gathered = self._process.stdout, b""
        with selectors.DefaultSelector() as ready:
            ready.register(output, selectors.EVENT_READ)
            while not gathered.endswith(b"\n"):
                if not ready.select(patience):
                    return "hangs"
                part = os.read(output.fileno(), 65536)
                if not part:
                    return "aborts"
                gathered += part
        return gathered
