"""The looks of robot and kit: shapes, files, budgets, and their place in the frames."""

import base64
import json
from math import pi
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pydrake.geometry import Mesh as DrakeMesh
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant

from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit import shell as kit
from backbeat.models.meshing import (
    Material,
    Mesh,
    Part,
    drum,
    gltf,
    loft,
    merge,
    revolve,
    rounded_box,
    superellipse,
    sweep,
    tube,
)
from backbeat.models.meshing.gltf_reader import read_gltf
from backbeat.models.robots.atlas.shell import arm, hand, head, leg, trunk

MODELS = Path(__file__).parents[2] / "models"
ROBOT = {k: v for m in (trunk, head, arm, hand, leg) for k, v in m.parts().items()}
KIT = kit.parts()

# A file's positions are rounded to 1e-5 m.
ROUNDED = 2e-5


def path(name: str) -> Path:
    """The file of a mesh."""
    folder = "robots/atlas" if name in ROBOT else "kit"
    return MODELS / folder / "meshes" / f"{name}.gltf"


def hull(name: str) -> np.ndarray:
    """Corners of a file's convex hull in the link frame, as Drake reads it, in m."""
    surface = DrakeMesh(str(path(name))).GetConvexHull()
    return np.array([surface.vertex(i) for i in range(surface.num_vertices())])


@pytest.mark.parametrize("name", [*ROBOT, *KIT])
def test_files_are_what_the_shells_write(name):
    """Every mesh in the repository is its shell's output, byte for byte."""
    shapes = ROBOT[name] if name in ROBOT else KIT[name]
    assert path(name).read_text(encoding="utf-8") == gltf(shapes)


def test_meshes_stay_small():
    """All robot meshes take at most 450 kB, kit, stick and throne at most 250 kB."""
    for folder, limit in (("robots/atlas", 450e3), ("kit", 250e3)):
        files = (MODELS / folder / "meshes").iterdir()
        assert sum(file.stat().st_size for file in files) <= limit


def test_the_description_shows_every_mesh_and_no_other():
    """Each robot mesh is shown by some link, and no link asks for a missing one."""
    root = ElementTree.parse(MODELS / "robots" / "atlas" / "atlas_v5.urdf").getroot()
    shown = {mesh.get("filename") for mesh in root.iter("mesh")}
    assert shown == {f"meshes/{name}.gltf" for name in ROBOT}
    for folder, names in (("robots/atlas", ROBOT), ("kit", KIT)):
        files = {file.stem for file in (MODELS / folder / "meshes").iterdir()}
        assert files == set(names)


@pytest.mark.parametrize("name", [*ROBOT, *KIT])
def test_files_are_sound_gltf(name):
    """Indices stay in range, bounds hold and normals have unit length."""
    document = json.loads(path(name).read_text(encoding="utf-8"))
    uri = document["buffers"][0]["uri"]
    data = base64.b64decode(uri.removeprefix("data:application/octet-stream;base64,"))
    assert len(data) == document["buffers"][0]["byteLength"]
    vertices, indices = document["bufferViews"]
    rows = np.frombuffer(data[: vertices["byteLength"]], "<f4").reshape(-1, 6)
    numbers = np.frombuffer(data[indices["byteOffset"] :], "<u2")
    assert_allclose(np.linalg.norm(rows[:, 3:], axis=1), 1.0, atol=2e-3)
    for primitive in document["meshes"][0]["primitives"]:
        position = document["accessors"][primitive["attributes"]["POSITION"]]
        order = document["accessors"][primitive["indices"]]
        first, start = position["byteOffset"] // 24, order["byteOffset"] // 2
        points = rows[first : first + position["count"], :3]
        assert_allclose(points.min(0), position["min"])
        assert_allclose(points.max(0), position["max"])
        assert numbers[start : start + order["count"]].max() < position["count"]


def test_drake_turns_what_we_write_back_to_z_up():
    """A shape written from (x, y, z) comes back from Drake at (x, y, z)."""
    for name in ("head", "l_foot", "floor_tom"):
        shapes = ROBOT[name] if name in ROBOT else KIT[name]
        points = np.vstack([part.mesh.points for part in shapes])
        corners = hull(name)
        assert_allclose(corners.min(0), points.min(0), atol=ROUNDED)
        assert_allclose(corners.max(0), points.max(0), atol=ROUNDED)


