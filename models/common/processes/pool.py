"""Jobs: functions of picklable arguments, run side by side.

Jobs go to executors, one at a time to each. By default an executor is one process of
this machine, so that a process that dies takes nothing but its own job with it; any
other `concurrent.futures.Executor` will do, once for each job that it shall hold.

A process of our own and its parent share one pipe. What a job tells of its progress
comes up; nothing goes down, but when the pipe ends, because the parent closed it or
was killed, the process cleans up and ends too. So no process outlives its parent.
"""

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Protocol

from threadpoolctl import threadpool_limits

from backbeat.models.common.errors import BackbeatError

# How often progress is looked at [s].
POLL = 0.1
# How long a process that shall stop may take to clean up [s].
GRACE = 2.0


@dataclass(frozen=True)
class Job:
    """A call of a function of a module, `function(report, *arguments)`.

    Attributes:
        name: shown in messages.
        function: found again by its name in the other process.
        arguments: picklable, as is what the function returns.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What became of a job: a value, or the error that ended it."""

    name: str
    value: Any = None
    error: Exception | None = None


class Watcher(Protocol):
    """Callbacks on the progress of jobs, in the process that started them."""

    def progress(self, job: str, share: float, what: str) -> None:
        """A job has done a share of its work, 0 to 1, and does `what` now."""

    def line(self, job: str, text: str) -> None:
        """A job has a line for the log."""

    def done(self, outcome: Outcome) -> None:
        """A job has ended."""


class Report:
    """What a job calls to report its progress to its `Watcher`."""

    def __init__(self, job: str, send: Callable[..., None]) -> None:
        self._job, self._send = job, send

    def progress(self, share: float, what: str) -> None:
        """See `Watcher.progress`."""
        self._send("progress", self._job, share, what)

    def line(self, text: str) -> None:
        """See `Watcher.line`."""
        self._send("line", self._job, text)


def cores() -> int:
    """Number of processor cores that this process may use."""
    return len(os.sched_getaffinity(0))


def run_jobs(
    jobs: Sequence[Job],
    watcher: Watcher,
    processes: int | None = None,
    executors: Sequence[Executor] = (),
) -> list[Outcome]:
    """Runs jobs and returns what became of them, in their order.

    Args:
        jobs: what to run; a single one runs in this process.
        watcher: its callbacks, where they run in this process or in one of our own;
            of another executor only the ends are reported.
        processes: how many of our own at most; None for one a core.
        executors: where to run instead.
    """
    waiting = iter(jobs)
    count = max(1, min(processes or cores(), len(jobs)))
    return run_stream(lambda: next(waiting, None), watcher, count, executors)


def run_stream(
    next_job: Callable[[], Job | None],
    watcher: Watcher,
    processes: int | None = None,
    executors: Sequence[Executor] = (),
    apart: bool = False,
) -> list[Outcome]:
    """Runs jobs that are thought of while others run.

    Args:
        next_job: gives the next job whenever one could begin, or None when there is
            none before another has ended; `watcher.done` has heard of all that have.
            The stream ends when there is none and nothing runs.
        watcher: as for `run_jobs`.
        processes: how many of our own; None for one a core, with one jobs run in
            this process.
        executors: where to run instead.
        apart: run a single one at a time in a process of our own too, so that what
            ends that process does not end this one.

    Returns:
        What became of the jobs, in the order in which they began.
    """
    if executors:
        return _deal(next_job, watcher, executors)
    count = processes or cores()
    if count <= 1 and not apart:
        return [_run_here(job, watcher) for job in iter(next_job, None)]
    with worker_processes(count, apart) as workers:
        try:
            return _deal(next_job, watcher, workers)
        finally:
            for worker in workers:
                worker.stop()


@contextmanager
def worker_processes(
    count: int, apart: bool = False
) -> Iterator[list["WorkerProcess"]]:
    """Processes for jobs, started at their first; they end with the block.

    The end waits for jobs under way, unless a process is told to stop.

    Args:
        count: how many; of one there is none, for it can be this process.
        apart: one is a process of its own too.
    """
    workers = [WorkerProcess() for _ in range(count if count > 1 or apart else 0)]
    try:
        yield workers
    finally:
        for worker in workers:
            worker.shutdown()


