"""Kits of one's own: what their files add, change, remove, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from pydrake.geometry import Role
from pydrake.systems.framework import DiagramBuilder

from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.description import (
    find_kit,
    kit_sources,
    kit_text,
    shipped_kits,
)
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.models.kit.looks import look_of
from backbeat.models.kit.shell import drawn_pad
from backbeat.models.meshing import write_gltf
from backbeat.models.robot.model import RobotModel
from backbeat.models.world.scene import Scene, add_world

OWN = """\
name: mine
remove: [mid_tom]
members:
  crash: {place: [0.80, 0.56, 1.25], tilt_deg: 20}
  floor_tom: {radius: 0.22}
  cowbell: {kind: pad, place: [0.86, -0.17, 0.95], radius: 0.1, depth: 0.03,
            notes: [56], sound: cowbell}
"""


def written(folder: Path, text: str, name: str = "mine.yaml") -> str:
    (folder / name).write_text(text)
    return kit_text(name, folder)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    return DrumKit(text=written(tmp_path_factory.mktemp("kit"), OWN))


def test_members_are_added_moved_resized_tilted_and_removed(own):
    usual = DrumKit()
    assert set(own.members) == {*usual.members, "cowbell"} - {"mid_tom"}
    # What the file does not name stays to the last bit.
    assert own.member("snare") == usual.member("snare")
    assert own.chair == usual.chair
    moved = own.strike_pose("crash")
    np.testing.assert_allclose(moved.translation(), [0.80, 0.56, 1.25])
    tilt = np.degrees(np.arccos(moved.rotation().matrix()[2, 2]))
    assert tilt == pytest.approx(20)
    assert own.member("crash").radius == usual.member("crash").radius
    assert own.member("floor_tom").radius == 0.22
    assert own.member("floor_tom").depth == usual.member("floor_tom").depth
    # The number that became free.
    assert own.member("cowbell").number == 5


def test_the_usual_kit_ships_and_needs_no_text():
    assert "drum-kit" in shipped_kits()
    assert kit_text("drum-kit", Path()) == ""
    assert not kit_sources("drum-kit", Path())


def test_a_kit_may_be_based_on_another_file_or_on_nothing(tmp_path):
    written(tmp_path, OWN)
    above = "base: mine.yaml\nmembers: {cowbell: {notes: [56, 67]}}\n"
    kit = DrumKit(text=written(tmp_path, above, "above.yaml"))
    assert kit.member("cowbell").notes == [56, 67]
    assert kit.member("cowbell").sound == "cowbell"
    assert [p.name for p in kit_sources("above.yaml", tmp_path)] == [
        "above.yaml",
        "mine.yaml",
    ]
    alone = "base: none\nmembers: {pad: {place: [0.5, 0, 0.8], notes: [38]}}\n"
    assert list(DrumKit(text=written(tmp_path, alone, "a.yaml")).members) == ["pad"]


def test_the_world_has_its_members_with_their_looks(own):
    builder = DiagramBuilder()
    robot = RobotModel("atlas", ("sticks",))
    world = add_world(builder, robot, scene=Scene("drum-kit", kit=own.text))
    inspector = world.scene_graph.model_inspector()
    seen = {
        inspector.GetName(g).split("::")[-1]
        for g in inspector.GetAllGeometryIds(Role.kPerception)
    }
    assert {"cowbell", "cowbell_stand", "crash", "floor_tom"} <= seen
    assert "mid_tom" not in seen
    body = world.plant.GetBodyByName("floor_tom")
    (shape,) = world.plant.GetCollisionGeometriesForBody(body)
    assert inspector.GetShape(shape).radius() == 0.22


def test_a_member_looks_as_its_mesh_or_is_drawn(own, tmp_path):
    write_gltf(tmp_path / "pad.gltf", drawn_pad(0.1, 0.03))
    named = (
        "members: {cowbell: {kind: pad, place: [1, 0, 1], notes: [56], mesh: pad.gltf}}"
    )
    kit = DrumKit(text=written(tmp_path, named))
    assert (
        look_of("cowbell", kit.member("cowbell")).source().path()
        == tmp_path / "pad.gltf"
    )
    # Of other sizes than those that ship.
    for name in ("floor_tom", "cowbell"):
        assert look_of(name, own.member(name)).source().is_in_memory()
    assert look_of("snare", own.member("snare")).source().is_path()
    (tmp_path / "pad.gltf").unlink()
    with pytest.raises(BackbeatError, match="the mesh of cowbell is gone"):
        look_of("cowbell", kit.member("cowbell"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("remove: [gong]", "unknown member to remove .*'gong'"),
        ("base: mine.yaml", "is based on itself"),
        ("base: none", "a kit has 1 to 32 members, not 0"),
        ("base: rock-kit", "unknown kit 'rock-kit'.*drum-kit"),
        ("base: other.yaml", "no kit file .*other.yaml"),
        (
            "members: {Gong: {place: [1, 0, 1], notes: [52]}}",
            "a member is called 'Gong'",
        ),
        ("members: {chair: {place: [1, 0, 1], notes: [52]}}", "none of chair"),
        ("members: {gong: {}}", "'gong' is new; give its place"),
        ("members: {gong: {place: [1, 0, 1], notes: []}}", "gong: notes is .*36 for a"),
        ("members: {gong: {place: [1, 0, 1], notes: [200]}}", "0 to 127"),
        (
            "members: {gong: {place: [1, 0, 1], notes: [52], kind: bell}}",
            "unknown members.gong.kind .*cymbal",
        ),
        (
            "members: {gong: {place: [1, 0, 1], notes: [52], number: 3}}",
            "both have number 3",
        ),
        ("members: {snare: {restitution: 0.9}}", "a restitution of 0.9 is not to be"),
        ("members: {snare: {mesh: x.gltf}}", "there is no mesh .*x.gltf"),
        ("members: {snare: {mesh: x.stl}}", "a mesh ends in .gltf"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(tmp_path, text, said):
    with pytest.raises(BackbeatError, match=said) as refused:
        written(tmp_path, text + "\n")
    assert "\n" not in str(refused.value)


def test_a_name_that_no_file_can_have_is_no_kit_file(tmp_path):
    with pytest.raises(BackbeatError, match="no kit file"):
        find_kit("a" * 300 + ".yaml", tmp_path)


KIT_WITH_MESH = "members: {snare: {mesh: %s}}\n"


def test_a_mesh_of_a_kit_lies_with_the_kit_or_in_a_named_package(tmp_path, monkeypatch):
    elsewhere, kits = tmp_path / "elsewhere", tmp_path / "kits"
    for folder in (elsewhere, kits / "looks"):
        folder.mkdir(parents=True)
        (folder / "snare.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (kits / "link.obj").symlink_to(elsewhere / "snare.obj")
    (kits / "leak.obj").write_text("mtllib ../elsewhere/x.mtl\nv 0 0 0\nf 1 1 1\n")
    path = kits / "own.yaml"

    def loaded(mesh):
        path.write_text(KIT_WITH_MESH % mesh)
        return kit_text(path.name, kits)

    loaded("looks/snare.obj")
    for mesh in ("../elsewhere/snare.obj", f"{elsewhere}/snare.obj", "link.obj"):
        with pytest.raises(BackbeatError, match="neither beside nor below"):
            loaded(mesh)
    with pytest.raises(BackbeatError, match=r"refers to '\.\./elsewhere/x\.mtl'"):
        loaded("leak.obj")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(elsewhere))
    loaded("../elsewhere/snare.obj")
    loaded("package://elsewhere/snare.obj")
