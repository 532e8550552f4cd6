"""What a URDF says, as the typed description has it."""

import math
from pathlib import Path

import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.reading.parsing import read_description

ATLAS = Path(__file__).parents[3] / "models" / "robots" / "atlas" / "atlas_v5.urdf"

JOINT = """\
<robot name="example">
  <link name="upper"/>
  <link name="lower"/>
  <joint name="joint_1" type="revolute">
    <parent link="upper"/>
    <child link="lower"/>
    {inside}
  </joint>
  {outside}
</robot>
"""


@pytest.fixture
def read(tmp_path):
    """`read(inside, outside)` reads a description with these in and beside a joint."""

    def call(inside="", outside=""):
        path = tmp_path / "example.urdf"
        path.write_text(JOINT.format(inside=inside, outside=outside))
        return read_description(path)

    return call


def test_the_shipped_atlas_is_one_tree_of_thirty_driven_joints():
    atlas = read_description(ATLAS)
    moving = list(atlas.moving_joints())
    assert len(moving) == 30
    assert atlas.roots() == ("pelvis",)
    assert {e.name for t in atlas.transmissions for e in t.joints} == {
        j.name for j in moving
    }
    assert ATLAS.read_text().splitlines()[atlas.joints["neck_ay"].line - 1].strip() == (
        '<joint name="neck_ay" type="revolute">'
    )


def test_defaults_are_those_of_the_format(read):
    joint = read('<mimic joint="other"/><safety_controller k_velocity="1"/>').joints[
        "joint_1"
    ]
    assert joint.axis == (1, 0, 0)
    assert (joint.origin.xyz, joint.origin.rpy) == ((0, 0, 0), (0, 0, 0))
    assert joint.limit is None
    assert joint.dynamics is None
    assert (joint.mimic.multiplier, joint.mimic.offset) == (1, 0)
    safety = joint.safety
    assert (safety.soft_lower, safety.soft_upper, safety.k_position) == (0, 0, 0)


def test_every_part_of_a_joint_is_read(read):
    joint = read(
        '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="0 0 1"/>'
        '<limit effort="30" lower="-2.6" upper="inf" velocity="2.0"/>'
        '<dynamics damping="0.9" friction="0.42"/>'
        '<calibration rising="0.1" falling="-0.2"/>'
        '<mimic joint="other" multiplier="-2" offset="0.5"/>'
        '<safety_controller k_velocity="0.5" soft_upper_limit="2"/>'
    ).joints["joint_1"]
    assert joint.origin.xyz == (1, 2, 3)
    assert joint.origin.rpy == (0.1, 0.2, 0.3)
    limit = joint.limit
    assert (limit.lower, limit.upper, limit.effort) == (-2.6, math.inf, 30)
    assert (joint.dynamics.damping, joint.dynamics.friction) == ((0.9,), 0.42)
    assert (joint.calibration.rising, joint.calibration.falling) == (0.1, -0.2)
    assert (joint.mimic.joint, joint.mimic.multiplier) == ("other", -2)
    assert (joint.safety.k_velocity, joint.safety.soft_upper) == (0.5, 2)
    assert joint.safety.line == 7


@pytest.mark.parametrize(
    "kind", ["transmission_interface/SimpleTransmission", "SimpleTransmission"]
)
def test_a_transmission_tells_interface_and_reduction(read, kind):
    robot = read(
        outside=f"""\
<transmission name="t"><type>{kind}</type>
  <joint name="joint_1">
    <hardwareInterface>hardware_interface/VelocityJointInterface</hardwareInterface>
  </joint>
  <actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator>
</transmission>"""
    )
    (transmission,) = robot.transmissions_of("joint_1")
    assert transmission.type == "SimpleTransmission"
    assert transmission.joints[0].interfaces == ("VelocityJointInterface",)
    assert transmission.total_reduction() == 50


def test_gazebo_tags_are_kept_with_all_in_them(read):
    robot = read(
        outside="""\
<gazebo reference="lower"><mu1>0.2</mu1><mu1>0.3</mu1>
  <sensor type="ray" name="laser"><range><min>0.1</min></range></sensor></gazebo>
<gazebo><static>true</static></gazebo>"""
    )
    (lower,), (whole,) = robot.gazebo_of("lower"), robot.gazebo_of("")
    assert lower.text("mu1") == "0.3"
    assert lower.text("mu2") is None
    assert lower.tags[2].attributes == {"type": "ray", "name": "laser"}
    assert lower.tags[2].children[0].children[0].text == "0.1"
    assert whole.text("static") == "true"


@pytest.mark.parametrize(
    ("inside", "sentence"),
    [
        ('<limit effort="5 N"/>', "line 7: joint 'joint_1': effort='5 N'.*no number"),
        ('<limit lower="${pi}"/>', "run the file through `xacro` first"),
        ('<axis xyz="0,0,1"/>', "blanks, not commas"),
        ('<origin xyz="1 2"/>', "should be 3 numbers"),
        ('<origin xyz="1 2 nan"/>', "no number"),
        ('<mimic multiplier="2"/>', "<mimic> has no 'joint'"),
        ('<limit lower="1e999"/>', "no number"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(read, inside, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        read(inside)


@pytest.mark.parametrize(
    ("outside", "sentence"),
    [
        ("<link/>", "<link> has no name"),
        ('<link name="upper"/>', "there already, on line 2"),
        ('<joint name="j" type="fixed"><parent link="upper"/></joint>', "no <child>"),
        ('<transmission name="t"/>', "it has no <type>"),
        ('<frame name="f"/>', "<frame> has no 'link'"),
    ],
)
def test_what_is_missing_is_refused(read, outside, sentence):
    with pytest.raises(BackbeatError, match=sentence):
        read(outside=outside)
