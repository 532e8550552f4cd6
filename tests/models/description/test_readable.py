"""Meshes: STL and COLLADA are made readable; what cannot be is left out and said."""

from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from pydrake.geometry import Box, Mesh, Sphere
from pydrake.math import RollPitchYaw
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.common.errors import BackbeatError
from backbeat.models.meshing.obj import converted, obj_text
from backbeat.models.meshing.stl import read_stl
from backbeat.models.meshing.surface import Surface
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.urdf.loading.inertia_box import inertia_box
from backbeat.models.urdf.loading.readable import readable
from backbeat.models.urdf.reading.description import Inertial, Pose
from backbeat.models.urdf.reading.parsing import read_description
from backbeat.models.world.scene import add_world
from tests.models.description.test_collada import FACES, dae

NOISY = """<robot name="noisy"><link name="a"/><link name="b"><inertial>
<mass value="1.3"/><origin xyz="0.2 0 0"/><inertia ixx="-2e-17" ixy="0" ixz="5e-20"
iyy="4e-18" iyz="0" izz="0"/></inertial></link><joint name="j" type="revolute">
<parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"
effort="9" velocity="9"/></joint></robot>"""


def test_an_inertia_of_rounding_alone_is_zero(tmp_path):
    """Drake alone takes the moments of a ball of water, and says so in a log."""
    (tmp_path / "noisy.urdf").write_text(NOISY)
    path = tmp_path / "noisy.yaml"
    path.write_text("name: noisy\nurdf: noisy.urdf\nbase: a\nfixed: true\n")
    robot = RobotModel(path)
    assert any("rounding alone is taken for zero of b" in n for n in robot.notes)
    M = Configuration(robot, np.zeros(1)).mass_matrix
    assert M[0, 0] == pytest.approx(1.3 * 0.2**2, rel=1e-12)


def binary(faces):
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("x", "<u2")])
    rows = np.zeros(len(faces), record)
    rows["corners"] = faces
    return b"solid".ljust(80) + len(faces).to_bytes(4, "little") + rows.tobytes()


def text(faces):
    lines = ["solid s"]
    for face in faces:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += [f"vertex {x:.6e} {y:.6e} {z:.6e}" for x, y, z in face]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid s"]).encode()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of our own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("write", [binary, text])
def test_triangles_are_read_from_both_kinds_of_stl(write):
    (surface,) = read_stl(write(FACES), "x")
    np.testing.assert_allclose(surface.corners, FACES, atol=1e-7)


def test_an_obj_has_every_corner_once():
    lines = obj_text([Surface(FACES[:1]), Surface(FACES[1:])]).splitlines()
    points = np.array([w.split()[1:] for w in lines if w[0] == "v"], float)
    faces = np.array([w.split()[1:] for w in lines if w[0] == "f"], int)
    assert len(points) == 4
    np.testing.assert_allclose(points[faces - 1], FACES, atol=1e-9)


@pytest.mark.parametrize("raw", [b"", b"solid nothing", b"x" * 200, binary(FACES[:0])])
def test_what_is_no_stl_is_a_sentence(raw):
    with pytest.raises(BackbeatError, match="part is no STL file"):
        read_stl(raw, "part")


def test_a_mesh_is_converted_once(tmp_path, cache):
    (tmp_path / "a.stl").write_bytes(binary(FACES))
    first = converted(tmp_path / "a.stl")
    assert first.is_relative_to(cache)
    stamp = first.stat().st_mtime_ns
    assert converted(tmp_path / "a.stl") == first
    assert first.stat().st_mtime_ns == stamp


def test_colors_of_a_mesh_lie_beside_it(tmp_path):
    (tmp_path / "a.dae").write_bytes(dae(FACES))
    kept = converted(tmp_path / "a.dae")
    colors = kept.with_suffix(".mtl")
    assert f"mtllib {colors.name}\n" in kept.read_text()
    assert colors.read_text() == "newmtl color_0\nKd 0.8 0.4 0.2\n"


URDF = """<robot name="r"><link name="a"><inertial><mass value="1"/>
  <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><mesh filename="package://meshy/a.stl"/></geometry></visual>
  <visual><geometry><mesh filename="lost.obj"/></geometry></visual>
  <visual><geometry><mesh filename="b.dae"/></geometry></visual>
  <visual><geometry><mesh filename="c.dae"/></geometry></visual>
  <collision><geometry><mesh filename="a.stl"/></geometry></collision>
  <collision><geometry><mesh filename="b.dae"/></geometry></collision></link></robot>"""


