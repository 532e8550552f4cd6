"""Joints that are soft in closed loop, and joints that take no efforts."""

import re

import numpy as np
import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.models.actuation.joint_command import BLOCKS, DAMPING, EFFORT, STIFFNESS
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.description import SHIPPED
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.compliant_period import CompliantPeriod
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.scenario.specification import Scenario, load_scenario
from backbeat.mpc.simulation.running_loop import RunningLoop
from backbeat.mpc.simulation.simulate import collect_run, run_scenario

# A pull of the left hand for a second: 12 N to the side and 8 N down.
PULL = Push(0.2, 1.0, [0.0, 12.0, -8.0], "l_hand")


def pulled(behavior, *periods, **more):
    scenario = Scenario.of(
        "stand",
        lead_in=0.1,
        duration=1.2,
        lead_out=0.0,
        pushes=[PULL],
        compliant=list(periods),
        **more,
    )
    return run_scenario(scenario.check(), behavior)


def test_a_soft_arm_gives_way_as_its_springs_say(built):
    """At rest, joints turn by K^-1 J' f; friction of 3 % of all effort stays unfelt."""
    behavior = built("stand")
    robot = behavior.robot_model
    arm = robot.groups["l_arm"]
    soft = CompliantPeriod(["l_arm"], start=0.1, stiffness=60.0)
    run = pulled(behavior, soft, joint_friction=0.03)
    assert not run.fell
    q = run.x[-1, : robot.num_positions]
    planned = behavior.motion.q[-1]
    away = (q - planned)[robot.base_positions :][arm]
    J = Configuration(robot, q).jacobian("l_hand")[3:, robot.base_velocities :]
    told = J[:, arm].T @ np.array(PULL.impulse) / 60.0
    assert np.abs(told).max() > 0.05
    np.testing.assert_allclose(away, told, atol=0.15 * np.abs(told).max())
    # Joints that are not soft hardly move.
    others = np.delete((q - planned)[robot.base_positions :], arm)
    assert np.abs(others).max() < 0.2 * np.abs(told).max()
    (figures,) = run_metrics(run)["compliant"]
    assert figures["joints"] == [robot.joint_names[j] for j in arm]
    assert max(figures["gave_way_rad"]) >= np.abs(away).max() * 0.99


def test_joints_are_soft_in_their_period_alone(built):
    behavior = built("stand")
    stiff = pulled(behavior)
    late = pulled(behavior, CompliantPeriod(["l_arm"], start=0.7, stiffness=60.0))
    before = stiff.t < 0.7
    # What measures friction is there from the beginning, and nothing asks for it.
    np.testing.assert_allclose(late.x[before], stiff.x[before], atol=1e-12)
    arm = behavior.robot_model.groups["l_arm"] + behavior.robot_model.base_positions
    moved = np.abs(late.x[-1, arm] - stiff.x[-1, arm]).max()
    assert moved > 0.05


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{stiffness: 5}", "need names or groups"),
        ("{joints: [l_arm], start: 2, end: 1}", "the end must come after"),
        ("{joints: [l_arm], stiffness: 0}", "stiffness is 0; it must be > 0"),
    ],
)
def test_what_makes_no_spring_is_a_sentence(tmp_path, text, said):
    path = tmp_path / "scenario.yaml"
    path.write_text(f"behavior: stand\ncompliant: [{text}]\n")
    with pytest.raises(BackbeatError, match=said):
        load_scenario(path)


def test_an_unknown_soft_joint_is_a_sentence(built):
    with pytest.raises(BackbeatError, match="l_elbow"):
        pulled(built("stand"), CompliantPeriod(["l_elbow"]))


def test_legs_that_stand_are_not_soft(built):
    with pytest.raises(BackbeatError, match="'l_leg_kny' carries the robot"):
        pulled(built("stand"), CompliantPeriod(["l_leg_kny"]))


WAVING = """kind: posture
name: waving
summary: It bends an elbow.
robot: mine.yaml
start: stand
stations:
  - {posture: stand, angles: {l_arm_elx: 1.2}, move: 0.6, hold: 0.4}
"""


def waving(folder, word):
    """Atlas with an interface at its left arm, and a behavior of it."""
    source = SHIPPED["atlas"].parent / "atlas_v5.urdf"
    text = re.sub(
        r'<joint name="(l_arm_\w+)"/>',
        rf'<joint name="\1"><hardwareInterface>{word}</hardwareInterface></joint>',
        source.read_text(),
    )
    text = text.replace('filename="meshes/', f'filename="{source.parent}/meshes/')
    (folder / "mine.urdf").write_text(text)
    (folder / "mine.yaml").write_text("name: mine\nlike: atlas\nurdf: mine.urdf\n")
    (folder / "waving.yaml").write_text(WAVING)
    return build(str(folder / "waving.yaml"), Library(folder / "library"))


@pytest.mark.parametrize(
    ("word", "takes", "most"),
    [
        ("PositionJointInterface", "positions", 0.5),
        ("VelocityJointInterface", "v", 3.0),
    ],
)
def test_the_hardware_interface_chooses_the_servo_of_a_run(tmp_path, word, takes, most):
    behavior = waving(tmp_path, word)
    robot = behavior.robot_model
    arm = robot.groups["l_arm"]
    assert any(f"take {takes}" in note for note in robot.notes)
    with RunningLoop(behavior, Scenario.of("waving").check()) as running:
        running.advance(1.0)
        servo = running.loop.body.servo
        command = servo.GetInputPort("command").Eval(
            servo.GetMyContextFromRoot(running.context)
        )
        while not running.is_over:
            running.advance(0.1)
        run = collect_run(running)
    blocks = command.reshape(BLOCKS, -1)
    # Nothing but positions, or velocities, reaches these joints.
    assert not blocks[EFFORT, arm].any()
    assert blocks[EFFORT, robot.groups["r_arm"]].any()
    if word.startswith("Velocity"):
        assert not blocks[STIFFNESS, arm].any()
        assert blocks[DAMPING, arm].all()
    else:
        assert (blocks[STIFFNESS, arm] > 0).all()
    error = run_metrics(run)["joint_error_deg"]
    assert not run.fell
    assert error["max"] < most
    assert error["max"] > 0.0
    if word.startswith("Position"):
        # Drives bear the weight from the first step on, before there is a command.
        weight = behavior.motion.tau[0, arm]
        np.testing.assert_allclose(run.effort[0, arm], weight, atol=1e-9)
        lead_in = run.t < 0
        off = run.x[:, : robot.num_positions] - behavior.motion.q[0]
        off = off[:, robot.base_positions :][np.ix_(lead_in, arm)]
        assert np.degrees(np.abs(off)).max() < 0.1


def test_drives_of_an_arm_do_not_shake_with_sensors_that_are_late(tmp_path):
    """Joints whose axes are nearly parallel bear less than each of them alone."""
    behavior = waving(tmp_path, "PositionJointInterface")
    run = run_scenario(Scenario.of("waving", state="estimated").check(), behavior)
    metrics = run_metrics(run)
    assert metrics["survived"]
    assert metrics["joint_error_deg"]["max"] < 1.0
    assert metrics["torque_peak_fraction"] < 0.3
