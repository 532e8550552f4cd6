"""The parent's side of the process in which Drake reads descriptions.

Nothing that takes long to import is imported here, for its start comes first.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backbeat.models.common.closing import Closing
from backbeat.models.common.processes.child import (
    ChildEndedError,
    ChildProcess,
    ChildSilentError,
)

# Longest time that a file may take, and that importing Drake may take [s].
PATIENCE, START = 4.0, 60.0

# A process that was started before it was requested.
_ahead: list[ChildProcess] = []


def start_ahead() -> None:
    """Starts a process now, for the first reader to come; it ends with its owner.

    A program that knows so early that it will need one spares the time that it takes
    to begin itself.
    """
    _ahead.append(_launch())


def _launch() -> ChildProcess:
    return ChildProcess("backbeat.models.urdf.linting.drake_worker", "Drake reader")


class DrakeReader(Closing):
    """A process with Drake in it; started when needed, and again after each death.

    Use it as a context: the process ends with the block.
    """

    def __init__(self, patience: float = PATIENCE) -> None:
        """Sets the longest time that a file may take [s]."""
        self._patience = patience
        self._process: ChildProcess | None = None
        self._fresh = False
        self.starts = 0

    def start(self) -> None:
        """Starts the process, whose imports go on while its owner does other things."""
        if self._process is None or self._process.has_ended:
            self.close()
            self._process = _ahead.pop() if _ahead else _launch()
            self.starts += 1
            self._fresh = True

    def close(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

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
        try:
            answer = self._ask(
                json.dumps(request).encode(),
                self._patience if patience is None else patience,
            )
        except (ChildEndedError, ChildSilentError) as error:
            self.close()
            self.start()  # For the next file.
            is_silent = isinstance(error, ChildSilentError)
            return {"outcome": "hangs" if is_silent else "aborts"}
        said: dict[str, Any] = json.loads(answer)
        return said

    def _ask(self, request: bytes, patience: float) -> bytes:
        assert self._process is not None
        if self._fresh:
            self._process.receive(START)
            self._fresh = False
        self._process.send(request)
        return self._process.receive(patience)
