"""Processes that are killed at their worst moment, and two that do the same."""

import os
import signal
import sys
import time

import pytest

from backbeat.behaviors.library.store import Library
from tests.faults.authored import POSTURE
from tests.processes import PATIENCE, is_left_alone, running, sentences, start

SLOW = pytest.mark.slow
# The command, in a process that ends for good when a file is all but in its place.
KILLED_WHILE_WRITING = """\
import os, signal
from backbeat.cli.main import main
os.fsync = lambda file: os.kill(os.getpid(), signal.SIGKILL)
main()
"""


@pytest.fixture
def library(built, library_folder):
    built("stand")
    return library_folder


def seen(folder):
    """Files that are not hidden, with their bytes."""
    return {p.name: p.read_bytes() for p in folder.rglob("[!.]*") if p.is_file()}


@pytest.mark.parametrize("what", ["build", pytest.param("track", marks=SLOW)])
def test_killed_while_writing(backbeat, library, tmp_path, what):
    """The old file stays as it was, and the next attempt goes through."""
    specification, out = tmp_path / "mine.yaml", tmp_path / "out"
    specification.write_text(POSTURE.format(summary="Old."))
    words = {
        "build": ["build", specification, "--library", out],
        "track": ["track", "stand", "--duration", 0.1, "--library", library]
        + ["-o", out / "run.parquet"],
    }[what]
    assert backbeat(*words)[0] == 0
    before = seen(out)
    assert before
    specification.write_text(POSTURE.format(summary="New."))
    process = start(*words, before=(sys.executable, "-c", KILLED_WHILE_WRITING))
    process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL
    assert seen(out) == before
    assert len(list(out.rglob(".*.part"))) == 1
    if what == "build":
        assert Library(out).names() == ["mine"]
        assert Library(out).load("mine").summary == "Old."
    assert backbeat(*words)[0] == 0
    assert seen(out).keys() == before.keys()
    assert seen(out) != before


@SLOW
def test_a_killed_run_leaves_the_old_file_and_no_process(library, tmp_path):
    """Killed in the middle of the simulation, with a second process that plans."""
    path = tmp_path / "run.parquet"
    path.write_bytes(b"old")
    words = ["track", "stand", "--planner", "process", "--library", library]
    process = start(*words, "-o", path)
    until = time.monotonic() + 12 * PATIENCE
    while not (planners := running(process, b"planner_process")):
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.05)
    # Until the planner has worked for a while, which it does in the simulation.
    worked = spent(planners[0]) + 2.0
    while spent(planners[0]) < worked:
        assert time.monotonic() < until
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert is_left_alone(process)
    assert [p.name for p in tmp_path.iterdir()] == ["run.parquet"]
    assert path.read_bytes() == b"old"


def spent(process):
    """Processor time of a process [s]."""
    with open(f"/proc/{process}/stat") as file:
        after_name = file.read().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def test_two_builds_at_once(tmp_path):
    """Both go through, and what is there is whole."""
    specification = tmp_path / "mine.yaml"
    specification.write_text(POSTURE.format(summary="Mine."))
    words = ["build", specification, "--library", tmp_path / "library", "--force"]
    both = [start(*words) for _ in range(2)]
    for process in both:
        _, errors = process.communicate(timeout=180)
        assert process.returncode == 0, errors
        assert not sentences(errors)
    library = Library(tmp_path / "library")
    assert library.load("mine").summary == "Mine."
    assert [p.name for p in library.path("mine").parent.iterdir()] == ["mine.parquet"]
