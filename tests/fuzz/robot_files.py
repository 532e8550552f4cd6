"""Robots from outside: their YAML, URDF, overlays and meshes."""

import json
import random
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from backbeat.models.meshing.gltf_reader import read_gltf
from backbeat.models.meshing.obj import READERS as MESHES_OF
from backbeat.models.meshing.obj import mtl_text, obj_text
from backbeat.models.robot.description import SHIPPED, load_description
from backbeat.models.robot.model import RobotModel
from backbeat.models.urdf.linting.autofix import autofix
from backbeat.models.urdf.linting.drake_reader import DrakeReader
from backbeat.models.urdf.linting.lint import lint
from backbeat.models.urdf.loading.readable import readable
from backbeat.models.urdf.overlay.file import Overlay
from backbeat.models.urdf.overlay.overlaying import apply_overlay
from backbeat.models.urdf.reading.meshes import package_name
from backbeat.models.urdf.reading.parsing import read_description
from tests.fuzz.noise import HOSTILE, HOSTILE_YAML, damaged, yaml_like
from tests.fuzz.reader import Reader
from tests.models.description.mutations import mutated

TESTS = Path(__file__).parents[1] / "models"
UR10 = SHIPPED["ur10"]
ARM = TESTS / "data" / "ur10.urdf"
# Descriptions that are mutated, and how often each is among a hundred.
SOURCES = {
    TESTS / "description" / "zoo.urdf": 60,
    ARM: 20,
    SHIPPED["atlas"].parents[2] / "kit" / "stick.urdf": 10,
    SHIPPED["atlas"].parent / "atlas_v5.urdf": 10,
}
RAW = [path.read_bytes() for path in SOURCES for _ in range(SOURCES[path] // 10)]
ROLES = "roles: {left arm: [shoulder, elbow_joint, wrist], left wrist: [wrist]}\n"
OVERLAY = """\
urdf: ur10.urdf
name: heavier
remove: []
links: {forearm_link: {mass_factor: 1.2, center_of_mass_shift: [0.0, 0.01, 0.0]}}
joints: {elbow_joint: {effort_factor: 0.5, friction: 0.1}}
mass_factor: 1.1
bodies: {tool: {link: wrist_3_link, mass: 0.3, size: [0.1, 0.1, 0.1]}}
attachments: {stick: {file: stick.urdf, link: wrist_3_link, prefix: s_}}
"""
TRIANGLES = np.arange(36, dtype=float).reshape(4, 3, 3)
DAE = b"""<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="p">
<float_array id="a" count="9">0 0 0 1 0 0 0 1 0</float_array><technique_common>
<accessor source="#a" count="3" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor>
</technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/>
</vertices><triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/>
<p>0 1 2</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
PACKAGE = b'<?xml version="1.0"?><package format="2"><name>mine</name></package>'


def _stl() -> bytes:
    records = b"".join(
        np.r_[np.zeros(3), t.ravel()].astype("<f4").tobytes() + b"\0\0"
        for t in TRIANGLES
    )
    return bytes(80) + len(TRIANGLES).to_bytes(4, "little") + records


def _stl_text() -> bytes:
    lines = ["solid mine"]
    for triangle in TRIANGLES:
        corners = [f"vertex {x} {y} {z}" for x, y, z in triangle]
        lines += ["facet normal 0 0 1", "outer loop", *corners, "endloop", "endfacet"]
    return "\n".join([*lines, "endsolid mine"]).encode()


def _read_mesh(path: Path) -> None:
    surfaces = MESHES_OF[path.suffix](path.read_bytes(), str(path))
    corners = [s.corners for s in surfaces]
    assert all(np.isfinite(c).all() for c in corners)
    assert obj_text(surfaces, "colors").count("f ") == sum(map(len, corners))
    assert mtl_text(surfaces).count("newmtl") == len(surfaces)


def _read_gltf(path: Path) -> None:
    surfaces = read_gltf(path.read_bytes(), str(path), path.parent)
    for surface in surfaces:
        assert np.isfinite(surface.corners).all()
        assert surface.color is None or all(0 <= c <= 1 for c in surface.color)


def _read_robot(path: Path) -> None:
    load_description(path)
    robot = RobotModel(path)
    assert np.isfinite(robot.position_lower <= robot.position_upper).all()
    for name in load_description(path).postures:
        assert np.isfinite(robot.posture(name)).all()


def _lint(path: Path, reader: DrakeReader | None = None) -> None:
    report = lint(path, reader, for_gazebo=True)
    assert report.exit_code in (0, 1, 2)
    assert not any("\n" in finding.sentence(path) for finding in report.findings)
    if report.drake:
        assert report.drake.outcome in ("read", "refused", "exits", "aborts", "hangs")
    autofix(path)
    readable(read_description(path))


@cache
def _drake() -> DrakeReader:
    """A process that all tests share; it ends with this one, whose pipe it reads."""
    return DrakeReader()


def _read_package(path: Path) -> None:
    name = package_name(path.parent)
    assert name is None or "\0" not in name


def _nested(start: bytes, end: bytes, depth: int) -> bytes:
    return b'<robot name="r">' + start * depth + end * depth + b"</robot>"


_STEPS = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(12))
HOSTILE_XML = HOSTILE | {
    "a bomb of entities": f'<!DOCTYPE r [<!ENTITY e0 "lol">{_STEPS}]>'
    '<robot name="&e12;"/>'.encode(),
    "a file as entity": b'<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    b'<robot name="r">&a;</robot>',
    "deep": _nested(b"<link>", b"</link>", 50_000),
    "many links": _nested(b'<link name="a"/>', b"", 5000),
    "many attributes": b"<robot "
    + b" ".join(b"a%d='1'" % k for k in range(5000))
    + b"/>",
    "a long name": b'<robot name="' + b"a" * 5_000_000 + b'"/>',
    "a circle": b'<robot name="r"><link name="a"/><link name="b"/>'
    b'<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
    b'<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint></robot>',
    "UTF-16": '<?xml version="1.0" encoding="UTF-16"?><robot name="r"/>'.encode(
        "utf-16"
    ),
    "UTF-7": b'<?xml version="1.0" encoding="UTF-7"?><robot name="r"/>',
}


@st.composite
def _descriptions(draw: st.DrawFn) -> bytes:
    seed = draw(st.integers(0, 2**32))
    return mutated(draw(st.sampled_from(RAW)), random.Random(seed))


BESIDE_ROBOT = {"ur10.urdf": UR10.parent / "ur10.urdf"}
STICK = SHIPPED["atlas"].parents[2] / "kit" / "stick.urdf"
GLTF = (STICK.parent / "meshes" / "stick.gltf").read_bytes()
# Each node has the next one twice.
NESTED_GLTF = json.dumps(
    {
        "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [i + 1, i + 1]} for i in range(60)] + [{}],
    }
).encode()
MESHES = {"meshes": SHIPPED["atlas"].parent / "meshes"}

READERS = (
    Reader(
        "robot",
        _read_robot,
        yaml_like(UR10.read_text() + ROLES),
        "robot.yaml",
        HOSTILE_YAML,
        count=40,
        beside=BESIDE_ROBOT,
    ),
    Reader(
        "description",
        _lint,
        _descriptions(),
        "mutated.urdf",
        HOSTILE_XML,
        count=100,
        beside=MESHES,
    ),
    Reader(
        "description in Drake",
        lambda path: _lint(path, _drake()),
        _descriptions(),
        "mutated.urdf",
        {},
        count=12,
        beside=MESHES,
    ),
    Reader(
        "overlay",
        lambda path: apply_overlay(path, path.parent / "out.urdf"),
        yaml_like(OVERLAY, words=list(Overlay.__dataclass_fields__)),
        "overlay.yaml",
        HOSTILE_YAML,
        count=60,
        beside={"ur10.urdf": ARM, "stick.urdf": STICK},
    ),
    Reader(
        "STL",
        _read_mesh,
        damaged(_stl(), _stl_text()),
        "mesh.stl",
        HOSTILE | {"more than comes": bytes(80) + b"\xff\xff\xff\xff" + bytes(50)},
        count=80,
    ),
    Reader(
        "glTF",
        _read_gltf,
        damaged(GLTF),
        "mesh.gltf",
        HOSTILE | {"nodes in each other": NESTED_GLTF},
        count=80,
    ),
    Reader(
        "COLLADA",
        _read_mesh,
        damaged(DAE),
        "mesh.dae",
        HOSTILE_XML,
        count=60,
    ),
    Reader(
        "package.xml",
        _read_package,
        damaged(PACKAGE),
        "package.xml",
        HOSTILE_XML,
        never_refuses=True,
    ),
)