def test_a_robot_with_meshes_of_all_kinds_loads(tmp_path):
    folder = tmp_path / "meshy"
    folder.mkdir()
    (folder / "a.stl").write_bytes(binary(FACES))
    (folder / "b.dae").write_text("<COLLADA/>")
    (folder / "c.dae").write_bytes(dae(FACES))
    (folder / "r.urdf").write_text(URDF)
    (folder / "r.yaml").write_text("name: r\nurdf: r.urdf\nbase: a\n")
    robot = RobotModel(folder / "r.yaml")
    assert robot.notes == (
        "1 collision meshes are left out: missing, or .dae, which cannot be read",
        "1 visual meshes are left out: missing, or .dae, which cannot be read",
        "1 visual meshes are left out: missing, or .obj, which cannot be read",
        "boxes of their inertia are drawn for a",
    )
    builder = DiagramBuilder()
    world = add_world(builder, robot)
    body = world.plant.GetBodyByName("a")
    (shape,) = world.plant.GetCollisionGeometriesForBody(body)
    mesh = world.scene_graph.model_inspector().GetShape(shape)
    assert isinstance(mesh, Mesh)
    hull = mesh.GetConvexHull()
    assert hull.num_vertices() == 4
    seen = world.plant.GetVisualGeometriesForBody(body)
    drawn, box, colored = map(world.scene_graph.model_inspector().GetShape, seen)
    assert drawn.source().path() == mesh.source().path()
    # 1 kg with three moments of 0.1 kg m^2: edges of sqrt(0.6) m.
    assert isinstance(box, Box)
    assert box.size() == pytest.approx([0.6**0.5] * 3)
    assert colored.source().path().with_suffix(".mtl").is_file()


def test_a_box_has_the_inertia_of_its_link():
    M = SpatialInertia.SolidBoxWithMass(3.0, 0.2, 0.3, 0.5)
    I = M.CalcRotationalInertia().CopyToFullMatrix3()
    R = RollPitchYaw(0.3, -0.5, 1.1).ToRotationMatrix().matrix()
    turned = R @ I @ R.T
    inertia = tuple(turned[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]])
    size, X_LB = inertia_box(Inertial(0, Pose((1.0, 2.0, 3.0)), 3.0, inertia))
    assert sorted(size) == pytest.approx([0.2, 0.3, 0.5])
    again = SpatialInertia.SolidBoxWithMass(3.0, *size).CalcRotationalInertia()
    R_LB = X_LB.rotation().matrix()
    back = R_LB @ again.CopyToFullMatrix3() @ R_LB.T
    np.testing.assert_allclose(back, turned, atol=1e-12)
    assert X_LB.translation() == pytest.approx([1.0, 2.0, 3.0])


@pytest.mark.parametrize("inertia", [(0.0,) * 6, (1.0, 0, 0, 1.0, 0, 2.0), None])
def test_what_is_flat_or_a_point_has_no_box(inertia):
    assert inertia_box(Inertial(0, Pose(), 1.0, inertia)) is None
    assert inertia_box(None) is None


CHAIN = """<robot name="chain">{links}{joints}</robot>"""
LINK = """<link name="{name}"><inertial><origin xyz="0.1 0 0"/><mass value="2"/>
  <inertia ixx=".02" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial>
  {shape}</link>"""
LOST = '<collision><geometry><mesh filename="lost.stl"/></geometry></collision>'
BALL = '<collision><geometry><sphere radius="0.05"/></geometry></collision>'


def chain(tmp_path, *shapes):
    """A chain of links a, b, c, ... that turn by turns about z, with shapes."""
    names = [chr(ord("a") + i) for i in range(len(shapes))]
    links = [LINK.format(name=n, shape=s) for n, s in zip(names, shapes, strict=True)]
    joints = [
        f'''<joint name="{one}{two}" type="revolute"><parent link="{one}"/>
        <child link="{two}"/><origin xyz="0.1 0 0"/><axis xyz="0 0 1"/>
        <limit lower="-3" upper="3" effort="5" velocity="5"/></joint>'''
        for one, two in pairwise(names)
    ]
    text = CHAIN.format(links="".join(links), joints="".join(joints))
    (tmp_path / "chain.urdf").write_text(text)
    (tmp_path / "chain.yaml").write_text("name: chain\nurdf: chain.urdf\nbase: a\n")
    return RobotModel(tmp_path / "chain.yaml")


def touching(world, name):
    """Shapes of a link's collisions."""
    inspector = world.scene_graph.model_inspector()
    body = world.plant.GetBodyByName(name)
    return [
        inspector.GetShape(g) for g in world.plant.GetCollisionGeometriesForBody(body)
    ]


