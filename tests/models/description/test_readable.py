"""Meshes: STL is made readable, and what cannot be is left out and said."""

import numpy as np
import pytest
from pydrake.geometry import Mesh
from pydrake.systems.framework import DiagramBuilder

from models.errors import BackbeatError
from models.meshing.stl import converted, obj_text, read_stl
from models.robot import RobotModel
from models.scene import add_world

# A pyramid of four triangles.
POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float) / 10
FACES = POINTS[[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]]


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
    np.testing.assert_allclose(read_stl(write(FACES), "x"), FACES, atol=1e-7)


def test_an_obj_has_every_corner_once():
    lines = obj_text(FACES).splitlines()
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


URDF = """<robot name="r"><link name="a"><inertial><mass value="1"/>
  <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><mesh filename="package://meshy/a.stl"/></geometry></visual>
  <visual><geometry><mesh filename="lost.obj"/></geometry></visual>
  <visual><geometry><mesh filename="b.dae"/></geometry></visual>
  <collision><geometry><mesh filename="a.stl"/></geometry></collision>
  <collision><geometry><mesh filename="b.dae"/></geometry></collision></link></robot>"""


def test_a_robot_with_meshes_of_all_kinds_loads(tmp_path):
    folder = tmp_path / "meshy"
    folder.mkdir()
    (folder / "a.stl").write_bytes(binary(FACES))
    (folder / "b.dae").write_text("<COLLADA/>")
    (folder / "r.urdf").write_text(URDF)
    (folder / "r.yaml").write_text("name: r\nurdf: r.urdf\nbase: a\n")
    robot = RobotModel(folder / "r.yaml")
    assert robot.notes == (
        "1 collision meshes are left out: missing, or .dae, which cannot be read",
        "1 visual meshes are left out: missing, or .dae, which cannot be read",
        "1 visual meshes are left out: missing, or .obj, which cannot be read",
    )
    builder = DiagramBuilder()
    world = add_world(builder, robot)
    body = world.plant.GetBodyByName("a")
    (shape,) = world.plant.GetCollisionGeometriesForBody(body)
    mesh = world.scene_graph.model_inspector().GetShape(shape)
    assert isinstance(mesh, Mesh)
    hull = mesh.GetConvexHull()
    assert hull.num_vertices() == 4
    (drawn,) = world.plant.GetVisualGeometriesForBody(body)
    shown = world.scene_graph.model_inspector().GetShape(drawn)
    assert shown.source().path() == mesh.source().path()
