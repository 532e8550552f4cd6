"""A hand after its target by task space, while the legs march or stand."""

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.hand_error import hand_errors
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.analysis.run_explanation import explain_run
from backbeat.mpc.disturbances.kinds.setting_event import SettingEvent
from backbeat.mpc.plans.hand_offset import HandOffset
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario, load_scenario
from backbeat.mpc.scenario.target_motion import TargetMotion
from backbeat.mpc.scenario.upper_body_task import UpperBodyTask
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.whole_body.programs.upper_body import UpperBody

CIRCLE = UpperBodyTask(
    "right hand", TargetMotion([0.1, 0.05, 0.15], radius=0.1, frequency=0.3)
)


@pytest.fixture(scope="module")
def marching(built) -> SimulationRun:
    """The first step of a march, and a little more."""
    scenario = Scenario.of(
        behavior="march", lead_in=0.2, duration=1.5, upper_body=CIRCLE
    )
    return run_scenario(scenario, built("march"))


def test_a_hand_follows_while_a_foot_is_in_the_air(marching):
    """By the places of the simulated hand itself, within a millimeter."""
    run, robot = marching, marching.behavior.robot_model
    assert not run.fell
    # It marches: a sole has left the ground, and carries weight again.
    force = run.contact[:, [robot.patches.index(n) for n in robot.soles], 5]
    assert (force[run.t > 0.3].min(0) < 1.0).any()
    frame, late = robot.parts["right hand"].frame, run.t > 0.9
    state = Configuration(robot, run.x[0, : robot.num_positions])
    hand = np.array(
        [
            state.update(x[: robot.num_positions]).pose(frame).translation()
            for x in run.x[late]
        ]
    )
    reference = Reference(run.behavior)
    start = Configuration(robot, reference.sample(0.0).q).pose(frame).translation()
    target = np.array(
        [TargetMotion([0.1, 0.05, 0.15], 0.1, 0.3).at(t, start)[0] for t in run.t[late]]
    )
    assert np.linalg.norm(hand - target, axis=1).max() < 2e-3
    figures = run_metrics(run)["upper_body"]
    assert figures["error_mm"]["max"] < 2.0
    assert np.ptp(target, axis=0).max() > 0.02


def test_the_arm_without_a_target_goes_on_as_the_behavior_has_it(marching):
    """The left arm swings with the march; legs are where they shall be."""
    run, robot = marching, marching.behavior.robot_model
    assert run_metrics(run)["com_error_mm"]["max"] < 5.0
    arm = 7 + robot.joint_indices(["l_arm"])
    reference, late = Reference(run.behavior), run.t > 0.5
    planned = np.array([reference.sample(max(t, 0.0)).q[arm] for t in run.t[late]])
    assert np.abs(run.x[late][:, arm] - planned).max() < 0.3


def test_a_tick_of_such_a_run_can_be_explained(marching):
    """Solved again, it asks the legs for the torques that they gave."""
    explained = explain_run(marching, 1.0)
    assert explained.tick.status == "solved"
    robot = marching.behavior.robot_model
    legs = robot.leg_joints
    given = marching.effort[int(np.searchsorted(marching.t, 1.0))]
    off = np.abs(explained.tick.torques - given)[legs] / robot.effort_limits[legs]
    # What the pelvis accelerated by before is not in the log.
    assert off.max() < 0.2
    assert np.abs(given[legs] / robot.effort_limits[legs]).max() > 0.1


def test_a_target_is_moved_by_settings():
    """An offset that settings ask for is added, with its velocity and acceleration."""
    start, nowhere = np.zeros(3), (0.0, 0.0, 0.0)
    moved = HandOffset("right hand", 1.0, nowhere, (0.0, 0.0, 0.1))
    h = 1e-3
    for t in (0.3, 1.2, 1.5):
        before, now, after = (CIRCLE.told(t + k * h, start, moved) for k in (-1, 0, 1))
        assert (after[0] - before[0]) / (2 * h) == pytest.approx(now[1], abs=1e-4)
        assert (after[1] - before[1]) / (2 * h) == pytest.approx(now[2], abs=1e-3)
    still = UpperBodyTask("right hand", TargetMotion([0.1, 0.0, 0.0]))
    assert still.told(-1.0, start)[0] == pytest.approx([0.0, 0.0, 0.0])
    assert still.told(5.0, start, moved)[0] == pytest.approx([0.1, 0.0, 0.1])


@pytest.mark.slow
def test_a_march_to_its_end_with_a_target_that_is_moved_on_the_way(built):
    """Both feet step, the target goes round and up; and the same bits again."""
    scenario = Scenario.of(
        behavior="march",
        upper_body=CIRCLE,
        events=[SettingEvent(3.0, right_hand=[0.05, 0.0, 0.1])],
    )
    behavior = built("march")
    run = run_scenario(scenario, behavior)
    figures = run_metrics(run)
    assert not run.fell
    assert figures["tick_failures"] == 0
    assert figures["upper_body"]["error_mm"]["rms"] < 1.0
    assert figures["upper_body"]["error_mm"]["max"] < 5.0
    assert figures["com_error_mm"]["rms"] < 5.0
    assert figures["foot_slip_mm"] < 5.0
    hand, _ = hand_errors(run, Reference(behavior))
    assert np.ptp(hand[run.t > 1.0], axis=0)[1:].min() > 0.15
    again = run_scenario(scenario.changed(duration=1.0, events=[]), behavior)
    n = len(again.t) - 1
    assert again.x[:n].tobytes() == run.x[:n].tobytes()


def test_mistakes_are_told(built, tmp_path):
    path = tmp_path / "scenario.yaml"
    path.write_text(
        "behavior: march\nupper_body: {hand: right hand, target: {radius: 0.1}}\n"
    )
    read = load_scenario(path)
    assert read.control.upper_body.target.radius == 0.1
    assert read.control.upper_body.control.limits == "program"
    path.write_text(
        "behavior: march\npreset: momentum\nupper_body: {hand: left hand}\n"
    )
    with pytest.raises(BackbeatError, match="leave one of the two out"):
        load_scenario(path)
    with pytest.raises(BackbeatError, match="unknown hand 'paw'"):
        UpperBody(Reference(built("march")), "paw")
    with pytest.raises(BackbeatError, match="needs both arms"):
        UpperBody(Reference(built("outstanding")), "left hand")