def test_a_box_touches_in_place_of_a_mesh_that_is_missing(tmp_path):
    robot = chain(tmp_path, LOST, LOST + BALL, BALL + BALL)
    assert "boxes of their inertia touch in place of a" in robot.notes
    builder = DiagramBuilder()
    world = add_world(builder, robot)
    (box,) = touching(world, "a")
    # 2 kg with three moments of 0.02 kg m^2: edges of sqrt(0.06) m.
    assert isinstance(box, Box)
    assert box.size() == pytest.approx([0.06**0.5] * 3)
    # Where something else touches, that has to do.
    assert [type(s) for s in touching(world, "b")] == [Sphere]
    # It bears the link: dropped from 1 cm above the floor, it comes to rest on it.
    diagram = builder.Build()
    simulator = Simulator(diagram)
    context = world.plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    q = np.zeros(robot.num_positions)
    q[0], q[6] = 1.0, 0.5 * 0.06**0.5 + 0.01
    world.set_state(context, q, np.zeros(robot.num_velocities))
    world.plant.get_actuation_input_port(world.instance).FixValue(context, np.zeros(2))
    simulator.AdvanceTo(0.6)
    height = world.plant.EvalBodyPoseInWorld(
        context, world.plant.GetBodyByName("a")
    ).translation()[2]
    assert height == pytest.approx(0.5 * 0.06**0.5, abs=2e-3)


def test_boxes_that_nobody_chose_pass_through_links_near_them(tmp_path):
    """Edges of 0.24 m at joints 0.1 m apart: each box overlaps the next ones."""
    robot = chain(tmp_path, *[LOST] * 6)
    builder = DiagramBuilder()
    world = add_world(builder, robot)
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    own = world.plant.GetMyMutableContextFromRoot(context)
    q = np.zeros(robot.num_positions)
    q[0], q[6] = 1.0, 1.0
    world.set_state(own, q, np.zeros(robot.num_velocities))
    assert pairs(world, context) == set()
    # Folded back on itself, the last link meets the first ones.
    q[7:] = [0.0, 0.0, 1.57, 1.57, 0.0]
    world.set_state(own, q, np.zeros(robot.num_velocities))
    assert ("a", "e") in pairs(world, context)


def pairs(world, context):
    """Names of links that overlap and may."""
    graph = world.scene_graph
    query = graph.get_query_output_port().Eval(graph.GetMyContextFromRoot(context))
    inspector, plant = query.inspector(), world.plant
    return {
        tuple(
            sorted(
                plant.GetBodyFromFrameId(inspector.GetFrameId(g)).name()
                for g in (p.id_A, p.id_B)
            )
        )
        for p in query.ComputePointPairPenetration()
    }


def test_what_is_not_seen_is_drawn_by_its_collisions_or_its_inertia(tmp_path):
    visual = '<visual><geometry><box size="1 1 1"/></geometry></visual>'
    robot = chain(tmp_path, visual, BALL, "")
    assert robot.notes[-1].startswith("nothing is drawn of b, c: collision shapes")
    world = add_world(DiagramBuilder(), robot)
    inspector = world.scene_graph.model_inspector()
    seen = {
        name: [
            inspector.GetShape(g)
            for g in world.plant.GetVisualGeometriesForBody(
                world.plant.GetBodyByName(name)
            )
        ]
        for name in "abc"
    }
    assert {n: [type(s) for s in shapes] for n, shapes in seen.items()} == {
        "a": [Box],
        "b": [Sphere],
        "c": [Box],
    }
    assert seen["c"][0].size() == pytest.approx([0.06**0.5] * 3)


def test_a_point_that_weighs_something_is_drawn_as_a_ball(tmp_path):
    """0.5 kg of water in a ball: 49 mm of radius."""
    text = """<robot name="p"><link name="a"><inertial><mass value="0.5"/>
      <inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
      </robot>"""
    (tmp_path / "p.urdf").write_text(text)
    found, _ = readable(read_description(tmp_path / "p.urdf"))
    (ball,) = ElementTree.fromstring(found).iter("sphere")
    volume = 4 / 3 * np.pi * float(ball.get("radius")) ** 3
    assert 1000 * volume == pytest.approx(0.5)


def test_a_robot_that_ships_is_looked_through_again_when_a_mesh_changes(
    tmp_path, monkeypatch
):
    module = "backbeat.models.urdf.loading.readable"
    monkeypatch.setattr(f"{module}._SHIPPED", tmp_path.resolve())
    (tmp_path / "s.urdf").write_text(
        '<robot name="s"><link name="a"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        '<visual><geometry><mesh filename="a.obj"/></geometry></visual>'
        '<visual><geometry><mesh filename="b.stl"/></geometry></visual>'
        "</link></robot>"
    )
    (tmp_path / "a.obj").write_text(obj_text([Surface(FACES)]))
    (tmp_path / "b.stl").write_bytes(binary(FACES))
    description = read_description(tmp_path / "s.urdf")
    whole = readable(description)
    assert "a.obj" in whole[0]
    assert not whole[1]
    assert readable(description) is whole
    (tmp_path / "a.obj").unlink()
    text, notes = readable(description)
    assert "a.obj" not in text
    assert any("1 visual meshes are left out" in note for note in notes)
    (tmp_path / "a.obj").write_text(obj_text([Surface(FACES)]))
    assert readable(description) == whole
    assert readable(description, kept=["a"])[0] != ""