@pytest.mark.parametrize("name", [*ROBOT, *KIT])
def test_our_reader_reads_what_drake_reads(name):
    """Points have Drake's bounds, colors are those of the materials."""
    shapes = ROBOT[name] if name in ROBOT else KIT[name]
    surfaces = read_gltf(path(name).read_bytes(), name, None)
    points = np.concatenate([s.corners.reshape(-1, 3) for s in surfaces])
    corners = hull(name)
    assert_allclose(points.min(0), corners.min(0), atol=1e-6)
    assert_allclose(points.max(0), corners.max(0), atol=1e-6)
    wanted = dict.fromkeys(part.material.color for part in shapes)
    found = [_hex(s.color) for s in surfaces]
    for color, ours in zip(wanted, found, strict=True):
        # Files have four digits of linear light.
        assert_allclose(ours, [int(color[i : i + 2], 16) for i in (1, 3, 5)], atol=0.6)


def _hex(color):
    return [255 * c for c in color]


def test_nodes_carry_their_meshes_along_as_in_drake(tmp_path):
    """Scale, rotation and place of nodes within nodes; a buffer in a file."""
    points = np.vstack([np.zeros(3), np.eye(3)]).astype("<f4")
    order = np.array([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3], "<u2")
    (tmp_path / "points.bin").write_bytes(points.tobytes() + order.tobytes())
    tree = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"children": [1], "translation": [0.0, 0.1, 5.0]},
            {"mesh": 0, "rotation": [0.0, 0.0, 0.6, 0.8], "scale": [2.0, 1.0, 0.5]},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}
            | {"min": [0.0] * 3, "max": [1.0] * 3},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 24},
        ],
        "buffers": [{"byteLength": 72, "uri": "points.bin"}],
    }
    (tmp_path / "mesh.gltf").write_text(json.dumps(tree))
    (surface,) = read_gltf(json.dumps(tree), "mesh", tmp_path)
    surface_of_drake = DrakeMesh(str(tmp_path / "mesh.gltf")).GetConvexHull()
    wanted = np.array([surface_of_drake.vertex(i) for i in range(4)])
    ours = np.unique(np.round(surface.corners.reshape(-1, 3), 6), axis=0)
    assert_allclose(ours, wanted[np.lexsort(np.round(wanted, 6).T[::-1])], atol=1e-6)
    for broken in (
        {"extensionsRequired": ["KHR_draco"]},
        {"nodes": [{"children": [0]}]},
    ):
        with pytest.raises(BackbeatError, match="no glTF that is read"):
            read_gltf(json.dumps(tree | broken), "mesh", tmp_path)
    tree["buffers"][0]["uri"] = "../points.bin"
    with pytest.raises(BackbeatError, match="names the file"):
        read_gltf(json.dumps(tree), "mesh", tmp_path)


