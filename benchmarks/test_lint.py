"""How long `backbeat lint` takes, next to Drake reading the file (`make bench`)."""

import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.benchmark

CHECKOUT = Path(__file__).parents[1]
URDF = CHECKOUT / "models" / "robots" / "atlas" / "atlas_v5.urdf"
LINT = [sys.executable, "-m", "backbeat.cli.main", "lint", str(URDF)]
DRAKE = [
    sys.executable,
    "-c",
    "from pydrake.multibody.parsing import Parser\n"
    "from pydrake.multibody.plant import AddMultibodyPlantSceneGraph\n"
    "from pydrake.systems.framework import DiagramBuilder\n"
    "plant, scene = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.001)\n"
    f"Parser(plant).AddModels({str(URDF)!r})\n"
    "plant.Finalize()",
]
REPETITIONS = 7
# Processor time relative to that of a program in which Drake reads the file.
RATIO = 2.5


def spent(command):
    """Processor time of a process and its children, and time on the clock [s]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True)
    clock = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, clock


def test_lint_of_atlas_takes_little_longer_than_drake_s_reader(capsys):
    ours, theirs = zip(
        *((spent(LINT), spent(DRAKE)) for _ in range(REPETITIONS)), strict=True
    )
    processor, clock = min(p for p, _ in ours), min(c for _, c in ours)
    reader = min(p for p, _ in theirs)
    with capsys.disabled():
        print(
            f"\nlint: {processor:.2f} s of processor, {clock:.2f} s; Drake alone "
            f"{reader:.2f} s; ratio {processor / reader:.2f}"
        )
    assert processor / reader <= RATIO
