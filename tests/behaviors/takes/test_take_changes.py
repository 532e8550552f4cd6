"""What changed from a take is found again: what was put into it is known."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.recording.before_and_after import before_and_after
from backbeat.behaviors.recording.take_changes import RecordedPart, take_changes
from backbeat.behaviors.takes.take import Take
from backbeat.models.common.errors import BackbeatError

# What is done to the take: the base lifted, an elbow moved for a while, and all of it
# turned and moved along the floor, which is no change [m, rad, s].
LIFT, BENT, BEND_FROM, BEND_TO = 0.02, 0.2, 2.0, 3.0
TURN, MOVED = 1.1, np.array([3.0, -2.0])
ELBOW = "l_arm_elx"


@pytest.fixture(scope="module")
def turn(built):
    return built("quarter-turn")


@pytest.fixture(scope="module")
def take(turn):
    """The behavior's own motion at 100 samples a second."""
    motion, robot = turn.motion, turn.robot_model
    t = np.arange(0.0, motion.t[-1], 0.01)
    q = np.stack([np.interp(t, motion.t, x) for x in motion.q.T], axis=1)
    return Take(t, tuple(robot.joint_names), q[:, 7:], q[:, :7])


@pytest.fixture(scope="module")
def part(take):
    """It begins a second later in the behavior than in the take's own time."""
    return RecordedPart(0.0, take.t[-1], 1.0, 1.0 + take.t[-1])


@pytest.fixture(scope="module")
def spoiled(take):
    """The take, changed by known amounts."""
    q, base = take.q.copy(), take.base.copy()
    bent = (take.t >= BEND_FROM) & (take.t <= BEND_TO)
    q[bent, take.joints.index(ELBOW)] += BENT
    c, s = np.cos(TURN), np.sin(TURN)
    base[:, 4:6] = base[:, 4:6] @ np.array([[c, -s], [s, c]]).T + MOVED
    base[:, 6] += LIFT
    c, s = np.cos(TURN / 2), np.sin(TURN / 2)
    w, x, y, z = take.base[:, :4].T
    base[:, :4] = np.stack(
        [c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w], axis=1
    )
    return replace(take, t=take.t + 1.0, q=q, base=base)


@pytest.fixture(scope="module")
def found(spoiled, turn, part):
    return take_changes(spoiled, turn.robot_model, turn.motion, part)


def test_the_lift_is_found_and_the_place_on_the_floor_is_no_change(found):
    table = found.table
    for column in ("root_mm", "left_foot_mm", "right_foot_mm", "right_hand_mm"):
        np.testing.assert_allclose(table[column], 1e3 * LIFT, atol=0.3)
    assert table["root_deg"].max() < 0.05


def test_the_joint_is_found_with_its_angle_and_time(found):
    table = found.table
    t, bend = table["t"].to_numpy(), table[f"{ELBOW}_deg"].to_numpy()
    inside = (t > BEND_FROM + 0.03) & (t < BEND_TO - 0.03)
    outside = (t < BEND_FROM - 0.03) | (t > BEND_TO + 0.03)
    np.testing.assert_allclose(bend[inside], -np.degrees(BENT), atol=0.05)
    np.testing.assert_allclose(bend[outside], 0.0, atol=0.05)
    largest = {change.what: change for change in found.largest}
    arm = largest["left arm"]
    assert arm.joint == ELBOW
    assert arm.unit == "degrees"
    assert arm.value == pytest.approx(np.degrees(BENT), abs=0.05)
    assert BEND_FROM - 0.03 <= arm.time <= BEND_TO + 0.03
    assert arm.take_time == pytest.approx(arm.time + 1.0)
    assert largest["right arm"].value < 0.05
    assert largest["root"].value == pytest.approx(1e3 * LIFT, abs=0.3)
    # The hand moves on a circle about the elbow, whose radius is a forearm.
    assert 60 < largest["left hand"].value < 200
    joints = table["joints_rms_deg"].to_numpy()
    count = sum(c.endswith("_deg") for c in table) - 2
    expected = np.degrees(BENT) / np.sqrt(count)
    np.testing.assert_allclose(joints[inside], expected, rtol=0.02)


def test_the_sentence_has_the_same_numbers(found):
    said = found.sentence("recording take")
    assert "the root is off by up to 20 mm (RMS 20)" in said
    assert f"joints by up to 11.5 degrees ({ELBOW};" in said
    assert said.endswith("and feet by up to 20 mm")


def test_a_mirrored_take_is_compared_with_its_mirror_image(take, turn):
    robot = turn.robot_model
    rows = np.stack([robot.mirrored(r) for r in np.hstack([take.base, take.q])])
    other = replace(take, q=rows[:, 7:], base=rows[:, :7])
    part = RecordedPart(0.0, take.t[-1], 0.0, take.t[-1], mirror=True)
    table = take_changes(other, robot, turn.motion, part).table
    assert table.drop(columns=["t", "t_take"]).abs().to_numpy().max() < 0.5
    plain = take_changes(other, robot, turn.motion, replace(part, mirror=False)).table
    assert plain["root_mm"].max() > 50


def test_some_joints_alone_have_no_distances(spoiled, turn, part):
    arms = ("l_arm", "r_arm")
    found = take_changes(spoiled, turn.robot_model, turn.motion, part, arms)
    assert "root_mm" not in found.table
    assert {c.what for c in found.largest} == {"left arm", "right arm"}
    bare = replace(spoiled, base=None)
    without = take_changes(bare, turn.robot_model, turn.motion, part)
    assert "compared with the take, joints are off by up to" in without.sentence("it")
    with pytest.raises(BackbeatError, match="no floating base, so that its feet"):
        before_and_after(bare, turn.robot_model, turn.motion, part, "take")
    assert "root_mm" not in without.table
    assert "left leg" in {c.what for c in without.largest}


def test_every_joint_that_is_beyond_its_range_is_named(take, turn):
    robot, q = turn.robot_model, take.q.copy()
    part = RecordedPart(0.0, take.t[-1], 0.0, take.t[-1])
    beyond = {"neck_ay": 0.06, "r_arm_elx": 0.05, "l_arm_elx": 0.04}
    for k, (name, by) in enumerate(beyond.items()):
        rows = slice(100 * (k + 1), 100 * (k + 1) + 20)
        q[rows, take.joints.index(name)] = (
            robot.position_upper[robot.joint_index(name)] + by
        )
    judged = before_and_after(replace(take, q=q), robot, turn.motion, part, "take")
    (row,) = [r for r in judged.rows() if r["check"] == "joint_position"]
    found = [(row["where"], row["before"], row["at"])]
    found += [(o["where"], o["value"], o["at"]) for o in row["others"]]
    assert [name for name, _, _ in found] == list(beyond)
    for k, (name, value, at) in enumerate(found):
        assert value == pytest.approx(beyond[name], abs=1e-6)
        assert k + 1 <= at < k + 1.2


def test_both_are_judged_alike(spoiled, turn, part):
    robot = turn.robot_model
    judged = before_and_after(spoiled, robot, turn.motion, part, "take")
    rows = {row["check"]: row for row in judged.rows()}
    floats = rows["floating"]
    assert floats["before"] == pytest.approx(1e3 * LIFT, abs=0.5)
    assert floats["exceeds"]
    assert floats["share"] > 0.5
    assert floats["after"] < floats["most"]
    assert judged.after.feasible
    assert judged.after.off_balance == 0.0
    certified = {c.name: c.value for c in turn.certificate.checks}
    torque = rows["joint_torque"]["after"]
    assert torque == pytest.approx(1e2 * certified["joint_torque"], rel=0.1)
