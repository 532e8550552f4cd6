"""Numbers and conventions that a user finds written about Atlas and about URDF."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

from backbeat.models.actuation.safety_law import read_safety_law
from backbeat.models.urdf.checks.inertia import inertia_matrix, principal_moments
from backbeat.models.urdf.linting.lint import lint
from backbeat.models.urdf.reading.description import Joint, Pose
from backbeat.models.urdf.reading.forward_kinematics import (
    joint_motion,
    link_poses,
    transform,
)
from backbeat.models.urdf.reading.parsing import read_description
from tests.tolerances import EXACT

ATLAS = Path(__file__).parents[3] / "models" / "robots" / "atlas"

TORSO = """\
<robot name="torso">
  <link name="utorso">
    <inertial>
      <mass value="52.007"/>
      <origin xyz="-0.0923 0 0.3" rpy="{rpy}"/>
      <inertia ixx="1.466" ixy="0.00362" ixz="0.336" iyy="1.51" iyz="0.001" izz="1.3"/>
    </inertial>
    <visual><geometry><box size="0.3 0.3 0.5"/></geometry></visual>
    <collision><geometry><box size="0.3 0.3 0.5"/></geometry></collision>
    <visual><origin xyz="-0.3 0 0.3"/>
      <geometry><box size="0.2 0.3 0.4"/></geometry></visual>
    <collision><origin xyz="-0.3 0 0.3"/>
      <geometry><box size="0.2 0.3 0.4"/></geometry></collision>
  </link>
</robot>
"""
EXAMPLE = """\
<robot name="example">
  <link name="parent_name"/>
  <link name="child_name">
    <inertial><mass value="1"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="joint_1" type="revolute">
    <parent link="parent_name"/>
    <child link="child_name"/>
    <axis xyz="0 0 1"/>
    <limit effort="30" lower="-2.6" upper="2.6" velocity="2.0"/>
    <safety_controller k_velocity="0.5"/>
    <dynamics damping="0.9" friction="0.42"/>
  </joint>
