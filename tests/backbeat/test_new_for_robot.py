"""`backbeat new --robot`: specifications for a robot of the user's own."""

import numpy as np
import pytest

from backbeat.behaviors.specification.kinds import read_specification
from backbeat.models.robot.description import SHIPPED
from backbeat.models.robot.model import RobotModel
from tests.backbeat.robots import make_waver
from tests.models.humanoids import write_humanoid

KINDS = ("posture", "dance")


def take(path, robot, start="stand", every=0.05):
    """A recording of all joints of a robot, of which one moves."""
    t = np.arange(0.0, 2.0, every)
    q = np.tile(robot.posture(start)[robot.base_positions :], (len(t), 1))
    q[:, -1] += 0.1 * (1.0 - np.cos(np.pi * t))
    head = ",".join(["t", *robot.joint_names])
    np.savetxt(path, np.c_[t, q], delimiter=",", header=head, comments="")
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_new_writes_for_a_humanoid_what_passes_the_check(backbeat, tmp_path, kind):
    robot = write_humanoid(tmp_path, "g1", "box")
    new = ("new", kind, "mine", "--robot", robot, "--folder", tmp_path)
    assert backbeat(*new)[0] == 0
    code, out, _ = backbeat("check", tmp_path / "mine.yaml")
    assert (code, out) == (0, "0 failures, 0 warnings\n")
    text = (tmp_path / "mine.yaml").read_text()
    assert {"robot: g1.yaml", "start: stand"} <= set(text.splitlines())
    # Its joints are told, with their limits, and none of Atlas.
    for joint in RobotModel(robot).joint_names:
        assert f"#     {joint}: " in text
    assert "l_arm" not in text
    assert "Atlas" not in text.partition("kind:")[2]


def test_the_example_of_a_posture_moves_a_joint_within_its_limits(backbeat, tmp_path):
    robot = write_humanoid(tmp_path, "h1", "spheres")
    backbeat("new", "posture", "mine", "--robot", robot, "--folder", tmp_path)
    specification, _ = read_specification(tmp_path / "mine.yaml")
    (angles,) = [s.angles for s in specification.stations if s.angles]
    model = RobotModel(robot)
    for name, angle in angles.items():
        j = model.joint_index(name)
        assert model.position_lower[j] <= angle <= model.position_upper[j]
        assert j not in model.leg_joints


def test_a_recording_of_another_robot_has_its_columns(backbeat, tmp_path):
    """Also from a folder of its own, from which the robot is found by a path."""
    robot = write_humanoid(tmp_path, "h1", "box")
    recording = take(tmp_path / "take.csv", RobotModel(robot))
    folder = tmp_path / "dances"
    folder.mkdir()
    words = ("--recording", recording, "--unit", "radians", "--folder", folder)
    code, _, err = backbeat("new", "dance", "mine", *words)
    assert code == 2
    assert "column" in err
    code, out, err = backbeat("new", "dance", "mine", *words, "--robot", robot)
    assert (code, err) == (0, "")
    assert "the left foot stands from 0.00" in out
    specification, text = read_specification(folder / "mine.yaml")
    assert {"robot: ../h1.yaml", "start: stand"} <= set(text.splitlines())
    assert specification.robot == str(robot)
    code, out, _ = backbeat("check", folder / "mine.yaml")
    assert (code, out) == (0, "0 failures, 0 warnings\n")


def test_a_shipped_robot_goes_by_its_name(backbeat, tmp_path):
    new = ("new", "posture", "mine", "--robot", "ur10", "--folder", tmp_path)
    assert backbeat(*new)[0] == 0
    assert "\nrobot: ur10\n" in (tmp_path / "mine.yaml").read_text()
    assert backbeat("check", tmp_path / "mine.yaml")[0] == 0


@pytest.mark.parametrize(
    ("kind", "robot", "sentence"),
    [
        ("dance", "ur10", "has no soles, and this needs a left and a right one"),
        ("dance", "waver", "has no soles, and this needs a left and a right one"),
        ("drumming", "waver", "has no sticks"),
        ("posture", "nobody", "unknown robot 'nobody'"),
        ("posture", "bare", "has no posture to start from"),
    ],
)
def test_what_a_robot_cannot_be_is_a_sentence(
    backbeat, tmp_path, kind, robot, sentence
):
    path = make_waver(tmp_path)
    bare = tmp_path / "bare.yaml"
    bare.write_text(path.read_text().partition("postures:")[0])
    named = {"waver": path, "bare": bare}.get(robot, robot)
    before = sorted(tmp_path.iterdir())
    code, out, err = backbeat(
        "new", kind, "mine", "--robot", named, "--folder", tmp_path
    )
    assert (code, out) == (2, "")
    assert sentence in err
    assert sorted(tmp_path.iterdir()) == before


def test_one_of_atlas_with_sticks_drums(backbeat, tmp_path):
    named = ("--robot", "atlas_v4", "--folder", tmp_path)
    known = "sticks" in SHIPPED["atlas_v4"].read_text()
    code, _, err = backbeat("new", "drumming", "mine", *named)
    assert (code, "has no sticks" in err) == ((0, False) if known else (2, True))


@pytest.mark.slow
def test_what_is_written_for_another_robot_builds(backbeat, tmp_path):
    robot = write_humanoid(tmp_path, "g1", "box")
    take(tmp_path / "take.csv", RobotModel(robot))
    at = ("--robot", robot, "--folder", tmp_path)
    backbeat("new", "posture", "tour", *at)
    backbeat("new", "dance", "sway", *at)
    words = ("--recording", tmp_path / "take.csv", "--unit", "radians")
    backbeat("new", "dance", "taken", *words, *at)
    files = [tmp_path / f"{name}.yaml" for name in ("tour", "sway", "taken")]
    code, _, err = backbeat("build", *files, "--library", tmp_path / "library")
    assert code == 0, err
