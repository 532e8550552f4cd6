"""What Drake's reader leaves out of a URDF acts all the same, or is refused."""

import re

import numpy as np
import pytest
from pydrake.geometry import Role
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource, MatrixGain

from backbeat.models.actuation.motors import Motors
from backbeat.models.actuation.safety_law import SafetyLaws
from backbeat.models.actuation.servo_modes import torque_command
from backbeat.models.common.errors import BackbeatError
from backbeat.models.contact.cones import BODY
from backbeat.models.robot.model import RobotModel
from backbeat.models.urdf.loading.extensions import apply_extensions, describe
from backbeat.models.urdf.loading.surfaces import DEPTH, apply_surface_extensions
from backbeat.models.world.joint_servo import JointServo
from backbeat.models.world.scene import ContactSettings, add_world

LINK = """<link name="{0}"><inertial><mass value="2"/>
  <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><sphere radius="0.1"/></geometry></collision></link>"""
JOINT = """<joint name="{0}" type="{1}"><parent link="{2}"/><child link="{3}"/>
  <origin xyz="0 0 1"/><axis xyz="{axis}"/>
  <limit lower="-2" upper="2" effort="40" velocity="3"/>{inside}</joint>"""
DRIVE = """<transmission name="t_{0}"><type>SimpleTransmission</type><joint name="{0}"/>
  <actuator name="m_{0}"/></transmission>"""
YAML = "name: tiny\nurdf: tiny.urdf\nbase: a\ngroups: {{all: [{0}]}}\n"


def joint(name, kind="revolute", parent="a", child="b", axis="0 1 0", inside=""):
    return JOINT.format(name, kind, parent, child, axis=axis, inside=inside)


@pytest.fixture
def urdf(tmp_path):
    """`urdf(parts)` writes a robot of links a, b, c and returns its path."""

    def write(*parts, links="abc"):
        text = "".join([LINK.format(n) for n in links] + list(parts))
        path = tmp_path / "tiny.urdf"
        path.write_text(f'<robot name="tiny">{text}</robot>')
        return path

    return write


@pytest.fixture
def robot(urdf, tmp_path):
    """`robot(joints, parts)` is its robot model; links as many as it has joints."""

    def make(names, *parts, extra="", X_WB=None, **options):
        urdf(*parts, links="abc"[: len(names) + 1])
        (tmp_path / "tiny.yaml").write_text(YAML.format(", ".join(names)) + extra)
        return RobotModel(tmp_path / "tiny.yaml", X_WB=X_WB, **options)

    return make


def extended(path, step=1e-3, surfaces=False):
    """A plant with what a URDF describes; its simulator, notes and scene graph."""
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, step)
    (instance,) = Parser(plant).AddModels(str(path))
    description = describe(path)
    notes = apply_extensions(plant, instance, description)
    if surfaces:
        notes += apply_surface_extensions(plant, graph, instance, description, BODY)
    plant.Finalize()
    simulator = Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    return plant, graph, simulator, context, notes


def test_differential_transmissions_drive_their_joints(urdf):
    drive = """<transmission name="d"><type>DifferentialTransmission</type>
      <joint name="one"/><joint name="two"/><actuator name="x"/><actuator name="y"/>
      </transmission>"""
    path = urdf(joint("one"), joint("two", parent="b", child="c"), drive)
    plant, *_ = extended(path)
    limits = {
        plant.get_joint_actuator(i).joint().name(): plant.get_joint_actuator(
            i
        ).effort_limit()
        for i in plant.GetJointActuatorIndices()
    }
    assert limits == {"one": 40.0, "two": 40.0}


def test_drake_does_not_warn_of_what_acts(robot, caplog):
    inside = '<dynamics friction="1.5"/>' + SAFETY
    model = robot(["one"], joint("one", inside=inside), DRIVE.format("one"))
    add_world(DiagramBuilder(), model)
    assert caplog.text == ""


