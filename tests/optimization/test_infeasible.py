"""What has no solution: the solver says so, with a name and without a NaN."""

import re
from dataclasses import replace

import numpy as np
import pytest
from pydrake.math import RigidTransform

from backbeat.optimization.interior_point.options import InteriorPointOptions
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.problem.tasks import FrameTask
from backbeat.optimization.problem.trajectory_problem import Limits
from backbeat.optimization.transcription.transcribe import Transcription
from tests.optimization.problems import PLACE, squat
from tests.tolerances import KNOT


def reaching(frame, p, **changes):
    problem = squat(**changes)
    X_WG = PLACE @ RigidTransform(np.array(p))
    task = FrameTask(frame, np.array([8]), X_WG, "x y z")
    return replace(problem, tasks=[*problem.tasks, task])


IMPOSSIBLE = {
    "too weak": (lambda: squat(limits=Limits(torque=0.05)), "torque of ._leg_kny"),
    "too slow": (
        lambda: reaching("l_hand", [0.6, 0.4, 1.3], limits=Limits(velocity=0.01)),
        "velocity of l_arm_",
    ),
    "out of reach": (lambda: reaching("l_hand", [3.0, 0.0, 1.0]), "target of l_hand"),
    "held down": (
        lambda: squat(limits=Limits(contact_force=0.3)),
        "dynamics|torque|normal force",
    ),
    "no footing": (lambda: reaching("l_foot", [0.0, 0.2, 0.1]), "target of l_foot"),
    "no time to rest": (
        lambda: replace(
            reaching("l_hand", [0.6, 0.4, 1.3]), times=np.linspace(0, 0.05, 11)
        ),
        "dynamics|torque|target|velocity|rest",
    ),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_what_is_impossible_ends_with_a_name(name):
    make, what = IMPOSSIBLE[name]
    s = InteriorPoint(Transcription(make())).solve()
    assert not s.is_solved
    assert s.status
    for array in (s.q, s.w, s.rows, s.equality, s.frame, s.velocity):
        assert np.isfinite(array).all()
    assert np.isfinite(s.cost)
    times, names, amounts = zip(*s.violations(), strict=True)
    assert amounts[0] > 100 * KNOT
    assert list(amounts) == sorted(amounts, reverse=True)
    assert 0 <= times[0] <= s.transcription.problem.times[-1]
    assert re.match(what, names[0]), s.violations()[:3]


def test_giving_up_early_is_no_solution():
    seen = []
    transcription = Transcription(squat())
    options = InteriorPointOptions(max_iterations=3)
    s = InteriorPoint(transcription, options).solve(progress=seen.append)
    assert not s.is_solved
    assert s.status == "iteration limit"
    assert [entry["iteration"] for entry in seen] == [0, 1, 2]
    assert list(s.iterations["barrier"]) == [entry["barrier"] for entry in seen]
