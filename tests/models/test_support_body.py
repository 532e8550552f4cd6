"""Feet of all makes rest on their corners, and what touches counts as theirs."""

import numpy as np
import pytest
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from models.patch_geometry import support_body
from models.robot import RobotModel
from models.scene import FEET, Scene, add_world
from mpc.simulation.contact_log import ContactLog

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


@pytest.mark.parametrize("feet", FEET)
@pytest.mark.parametrize("shape", ["", BOX])
def test_a_block_rests_on_its_sole_and_on_nothing_else(tmp_path, shape, feet):
    (tmp_path / "block.urdf").write_text(URDF.format(shape=shape))
    (tmp_path / "block.yaml").write_text(YAML)
    robot = RobotModel(tmp_path / "block.yaml")
    builder = DiagramBuilder()
    world = add_world(builder, robot, feet=feet)
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
    assert support_body(plant, robot, "foot").name() == "sole"
    own = log.GetMyContextFromRoot(root)
    wrenches = log.GetOutputPort("wrenches").Eval(own).reshape(-1, 6)
    assert wrenches[0, 5] == pytest.approx(robot.weight, rel=0.01)
    assert np.abs(wrenches[1]).max() == 0.0
    X = plant.EvalBodyPoseInWorld(context, plant.GetBodyByName("trunk"))
    assert X.translation()[2] == pytest.approx(0.2, abs=2e-3)
    assert X.rotation().matrix()[2, 2] > 1 - 1e-6
