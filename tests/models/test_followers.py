"""Joints that follow a moving one: coupled in simulations, known to plans."""

import numpy as np
import pytest
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.world.scene import DISCRETE_MODELS, ContactSettings, add_world

LINK = """<link name="{0}"><inertial><mass value="{1}"/>
  <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
SLIDE = """<joint name="{0}" type="prismatic"><parent link="palm"/><child link="{1}"/>
  <axis xyz="{2}"/><limit lower="-1" upper="{3}" effort="40" velocity="3"/>{4}
  </joint>"""
WELD = """<joint name="{0}" type="fixed"><parent link="{1}"/><child link="{2}"/>
  </joint>"""
YAML = "name: gripper\nurdf: gripper.urdf\nbase: palm\nfixed: true\n"
MASSES = {"palm": 5.0, "left": 2.0, "right": 0.5, "tip": 0.25}


@pytest.fixture
def gripper(tmp_path):
    """`gripper()` has two fingers that slide level, the right one by the left."""

    def make(mimic='joint="l" multiplier="-2" offset="0.1"', more="", yaml="", upper=1):
        slides = SLIDE.format("l", "left", "1 0 0", 1, "") + SLIDE.format(
            "r", "right", "0 1 0", upper, f"<mimic {mimic}/>"
        )
        tip = WELD.format("t", "left", "tip")
        text = "".join(LINK.format(*m) for m in MASSES.items()) + slides
        path = tmp_path / "gripper.urdf"
        path.write_text(f'<robot name="gripper">{text}{more or tip}</robot>')
        (tmp_path / "gripper.yaml").write_text(YAML + yaml)
        return RobotModel(tmp_path / "gripper.yaml")

    return make


def simulated(robot, effort, seconds, contact_model="lagged"):
    """Positions and velocities of both fingers after a constant effort of the left."""
    builder = DiagramBuilder()
    world = add_world(builder, robot, contact=ContactSettings(contact_model))
    simulator = Simulator(builder.Build())
    plant = world.plant
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    world.set_state(context, np.array([0.05]), np.array([0.1]))
    names = world.actuator_joints()
    port = plant.get_actuation_input_port(world.instance)
    port.FixValue(context, [effort if n == "l" else 0.0 for n in names])
    start = plant.GetPositionsAndVelocities(context)
    simulator.AdvanceTo(seconds)
    return start, plant.GetPositionsAndVelocities(context)


@pytest.mark.parametrize("contact_model", DISCRETE_MODELS)
def test_a_follower_goes_along_and_its_leader_feels_its_mass(gripper, contact_model):
    robot = gripper()
    assert robot.joint_names == ("l",)
    start, end = simulated(robot, 3.0, 0.1, contact_model)
    assert start == pytest.approx([0.05, 0.0, 0.1, -0.2])
    q, v = end[:2], end[2:]
    # Drake's coupler yields, as a spring of the time of two steps.
    assert q[1] == pytest.approx(0.1 - 2 * q[0], abs=1e-4)
    assert v[1] == pytest.approx(-2 * v[0], abs=2e-3)
    moved = MASSES["left"] + MASSES["tip"] + 2**2 * MASSES["right"]
    assert v[0] - 0.1 == pytest.approx(0.1 * 3.0 / moved, rel=0.02)


def test_without_steps_a_follower_is_refused(gripper):
    with pytest.raises(BackbeatError, match=r"'r' .* follows another.*similar, lagged"):
        add_world(DiagramBuilder(), gripper(), contact=ContactSettings("continuous"))


def test_a_leader_stays_where_its_follower_can_follow(gripper):
    robot = gripper(upper=0.5)
    assert robot.position_lower == pytest.approx([-0.2])
    assert robot.position_upper == pytest.approx([0.55])
    assert robot.velocity_limits == pytest.approx([1.5])
    assert any("joint r: it follows l in simulations" in n for n in robot.notes)


def test_a_chain_of_followers_follows_the_one_that_moves(gripper):
    tip = SLIDE.format("t", "tip", "0 0 1", 1, '<mimic joint="r" multiplier="3"/>')
    (first, second) = gripper(more=tip).followers
    assert (first.leader, first.multiplier, first.offset) == ("l", -2.0, 0.1)
    assert (second.leader, second.multiplier) == ("l", -6.0)
    assert second.offset == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("mimic", "yaml", "says"),
    [
        ('joint="t"', "", "'r' follows 'r' in a circle"),
        ('joint="l"', "locked: {r: 0.2}\n", "mimics 'l', which moves; lock that one"),
        (
            'joint="l"',
            "contacts: {pad: {link: right}}\n",
            "contact 'pad' is moved by the joint 'r', which follows 'l'",
        ),
    ],
)
def test_what_cannot_follow_is_refused(gripper, mimic, yaml, says):
    ring = SLIDE.format("t", "tip", "0 0 1", 1, '<mimic joint="r"/>')
    with pytest.raises(BackbeatError, match=says):
        gripper(mimic, ring, yaml)


def test_a_multiplier_of_zero_holds_a_joint(gripper):
    robot = gripper('joint="l" multiplier="0" offset="0.3"')
    assert robot.locked == {"r": 0.3}
    assert not robot.followers
