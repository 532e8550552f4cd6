"""The page about clusters, run as it is printed, on a scheduler of this machine."""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from backbeat.mpc.sweep.table import SweepTable
from tests.docs.pages import blocks

pytestmark = pytest.mark.slow
ANSWERED = 60.0  # until a scheduler and its workers answer [s]


@pytest.fixture
def folder(tmp_path, library_folder, built, monkeypatch):
    """A working folder with `stand` in its library, and the sweep of the page."""
    built("stand")
    shutil.copytree(library_folder, tmp_path / "library")
    (sweep,) = blocks("cluster", "yaml")
    name = re.match(r"# (.*)\n", sweep)[1]
    (tmp_path / name).write_text(sweep)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    return tmp_path


def printed(start):
    """The block in a shell that begins with some words."""
    (found,) = (b for b in blocks("cluster", "bash") if b.startswith(start))
    return found


def shell(code, **more):
    done = subprocess.run(
        ["bash", "-e", "-c", code],
        env=os.environ | more,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def wait_for_workers(address, number):
    distributed = pytest.importorskip("distributed")
    with distributed.Client(address, timeout=ANSWERED) as client:
        client.wait_for_workers(number, timeout=ANSWERED)


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_sweep_runs_on_a_scheduler_as_it_is_printed(folder):
    code = printed("dask scheduler")
    for port in ("8786", "8787"):
        code = code.replace(port, str(free_port()))
    scheduler, workers, sweep = code.splitlines()
    address = re.search(r"tcp://\S+", workers)[0]
    with open(folder / "dask.log", "w") as log:
        started = [
            subprocess.Popen(line.split(), stdout=log, stderr=log)
            for line in (scheduler, workers)
        ]
        try:
            wait_for_workers(address, 2)
            shell(sweep)
            table = SweepTable("out/sweeps/small.parquet")
            ended = sorted(row["finished"] for row in table.rows.values())
            assert len(ended) == 2
            # The same command makes no run twice.
            shell(sweep)
        finally:
            for process in reversed(started):
                process.terminate()
            for process in started:
                process.wait(timeout=30)
    again = SweepTable("out/sweeps/small.parquet")
    assert sorted(row["finished"] for row in again.rows.values()) == ended


def test_tasks_of_an_array_have_a_seed_each_and_one_table(folder):
    for task in (0, 3):
        shell(printed("# array.sh"), SLURM_ARRAY_TASK_ID=str(task))
    (join,) = blocks("cluster", "python")
    known = {}
    exec(compile(join, "cluster.md", "exec"), known)
    assert sorted(known["runs"]["seed"]) == [0, 3]
    assert known["runs"]["survived"].all()
