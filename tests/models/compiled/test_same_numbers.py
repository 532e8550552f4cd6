"""The robot's own functions give what Python makes of them, by any compiler."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from backbeat.models.compiled import build

CHECKOUT = Path(__file__).parents[3]
# Everything that a plan and a tick are made of, into a file.
SCRIPT = """
import sys
import numpy as np
from backbeat.models.compiled import WRITTEN
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.whole_body.programs.assembly import build, recover_bound
from backbeat.mpc.whole_body.programs.tasks import WholeBodyGains
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram
from backbeat.optimization.transcription.transcribe import Transcription
from tests.mpc.test_whole_body_program import FEET, TIPS, Stance
from tests.optimization.points import Point
from tests.optimization.problems import squat

point = Point(Transcription(squat(4)), seed=1)
values, derivatives = point.linearize()
stance = Stance(0)
state = Configuration(stance.robot, stance.q, stance.v)
found = [
    *values, *derivatives,
    state.mass_matrix, state.bias, state.momentum, state.momentum_matrix,
    state.jacobian("l_foot"), state.bias_acceleration("r_foot"),
]
program = WholeBodyProgram(stance.robot, FEET, TIPS, WholeBodyGains())
tick = program.solve(stance.q, stance.v, stance.target)
np.savez(sys.argv[1], *found, tick.tau, tick.vdot, written=len(WRITTEN))
"""


def numbers(file, **changes):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, file],
        cwd=CHECKOUT,
        env=os.environ | changes,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with np.load(file) as found:
        return dict(found)


def test_compiled_functions_are_as_written(tmp_path):
    compiled = numbers(tmp_path / "compiled.npz")
    written = numbers(tmp_path / "written.npz", BACKBEAT_INTERPRETED="1")
    assert compiled.keys() == written.keys()
    assert compiled["written"] > 50
    for name, expected in written.items():
        # NumPy has sines of its own, which differ in the last bit.
        size = max(1.0, np.abs(expected).max(initial=0.0))
        assert_allclose(compiled[name], expected, rtol=0, atol=1e-13 * size)


@pytest.mark.slow
@pytest.mark.parametrize("level", ["-O1", "-O2"])
def test_every_compiler_makes_the_same_numbers(tmp_path, level):
    """Or the same one that is told to do more, or less."""
    command = next(build.compilers())
    other = tmp_path / "other"
    other.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@" {level}\n')
    other.chmod(0o755)
    here = numbers(tmp_path / "here.npz")
    there = numbers(
        tmp_path / "there.npz", CXX=str(other), BACKBEAT_COMPILED=str(tmp_path)
    )
    for name, expected in here.items():
        assert there[name].tobytes() == expected.tobytes()
