"""Joints that are saturated or too fast most of the time: a verdict of its own."""

import numpy as np
import pytest

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.cli.common.results import results_table
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.sweep.table import result_row
from backbeat.mpc.world.joint_strain import in_words, strained_joints

STEP = 0.005
T = STEP * np.arange(1000)
LIMITS, SPEEDS = np.array([10.0, 20.0]), np.array([5.0, 4.0])
URDF = """<robot name="tiny"><link name="base"/><link name="arm"><inertial>
  <origin xyz="0 0 -.1"/><mass value="0.5"/><inertia ixx="2e-3" ixy="0" ixz="0"
  iyy="2e-3" iyz="0" izz="5e-4"/></inertial></link>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/>
  <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="2" velocity="16"/>
  </joint><frame name="tip" link="arm" xyz="0 0 -0.2" rpy="0 0 0"/></robot>"""
YAML = """name: tiny
urdf: tiny.urdf
base: base
fixed: true
groups: {arm: [elbow]}
servo: {arm: {frequency: 3.0, least_inertia: 0.1}}
postures: {stand: {joints: {elbow: 0.0}}, up: {joints: {elbow: 0.5}}}
"""
BEHAVIOR = """kind: posture
name: tiny-up
summary: An arm that is lifted.
robot: tiny.yaml
stations: [{posture: up, move: 0.8, hold: 1.6}]
"""


def found(effort, speed):
    return strained_joints(T, effort, speed, LIMITS, SPEEDS, ("a", "b"))


def signals():
    return np.zeros((len(T), 2)), np.zeros((len(T), 2))


def test_a_servo_that_shakes_between_its_limits_is_found():
    effort, speed = signals()
    effort[300:, 1] = 20.0 * np.where(np.arange(700) % 2, 1, -1)
    speed[300:, 0] = -5.6
    saturated, fast = found(effort, speed)
    assert (saturated["joint"], saturated["why"]) == ("b", "saturated")
    assert (fast["joint"], fast["why"], fast["peak"]) == ("a", "too fast", 5.6)
    assert saturated["share"] == fast["share"] == 1.0
    assert saturated["from_s"] == fast["from_s"] == pytest.approx(1.5)
    assert "b was at its limit of 20" in in_words(saturated)
    assert "a was faster than 1.1 times its limit of 5" in in_words(fast)


@pytest.mark.parametrize(("seconds", "is_strained"), [(0.9, False), (1.1, True)])
def test_half_of_two_seconds_at_the_limit_is_most_of_the_time(seconds, is_strained):
    effort, speed = signals()
    effort[200 : 200 + round(seconds / STEP), 0] = 10.0
    assert bool(found(effort, speed)) is is_strained


def test_strokes_pushes_and_bounces_are_no_strain():
    effort, speed = signals()
    for start in range(0, 1000, 100):
        effort[start : start + 30] = LIMITS
        speed[start : start + 15] = 2 * SPEEDS
    speed[:, 1] = np.maximum(speed[:, 1], 1.09 * SPEEDS[1])
    assert not found(effort, speed)


@pytest.fixture(scope="module")
def tiny_up(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    (folder / "tiny.urdf").write_text(URDF)
    (folder / "tiny.yaml").write_text(YAML)
    (folder / "tiny-up.yaml").write_text(BEHAVIOR)
    return build(str(folder / "tiny-up.yaml"), Library(folder / "library"))


def test_an_arm_that_is_held_against_a_push_is_no_success(tiny_up):
    """40 N at 0.2 m are far more than 2 N m: it stands, and does not do what it is to.

    Nothing of a fixed arm can fall, and that verdict stays what it is.
    """
    push = Push(time=0.0, duration=2.0, impulse=[80.0, 0.0, 0.0], body="tip")
    runs = {
        is_pushed: run_scenario(
            Scenario.of(behavior="tiny-up", pushes=[push] * is_pushed), tiny_up
        )
        for is_pushed in (False, True)
    }
    metrics = {k: run_metrics(run) for k, run in runs.items()}
    assert metrics[False]["strained_joints"] == []
    assert metrics[True]["fell"] is False
    (strained,) = metrics[True]["strained_joints"]
    assert (strained["joint"], strained["why"]) == ("elbow", "saturated")
    assert strained["share"] > 0.8
    assert result_row(metrics[True])["strained"] == "elbow saturated"
    assert result_row(metrics[False])["strained"] == ""
    told = "\n".join(str(r) for r in results_table([metrics[True]]).renderables[1:])
    assert "no success: elbow was at its limit of 2" in told


def test_servos_that_would_shake_at_long_steps_are_softened(tiny_up):
    slow = Scenario.of(behavior="tiny-up", time_step=0.005, tick_period=0.01)
    found = run_metrics(run_scenario(slow, tiny_up))
    assert found["softened_servos"]["elbow"] < 0.9
    assert found["strained_joints"] == []
    usual = run_metrics(run_scenario(Scenario.of(behavior="tiny-up"), tiny_up))
    assert usual["softened_servos"] == {}