</robot>
"""


@pytest.fixture
def write(tmp_path):
    """`write(text)` writes a description."""

    def call(text):
        path = tmp_path / "robot.urdf"
        path.write_text(text)
        return path

    return call


def drake(path):
    """A plant of a description, and a context."""
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(path))
    plant.Finalize()
    return plant, plant.CreateDefaultContext()


# --- the upper torso -----------------------------------------------------------------


def test_the_upper_torso_is_read_as_printed(write):
    torso = read_description(write(TORSO.format(rpy="0 -0 0"))).links["utorso"]
    assert torso.inertial.mass == 52.007
    assert torso.inertial.origin.xyz == (-0.0923, 0, 0.3)
    H = inertia_matrix(torso.inertial)
    printed = np.array([[1.5, 0.003, 0.34], [0.003, 1.5, 0.001], [0.34, 0.001, 1.3]])
    # Two digits, but for 0.00362, which is printed as 0.003.
    assert np.abs(H - printed).max() <= 0.05
    assert np.abs(H - printed)[~np.eye(3, dtype=bool)].max() <= 0.005
    assert (len(torso.visuals), len(torso.collisions)) == (2, 2)


def test_the_upper_torso_is_not_given_along_its_principal_axes(write):
    torso = read_description(write(TORSO.format(rpy="0 0 0"))).links["utorso"]
    moments = principal_moments(torso.inertial)
    H = inertia_matrix(torso.inertial)
    assert sum(moments) == pytest.approx(np.trace(H))
    assert np.abs(np.sort(np.diag(H)) - moments).max() > 0.2
    a, b, c = moments
    assert a > 0
    assert a + b > c


@pytest.mark.parametrize("rpy", ["0 0 0", "0.3 0.4 0.5", "1.5707963267948966 0 0"])
def test_inertia_turns_with_its_axes_and_keeps_its_moments(write, rpy):
    """R I R' in the link's axes, by Drake; the principal moments do not see R."""
    path = write(TORSO.format(rpy=rpy))
    inertial = read_description(path).links["utorso"].inertial
    plant, context = drake(path)
    M = plant.GetBodyByName("utorso").CalcSpatialInertiaInBodyFrame(context)
    theirs = M.Shift(M.get_com()).CalcRotationalInertia().CopyToFullMatrix3()
    R = transform(inertial.origin)[:3, :3]
    assert theirs == pytest.approx(R @ inertia_matrix(inertial) @ R.T, abs=EXACT * 100)
    assert np.linalg.eigvalsh(theirs) == pytest.approx(principal_moments(inertial))


def test_the_third_atlas_has_this_torso_and_28_joints():
    atlas = read_description(ATLAS / "atlas_v3.urdf")
    torso = atlas.links["utorso"].inertial
    assert (torso.mass, torso.origin.xyz) == (52.007, (-0.0923, 0, 0.3))
    assert torso.inertia == (1.466, 0.00362, 0.336, 1.51, 0.001, 1.3)
    assert len(list(atlas.moving_joints())) == 28
    back = atlas.joints["back_bkx"]
    assert (back.limit.effort, back.limit.velocity, back.dynamics.damping) == (
        *(200, 12),
        (0.1,),
    )
    assert (back.origin.xyz, back.parent, back.child) == (
        (0, 0, 0.05),
        "mtorso",
        "utorso",
    )
    assert (back.safety.k_position, back.safety.k_velocity) == (100, 100)
    assert (back.safety.soft_lower, back.safety.soft_upper) == (-10.6981, 10.6981)
    shoulder = atlas.joints["l_arm_shy"]
    assert shoulder.origin.xyz == (0.06441, 0.13866, 0.10718)
    assert shoulder.limit.effort == 212


def test_soft_limits_of_the_simulators_atlas_never_act():
    """They are the hard ones, ten radians further out; lint says so of each joint."""
    path = ATLAS / "atlas_v3.urdf"
    for joint in read_description(path).moving_joints():
        assert joint.safety.soft_lower == pytest.approx(
            joint.limit.lower - 10, abs=1e-4
        )
        assert joint.safety.soft_upper == pytest.approx(
            joint.limit.upper + 10, abs=1e-4
        )
        law = read_safety_law(path, joint.name)
        low, high = law.velocity_bounds(np.array([law.lower, law.upper]))
        assert np.all(high == law.velocity)
        assert np.all(low == -law.velocity)
    rules = [f.rule for f in lint(path).findings]
    assert rules.count("soft-limits-outside") == 28


# --- the shoulder, and axes and origins in general -----------------------------------


@pytest.mark.parametrize(("side", "sign"), [("l", 1), ("r", -1)])
def test_the_first_axis_of_the_shoulder_is_tilted_by_30_degrees(side, sign):
    joint = read_description(ATLAS / "atlas_v3.urdf").joints[f"{side}_arm_shy"]
    assert joint.axis == (0, 0.5, sign * 0.866025)
    from_spine = math.degrees(math.acos(abs(joint.axis[2])))
    assert from_spine == pytest.approx(30, abs=1e-4)


def test_an_axis_stays_where_it_is_while_its_joint_turns():
    """In the child's frame and in the parent's; the child's origin lies on it."""
    atlas = read_description(ATLAS / "atlas_v3.urdf")
    joint = atlas.joints["l_arm_shy"]
    in_parent, origins = [], []
    for angle in (-1.5, -0.4, 0.0, 0.7):
        poses = link_poses(atlas, {joint.name: angle})
        X = np.linalg.inv(poses[joint.parent]) @ poses[joint.child]
        in_parent.append(X[:3, :3] @ joint.axis)
        origins.append(X[:3, 3])
    assert np.ptp(in_parent, axis=0) == pytest.approx(np.zeros(3), abs=EXACT)
    assert np.ptp(origins, axis=0) == pytest.approx(np.zeros(3), abs=EXACT)
    assert origins[0] == pytest.approx(joint.origin.xyz, abs=EXACT)


@pytest.mark.parametrize(
    "name", ["atlas_v3", "atlas_v4", "atlas_v5", "atlas_v5_drcsim"]
)
def test_at_zero_a_link_is_at_the_product_of_the_origins(name):
    atlas = read_description(ATLAS / f"{name}.urdf")
    poses = link_poses(atlas)
    for joint in atlas.joints.values():
        X = poses[joint.parent] @ transform(joint.origin)
        assert poses[joint.child] == pytest.approx(X, abs=EXACT)


angle = st.floats(-3, 3)
vector = st.tuples(angle, angle, angle)


