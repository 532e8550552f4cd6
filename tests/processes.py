"""Processes of their own for tests, and whether they leave anything running."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

# What processes may take to end, on a machine that has other work too [s].
PATIENCE = 10.0
COMMAND = (sys.executable, "-m", "backbeat.cli.main")


def start(
    *arguments: object,
    before: Sequence[object] = COMMAND,
    environment: Mapping[str, str] | None = None,
    **options: Any,
) -> subprocess.Popen[str]:
    """Starts the command, or another one, in a session of its own."""
    settings: dict[str, Any] = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.PIPE,
        # Where the tests run in the background, Ctrl-C may be ignored.
        "preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    }
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [*map(str, before), *map(str, arguments)],
        env={**os.environ, **paths, **(environment or {})},
        cwd=Path(__file__).parents[1],
        text=True,
        start_new_session=True,
        **{**settings, **options},
    )


def sentences(errors: str) -> list[str]:
    """The complaints among what was printed on stderr."""
    return [line for line in errors.splitlines() if line.startswith("backbeat: ")]


def running(process: subprocess.Popen[str], what: bytes = b"") -> list[int]:
    """Processes of its session that run, by what is in their command."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, _, _, session = _status(entry)
            if int(session) == process.pid and state != "Z":
                found += [int(entry.name)] * (what in (entry / "cmdline").read_bytes())
    return found


def _status(entry: Path) -> list[str]:
    return (entry / "stat").read_text().rpartition(")")[2].split()[:4]


def is_left_alone(process: subprocess.Popen[str]) -> bool:
    """Whether everything that it started ends, soon."""
    deadline = time.monotonic() + PATIENCE
    while left := running(process):
        if time.monotonic() > deadline:
            return not left
        time.sleep(0.05)
    return True
