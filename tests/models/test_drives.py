"""Rotors behind gears, and torques that shrink with speed, as a robot YAML has them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.actuation.joint_command import joint_command
from backbeat.models.actuation.servo_margin import felt_inertias
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.state.operators import DynamicsOperators
from backbeat.models.world.joint_servo import JointServo
from backbeat.models.world.scene import add_world
from tests.tolerances import EXACT, RECURSION

# By role, by group, and by name: an arm, its wrist, and a joint of that.
ROTORS = "{left arm: 0.2, l_wrist: 0.05, l_arm_mwx: 0.01, r_leg: 0.4}"
STALL, TOP = 100.0, 10.0
MOTORS = f"{{left arm: {{stall_torque: {STALL:g}, top_speed: {TOP:g}}}}}"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """`made(text)` is Atlas with more lines in its YAML."""

    def call(text):
        path = tmp_path_factory.mktemp("robot") / "electric.yaml"
        path.write_text(f"name: electric\nlike: atlas\n{text}\n")
        return RobotModel(path)

    return call


@pytest.fixture(scope="module")
def electric(made):
    """Atlas with electric motors."""
    return made(f"armature: {ROTORS}\nmotors: {MOTORS}")


def random_state(robot):
    rng = np.random.default_rng(3)
    q = robot.posture("stand")
    q[7:] += 0.2 * rng.normal(size=robot.num_joints)
    return q, rng.normal(size=robot.num_velocities), rng


def reflected(robot):
    """What the YAML's rotors add, by joint."""
    rotor = np.zeros(robot.num_joints)
    for name, value in (
        ("left arm", 0.2),
        ("l_wrist", 0.05),
        ("l_arm_mwx", 0.01),
        ("r_leg", 0.4),
    ):
        rotor[robot.joint_indices([name])] = value
    return rotor


def test_a_joint_goes_before_its_group_and_a_group_before_its_role(electric):
    assert_allclose(electric.tree.rotor, reflected(electric), rtol=EXACT)


def test_dynamics_with_rotors_are_those_of_drake(electric):
    """Of the plant in which the robot is simulated, and of the fused one."""
    q, v, rng = random_state(electric)
    M = Configuration(electric, q).mass_matrix
    bare = Configuration(RobotModel(), q).mass_matrix
    added = np.r_[np.zeros(6), reflected(electric)]
    assert_allclose(M, bare + np.diag(added), rtol=0, atol=EXACT * M.max())
    builder = DiagramBuilder()
    world = add_world(builder, electric)
    context = world.plant.CreateDefaultContext()
    world.set_state(context, q, v)
    nv = np.array(world.state_places[len(q) :]) - world.plant.num_positions()
    drake = world.plant.CalcMassMatrix(context)[np.ix_(nv, nv)]
    assert_allclose(M, drake, rtol=0, atol=RECURSION * M.max())
    operators, x = DynamicsOperators(electric), rng.normal(size=len(v))
    operators.update(q)
    assert_allclose(operators.mass(x), M @ x, rtol=0, atol=RECURSION * M.max())
    solved = np.linalg.solve(M, x)
    scale = RECURSION * np.abs(solved).max()
    assert_allclose(operators.inverse_mass(x), solved, rtol=0, atol=scale)


def test_a_servo_feels_a_rotor(electric):
    stand = electric.posture_joints("stand")
    felt, bare = (felt_inertias(r.plant, stand) for r in (electric, RobotModel()))
    assert felt["l_arm_mwx"] > 0.0099 + bare["l_arm_mwx"]
    assert felt["r_arm_mwx"] == pytest.approx(bare["r_arm_mwx"], rel=1e-3)


def test_momentum_of_the_whole_has_no_rotors(electric):
    """Rotors turn with their joints, and their axes' own turning is left out."""
    q, v, _ = random_state(electric)
    here, bare = (Configuration(r, q, v) for r in (electric, RobotModel()))
    assert_allclose(here.mass_matrix[:6] @ v, bare.mass_matrix[:6] @ v, rtol=EXACT)
    assert_allclose(here.bias, bare.bias, rtol=0, atol=0)


