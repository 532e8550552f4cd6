"""Feet of all makes rest on their corners, and what touches counts as theirs."""

import numpy as np
import pytest
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.collision.patch_geometry import support_body
from backbeat.models.robot.model import RobotModel
from backbeat.models.world.scene import FEET, ContactSettings, Scene, add_world
from backbeat.mpc.world.contact_log import ContactLog

# A block whose sole is a frame of its own, without a shape, as many robots have it.
URDF = """<robot name="block"><link name="trunk"><inertial><mass value="20"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>{shape}</link>
  <link name="sole"/><joint name="s" type="fixed"><parent link="trunk"/>
  <child link="sole"/><origin xyz="0 0 -0.2"/></joint>
  <link name="head"><inertial><mass value="1"/>
  <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="neck" type="revolute"><parent link="trunk"/><child link="head"/>
  <limit lower="-1" upper="1" effort="5" velocity="3"/></joint></robot>"""
BOX = '<collision><geometry><box size="0.2 0.1 0.4"/></geometry></collision>'
YAML = """name: block
urdf: block.urdf
base: trunk
contacts:
  foot: {link: sole, half_length: 0.1, half_width: 0.05}
postures:
  rest: {height: 0.21}
"""


# The same with shapes on the very link that stands.
OWN_SOLE = YAML.replace("link: sole", "link: trunk, position: [0, 0, -0.2]")
ROUND = '<collision><origin xyz="0 0 {z}"/><geometry><{shape}/></geometry></collision>'
SHAPES = {
    "box": BOX,
    "boxes": BOX + BOX.replace("0.2 0.1 0.4", "0.1 0.1 0.4"),
    "cylinder": ROUND.format(z=0, shape='cylinder radius="0.1" length="0.4"'),
    "capsule": ROUND.format(z=0, shape='capsule radius="0.1" length="0.2"'),
    "sphere": ROUND.format(z=0, shape='sphere radius="0.2"'),
    "mesh": ROUND.format(z=0, shape='mesh filename="foot.obj"'),
}
OBJ = """v -0.1 -0.05 -0.2\nv 0.1 -0.05 -0.2\nv 0 0.05 -0.2\nv 0 0 0.2
f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"""


@pytest.mark.parametrize("feet", FEET)
@pytest.mark.parametrize("shape", ["", BOX])
def test_a_block_rests_on_its_sole_and_on_nothing_else(tmp_path, shape, feet):
    check_rest(tmp_path, URDF.format(shape=shape), YAML, feet, "sole")


@pytest.mark.parametrize("feet", FEET)
@pytest.mark.parametrize("kind", SHAPES)
def test_a_sole_with_a_shape_of_its_own_rests_on_its_corners(tmp_path, kind, feet):
    (tmp_path / "foot.obj").write_text(OBJ)
    check_rest(tmp_path, URDF.format(shape=SHAPES[kind]), OWN_SOLE, feet, "trunk")


def check_rest(tmp_path, urdf, description, feet, touching):
    (tmp_path / "block.urdf").write_text(urdf)
    (tmp_path / "block.yaml").write_text(description)
    robot = RobotModel(tmp_path / "block.yaml")
    builder = DiagramBuilder()
    world = add_world(builder, robot, contact=ContactSettings(feet=feet))
    plant = world.plant
    log = builder.AddSystem(ContactLog(world, Scene()))
    builder.Connect(
        plant.get_contact_results_output_port(), log.GetInputPort("contact_results")
    )
    simulator = Simulator(builder.Build())
    root = simulator.get_mutable_context()
    context = plant.GetMyMutableContextFromRoot(root)
    plant.SetPositions(context, world.instance, robot.posture("rest"))
    port = plant.get_actuation_input_port(world.instance)
    port.FixValue(context, np.zeros(port.size()))
    simulator.AdvanceTo(0.5)
    assert support_body(plant, robot, "foot").name() == touching
    own = log.GetMyContextFromRoot(root)
    wrenches = log.GetOutputPort("wrenches").Eval(own).reshape(-1, 6)
    assert wrenches[0, 5] == pytest.approx(robot.weight, rel=0.01)
    assert np.abs(wrenches[1]).max() == 0.0
    X = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName("trunk"))
    assert X.translation()[2] == pytest.approx(0.2, abs=2e-3)
    assert X.rotation().matrix()[2, 2] > 1 - 1e-6
