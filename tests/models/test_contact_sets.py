"""Contact sets: what of a robot touches, and that it stands on each."""

import shutil

import numpy as np
import pytest
from pydrake.geometry import Box, Convex, Sphere
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.collision.contact_points import count_contacts
from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.description import SHIPPED
from backbeat.models.robot.model import RobotModel
from backbeat.models.world.scene import add_world, lock_joints


def atlas(tmp_path, name, equipment=()):
    """Atlas with a contact set."""
    path = tmp_path / f"{name}.yaml"
    path.write_text(f"name: {name}\nlike: atlas\ncontact_set: {name}\n")
    return RobotModel(path, equipment)


def touching(robot):
    """Shapes that touch, by link."""
    builder = DiagramBuilder()
    world = add_world(builder, robot)
    inspector, plant = world.scene_graph.model_inspector(), world.plant
    found = {}
    for index in plant.GetBodyIndices(world.instance):
        body = plant.get_body(index)
        shapes = plant.GetCollisionGeometriesForBody(body)
        if shapes:
            found[body.name()] = [inspector.GetShape(g) for g in shapes]
    return found


def test_the_minimal_set_is_the_corners_of_the_soles(tmp_path):
    found = touching(atlas(tmp_path, "minimal"))
    assert set(found) == {"l_foot", "r_foot"}
    for shapes in found.values():
        assert [type(s) for s in shapes] == [Sphere] * 4


def test_links_with_a_point_to_touch_with_keep_their_shapes(tmp_path):
    found = touching(atlas(tmp_path, "minimal", ["palms"]))
    assert {"l_foot", "r_foot"} < set(found)


def test_hulls_are_those_of_what_is_drawn(tmp_path):
    """Every corner of a hull is one of its mesh, of which none lies outside."""
    found = touching(atlas(tmp_path, "hull"))
    assert any(isinstance(s, Convex) for s in found["utorso"])
    assert all(not isinstance(s, Sphere) for s in found["utorso"])
    # Planners take hulls for the boxes around them.
    model = make_self_collision_model(atlas(tmp_path, "hull"))
    assert "utorso" in {s.name for s in model.solids}


def test_primitives_are_made_of_meshes(tmp_path):
    """In place of the mesh of a hand, a box as large as the mesh is."""
    mesh = SHIPPED["atlas"].parent / "meshes" / "l_hand.gltf"
    shutil.copy(mesh, tmp_path)
    text = """<robot name="h"><link name="hand"><inertial><mass value="1"/>
      <inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>
      <collision><origin xyz="1 2 3" rpy="0.3 0 0"/><geometry>
      <mesh filename="l_hand.gltf" scale="2 2 2"/></geometry></collision>
      </link></robot>"""
    (tmp_path / "h.urdf").write_text(text)
    for name in ("primitives", "hull"):
        yaml = f"name: h\nurdf: h.urdf\nbase: hand\ncontact_set: {name}\n"
        (tmp_path / f"{name}.yaml").write_text(yaml)
    (box,) = touching(RobotModel(tmp_path / "primitives.yaml"))["hand"]
    (hull,) = touching(RobotModel(tmp_path / "hull.yaml"))["hand"]
    assert isinstance(box, Box)
    surface = hull.GetConvexHull()
    points = np.array([surface.vertex(i) for i in range(surface.num_vertices())])
    # The box holds the hull, and no box along the link's axes is smaller.
    assert np.prod(box.size()) <= np.prod(np.ptp(points, axis=0)) * (1 + 1e-6)
    farthest = np.linalg.norm(points[:, None] - points[None], axis=2).max()
    assert np.linalg.norm(box.size()) >= farthest * (1 - 1e-6)


@pytest.mark.parametrize("name", ["minimal", "primitives", "hull"])
def test_it_stands_still_on_every_set(tmp_path, name):
    """Held by stiff joints, soles down, nothing else touches and nothing is thrown."""
    robot = atlas(tmp_path, name)
    robot = RobotModel(
        robot.description,
        locked=dict(
            zip(robot.joint_names, robot.posture("stand")[7:].tolist(), strict=True)
        ),
    )
    builder = DiagramBuilder()
    world = add_world(builder, robot)
    simulator = Simulator(builder.Build())
    context = world.plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    lock_joints(world.plant, context, robot.locked)
    q = np.zeros(7)
    q[0], q[6] = 1.0, RobotModel("atlas").posture("stand")[6]
    world.set_state(context, q, np.zeros(6))
    motors = world.plant.get_actuation_input_port(world.instance)
    motors.FixValue(context, np.zeros(motors.size()))
    simulator.AdvanceTo(0.4)
    x = world.plant.GetPositionsAndVelocities(context)[world.state_places]
    assert abs(x[6] - q[6]) < 3e-3
    assert np.abs(x[7:]).max() < 0.05


def test_the_count_is_of_what_touches(tmp_path):
    counts = {c.name: c for c in count_contacts(SHIPPED["atlas"])}
    assert counts[""].is_chosen
    assert (counts["minimal"].links, counts["minimal"].points) == (2, 8)
    assert counts["minimal"].shapes < counts[""].shapes < counts["primitives"].shapes
    assert counts["hull"].points > 1000


def test_an_unknown_set_is_a_sentence(tmp_path):
    with pytest.raises(BackbeatError, match=r"unknown contact set 'hul'.*hull"):
        atlas(tmp_path, "hul")