def _run_here(job: Job, watcher: Watcher) -> Outcome:
    def send(kind: str, *content: Any) -> None:
        getattr(watcher, kind)(*content)

    try:
        with threadpool_limits(1):
            value = job.function(Report(job.name, send), *job.arguments)
        outcome = Outcome(job.name, value)
    except Exception as error:
        outcome = Outcome(job.name, error=error)
    watcher.done(outcome)
    return outcome


def _deal(
    next_job: Callable[[], Job | None], watcher: Watcher, executors: Sequence[Executor]
) -> list[Outcome]:
    """Gives every executor a job whenever it has none."""
    outcomes: dict[int, Outcome] = {}
    begun, idle = 0, deque(executors)
    running: dict[Future[Any], tuple[int, str, Executor]] = {}
    while True:
        while idle and (job := next_job()) is not None:
            executor = idle.popleft()
            running[executor.submit(_call, job)] = begun, job.name, executor
            begun += 1
        if not running:
            return [outcomes[k] for k in range(begun)]
        done, _ = wait(running, POLL, FIRST_COMPLETED)
        for executor in executors:
            if isinstance(executor, WorkerProcess):
                for kind, *content in executor.news():
                    getattr(watcher, kind)(*content)
        for future in sorted(done, key=lambda f: running[f][0]):
            k, name, executor = running.pop(future)
            idle.append(executor)
            outcomes[k] = _outcome(name, future)
            watcher.done(outcomes[k])


def _outcome(name: str, future: Future[Any]) -> Outcome:
    try:
        return Outcome(name, future.result())
    except BrokenExecutor:
        why = "its process was killed, perhaps because memory ran out"
        return Outcome(name, error=BackbeatError(f"{name}: {why}"))
    except Exception as error:
        return Outcome(name, error=error)


class WorkerProcess(Executor):
    """One process for one job after the other; another takes its place if it dies."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        # Not forked: Drake and the libraries below have threads.
        context = get_context("spawn")
        self._pipe, self._theirs = context.Pipe()
        self._pool = ProcessPoolExecutor(1, context, _enter, (self._theirs,))

    def submit(
        self, function: Callable[..., Any], /, *arguments: Any, **named: Any
    ) -> Future[Any]:
        """Runs `function(*arguments, **named)` when what came before is done."""
        with _interrupts_held():
            try:
                future = self._pool.submit(function, *arguments, **named)
            except BrokenExecutor:
                self._pipe.close()
                self._start()
                future = self._pool.submit(function, *arguments, **named)
            # The process has its end by now. When it dies, what it was about to tell
            # is cut short, and not only late.
            self._theirs.close()
        return future

    def news(self) -> Iterator[tuple[Any, ...]]:
        """What has been told since the last time."""
        # The end of the pipe, and then a part of a message, if the process has died.
        with suppress(EOFError, OSError):
            while self._pipe.poll():
                yield self._pipe.recv()

    def stop(self) -> None:
        """Has the process leave what it does, clean up and end."""
        self._pipe.close()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the process when its jobs are done."""
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Keeps Ctrl-C from the processes that start meanwhile, for good.

    A terminal sends it to all of them, but it is for the parent to stop the others.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# What follows runs in the other process.


class _Stopped(BaseException):
    """Ends a job as an interrupt does: what it has open is cleaned up."""


_pipe: Connection | None = None
_busy = False


def _enter(pipe: Connection) -> None:
    """Prepares a process of our own."""
    global _pipe
    _pipe = pipe
    signal.signal(signal.SIGTERM, _leave)
    threading.Thread(target=_watch_parent, args=(pipe,), daemon=True).start()


def _watch_parent(pipe: Connection) -> None:
    with suppress(EOFError, OSError):
        pipe.recv()
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
    time.sleep(GRACE)
    os._exit(1)


def _leave(number: int, frame: Any) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if not _busy:
        os._exit(1)
    raise _Stopped


def _send(*news: Any) -> None:
    # There is no listener on another executor, or after the parent's death.
    if _pipe is not None:
        with suppress(OSError):
            _pipe.send(news)


def _call(job: Job) -> Any:
    global _busy
    try:
        _busy = True
        # As many processes as cores: threads of the BLAS would be in each other's way.
        with threadpool_limits(1):
            return job.function(Report(job.name, _send), *job.arguments)
    except _Stopped:
        os._exit(1)
    finally:
        _busy = False