def test_what_drake_warns_of_is_a_note_and_nowhere_else(robot, caplog, capfd):
    inside = '<calibration rising="0.5"/>'
    model = robot(["one"], joint("one", inside=inside), DRIVE.format("one"))
    assert any(
        re.fullmatch(r"Drake, \S+\.urdf line \d+: The tag 'calibration' .*", note)
        for note in model.notes
    )
    # Nor when shapes are read, which is another plant.
    add_world(DiagramBuilder(), model)
    assert caplog.text == ""
    assert capfd.readouterr() == ("", "")


def test_without_a_transmission_every_joint_is_driven_and_that_is_said(robot):
    model = robot(["one"], joint("one"))
    assert model.effort_limits == [40.0]
    said = "no transmission is described: every joint with an effort is driven"
    assert said in model.notes
    described = robot(["one"], joint("one"), DRIVE.format("one"))
    assert not any("transmission" in note for note in described.notes)
    assert described.modes == {"one": "torque"}


@pytest.mark.parametrize("tag", ["<gravity>0</gravity>", "<turnGravityOff/>"])
def test_a_model_without_gravity_does_not_fall(urdf, tag):
    tag = tag.replace("<turnGravityOff/>", "<turnGravityOff>true</turnGravityOff>")
    off = "".join(f'<gazebo reference="{n}">{tag}</gazebo>' for n in "ab")
    for marks, fallen in ((off, 0.0), ("", 0.5 * 9.81 * 0.2**2)):
        path = urdf(joint("one"), marks, links="ab")
        plant, _, simulator, context, _ = extended(path)
        simulator.AdvanceTo(0.2)
        z = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName("a")).translation()
        assert -z[2] == pytest.approx(fallen, rel=0.01, abs=1e-9)


def test_gravity_for_some_links_is_refused_with_a_way_out(urdf):
    path = urdf(joint("one"), '<gazebo reference="b"><gravity>0</gravity></gazebo>')
    with pytest.raises(
        BackbeatError,
        match=r"gravity is off for the link 'b' and on .*b \(2 of 6 kg\) are too heavy"
        r".* Take <turnGravityOff> and <gravity> out .*, or write it for every link",
    ):
        extended(path)


def test_gravity_acts_on_a_light_gripper_too_and_that_is_said(robot):
    """As on fingers of a humanoid, whose motors Gazebo would else find too weak."""
    off = '<gazebo reference="b"><turnGravityOff>true</turnGravityOff></gazebo>'
    parts = joint("one"), LINK.replace('"2"', '"40"').format("d"), off
    weld = (
        """<joint name="w" type="fixed"><parent link="a"/><child link="d"/></joint>"""
    )
    model = robot(["one"], *parts, weld, DRIVE.format("one"))
    (note,) = [n for n in model.notes if "gravity" in n]
    assert note.startswith("gravity acts on b (2 of 44 kg) too, for which <gazebo>")
    plant = model.plant
    context = plant.CreateDefaultContext()
    # Drake's generalized gravity of a floating base holds the whole weight.
    force = np.abs(plant.CalcGravityGeneralizedForces(context)).max()
    assert force == pytest.approx(44 * 9.81, rel=1e-3)


def test_a_flag_that_is_none_is_a_sentence(urdf):
    path = urdf(joint("one"), '<gazebo reference="b"><gravity>yes</gravity></gazebo>')
    with pytest.raises(BackbeatError, match=r"line .*<gravity> is 'yes'; it must be"):
        extended(path)


def test_a_static_model_is_welded(robot):
    still = "<gazebo><static>true</static></gazebo>"
    assert robot(["one"], joint("one")).floating
    model = robot(["one"], joint("one"), still)
    assert not model.floating
    builder = DiagramBuilder()
    world = add_world(builder, model)
    simulator = Simulator(builder.Build())
    root = simulator.get_mutable_context()
    context = world.plant.GetMyMutableContextFromRoot(root)
    port = world.plant.get_actuation_input_port(world.instance)
    port.FixValue(context, [0.0])
    simulator.AdvanceTo(0.2)
    base = world.plant.GetBodyByName("a")
    X = world.plant.EvalBodyPoseInWorld(context, base)
    assert X.IsExactlyIdentity()


