"""Motions of persons on the command line: into a dance, with a map, and judged."""

import re

import numpy as np
import pytest

from backbeat.behaviors.library.behavior import make_robot
from backbeat.behaviors.specification.checking import check_file
from backbeat.behaviors.specification.kinds import read_any
from backbeat.behaviors.takes.readers import deepmimic, human_bvh
from tests.behaviors.human_takes import take
from tests.behaviors.skeleton_takes import LAFAN1, Style, bvh_text, deepmimic_text

BASE = [f"base.{n}" for n in ("qw", "qx", "qy", "qz", "x", "y", "z")]
ODD = LAFAN1 | {"hip": "Hip"}
MAP = """\
pelvis: Hips
trunk: Spine2
head: Head
left: {hip: LeftHip, knee: LeftLeg, ankle: LeftFoot, toe: LeftToe,
       shoulder: LeftArm, elbow: LeftForeArm, wrist: LeftHand}
right: {hip: RightHip, knee: RightLeg, ankle: RightFoot, toe: RightToe,
        shoulder: RightArm, elbow: RightForeArm, wrist: RightHand}
"""


@pytest.fixture
def backbeat(backbeat, monkeypatch, tmp_path):
    """The command in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    return backbeat


@pytest.fixture(scope="module")
def walk():
    """`walk(style)`: somebody who walks, in BVH."""
    robot = make_robot("g1")
    made = take(robot, "walk", 1, spoiled=0.0)
    q = made.frame[[*BASE, *robot.joint_names]].to_numpy()
    return lambda style: bvh_text(robot, made.frame["t"].to_numpy(), q, style)


@pytest.fixture
def takes(tmp_path):
    folder = tmp_path / "takes"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("start", ["import", "new"])
def test_a_person_becomes_a_dance_of_a_robot(start, backbeat, walk, takes, tmp_path):
    (takes / "one.bvh").write_text(walk(Style()))
    words = {
        "import": ("import", "takes/one.bvh", "-o", "dances/mine.yaml"),
        "new": ("new", "dance", "mine", "--folder", "dances", "--recording"),
    }[start]
    last = ("takes/one.bvh",) if start == "new" else ()
    code, said, complaint = backbeat(*words, *last, "--robot", "t1")
    assert code == 0, complaint
    assert "one.bvh: skeleton of LAFAN1, y up, in centimeters" in said
    assert "a person of 1.73 m, 60 frames a second, retargeted" in said
    path = tmp_path / "dances" / "mine.yaml"
    dance, _ = read_any(path)
    assert dance.recordings["take-1"].file == "one.bvh"
    assert len(dance.recordings["take-1"].planted["left"]) > 2
    assert not [f for f in check_file(path) if f.finding.fails]


def test_a_map_goes_along_with_the_take(backbeat, walk, takes, tmp_path):
    (takes / "odd.bvh").write_text(walk(Style(names=ODD)))
    code, _, complaint = backbeat("import", "takes/odd.bvh", "--robot", "g1")
    assert code == 2
    assert "no joint was found for left hip ('LeftUpLeg')" in complaint
    assert not (tmp_path / "odd.yaml").exists()
    (takes / "studio.yaml").write_text(MAP)
    words = ("import", "takes/odd.bvh", "--robot", "g1", "-o", "dances/odd.yaml")
    code, _, complaint = backbeat(*words, "--skeleton", "takes/studio.yaml")
    assert code == 0, complaint
    dance, _ = read_any(tmp_path / "dances" / "odd.yaml")
    assert dance.recordings["take-1"].skeleton == "studio.yaml"
    copies = dance.sources(tmp_path / "dances")
    assert {path.name for path in copies} >= {"odd.bvh", "studio.yaml"}
    assert (tmp_path / "dances" / "studio.yaml").read_text() == MAP


@pytest.mark.parametrize("name", ["one.bvh", "bvh.txt", "mimic.txt", "mimic.json"])
def test_a_person_is_of_no_robot(name, backbeat, walk, takes, monkeypatch):
    """What the file holds says so, not what it is called; nothing is retargeted."""
    for module in (human_bvh, deepmimic):
        monkeypatch.setattr(module, "retargeted", None)
    person = walk(Style())
    if name.startswith("mimic"):
        robot = make_robot("g1")
        q = np.tile(robot.posture("stand"), (30, 1))
        person = deepmimic_text(robot, np.arange(30) / 30.0, q)
    (takes / name).write_text(person)
    code, _, complaint = backbeat("import", f"takes/{name}")
    assert code == 2
    assert f"{name} is a person's motion, which any robot can have" in complaint
    assert "say which with --robot, such as atlas or g1" in complaint


def test_a_person_has_no_columns(backbeat, walk, takes):
    (takes / "one.bvh").write_text(walk(Style()))
    words = ("import", "takes/one.bvh", "--robot", "g1")
    code, _, complaint = backbeat(*words, "--unit", "degrees")
    assert code == 2
    assert "leave out unit" in complaint


def test_length_up_and_rate_are_taken_as_they_are_said(backbeat, walk, takes):
    (takes / "one.bvh").write_text(walk(Style()))
    words = ("import", "takes/one.bvh", "--robot", "g1", "--rate", "50")
    code, said, _ = backbeat(*words, "--length", "cm", "--up", "y")
    assert code == 0
    assert "y up, as the map has it, a unit is 0.01 m, as the map has it" in said
    assert "50 frames a second" in said
    code, _, complaint = backbeat(*words[:4], "-o", "z.yaml", "--up", "z")
    assert code == 2
    assert "one.bvh" in complaint


def test_a_retargeted_person_is_judged_as_any_motion(backbeat, walk, takes):
    """Nothing has balanced it yet, and its feet are on the floor."""
    (takes / "one.bvh").write_text(walk(Style()))
    code, said, _ = backbeat("check", "takes/one.bvh", "--robot", "g1")
    assert code in (0, 2)
    assert "skeleton of LAFAN1" in said
    (depth,) = [line for line in said.splitlines() if "below the floor" in line]
    (value,) = re.findall(r"floor: (\S+) mm", depth)
    assert float(value) < 2.0
