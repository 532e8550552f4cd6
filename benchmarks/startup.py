"""The first start: what compiling the numerical code costs, and every start after."""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

# Loads every compiled function that Python calls, and what they are called with.
SCRIPT = "import backbeat.models.compiled.build as b; print(len(b.load()))"


@dataclass(frozen=True)
class Start:
    """What a start takes.

    Attributes:
        seconds: processor time, compiler included [s].
        libraries: how many were compiled.
        functions: how many compiled functions are then there.
    """

    seconds: float
    libraries: int
    functions: int


def first_and_second_start() -> tuple[Start, Start]:
    """A start with nothing compiled, and the next one."""
    with tempfile.TemporaryDirectory() as folder:
        return _start(Path(folder)), _start(Path(folder))


def _start(folder: Path) -> Start:
    before, there = _spent(), len(list(folder.glob("*.so")))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=os.environ | {"BACKBEAT_COMPILED": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    made = len(list(folder.glob("*.so"))) - there
    return Start(_spent() - before, made, int(done.stdout))


def _spent() -> float:
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