@pytest.mark.parametrize("share", [-1.5, -0.4, 0.0, 0.4, 0.95, 1.5])
def test_a_motor_gives_less_the_faster_it_turns(electric, share):
    """Along its motion; against it as much as at rest."""
    builder = DiagramBuilder()
    world = add_world(builder, electric)
    j = electric.joint_index("l_arm_shx")
    q, v = electric.posture("stand"), np.zeros(electric.num_velocities)
    v[6 + j] = share * TOP
    nothing = np.zeros(electric.num_joints)
    limit, told = electric.effort_limits[j], []
    assert limit < STALL
    for wanted in (1e4, -1e4):
        effort = nothing.copy()
        effort[j] = wanted
        servo = JointServo(electric, world.actuator_joints())
        context = servo.CreateDefaultContext()
        command = joint_command(effort, nothing, nothing, nothing, nothing)
        servo.GetInputPort("command").FixValue(context, command)
        servo.GetInputPort("state").FixValue(context, np.r_[q, v])
        told.append(servo.GetOutputPort("joint_effort").Eval(context)[j])
    line = [max(STALL * (1 - way * share), 0.0) for way in (1.0, -1.0)]
    expected = [min(limit, line[0]), -min(limit, line[1])]
    assert_allclose(told, expected, rtol=EXACT)
    least, most = electric.motors.at(v[6:])
    assert_allclose([most[j], least[j]], expected, rtol=EXACT)
    shares = electric.motors.shares(np.full(electric.num_joints, 20.0), v[6:])
    assert shares[j] == pytest.approx(20.0 / max(expected[0], 1e-9))


def test_without_lines_limits_are_those_of_the_urdf():
    robot = RobotModel()
    v = np.random.default_rng(0).normal(size=robot.num_joints)
    least, most = robot.motors.at(30 * v)
    assert_allclose(most, robot.effort_limits, rtol=0)
    assert_allclose(least, -robot.effort_limits, rtol=0)
    assert not len(robot.motors.rows().lower)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("armature: {l_arm_shx: -0.1}", "armature of l_arm_shx is -0.1"),
        ("armature: {l_arm_shx: .nan}", "armature.l_arm_shx is nan"),
        ("armature: {l_arm_sh: 0.1}", "l_arm_shx"),
        ("armature: {left elbow: 0.1, left arm: 0.2, left wrist: 0.3}", "two values"),
        ("motors: {l_arm: {stall_torque: 5}}", "needs a stall_torque and a top_speed"),
        (
            "motors: {l_arm: {stall_torque: 5, top_speed: 0}}",
            "needs a stall_torque and a top_speed",
        ),
        ("motors: {nobody: {stall_torque: 5, top_speed: 2}}", "nobody"),
    ],
)
def test_what_makes_no_sense_is_refused(made, text, said):
    with pytest.raises(BackbeatError, match=r"(?s).*") as error:
        made(text)
    assert said in str(error.value)


def test_a_joint_without_a_motor_has_no_rotor(tmp_path):
    (tmp_path / "loose.urdf").write_text(
        '<robot name="loose"><link name="base"/><link name="arm"><inertial>'
        '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        '</inertial></link><joint name="j" type="continuous"><parent link="base"/>'
        '<child link="arm"/><axis xyz="0 0 1"/></joint></robot>'
    )
    path = tmp_path / "loose.yaml"
    path.write_text(
        "name: loose\nurdf: loose.urdf\nbase: base\nfixed: true\narmature: {j: 0.1}\n"
    )
    with pytest.raises(BackbeatError, match="no motor drives"):
        RobotModel(path)


ARM = """<mujoco model="arm"><compiler angle="radian"/>
<default><joint armature="0.01"/></default>
<worldbody><body name="base"><geom type="box" size=".1 .1 .1" mass="2"/>
<body name="upper" pos="0 0 .2"><joint name="first" axis="0 1 0" range="-1 1"/>
<geom type="box" size=".05 .05 .1" mass="1"/><body name="lower" pos="0 0 .2">
<joint name="second" axis="0 1 0" range="-1 1" armature="0.03"/>
<geom type="box" size=".05 .05 .1" mass="1"/></body></body></body></worldbody>
<actuator><motor name="a" joint="first" ctrlrange="-9 9" gear="3"/>
<motor name="b" joint="second" ctrlrange="-9 9"/></actuator></mujoco>"""


@pytest.mark.parametrize(
    ("said", "rotors"), [("", [0.01, 0.03]), ("armature: {first: 0.2}", [0.2, 0.03])]
)
def test_the_armature_of_an_mjcf_file_is_a_rotor(tmp_path, said, rotors):
    """Whatever its motor's gear; and the YAML overrides it."""
    (tmp_path / "arm.xml").write_text(ARM)
    path = tmp_path / "arm.yaml"
    path.write_text(f"name: arm\nurdf: arm.xml\nbase: base\nfixed: true\n{said}\n")
    robot = RobotModel(path)
    assert robot.joint_names == ("first", "second")
    assert_allclose(robot.tree.rotor, rotors, rtol=EXACT)
