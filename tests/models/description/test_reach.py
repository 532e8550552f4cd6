"""What a description refers to lies beside or below it, or in its package."""

import base64
import json

import numpy as np
import pytest

from backbeat.models.common.errors import BackbeatError
from backbeat.models.meshing.references import problem
from backbeat.models.urdf.linting.lint import lint
from backbeat.models.urdf.loading.readable import readable
from backbeat.models.urdf.reading.meshes import resolve
from backbeat.models.urdf.reading.other_formats import refuse_foreign_files
from backbeat.models.urdf.reading.parsing import read_description

SECRET = b"a key that nobody else may see" * 20
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n"


def gltf(buffer=None, image=None):
    """A triangle whose corners, or whose picture, are elsewhere."""
    corners = np.eye(3, dtype="<f4").tobytes()
    inside = (
        "data:application/octet-stream;base64," + base64.b64encode(corners).decode()
    )
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": 5126,
                "count": 3,
                "type": "VEC3",
                "min": [0, 0, 0],
                "max": [1, 1, 1],
            }
        ],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": buffer or inside}],
    }
    if image is not None:
        document["images"] = [{"uri": image}]
        document["textures"] = [{"source": 0}]
        document["materials"] = [
            {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}
        ]
    return json.dumps(document)


def glb(image):
    text = gltf(image=image).encode()
    size = 20 + len(text)
    head = b"glTF" + (2).to_bytes(4, "little") + size.to_bytes(4, "little")
    return head + len(text).to_bytes(4, "little") + b"JSON" + text


@pytest.fixture
def place(tmp_path):
    """A robot's folder, in one that holds a secret."""
    (tmp_path / "secret.png").write_bytes(SECRET)
    folder = tmp_path / "robot"
    (folder / "meshes").mkdir(parents=True)
    (folder / "ours.png").write_bytes(b"no secret")
    return folder


def robot(folder, name, use="visual"):
    path = folder / "a.urdf"
    path.write_text(
        f'<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" '
        f'iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><{use}><geometry>'
        f'<mesh filename="{name}"/></geometry></{use}></link></robot>'
    )
    return path


ELSEWHERE = ("../secret.png", "/etc/passwd", "file:///etc/passwd", "link.png")
ELSEWHERE += (
    "https://example.org/a.png",
    "meshes/../../secret.png",
    "%2e%2e/secret.png",
)


# Names in OBJ files are no URIs.
URIS = [name for name in ELSEWHERE if "%" in name or ":" in name]
NAMING = [
    (kind, name)
    for kind in ("image", "buffer", "glb", "mtl", "mtllib", "vtm")
    for name in ELSEWHERE
    if kind not in ("mtl", "mtllib") or name not in URIS
]


@pytest.mark.parametrize(("kind", "name"), NAMING)
def test_a_mesh_that_names_a_file_elsewhere_is_left_out(place, kind, name):
    (place / "link.png").symlink_to(place.parent / "secret.png")
    if kind == "vtm":
        (place / "m.vtm").write_text(f'<VTKFile><DataSet file="{name}"/></VTKFile>')
    elif kind == "glb":
        (place / "m.glb").write_bytes(glb(name))
    elif kind in ("mtl", "mtllib"):
        library = name if kind == "mtllib" else "m.mtl"
        (place / "m.obj").write_text(f"mtllib {library}\nusemtl x\n{OBJ}")
        (place / "m.mtl").write_text(f"newmtl x\nKd 1 1 1\nmap_Kd -s 1 1 1 {name}\n")
    else:
        (place / "m.gltf").write_text(gltf(**{kind: name}))
    ending = {"image": "gltf", "buffer": "gltf", "mtl": "obj", "mtllib": "obj"}
    path = place / f"m.{ending.get(kind, kind)}"
    assert "neither beside nor below" in problem(path)
    urdf = robot(place, path.name)
    (found,) = [f for f in lint(urdf).findings if f.rule == "unreadable-mesh"]
    assert "neither beside nor below" in found.what
    text, notes = readable(read_description(urdf))
    assert "<mesh" not in text
    assert any("left out" in note for note in notes)


