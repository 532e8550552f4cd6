"""Reads a file in a child, and says what that took of processor and memory."""

import os
import resource
import signal
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from tests.fuzz.reader import LONGEST, REFUSALS

# Arrow reserves addresses when it is first asked, for which no child is charged.
pa.allocate_buffer(1)

# What one input may take: processor time [s], memory [MB], and time of the clock [s].
PROCESSOR, MEMORY, PATIENCE = 10.0, 1024.0, 120


class Cost(NamedTuple):
    """How reading ended, and what it took: processor time [s] and memory [MB]."""

    outcome: str
    seconds: float
    memory: float


def meet(read: Callable[[Path], object], path: Path) -> Cost:
    """Reads in a child that has 10 s of processor and 1 GiB more than this process.

    Raises:
        AssertionError: neither read nor refused in a sentence, or it takes too much.
    """
    out, into = os.pipe()
    child = os.fork()
    if not child:
        os.close(out)
        os.write(into, _outcome(read, path).encode(errors="replace")[:60_000])
        os._exit(0)
    os.close(into)
    with os.fdopen(out, "rb") as pipe:
        text = pipe.read().decode()
    _, status, used = os.wait4(child, 0)
    seconds = used.ru_utime + used.ru_stime
    assert status == 0, f"it ended with {status}, after {seconds:.1f} s of processor"
    outcome, _, rest = text.partition("\n")
    assert outcome in ("read", "refused"), text
    return Cost(outcome, seconds, float(rest))


def _outcome(read: Callable[[Path], object], path: Path) -> str:
    """What a child says: how it ended, and the memory that it took."""
    for kind in (signal.SIGXCPU, signal.SIGALRM):
        signal.signal(kind, signal.SIG_DFL)
    signal.alarm(PATIENCE)
    # From here on: the most so far begins anew.
    Path("/proc/self/clear_refs").write_text("5")
    before, size = _status("VmHWM"), _status("VmSize")
    limit = int((size + MEMORY) * 1024**2)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    spent = time.process_time()
    most = int(spent + PROCESSOR) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
    try:
        read(path)
        outcome = "read"
    except REFUSALS as refusal:
        sentence = str(refusal)
        good = sentence and sentence.isprintable() and len(sentence) <= LONGEST
        outcome = "refused" if good else f"no sentence: {sentence[:2000]!r}"
    except BaseException:
        outcome = traceback.format_exc()
    return f"{outcome}\n{max(0.0, _status('VmHWM') - before):.1f}"


def _status(key: str) -> float:
    """A figure of this process [MB]."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(x for x in lines if x.startswith(key)).split()[1]) / 1024
