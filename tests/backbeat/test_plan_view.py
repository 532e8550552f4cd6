"""What the stage derives: capture point, planned forces, words, pushes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbeat.models.state.configuration import Configuration
from backbeat.mpc.disturbances.kinds.push import SHOWN, Push
from backbeat.mpc.reference.trajectory import patch_names
from backbeat.stage.frames.balance import capture_point
from backbeat.stage.frames.marks import marks_at
from backbeat.stage.frames.plan_view import (
    planned_forces,
    rate_in_words,
    solver_in_words,
)
from tests.backbeat.performances import run_of, swaying
from tests.tolerances import EXACT

G = 9.81


@given(st.floats(-1.0, 1.0), st.floats(-2.0, 2.0), st.floats(0.3, 1.5), st.floats(0, 2))
def test_a_pendulum_on_its_capture_point_comes_to_rest_above_it(x, v, z, t):
    """The linear inverted pendulum, solved: its distance to the foot dies away."""
    foot = capture_point(np.array([x, 0.0, z]), np.array([v, 0.0, 0.0]), G)[0]
    omega = np.sqrt(G / z)
    place = foot + (x - foot) * np.cosh(omega * t) + v / omega * np.sinh(omega * t)
    assert place - foot == pytest.approx((x - foot) * np.exp(-omega * t), abs=1e-9)


def test_planned_forces_are_those_of_the_plan_where_the_feet_are():
    behavior = swaying(1.0)
    robot, plan = behavior.robot_model, run_of(behavior).plans[0]
    state = Configuration(robot, behavior.motion.q[0])
    wrench = np.zeros((len(plan.durations), 2, 6))
    wrench[:, 0] = [0.02, 0.0, 0.0, 0.1, 0.0, 0.6]
    plan, names = replace(plan, wrench=wrench), patch_names(behavior)
    forces = planned_forces(plan, plan.time, state, names)
    assert list(forces) == [names[0]]
    X = state.pose(names[0])
    force = forces[names[0]]
    wanted = X.rotation().matrix() @ (robot.weight * np.array([0.1, 0.0, 0.6]))
    np.testing.assert_allclose(force.force, wanted, rtol=EXACT)
    # The moment about the patch is that of the force at its center of pressure.
    arm = X.rotation().matrix().T @ (force.point - X.translation())
    assert robot.weight * 0.6 * arm[1] == pytest.approx(robot.weight * 0.02)


def test_words_tell_what_differs():
    assert rate_in_words(1.001) == "phase rate 1.00"
    assert rate_in_words(0.9) == "phase rate 0.90, behind"
    assert rate_in_words(1.1) == "phase rate 1.10, ahead"
    plan = run_of(swaying(0.5)).plans[0]
    assert solver_in_words(plan) == "plan solved · tick solved"
    stale = replace(plan, is_fresh=False, status="iteration cap, carried on")
    assert "iteration cap, carried on" in solver_in_words(stale)


def test_a_push_is_seen_from_its_beginning_for_a_while():
    behavior = swaying(0.5)
    state = Configuration(behavior.robot_model, behavior.motion.q[0])
    push = Push(1.0, 0.1, [0.0, 30.0, 0.0], "pelvis")
    assert not marks_at([push], 0.99, state).pushes
    assert not marks_at([push], 1.0 + SHOWN, state).pushes
    seen = marks_at([push, push], 1.1, state).pushes["pelvis"]
    assert seen.force[1] == 60.0
    np.testing.assert_allclose(seen.point, state.pose("pelvis").translation())
    back = Push(1.0, 0.1, [0.0, -30.0, 0.0], "pelvis")
    assert not marks_at([push, back], 1.1, state).pushes
