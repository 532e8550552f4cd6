"""A walk over heel and toe in closed loop, and the program with feet on their edges."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from backbeat.behaviors.building.build import build
from backbeat.behaviors.footsteps.specification import FootstepSpecification
from backbeat.behaviors.footsteps.step import Step
from backbeat.behaviors.library.store import Library
from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.frames import LINE
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.reference.trajectory import Reference, check_flat
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.whole_body.core import WholeBodyCore
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram
from tests.behaviors.drake_robot import DrakeRobot

# In the middle of the double support, the front foot on its heel, the rear on its toe.
BOTH = 1.45
SLIDE = 5.0  # [mm]


@pytest.fixture(scope="module")
def walk(tmp_path_factory):
    """Three steps over heel and toe."""
    folder = tmp_path_factory.mktemp("rolled")
    steps = [Step("both", time=0.6)]
    for foot, way in (("right", 0.2), ("left", 0.4), ("right", 0.2)):
        steps += [
            Step(foot, time=0.7, to=[way, 0.0]),
            Step("both", time=0.4 if way == 0.4 or len(steps) == 1 else 0.9),
        ]
    rolled = FootstepSpecification(name="rolled", steps=steps, roll=True)
    return build(rolled.save(folder), Library(folder / "library"))


@pytest.fixture(scope="module")
def reference(walk):
    return Reference(walk)


@pytest.fixture(scope="module")
def run(walk):
    scenario = Scenario.of(
        walk.name,
        state="estimated",
        actuator_lag=0.01,
        seed=3,
        world=model_mismatch(mass_spread=0.1),
    )
    return run_scenario(scenario, walk)


def test_edges_and_pitch_are_stored(walk, tmp_path):
    again = Library(tmp_path).save(walk) and Library(tmp_path).load(walk.name)
    assert np.array_equal(again.motion.edge, walk.motion.edge)
    assert set(np.unique(walk.motion.edge)) == {-1, 0, 1}


def test_it_walks_on_sensors_and_edges_stay(run):
    metrics = run_metrics(run)
    assert metrics["fell"] is False
    assert metrics["tick_failures"] == metrics["plan_failures"] == 0
    assert metrics["com_error_mm"]["rms"] < 6.0
    assert metrics["foot_slip_mm"] < SLIDE
    assert metrics["estimate_error"]["velocity"]["rms"] < 10.0
    assert metrics["estimate_error"]["tilt"]["rms"] < 4.0


def test_feet_pitch_as_planned(run, walk, reference):
    """Measured in Drake, at all samples at which a foot is on an edge."""
    drake, robot = DrakeRobot(walk.robot_model), walk.robot_model
    seen = 0
    for i in range(0, len(run.t), 5):
        sample = reference.sample(run.t[i])
        drake.set(run.x[i, : robot.num_positions], run.x[i, robot.num_positions :])
        for c, name in enumerate(reference.patches):
            if sample.edge[c] and abs(sample.pitch[c]) > 0.04:
                R = drake.pose(name).rotation().matrix()
                assert np.arcsin(-R[2, 0]) == pytest.approx(sample.pitch[c], abs=0.03)
                seen += 1
    assert seen > 5


def test_the_program_turns_feet_about_their_edges(walk, reference):
    """On the planned state: edges at rest, no moment about them, pitch as planned."""
    robot = walk.robot_model
    program = WholeBodyProgram(robot, reference.patches, reference.points)
    core = WholeBodyCore(program, reference)
    sample, h = reference.sample(BOTH), np.full(3, 0.5)
    assert (sample.edge != 0).all()
    edge = sample.edge.copy()
    plan = Plan(
        time=BOTH,
        phase=BOTH,
        rate=1.0,
        durations=h,
        phases=BOTH + np.r_[0.0, np.cumsum(h)],
        deviation=np.zeros((4, 12)),
        wrench=np.tile(sample.wrench, (3, 1, 1)),
        com=np.zeros((4, 3)),
        shift=np.zeros((4, len(reference.soles), 2)),
    )
    q, v = sample.q.copy(), sample.v.copy()
    core.aim(BOTH, plan)
    solution = program.solve(q, v, core.target)
    assert solution.is_solved
    state = Configuration(robot, q, v)
    for c, name in enumerate(reference.patches):
        frame = robot.contacts[name].frame
        ahead = frame.p_PF + edge[c] * frame.R_PF[:, 0]
        pivot = replace(frame, p_PF=ahead)
        motion = state.jacobian(pivot) @ solution.vdot + state.bias_acceleration(pivot)
        assert_allclose(motion[3:], 0.0, atol=0.05)
        w = solution.wrench[c]
        assert abs(w[1]) < 1.01 * LINE * w[5] + 1e-9
        assert w[5] > 0.1


def test_remote_controllers_refuse(reference):
    with pytest.raises(BackbeatError, match="rolled rolls over heel and toe: leave"):
        check_flat(reference, "a remote controller", "leave --remote out")