def test_a_floating_joint_keeps_its_place(urdf):
    """Drake's own reader puts the link at the world's origin."""
    plant, _, _, context, _ = extended(urdf(joint("free", "floating"), links="ab"))
    assert plant.num_velocities() == 12
    assert plant.GetJointByName("free").type_name() == "quaternion_floating"
    a, b = (plant.GetBodyByName(n) for n in "ab")
    X_AB = plant.CalcRelativeTransform(context, a.body_frame(), b.body_frame())
    np.testing.assert_allclose(X_AB.translation(), [0, 0, 1], atol=1e-12)


def test_a_floating_base_starts_where_its_joint_says(urdf):
    path = urdf(joint("free", "floating", "world", "a"), links="a")
    plant, _, _, context, _ = extended(path)
    X = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName("a"))
    np.testing.assert_allclose(X.translation(), [0, 0, 1], atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "drake"), [("planar", "planar"), ("floating", "quaternion_floating")]
)
def test_robots_of_simple_joints_only(robot, kind, drake):
    with pytest.raises(BackbeatError, match=f"'one' is {drake}; only revolute"):
        robot(["one"], joint("one", kind))


MIMIC = '<mimic joint="one" multiplier="-2" offset="0.1"/>'


def test_a_joint_that_no_motor_drives_is_refused_unless_held(robot):
    parts = joint("one"), joint("two", parent="b", child="c"), DRIVE.format("one")
    with pytest.raises(BackbeatError, match=r"no motor drives the joint 'two'; .*two"):
        robot(["one", "two"], *parts)
    held = robot(["one", "two"], *parts, extra="locked: {two: 0.3}\n")
    assert held.joint_names == ("one",)


def test_a_mimic_joint_is_held_with_the_one_it_follows(robot):
    parts = joint("one"), joint("two", parent="b", child="c", inside=MIMIC)
    by_yaml = robot(["one", "two"], *parts, extra="locked: {one: 0.3}\n")
    assert by_yaml.locked == pytest.approx({"one": 0.3, "two": -0.5})
    assert by_yaml.num_joints == 0
    with pytest.raises(BackbeatError, match=r"locked at 0.2 .* would be at -0.5"):
        robot(["one", "two"], *parts, locked={"one": 0.3, "two": 0.2})


def test_a_mimic_joint_of_a_simulated_model_follows(urdf):
    path = urdf(
        joint("one"),
        joint("two", parent="b", child="c", inside=MIMIC),
        '<joint name="w" type="fixed"><parent link="world"/><child link="a"/></joint>',
        DRIVE.format("one"),
    )
    plant, _, simulator, context, _ = extended(path)
    plant.get_actuation_input_port().FixValue(context, [5.0])
    plant.SetPositions(context, [0.0, 0.1])
    simulator.AdvanceTo(0.3)
    one, two = plant.GetPositions(context)
    assert abs(one) > 0.05
    assert two == pytest.approx(-2 * one + 0.1, abs=1e-4)


def test_friction_of_the_urdf_brakes(robot):
    """A sliding link loses friction over mass of its speed every second."""
    inside = '<dynamics friction="1.5"/>'
    slide = joint("one", "prismatic", axis="1 0 0", inside=inside)
    model = robot(["one"], slide, DRIVE.format("one"), X_WB=RigidTransform([0, 0, 1.0]))
    assert model.friction == [1.5]
    builder = DiagramBuilder()
    world = add_world(builder, model)
    simulator = Simulator(builder.Build())
    root = simulator.get_mutable_context()
    context = world.plant.GetMyMutableContextFromRoot(root)
    port = world.plant.get_actuation_input_port(world.instance)
    port.FixValue(context, [0.0, 0.0])
    world.plant.SetVelocities(context, [0.5])
    simulator.AdvanceTo(0.4)
    assert world.plant.GetVelocities(context)[0] == pytest.approx(
        0.5 - 0.4 * 0.75, 1e-3
    )
    with pytest.raises(BackbeatError, match="friction in its joints"):
        add_world(DiagramBuilder(), model, contact=ContactSettings("continuous"))


