"""Jobs: side by side, each for itself, and gone when nobody wants them."""

import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import active_children
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.processes import pool as jobs
from backbeat.models.common.processes.pool import Job, run_jobs

# What a process may take to end, on a machine that has other work too [s].
PATIENCE = 10.0


class Listener:
    """Remembers all that it hears."""

    def __init__(self):
        self.heard = []

    def progress(self, job, share, what):
        self.heard.append((job, share, what))

    def line(self, job, text):
        self.heard.append((job, text))

    def done(self, outcome):
        self.heard.append((outcome.name, "done"))


class Interrupter(Listener):
    """Presses Ctrl-C when a number of jobs have begun."""

    def __init__(self, number):
        super().__init__()
        self.number = number

    def progress(self, job, share, what):
        super().progress(job, share, what)
        if len(self.heard) == self.number:
            raise KeyboardInterrupt


def run(*listed, watcher=None, **options):
    """Runs jobs that are written as (function, arguments...)."""
    named = [Job(f"job {k}", f, tuple(a)) for k, (f, *a) in enumerate(listed)]
    return run_jobs(named, watcher or Listener(), **options)


def identify(report, pause=0.0):
    time.sleep(pause)
    return os.getpid()


def echo(report, value, pause=0.0):
    time.sleep(pause)
    return value


def speak(report):
    report.progress(0.5, "half")
    report.line("a line")
    return "said"


def fail(report, error):
    raise error


def be_killed(report):
    """Dies in the middle of a message of a thousand bytes."""
    os.write(jobs._pipe.fileno(), struct.pack("!i", 1000) + b"cut short")
    os.kill(os.getpid(), signal.SIGKILL)


def be_interrupted(report):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
    except KeyboardInterrupt:
        return "stopped"
    return "went on"


def blas_threads(report):
    np.linalg.inv(np.eye(3))
    return [p["num_threads"] for p in threadpool_info() if p["user_api"] == "blas"]


def stall(report, folder):
    """Has a file open for a minute, as one that is being written."""
    mine = Path(folder) / f"{os.getpid()}.part"
    mine.touch()
    try:
        report.progress(0.1, "stalling")
        time.sleep(60)
    finally:
        mine.unlink()


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_outcomes_come_in_the_order_of_the_jobs():
    outcomes = run((echo, "slow", 0.5), (echo, "b"), (echo, "c"), processes=2)
    assert [o.value for o in outcomes] == ["slow", "b", "c"]
    assert [o.name for o in outcomes] == ["job 0", "job 1", "job 2"]


def test_jobs_run_side_by_side_in_no_more_processes_than_jobs(monkeypatch):
    made = []

    class Counted(jobs.WorkerProcess):
        def __init__(self):
            super().__init__()
            made.append(self)

    monkeypatch.setattr(jobs, "WorkerProcess", Counted)
    outcomes = run((identify, 0.5), (identify, 0.5), processes=8)
    assert len({o.value for o in outcomes} | {os.getpid()}) == 3
    assert len(made) == 2


@pytest.mark.parametrize(("number", "processes"), [(1, 4), (3, 1)])
def test_one_job_or_one_process_needs_no_other(number, processes):
    outcomes = run(*[(identify,)] * number, processes=processes)
    assert [o.value for o in outcomes] == [os.getpid()] * number


@pytest.mark.parametrize("processes", [1, 2])
def test_a_job_that_fails_leaves_the_others_alone(processes):
    wrong, bug = BackbeatError("a sentence"), ValueError("a bug")
    outcomes = run(
        (fail, wrong), (echo, 1), (fail, bug), (echo, 2), processes=processes
    )
    assert [o.value for o in outcomes] == [None, 1, None, 2]
    assert isinstance(outcomes[0].error, BackbeatError)
    assert str(outcomes[0].error) == "a sentence"
    assert isinstance(outcomes[2].error, ValueError)


def test_a_killed_process_takes_only_its_own_job_along():
    listed = [(be_killed,), (echo, 1, 0.5), (echo, 2), (echo, 3, 0.5)]
    first, *others = run(*listed, processes=2)
    assert isinstance(first.error, BackbeatError)
    assert str(first.error).startswith("job 0: its process was killed")
    assert [o.value for o in others] == [1, 2, 3]


@pytest.mark.parametrize("processes", [1, 2])
def test_what_a_job_tells_is_heard_before_its_end(processes):
    watcher = Listener()
    run((speak,), (speak,), processes=processes, watcher=watcher)
    for job in ("job 0", "job 1"):
        heard = [news[1:] for news in watcher.heard if news[0] == job]
        assert heard == [(0.5, "half"), ("a line",), ("done",)]


def test_any_executor_will_do():
    with ThreadPoolExecutor(2) as pool:
        outcomes = run((identify,), (fail, OSError()), (speak,), executors=[pool] * 2)
    assert outcomes[0].value == os.getpid()
    assert isinstance(outcomes[1].error, OSError)
    assert outcomes[2].value == "said"


@pytest.mark.parametrize("processes", [1, 2])
def test_a_job_has_a_blas_of_one_thread(monkeypatch, processes):
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "2")
    with threadpool_limits(2):
        outcomes = run((blas_threads,), (blas_threads,), processes=processes)
    for outcome in outcomes:
        assert outcome.value
        assert set(outcome.value) == {1}


def test_the_terminal_interrupts_the_parent_alone():
    outcomes = run((be_interrupted,), (be_interrupted,), processes=2)
    assert [o.value for o in outcomes] == ["went on"] * 2


def test_an_interrupt_ends_every_job_at_once_and_cleanly(tmp_path):
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        run(*[(stall, tmp_path)] * 3, processes=2, watcher=Interrupter(2))
    assert time.monotonic() - started < PATIENCE
    assert not active_children()
    assert list(tmp_path.iterdir()) == []


PARENT = """\
import sys
from tests.backbeat.test_jobs import Listener, run, stall
if __name__ == "__main__":
    run(*[(stall, sys.argv[1])] * 2, processes=2)
"""


def test_no_process_outlives_a_killed_parent(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    parent = subprocess.Popen(
        [sys.executable, script, folder],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: len(list(folder.iterdir())) == 2)
    workers = [int(p.stem) for p in folder.iterdir()]
    assert all(map(is_running, workers))
    parent.kill()
    parent.wait()
    wait_until(lambda: not any(map(is_running, workers)))
    assert list(folder.iterdir()) == []


def is_running(pid: int) -> bool:
    """Whether there is such a process, and not only its entry in a table."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