SOLIDS = {
    "cylinder": (drum(0.1, 0.5, "x", 64, 1e-5), pi * 0.1**2 * 0.5),
    "ball": (sweep([(0, 0, -1e-4), (0, 0, 1e-4)], [0.1, 0.1], 48), 4 / 3 * pi * 1e-3),
    "cone": (revolve([(0.0, 0.1), (0.3, 0.0)], "y", 64), pi * 0.1**2 * 0.1),
    "box": (rounded_box((0.1, 0.2, 0.3), 1e-5), 0.006),
    "tube": (tube([(0, 0, 0, 0.1, 0.2), (1, 0, 0, 0.1, 0.2)], "y", 2.0, 64), pi * 0.02),
    "loft": (loft([superellipse(0.1, 0.1, 50.0, 400)] * 2, [0.0, 1.0]), 0.04),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_solids_hold_their_volume_and_face_outward(name):
    """Volumes are positive and near the formula's; a mirror image keeps its own."""
    mesh, volume = SOLIDS[name]
    # A polygon of 48 to 64 corners lacks 0.3 %, domes of two facets rather more.
    assert_allclose(mesh.volume(), volume, rtol=0.2 if name == "ball" else 0.005)
    for image in (mesh.mirrored("x"), mesh.turned("y", 0.7), merge([mesh])):
        assert image.volume() == pytest.approx(mesh.volume())


def test_open_ends_are_open_and_closed_solids_are_closed():
    """In a closed shape each edge has one partner in the other direction."""

    def lonely(mesh: Mesh) -> int:
        edges = np.vstack([mesh.triangles[:, [i, (i + 1) % 3]] for i in range(3)])
        known = {tuple(edge) for edge in edges.tolist()}
        return sum((b, a) not in known for a, b in known)

    assert all(lonely(mesh) == 0 for mesh, _ in SOLIDS.values())
    profile = [(0.0, 0.1), (0.2, 0.1)]
    assert lonely(revolve(profile, count=24, closed=(False, True))) == 24
    assert lonely(revolve(profile, count=24, closed=(False, False))) == 48


def test_sharp_edges_stay_sharp_and_soft_ones_soft():
    """A cylinder's wall shares normals around, but not with its end faces."""
    part = Part(revolve([(0.0, 0.1), (0.2, 0.1)], count=24), Material("a", "#ffffff"))
    document = json.loads(gltf([part]))
    assert document["accessors"][0]["count"] == 2 * 24 + 2 * (24 + 1)


@pytest.mark.parametrize(("side", "sign"), [("l", 1.0), ("r", -1.0)])
def test_shoes_stand_on_the_sole_plane(side, sign):
    """A shoe fills the contact rectangle and ends just above the sole plane."""
    corners = hull(f"{side}_foot")
    low, high = corners.min(0), corners.max(0)
    assert 0.0 < low[2] + 0.07645 < 5e-4
    assert_allclose([low[0], high[0]], [-0.0877, 0.1728], atol=5e-3)
    rectangle = sorted([sign * 0.0661, sign * -0.0626])
    assert_allclose([low[1], high[1]], rectangle, atol=5e-3)


def test_hands_close_around_the_stick_and_leave_it_room():
    """Fingers come within 6 mm of a stick in the grip, and none runs through it."""
    for name, side in (("r_hand", 1.0), ("l_hand", -1.0)):
        points = np.vstack([p.mesh.points for p in ROBOT[name]]) * [side, 1.0, 1.0]
        offset = points - hand.GRIP
        along = offset @ hand.STICK
        distance = np.linalg.norm(offset - np.outer(along, hand.STICK), axis=1)
        near = distance[np.abs(along) < 0.06]
        assert 0.0072 < near.min() < 0.0072 + 6e-3
        assert points[:, 2].max() > 0.04  # the back of the hand is on its own side


def test_kit_members_hang_below_their_strike_points():
    """Heads and bells top out at z = 0; only a drum's rim stands 6 mm higher."""
    for name, (diameter, depth) in kit.DRUMS.items():
        corners = hull(name)
        assert_allclose(corners[:, 2].max(), 0.006, atol=ROUNDED)
        assert_allclose(corners[:, 2].min(), -depth - 0.006, atol=ROUNDED)
        assert abs(np.hypot(*corners[:, :2].T).max() - diameter / 2) < 0.015
    for name in (*kit.CYMBALS, "hi_hat"):
        diameter = kit.CYMBALS.get(name, kit.HI_HAT)
        corners = hull(name)
        assert_allclose(corners[:, 2].max(), 0.0, atol=ROUNDED)
        assert_allclose(np.hypot(*corners[:, :2].T).max(), diameter / 2, atol=1e-3)
    assert_allclose(hull("chair")[:, 2].max(), 0.50, atol=ROUNDED)
    assert abs(hull("chair")[:, 2].min()) < 2e-3


def test_the_stick_is_a_5a_with_its_tip_frame_in_front():
    """50 g, 0.136 m behind the grip, tip frame 0.270 m in front of it."""
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(MODELS / "kit" / "stick.urdf"))
    plant.Finalize()
    stick = plant.GetBodyByName("stick")
    assert stick.default_mass() == 0.05
    inertia = stick.default_spatial_inertia()
    assert_allclose(inertia.get_com(), [0.067, 0.0, 0.0])
    moments = inertia.Shift(inertia.get_com()).CalcRotationalInertia().get_moments()
    assert_allclose(moments, [1.3e-6, 6.9e-4, 6.9e-4], rtol=1e-9)
    tip = plant.GetFrameByName("stick_tip").GetFixedPoseInBodyFrame()
    assert_allclose(tip.translation(), [0.27, 0.0, 0.0])
    corners = hull("stick")
    assert_allclose([corners[:, 0].min(), corners[:, 0].max()], [-0.136, 0.277])