@pytest.mark.parametrize("name", ["ours.png", "data:image/png;base64,AAAA", "none.png"])
def test_what_lies_beside_or_is_inside_is_fine(place, name):
    (place / "m.gltf").write_text(gltf(image=name))
    assert problem(place / "m.gltf") == ""


def test_a_picture_elsewhere_reaches_no_page(place):
    """Drake would have put it into what the page gets: that is what is kept out."""
    (place / "m.gltf").write_text(gltf(image="../secret.png"))
    urdf = robot(place, "m.gltf")
    text, _ = readable(read_description(urdf))
    assert "m.gltf" not in text
    assert "secret" not in text


@pytest.mark.parametrize(
    "name",
    [
        *("/etc/passwd", "file:///etc/passwd", "../../secret.obj", "out/secret.obj"),
        *("package://etc/passwd", "package://../secret.obj", "package:///etc/passwd"),
        *("package://robot/../secret.obj", "https://example.org/a.obj"),
    ],
)
def test_a_mesh_elsewhere_is_refused_by_name(place, name):
    (place.parent / "secret.obj").write_text(OBJ)
    (place / "out").symlink_to(place.parent)
    assert resolve(name, place / "a.urdf").path is None
    urdf = robot(place, name, "collision")
    (found,) = [f for f in lint(urdf).findings if f.rule == "missing-mesh"]
    assert repr(name) in found.what


@pytest.mark.parametrize(
    ("urdf", "name"),
    [
        ("a.urdf", "meshes/m.obj"),
        ("a.urdf", "./meshes/../meshes/m.obj"),
        ("urdf/a.urdf", "../meshes/m.obj"),
        ("deep/down/a.urdf", "package://robot/meshes/m.obj"),
        ("deep/down/a.urdf", "../../meshes/m.obj"),
        ("a.urdf", "package://robot/meshes/m.obj"),
        ("a.urdf", "package://friend/m.obj"),
    ],
)
def test_meshes_of_the_package_are_found(place, urdf, name):
    (place / "meshes" / "m.obj").write_text(OBJ)
    (place / "package.xml").write_text("<package><name>robot</name></package>")
    friend = place.parent / "friend"
    friend.mkdir()
    (friend / "package.xml").write_text("<package><name>friend</name></package>")
    (friend / "m.obj").write_text(OBJ)
    path = place / urdf
    path.parent.mkdir(parents=True, exist_ok=True)
    found = resolve(name, path).path
    assert found is not None
    assert found.is_file()


def test_a_package_that_the_user_names_is_found(place, monkeypatch):
    far = place.parent / "far" / "away" / "parts"
    far.mkdir(parents=True)
    (far / "m.obj").write_text(OBJ)
    name = "package://parts/m.obj"
    assert resolve(name, place / "a.urdf").path is None
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(far.parent))
    assert resolve(name, place / "a.urdf").path == far / "m.obj"


def test_a_mesh_is_a_file_and_not_too_large(place):
    (place / "zero.obj").symlink_to("/dev/zero")
    assert "device" in problem(place / "zero.obj")
    with (place / "m.obj").open("wb") as file:
        file.truncate(100_000_000)
    assert "larger than" in problem(place / "m.obj")
    (place / "many.obj").write_bytes(b"f 1 2 3\n" * 1_000_003)
    assert "faces" in problem(place / "many.obj")


@pytest.mark.parametrize("name", ["/etc/passwd", "../a.obj", "http://x/a.obj"])
def test_other_formats_name_nothing_elsewhere(place, name):
    path = place / "m.sdf"
    path.write_text(f"<sdf><mesh><uri>{name}</uri></mesh></sdf>")
    with pytest.raises(BackbeatError, match="neither beside nor below"):
        refuse_foreign_files(path)
    path.write_text("<sdf><mesh><uri>meshes/m.obj</uri></mesh></sdf>")
    refuse_foreign_files(path)