def test_surfaces_are_what_gazebo_says(urdf):
    tags = "<mu1>0.3</mu1><mu2>0.4</mu2><kp>50000</kp><kd>100</kd>"
    marks = f'<gazebo reference="a">{tags}</gazebo>'
    plant, graph, _, _, notes = extended(urdf(marks, links="a"), surfaces=True)
    (shape,) = plant.GetCollisionGeometriesForBody(plant.GetBodyByName("a"))
    properties = graph.model_inspector().GetProximityProperties(shape)
    friction = properties.GetProperty("material", "coulomb_friction")
    assert (friction.static_friction(), friction.dynamic_friction()) == (0.3, 0.3)
    found = {
        name: properties.GetProperty("material", name)
        for name in ("point_contact_stiffness", "relaxation_time",
                     "hunt_crossley_dissipation")
    }  # fmt: skip
    assert found == {
        "point_contact_stiffness": 5e4,
        "relaxation_time": pytest.approx(2e-3),
        "hunt_crossley_dissipation": pytest.approx(2e-3 / DEPTH),
    }
    assert notes == ("link a: of mu1 and mu2 the lower one acts both ways",)


@pytest.mark.parametrize(("said", "count"), [("", 1), ("false", 0), ("true", 1)])
def test_links_touch_their_own_model_or_not(urdf, said, count):
    """a and c are at one place, with b between them in the tree."""
    back = joint("two", parent="b", child="c").replace("0 0 1", "0 0 -1", 1)
    tag = f"<selfCollide>{said}</selfCollide>" if said else ""
    marks = f'<gazebo reference="c">{tag}</gazebo>'
    path = urdf(joint("one"), back, marks)
    _plant, graph, simulator, _, _ = extended(path, surfaces=True)
    inspector = graph.model_inspector()
    assert inspector.NumGeometriesWithRole(Role.kProximity) == 3
    query = graph.get_query_output_port().Eval(
        graph.GetMyContextFromRoot(simulator.get_context())
    )
    assert len(query.ComputePointPairPenetration()) == count


SAFETY = """<safety_controller soft_lower_limit="-1.8" soft_upper_limit="1.8"
  k_position="10" k_velocity="20"/>"""


@pytest.mark.parametrize("safe", [True, False])
def test_a_fast_approach_stops_before_the_hard_limit(robot, safe):
    """Full effort towards the stop, all the way; without the law it is run into."""
    hinge = joint("one", inside=SAFETY)
    model = robot(["one"], hinge, DRIVE.format("one"), X_WB=RigidTransform([0, 0, 3.0]))
    laws = SafetyLaws(model.safety_laws(), model.joint_names) if safe else None
    builder = DiagramBuilder()
    world = add_world(builder, model)
    servo = builder.AddSystem(
        JointServo(
            model, world.actuator_joints(), Motors(None, 0.005, 0.02), safety=laws
        )
    )
    source = builder.AddSystem(ConstantVectorSource(torque_command(np.array([40.0]))))
    truth = builder.AddSystem(MatrixGain(D=world.state_selection()))
    plant, connect = world.plant, builder.Connect
    connect(source.get_output_port(), servo.GetInputPort("command"))
    connect(plant.get_state_output_port(), truth.get_input_port())
    connect(truth.get_output_port(), servo.GetInputPort("state"))
    port = plant.get_actuation_input_port(world.instance)
    connect(servo.GetOutputPort("actuation"), port)
    simulator = Simulator(builder.Build())
    context = plant.GetMyContextFromRoot(simulator.get_mutable_context())
    angles, speeds = [], []
    for k in range(1, 1001):
        simulator.AdvanceTo(1e-3 * k)
        angles.append(plant.GetPositions(context)[0])
        speeds.append(plant.GetVelocities(context)[0])
    if safe:
        # Its speed limit is kept, but for what motors are late by.
        assert max(angles) < 2.0
        assert max(speeds) < 1.3 * 3.0
        assert abs(speeds[-1]) < 0.05
    else:
        assert max(angles) > 1.99
        assert max(speeds) > 6.0


def test_a_robot_without_a_safety_controller_has_no_law_to_switch_on(robot):
    model = robot(["one"], joint("one"))
    with pytest.raises(BackbeatError, match=r"no moving joint .* <safety_controller>"):
        SafetyLaws(model.safety_laws(), model.joint_names)