@given(xyz=vector, rpy=vector, axis=vector, q=angle)
def test_a_joint_of_any_kind_is_where_drake_has_it(xyz, rpy, axis, q):
    """Fixed-axis rpy of the origin, then the motion in the joint's own frame."""
    if np.linalg.norm(axis) < 1e-2:
        axis = (0.0, 0.0, 1.0)
    text = ["<robot name='r'><link name='a'/>"]
    for kind, link in (("revolute", "b"), ("continuous", "c"), ("prismatic", "d")):
        text.append(
            f"<link name='{link}'/><joint name='{kind}' type='{kind}'>"
            f"<parent link='a'/><child link='{link}'/>"
            f"<origin xyz='{_text(xyz)}' rpy='{_text(rpy)}'/>"
            f"<axis xyz='{_text(axis)}'/>"
            "<limit lower='-9' upper='9' effort='1' velocity='1'/></joint>"
        )
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModelsFromString("".join(text) + "</robot>", "urdf")
    plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("a"))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    for kind, link in (("revolute", "b"), ("continuous", "c"), ("prismatic", "d")):
        joint = Joint(1, kind, kind, "a", link, Pose(xyz, rpy), axis)
        positions = plant.GetPositions(context)
        positions[plant.GetJointByName(kind).position_start()] = q
        plant.SetPositions(context, positions)
        X = plant.GetFrameByName(link).CalcPoseInWorld(context).GetAsMatrix4()
        ours = transform(joint.origin) @ joint_motion(joint, q)
        assert ours == pytest.approx(X, abs=1e-9)


def _text(numbers):
    return " ".join(f"{n:.17g}" for n in numbers)


def test_the_six_torques_of_the_leg_are_those_written():
    limits = {"hpx": 530, "hpy": 840, "hpz": 275, "kny": 890, "akx": 360, "aky": 740}
    for name in ("atlas_v4", "atlas_v5", "atlas_v5_drcsim"):
        joints = read_description(ATLAS / f"{name}.urdf").joints
        for joint, effort in limits.items():
            assert joints[f"r_leg_{joint}"].limit.effort == effort, name


# --- the example joint ---------------------------------------------------------------


def test_the_example_joint_is_read_in_full(write):
    joint = read_description(write(EXAMPLE)).joints["joint_1"]
    limit = joint.limit
    assert (limit.effort, limit.lower, limit.upper, limit.velocity) == (
        30,
        -2.6,
        2.6,
        2,
    )
    assert (joint.dynamics.damping, joint.dynamics.friction) == ((0.9,), 0.42)
    safety = joint.safety
    assert (safety.k_velocity, safety.k_position) == (0.5, 0)
    assert (safety.soft_lower, safety.soft_upper) == (0, 0)


def test_the_safety_law_of_the_example_joint_is_a_damper(write):
    """Without k_position both bounds of the velocity are zero: only -0.5 v passes."""
    law = read_safety_law(write(EXAMPLE), "joint_1")
    v = np.linspace(-80, 80, 33)
    low, high = law.effort_bounds(np.zeros(33), v)
    assert low == pytest.approx(np.clip(-0.5 * v, -30, 30))
    assert high == pytest.approx(low)
    rules = {f.rule for f in lint(write(EXAMPLE)).findings}
    assert "safety-without-position" in rules


def test_the_example_joint_is_damped_as_written(write):
    """Drake takes the damping and drops the friction, of which lint tells."""
    plant, _ = drake(write(EXAMPLE))
    assert plant.GetJointByName("joint_1").default_damping() == 0.9
    rules = {f.rule for f in lint(write(EXAMPLE)).findings}
    assert {"friction-beyond-drake", "all-driven"} <= rules


def test_the_example_shapes_are_a_unit_cube_in_cyan_and_a_cylinder(write):
    text = """\
<robot name="shapes"><link name="elo1">
  <visual><origin xyz="0 0 0" rpy="0 0 0"/><geometry><box size="1 1 1"/></geometry>
    <material name="Cyan"><color rgba="0 1.0 1.0 1.0"/></material></visual>
  <collision><origin xyz="0 0 0" rpy="0 0 0"/>
    <geometry><cylinder radius="1" length="0.5"/></geometry></collision>
</link></robot>
"""
    path = write(text)
    link = read_description(path).links["elo1"]
    assert link.visuals[0].geometry.size == (1, 1, 1)
    assert link.visuals[0].material.rgba == (0, 1, 1, 1)
    assert link.collisions[0].geometry.size == (1, 0.5)
    assert lint(path).findings == []
