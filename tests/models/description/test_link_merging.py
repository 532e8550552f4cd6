"""Fewer links for the simulator: the same dynamics, and every name is still there."""

import numpy as np
import pytest
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex

from backbeat.models.robot.description import find_description
from backbeat.models.robot.loading import add_robot
from backbeat.models.robot.model import RobotModel
from backbeat.models.urdf.loading.link_merging import merge_links
from backbeat.models.urdf.reading.document import read_document
from backbeat.models.urdf.reading.parsing import read_description

URDF = """<robot name="camera_on_a_stick">
  <link name="stick"><inertial><mass value="2"/>
    <origin xyz="0 0 0.5"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
  <link name="camera"><inertial><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lens"/>
  <link name="box"><collision>
    <geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="spoken_of"/>
  <link name="mobile"/>
  <joint name="camera" type="fixed"><origin xyz="0 0 1" rpy="0 0 1.5"/>
    <parent link="stick"/><child link="camera"/></joint>
  <joint name="lens" type="fixed"><origin xyz="0.1 0 0"/>
    <parent link="camera"/><child link="lens"/></joint>
  <joint name="box" type="fixed"><parent link="stick"/><child link="box"/></joint>
  <joint name="of" type="fixed"><parent link="stick"/><child link="spoken_of"/></joint>
  <joint name="turns" type="continuous"><parent link="stick"/><child link="mobile"/>
  </joint>
  <frame name="eye" link="spoken_of" xyz="0 0 0" rpy="0 0 0"/>
</robot>
"""


def plants(name, equipment):
    for merged_links in (False, True):
        plant = MultibodyPlant(time_step=0.0)
        add_robot(plant, find_description(name), equipment, merged_links)
        plant.Finalize()
        yield plant


@pytest.mark.parametrize(
    ("name", "equipment", "most"),
    [("atlas", ("sticks",), 34), ("atlas_v4", (), 30), ("ur10", (), 9)],
)
def test_dynamics_stay_and_names_stay(name, equipment, most):
    full, merged_links = plants(name, equipment)
    assert merged_links.num_bodies() <= most < full.num_bodies()
    assert full.GetPositionNames() == merged_links.GetPositionNames()
    contexts = [p.CreateDefaultContext() for p in (full, merged_links)]
    rng = np.random.default_rng(3)
    dq, v = (0.3 * rng.normal(size=full.num_velocities()) for _ in range(2))
    q = full.GetPositions(contexts[0]) + full.MapVelocityToQDot(contexts[0], dq)
    for plant, context in zip((full, merged_links), contexts, strict=True):
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
    M, M_slim = (
        p.CalcMassMatrix(c) for p, c in zip((full, merged_links), contexts, strict=True)
    )
    np.testing.assert_allclose(M_slim, M, atol=1e-12)
    b, b_slim = (
        p.CalcBiasTerm(c) for p, c in zip((full, merged_links), contexts, strict=True)
    )
    np.testing.assert_allclose(b_slim, b, atol=1e-12)
    robot = full.GetModelInstanceByName(RobotModel(name).urdf.name)
    for index in full.GetBodyIndices(robot):
        body = full.get_body(BodyIndex(index)).name()
        poses = [
            p.GetFrameByName(body).CalcPoseInWorld(c).GetAsMatrix34()
            for p, c in zip((full, merged_links), contexts, strict=True)
        ]
        np.testing.assert_allclose(*poses, atol=1e-12)


def test_only_what_nobody_sees_or_speaks_of_becomes_a_frame(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(URDF)
    root = read_document(path).root
    merge_links(root, read_description(path))
    links = {e.get("name") for e in root.findall("link")}
    assert links == {"stick", "box", "spoken_of", "mobile"}
    frames = {e.get("name"): e for e in root.findall("frame")}
    assert frames.keys() == {"eye", "camera", "lens"}
    assert frames["lens"].get("link") == "stick"
    place = np.array(frames["lens"].get("xyz").split(), float)
    np.testing.assert_allclose(place, [0.1 * np.cos(1.5), 0.1 * np.sin(1.5), 1.0])
    inertial = root.find("link").find("inertial")
    assert float(inertial.find("mass").get("value")) == 3.0
    # Two bodies 0.5 m apart add their reduced mass times the distance squared.
    about = float(inertial.find("inertia").get("ixx"))
    assert about == pytest.approx(1.0 + 0.1 + (2 / 3) * 0.25)
    center = np.array(inertial.find("origin").get("xyz").split(), float)
    np.testing.assert_allclose(center, [0, 0, 2 / 3], atol=1e-12)
