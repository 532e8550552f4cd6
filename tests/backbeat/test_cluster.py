"""Jobs on a Dask cluster of this machine: several processes, some of which die."""

import os
import signal
import time
from pathlib import Path

import pytest

from backbeat.jobs import cluster, sweeping
from backbeat.jobs.cluster import cluster_executors
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.processes.pool import Job, run_jobs
from backbeat.mpc.sweep.specification import parse_sweep
from backbeat.mpc.sweep.table import SweepTable
from tests.backbeat.test_jobs import Listener, echo, fail, identify
from tests.backbeat.test_sweeping import TEXT, made_up

distributed = pytest.importorskip("distributed")

# Dask's sockets and files are its own to close, and it is late with them.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.slow,
]


@pytest.fixture
def workers():
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
    ) as local:
        yield local


def run(jobs, executors):
    named = [Job(f"job {k}", f, tuple(a)) for k, (f, *a) in enumerate(jobs)]
    return run_jobs(named, Listener(), executors=executors)


def die_once(report, mark):
    """Kills its process the first time, and is done at the second."""
    if not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def die(report):
    os.kill(os.getpid(), signal.SIGKILL)


def test_jobs_run_in_several_processes_and_errors_come_back(workers):
    with cluster_executors(workers.scheduler_address) as executors:
        jobs = [(identify, 0.3)] * 6 + [(fail, BackbeatError("no")), (echo, 3)]
        *pids, failed, value = run(jobs, executors)
    assert len({p.value for p in pids}) == 2
    assert os.getpid() not in {p.value for p in pids}
    assert str(failed.error) == "no"
    assert value.value == 3


def test_what_a_killed_worker_did_is_done_by_another(workers, tmp_path):
    with cluster_executors(workers.scheduler_address) as executors:
        jobs = [(die_once, str(tmp_path / "mark")), *[(echo, k, 0.1) for k in range(8)]]
        outcomes = run(jobs, executors)
    assert [o.value for o in outcomes] == ["done", *range(8)]


def test_what_kills_every_worker_is_a_sentence(workers):
    with cluster_executors(workers.scheduler_address) as executors:
        outcome, other = run([(die,), (echo, 1)], executors)
    assert "every worker that tried it was killed" in str(outcome.error)
    assert other.value == 1


def test_a_scheduler_that_goes_away_leaves_what_has_ended(
    built, library_folder, tmp_path, monkeypatch
):
    """Half of a sweep is kept, and the next call makes the rest, here."""
    built("stand")
    monkeypatch.setattr(sweeping, "simulate", made_up)
    monkeypatch.setenv("SWEEP_TRACE", str(tmp_path))
    monkeypatch.setenv("SWEEP_PAUSE", "0.2")
    sweep, folder = parse_sweep(TEXT, "test"), tmp_path / "sweeps"
    local = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    )
    ended = []

    def leave(known, remaining, what):
        ended.append(what)
        if len(ended) == 4:
            local.close()

    try:
        with cluster_executors(local.scheduler_address) as executors:
            try:
                result = sweeping.run_sweep(
                    sweep, library_folder, folder, leave, executors=executors
                )
                told = [str(o.error) for o in result.failures]
            except BackbeatError as error:
                told = [str(error)]
    finally:
        local.close()
    assert told
    assert all("is gone; what has ended is kept" in text for text in told)
    kept = len(SweepTable(folder / "shaken.parquet").rows)
    assert 4 <= kept < 12
    monkeypatch.delenv("SWEEP_TRACE")
    rest = sweeping.run_sweep(sweep, library_folder, folder, processes=1)
    assert (rest.taken, rest.made) == (kept, 12 - kept)


def test_slow_workers_do_not_hold_up_fast_ones(workers):
    """Results come as they end: a slow job is not waited for."""
    listener = Listener()
    with cluster_executors(workers.scheduler_address) as executors:
        jobs = [Job("slow", echo, (0, 1.5)), *[Job(str(k), echo, (k,)) for k in "abcd"]]
        run_jobs(jobs, listener, executors=executors)
    assert [name for name, _ in listener.heard][-1] == "slow"


def test_a_worker_with_other_sources_is_refused(workers, monkeypatch):
    monkeypatch.setattr(cluster, "_sources", lambda: "older")
    with cluster_executors(workers.scheduler_address) as executors:
        (outcome,) = run([(echo, 1)], executors)
    assert "another version of Backbeat" in str(outcome.error)


def test_two_workers_are_nearly_twice_as_fast(workers):
    """What the cluster itself takes is little against a run of a second."""

    def seconds(executors):
        start = time.perf_counter()
        run([(echo, k, 0.5) for k in range(8)], executors)
        return time.perf_counter() - start

    with cluster_executors(workers.scheduler_address) as executors:
        run([(echo, 0)] * 4, executors)
        alone, both = seconds(executors[:1]), seconds(executors)
    assert alone / both / 2 > 0.85


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:1", "nonsense://x", "", "tcp://127.0.0.1"]
)
def test_nobody_there_is_a_sentence(address, monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    with pytest.raises(BackbeatError, match="no scheduler answers"):  # noqa: SIM117
        with cluster_executors(address):
            pass


def test_a_scheduler_without_workers_is_a_sentence():
    with (
        distributed.LocalCluster(
            n_workers=0, host="127.0.0.1", dashboard_address=None
        ) as local,
        pytest.raises(BackbeatError, match="has no workers"),
        cluster_executors(local.scheduler_address),
    ):
        pass
