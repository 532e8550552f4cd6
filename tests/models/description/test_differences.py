"""Properties of comparisons of descriptions, and of where their links are."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.description import SHIPPED, load_description
from backbeat.models.urdf.overlay.model_diff import differences, renamed_joints
from backbeat.models.urdf.reading.description import Joint, Pose
from backbeat.models.urdf.reading.document import read_document
from backbeat.models.urdf.reading.forward_kinematics import joint_motion, link_poses
from backbeat.models.urdf.reading.parsing import read_description, read_leniently
from tests.tolerances import EXACT

ATLAS = SHIPPED["atlas"].parent
V4, V5, DRCSIM = (
    read_description(ATLAS / f"{name}.urdf")
    for name in ("atlas_v4", "atlas_v5", "atlas_v5_drcsim")
)
ZOO, _ = read_leniently(read_document(Path(__file__).parent / "zoo.urdf"))
ALIASES = load_description(SHIPPED["atlas_v5_drcsim"]).aliases
angles = st.floats(-3.0, 3.0)


@pytest.mark.parametrize("robot", [V4, V5, DRCSIM, ZOO], ids=lambda r: r.name)
def test_nothing_differs_from_itself(robot):
    assert differences(robot, robot) == []


@pytest.mark.parametrize(("a", "b"), [(V4, V5), (V5, ZOO)])
def test_differences_are_the_same_from_either_side(a, b):
    def told(found, turned):
        sides = ("second", "first") if turned else ("first", "second")
        # The robot itself goes by the name of the second.
        return {
            (d.kind, "" if d.kind == "robot" else d.name, d.quantity)
            + tuple(str(getattr(d, side)) for side in sides)
            for d in found
        }

    there, back = differences(a, b), differences(b, a)
    assert there
    assert told(there, False) == told(back, True)


def test_one_changed_number_is_one_difference():
    elbow = V5.joints["l_arm_elx"]
    changed = replace(elbow, limit=replace(elbow.limit, effort=7.0))
    other = replace(V5, joints=V5.joints | {"l_arm_elx": changed})
    (found,) = differences(V5, other)
    assert (found.kind, found.name, found.quantity) == ("joint", "l_arm_elx", "effort")
    assert (found.first, found.second) == (elbow.limit.effort, 7.0)
    assert found.as_data()["second"] == 7.0


def test_names_that_joints_used_to_have_lead_there_and_back():
    """Whichever way they are written, and whichever description comes first."""
    there = renamed_joints(V5, DRCSIM, ALIASES)
    back = renamed_joints(DRCSIM, V5, ALIASES)
    assert there
    assert set(there.values()) <= set(DRCSIM.joints) - set(V5.joints)
    assert back == {new: old for old, new in there.items()}
    absent = [d for d in differences(V5, DRCSIM, there) if d.quantity == "present"]
    assert not [d for d in absent if d.kind == "joint" and d.name in there]


def test_two_old_names_of_one_joint_are_one():
    first = replace(V5, joints={"old": V5.joints["l_arm_elx"]})
    second = replace(V5, joints={"older": V5.joints["l_arm_elx"]})
    aliases = {"old": "new", "older": "new"}
    assert renamed_joints(first, second, aliases) == {"old": "older"}


# --- where links are ------------------------------------------------------------------


@given(angles)
def test_a_follower_goes_where_its_leader_sends_it(q):
    follower = next(j for j in ZOO.joints.values() if j.mimic)
    mimic = follower.mimic
    own = mimic.multiplier * q + mimic.offset
    led = link_poses(ZOO, {mimic.joint: q})
    sent = link_poses(ZOO, {mimic.joint: q, follower.name: own})
    assert led.keys() == sent.keys()
    for name, pose in led.items():
        assert pose == pytest.approx(sent[name], abs=EXACT)


@given(st.tuples(angles, angles, angles), angles, angles)
def test_turning_twice_is_turning_by_the_sum(axis, a, b):
    if np.linalg.norm(axis) < 1e-2:
        return
    for kind in ("revolute", "prismatic"):
        joint = Joint(1, "j", kind, "a", "b", Pose(), axis)
        both = joint_motion(joint, a) @ joint_motion(joint, b)
        assert both == pytest.approx(joint_motion(joint, a + b), abs=1e-9)


def test_motions_that_no_number_says_are_refused():
    still = Joint(1, "j", "fixed", "a", "b")
    assert np.array_equal(joint_motion(still, 1.0), np.eye(4))
    table = replace(still, type="planar")
    assert np.array_equal(joint_motion(table, 0.0), np.eye(4))
    with pytest.raises(BackbeatError, match="planar; its position is no single number"):
        joint_motion(table, 0.5)
    with pytest.raises(BackbeatError, match="axis of joint 'j' is zero"):
        joint_motion(replace(still, type="revolute", axis=(0.0, 0.0, 0.0)), 0.5)
    with pytest.raises(BackbeatError, match="unknown joint 'elbow'"):
        link_poses(ZOO, {"elbow": 1.0})
