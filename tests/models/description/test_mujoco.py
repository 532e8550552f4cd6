"""MJCF made into URDF: Drake's own reader of MJCF is asked where everything is."""

import numpy as np
import pytest
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.loading.extensions import describe
from backbeat.models.urdf.mujoco.conversion import convert

TEXT = """
<mujoco model="small">
  <compiler angle="degree" autolimits="true"/>
  <default>
    <joint damping="0.5" armature="0.02"/>
    <default class="leg">
      <joint range="-90 100" frictionloss="0.3"/>
      <geom type="capsule" rgba="0.2 0.2 0.2 1"/>
      <default class="foot"><joint axis="0 1 0" range="-40 40"/></default>
    </default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 0.1"/>
    <body name="hips" pos="0 0 1" childclass="leg">
      <freejoint/>
      <inertial pos="0.01 0 0.05" quat="0.9 0.1 0.3 0" mass="7"
        diaginertia="0.1 0.08 0.05"/>
      <body name="thigh" pos="0 0.1 0" euler="0 20 0">
        <joint name="hip_x" axis="1 0 0"/>
        {split}<joint name="hip_y" axis="0 1 0" pos="0 0 0.02"/>
        <geom fromto="0 0 0 0 0 -0.4" size="0.05" mass="3"/>
        <body name="shin" pos="0 0 -0.4">
          <inertial pos="0 0 -0.2" mass="2"
            fullinertia="0.03 0.031 0.004 0.001 0.0005 -0.0002"/>
          <joint name="knee" axis="0 1 0" range="0 140" actuatorfrcrange="-90 90"/>
          <body name="foot" pos="0 0 -0.4">
            <joint name="ankle" class="foot"/>
            <geom type="box" size="0.1 0.05 0.01" pos="0.03 0 -0.05" mass="1"/>
            <geom type="sphere" size="0.02" contype="0" conaffinity="0" mass="0.1"/>
          </body>
        </body>{end}
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="hip_x" ctrlrange="-60 50"/>
    <motor joint="hip_y" ctrlrange="-1 1" gear="80"/>
    <position joint="ankle" ctrlrange="-1 1" forcerange="-40 40"/>
  </actuator>
</mujoco>
"""
# The second joint of the thigh on a body of its own, which Drake reads as MuJoCo does.
SPLIT = TEXT.replace("{end}", "</body>").replace(
    "{split}",
    '<inertial pos="0 0 0" mass="1e-9" diaginertia="1e-9 1e-9 1e-9"/>'
    '<body name="lower_thigh">',
)
TEXT = TEXT.replace("{split}", "").replace("{end}", "")


@pytest.fixture
def written(tmp_path):
    """`written(text)` is an MJCF, and the URDF that is made of it."""

    def write(text=TEXT):
        path, urdf = tmp_path / "small.xml", tmp_path / "small.urdf"
        path.write_text(text)
        urdf.write_text(convert(path).text)
        return path, urdf

    return write


def plant_of(path):
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(path))
    plant.Finalize()
    return plant


def joints_at(plant, context, angles):
    for name, angle in angles.items():
        plant.GetJointByName(name).set_angle(context, angle)


def foot_in_hips(plant, context):
    hips, foot = (plant.GetBodyByName(n).body_frame() for n in ("hips", "foot"))
    return plant.CalcRelativeTransform(context, hips, foot)


def test_joints_of_one_body_turn_one_after_the_other(written):
    """As joints do that are each on a body of its own."""
    whole, split = (plant_of(written(text)[1]) for text in (TEXT, SPLIT))
    angles = {"hip_x": 0.4, "hip_y": -0.7, "knee": 0.9, "ankle": 0.2}
    poses = []
    for plant in (whole, split):
        context = plant.CreateDefaultContext()
        joints_at(plant, context, angles)
        poses.append(foot_in_hips(plant, context))
    assert poses[0].IsNearlyEqualTo(poses[1], 1e-9)


def test_bodies_are_where_drake_reads_them(written):
    theirs, ours = map(plant_of, written(SPLIT))
    contexts = [p.CreateDefaultContext() for p in (theirs, ours)]
    random = np.random.default_rng(0)
    for _ in range(5):
        names = ("hip_x", "hip_y", "knee", "ankle")
        angles = {name: random.uniform(-1, 1) for name in names}
        shifts, centers = [], []
        for plant, context in zip((theirs, ours), contexts, strict=True):
            joints_at(plant, context, angles)
            shifts.append(foot_in_hips(plant, context))
            X_WB = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName("hips"))
            center = plant.CalcCenterOfMassPositionInWorld(context)
            centers.append(X_WB.inverse() @ center)
        assert shifts[1].IsNearlyEqualTo(shifts[0], 1e-9)
        assert centers[1] == pytest.approx(centers[0], abs=1e-6)
    masses = [p.CalcTotalMass(c) for p, c in zip((theirs, ours), contexts, strict=True)]
    assert masses[1] == pytest.approx(masses[0])


