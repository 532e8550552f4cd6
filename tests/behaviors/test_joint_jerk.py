"""Jerk of motions whose jerk is known."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.library.joint_jerk import (
    jerk_of_motion,
    jerk_of_samples,
    jerk_story,
    jerk_table,
    measured_jerk,
    planned_jerk,
)
from tests.backbeat.performances import drumming


def swinging(frequency=2.0, size=0.3, end=3.0, step=0.005):
    """A robot of which one joint of each arm swings like a sine."""
    behavior = drumming(duration=end)
    robot, M = behavior.robot_model, round(end / step) + 1
    t = np.arange(M) * step
    w = 2 * np.pi * frequency
    waves = size * w * np.cos(w * t), -size * w**2 * np.sin(w * t)
    motion = behavior.motion
    v = np.zeros((M, robot.num_velocities))
    vdot = np.zeros_like(v)
    joints = [robot.joint_index(f"{s}_arm_elx") for s in "lr"]
    for j in joints:
        v[:, robot.base_velocities + j], vdot[:, robot.base_velocities + j] = waves
    q = np.tile(motion.q[0], (M, 1))
    whole = replace(motion, t=t, q=q, v=v, vdot=vdot)
    return robot, whole, size * w**3


def test_a_sine_has_the_jerk_of_its_third_derivative():
    robot, motion, most = swinging()
    t, jerk, jumps = planned_jerk(robot, motion)
    j = robot.joint_index("l_arm_elx")
    exact = -most * np.cos(2 * np.pi * 2.0 * t)
    np.testing.assert_allclose(jerk[:, j], exact, atol=2e-3 * most)
    assert not jumps.any()
    table = jerk_of_motion(robot, motion).set_index("group")
    arm = table.loc["l_arm"]
    assert arm["joint"] == "l_arm_elx"
    assert arm["most"] == pytest.approx(most, rel=2e-3)
    count = len(robot.groups["l_arm"])
    assert arm["rms"] == pytest.approx(most / np.sqrt(2 * count), rel=1e-2)
    assert table.loc["back", "most"] == table.loc["neck", "rms"] == 0.0


def test_measured_jerk_is_the_same_where_nothing_is_noisy_or_short():
    robot, motion, most = swinging()
    v = motion.v[:, robot.base_velocities :]
    found = measured_jerk(motion.t, v)[20:-20, robot.joint_index("r_arm_elx")]
    exact = -most * np.cos(2 * np.pi * 2.0 * motion.t[20:-20])
    np.testing.assert_allclose(found, exact, atol=0.02 * most)
    arm = jerk_of_samples(robot, motion.t, v).set_index("group").loc["r_arm"]
    # At its ends a cubic has neighbors on one side alone.
    assert arm["most"] == pytest.approx(most, rel=0.05)


def test_a_blow_is_a_jump_in_the_plan_and_bounded_in_what_is_measured():
    robot, motion, _ = swinging(size=0.0)
    j = robot.base_velocities + robot.joint_index("r_arm_lwy")
    k = 300
    at = np.r_[np.arange(k + 1), np.arange(k, len(motion.t))]
    v = motion.v[at].copy()
    v[: k + 1, j] = -4.0
    hit = replace(motion, t=motion.t[at], q=motion.q[at], v=v, vdot=motion.vdot[at])
    row = jerk_of_motion(robot, hit).set_index("group").loc["r_arm"]
    assert (row["most"], row["jump"]) == (0.0, 4.0)
    samples = np.where(motion.t < motion.t[k], -4.0, 0.0)[:, None]
    jerk = measured_jerk(motion.t, samples)[:, 0]
    # A step of h over a window of width T is a jerk of some h / T^2.
    assert 4.0 / 0.04**2 < np.abs(jerk).max() < 60.0 / 0.04**2
    far = np.abs(motion.t - motion.t[k]) > 0.03
    np.testing.assert_allclose(jerk[far], 0.0, atol=1e-6)


def test_few_samples_have_no_jerk_and_no_samples_no_rows():
    robot, motion, _ = swinging()
    assert not measured_jerk(motion.t[:4], motion.v[:4]).any()
    for count in range(5, 13):
        assert measured_jerk(motion.t[:count], motion.v[:count]).shape[0] == count
    empty = jerk_table(robot, np.zeros(0), np.zeros((0, robot.num_joints)))
    assert jerk_story(empty) == {}
