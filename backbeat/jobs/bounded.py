"""Jobs within bounds of processor time and memory."""

import multiprocessing
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from backbeat.behaviors.library.build_cost import processor_time
from backbeat.models.common.errors import BackbeatError

# Processor time after which a process is killed that does not end by itself [s].
GRACE = 60.0


class OutOfBoundsError(BackbeatError):
    """A job takes longer than it may, or more memory."""


class Budget:
    """Processor time that a job may take.

    Attributes:
        started: processor time at its beginning [s].
        seconds: how much it may take [s].
    """

    def __init__(self, seconds: float) -> None:
        """Begins now."""
        self.started, self.seconds = processor_time(), seconds

    @property
    def spent(self) -> float:
        """Processor time since the beginning [s]."""
        return processor_time() - self.started

    def check(self) -> None:
        """Raises when it is used up.

        Raises:
            OutOfBoundsError: it is.
        """
        if self.spent > self.seconds:
            raise OutOfBoundsError(
                f"it takes longer than {self.seconds:.0f} s of a processor"
            )

    def extend(self, seconds: float) -> None:
        """Allows for so much more."""
        self.seconds += seconds
        if _is_timed():
            left = max(self.seconds - self.spent, 0.1)
            signal.setitimer(signal.ITIMER_PROF, left, 1.0)
        if _is_own():
            _limit(resource.RLIMIT_CPU, self.seconds - self.spent + GRACE)


@contextmanager
def bounded(seconds: float, memory: int) -> Iterator[Budget]:
    """Bounds processor time and, in a process of our own, memory.

    In the main thread a timer ends what takes too long, elsewhere `Budget.check` does,
    which a job calls as it reports its progress. A process of our own that does not
    stop for `GRACE` more is killed by the system.

    Args:
        seconds: processor time at first [s]; `Budget.extend` allows for more.
        memory: bytes of memory of the process.

    Raises:
        OutOfBoundsError: it takes longer, or more memory.
    """
    budget = Budget(0.0)
    kept = {kind: resource.getrlimit(kind) for kind in _KINDS} if _is_own() else {}
    before: Any = None

    def end(number: int, frame: object) -> None:
        budget.check()

    try:
        if _is_timed():
            before = signal.signal(signal.SIGPROF, end)
        if kept:
            _limit(resource.RLIMIT_DATA, memory)
        budget.extend(seconds)
        yield budget
    except MemoryError:
        raise OutOfBoundsError(
            f"it takes more memory than {memory / 2**30:.3g} GiB"
        ) from None
    finally:
        if before is not None:
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            signal.signal(signal.SIGPROF, before)
        for kind, limits in kept.items():
            resource.setrlimit(kind, limits)


_KINDS = (resource.RLIMIT_CPU, resource.RLIMIT_DATA)


def _is_timed() -> bool:
    return threading.current_thread() is threading.main_thread()


def _is_own() -> bool:
    """Whether this process was started for jobs, and nothing else is in it."""
    return multiprocessing.parent_process() is not None


def _limit(kind: int, more: float) -> None:
    """Sets the soft limit of a resource."""
    if kind == resource.RLIMIT_CPU:
        used = resource.getrusage(resource.RUSAGE_SELF)
        more += used.ru_utime + used.ru_stime
    _, hard = resource.getrlimit(kind)
    soft = int(more) if hard == resource.RLIM_INFINITY else min(int(more), hard)
    resource.setrlimit(kind, (soft, hard))