def test_inertia_is_that_which_drake_reads(written):
    """But of capsules, which are taken for cylinders as heavy."""
    theirs, ours = map(plant_of, written())
    for name in ("hips", "shin", "foot"):
        moments = [
            p.GetBodyByName(name)
            .default_spatial_inertia()
            .CalcRotationalInertia()
            .CalcPrincipalMomentsOfInertia()
            for p in (theirs, ours)
        ]
        assert np.sort(moments[1]) == pytest.approx(np.sort(moments[0]), rel=1e-6)


def test_limits_motors_friction_and_rotors(written):
    description = describe(written()[1])
    limits = {n: j.limit for n, j in description.joints.items() if j.limit}
    efforts = {name: limit.effort for name, limit in limits.items()}
    assert efforts == {"hip_x": 60.0, "hip_y": 80.0, "knee": 90.0, "ankle": 40.0}
    assert limits["hip_x"].lower == pytest.approx(-np.pi / 2)
    assert limits["ankle"].upper == pytest.approx(np.radians(40))
    assert limits["knee"].upper == pytest.approx(np.radians(140))
    knee = description.joints["knee"]
    assert (knee.dynamics.damping, knee.dynamics.friction) == ((0.5,), 0.3)
    rotors = [t.actuators[0].rotor_inertia for t in description.transmissions]
    assert rotors == [0.02] * 4
    foot = description.links["foot"]
    assert (len(foot.collisions), len(foot.visuals)) == (1, 2)


def test_a_position_actuator_brings_no_controller(written):
    """Drake's own reader of MJCF gives it gains; here servos drive all joints alike."""
    controlled = {}
    for path in written():
        plant = plant_of(path)
        motors = [plant.get_joint_actuator(i) for i in plant.GetJointActuatorIndices()]
        controlled[path.suffix] = [
            m.joint().name() for m in motors if m.has_controller()
        ]
    assert controlled == {".xml": ["ankle"], ".urdf": []}


EQUALITY = '<equality><connect name="rod" body1="shin" body2="hips" anchor="0 0 0"/>'


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("</mujoco>", EQUALITY + "</equality></mujoco>", "<connect> .*rod.* between"),
        ('name="knee"', 'type="ball" name="knee"', "is a ball joint, and robots have"),
        ("<freejoint/>", "", "no body has a free joint, so that the tree has no float"),
        ('class="foot"/>', 'class="toe"/>', "names the class .*toe.*, which no"),
        ('mass="7"', 'mass="many"', "needs 1 numbers, not"),
        ('<joint name="ankle"', '<freejoint/><joint name="ankle"', "floats, and is"),
        ("<worldbody>", '<include file="../other.xml"/><worldbody>', "neither beside"),
        ('name="knee"', 'ref="10" name="knee"', "has a ref other than zero"),
    ],
)
def test_what_no_urdf_has_is_refused_by_name(written, old, new, sentence):
    assert old in TEXT
    with pytest.raises(BackbeatError, match=sentence):
        written(TEXT.replace(old, new, 1))


def test_coupled_joints_follow_and_what_is_open_is_said(written, tmp_path):
    coupled = (
        '<equality><joint joint1="ankle" joint2="knee" polycoef="0.1 -0.5 0 0 0"/>'
        '<connect active="false" body1="shin" body2="hips" anchor="0 0 0"/></equality>'
        '<tendon><fixed name="cord"><joint joint="knee" coef="1"/></fixed></tendon>'
    )
    _, urdf = written(TEXT.replace("</mujoco>", coupled + "</mujoco>"))
    mimic = describe(urdf).joints["ankle"].mimic
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ("knee", -0.5, 0.1)
    notes = convert(tmp_path / "small.xml").notes
    assert notes == ["tendons do nothing here: cord"]


def test_frames_only_place_what_is_in_them(written):
    inside = '<body name="shin" pos="0 0 -0.4">'
    framed = f'<frame pos="0 0 -0.3" euler="0 0 0">{inside.replace("-0.4", "-0.1")}'
    head, _, tail = TEXT.partition(inside)
    parts = tail.split("</body>")
    # The shin ends with the second </body> after it.
    tail = "</body>".join(parts[:2]) + "</body></frame>" + "</body>".join(parts[2:])
    plain = plant_of(written()[1])
    moved = plant_of(written(head + framed + tail)[1])
    for plant in (plain, moved):
        assert plant.num_positions() == 11
    X = [foot_in_hips(p, p.CreateDefaultContext()) for p in (plain, moved)]
    assert X[1].IsNearlyEqualTo(X[0], 1e-9)
