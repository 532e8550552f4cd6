"""`backbeat adopt`: from a model to a robot that stands, and what it refuses."""

import json

import numpy as np
import pytest
import yaml

from backbeat.behaviors.library.balance import balance_margin, support_polygon
from backbeat.behaviors.posture.stance import start_configuration, support_poses
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from tests.models.adoption.made_robots import Made
from tests.models.humanoids import write_humanoid


@pytest.fixture(scope="module")
def adopted(tmp_path_factory):
    """A made robot that was adopted, with what was printed of it."""
    from typer.testing import CliRunner

    from backbeat.cli.main import app

    folder = tmp_path_factory.mktemp("adopted")
    (folder / "made.urdf").write_text(Made(fingers=2, leg="yxzpYX").urdf())
    words = ["adopt", folder / "made.urdf", "-o", folder / "my-robot.yaml"]
    words += ["--picture", folder / "made.svg"]
    result = CliRunner().invoke(app, [*map(str, words)])
    assert result.exit_code == 0, result.output
    return folder / "my-robot.yaml", result.output


def test_found_and_guessed_are_told_apart(adopted):
    path, printed = adopted
    found, _, guessed = printed.partition("Guessed:")
    assert found.startswith("Found in the model:")
    assert "base: base\n      no joint carries it" in found
    assert "left leg: 6 joints, knee l_leg_j3" in found
    assert "left sole: 200 x 100 mm" in found
    assert "locked: 4 joints" in guessed
    assert "stand: knees bent by" in guessed
    assert "bend backward" not in guessed
    # Knees of the model can bend to both sides, and do so ahead.
    stand = yaml.safe_load(path.read_text())["postures"]["stand"]["joints"]
    assert stand["l_leg_j3"] > 0.1
    assert stand["r_leg_j3"] == pytest.approx(stand["l_leg_j3"], abs=0.01)
    assert str(path) in guessed.splitlines()[-1]
    assert path.with_name("made.svg").read_text().count("knee") >= 2


def test_the_robot_stands_as_it_is_told(adopted, backbeat):
    path, _ = adopted
    robot = RobotModel(path)
    heights = []
    for name in ("stand", "ready", "crouch"):
        q = start_configuration(robot, name)
        poses = support_poses(robot, q)  # Refuses soles that are not flat.
        state = Configuration(robot, q)
        center = state.center_of_mass
        assert center[:2] == pytest.approx([0.0, 0.0], abs=0.01)
        assert balance_margin(support_polygon(robot, poses), center[:2]) > 0.03
        assert robot.mirrored(q)[7:] == pytest.approx(q[7:], abs=2e-3)
        turn = poses[robot.feet["left"]].rotation().ToRollPitchYaw()
        assert turn.yaw_angle() == pytest.approx(0.0, abs=2e-3)
        hands = [state.place(robot.roles.link(f"{s} arm")) for s in ("left", "right")]
        assert all(hand[2] < state.place(robot.trunk)[2] + 0.4 for hand in hands)
        heights.append(float(q[6]))
    assert heights == sorted(heights, reverse=True)
    assert heights[0] - heights[2] > 0.1
    assert {*robot.locked} == {f"{s}_finger{k}_j" for s in "lr" for k in (0, 1)}
    assert backbeat("check", path)[:2] == (0, "0 failures, 0 warnings\n")


def test_parts_and_places_are_where_a_person_has_them(adopted):
    """Hands at the ends of arms, places within their reach, and left of the middle."""
    robot = RobotModel(adopted[0])
    state = Configuration(robot, start_configuration(robot, "stand"))
    assert {*robot.parts} >= {"left hand", "right hand", "chest", "pelvis", "left foot"}
    left, right = (
        state.place(robot.parts[f"{s} hand"].frame) for s in ("left", "right")
    )
    assert left == pytest.approx(right * [1.0, -1.0, 1.0], abs=2e-3)
    heights = []
    for name in ("knee", "hip", "belly", "chest", "shoulder", "head"):
        place = robot.places[name]
        p = state.pose(place.link) @ np.array(place.position)
        heights.append(p[2])
        assert p[1] > 0.02
    assert heights == sorted(heights)


def test_knees_that_bend_backward_are_told(backbeat, tmp_path):
    """As those of a robot whose x points back do."""
    lines = []
    for line in Made().urdf().splitlines():
        if "_leg_j3" in line:
            line = line.replace('upper="2.4"', 'upper="0"')
        lines.append(line)
    model = tmp_path / "bird.urdf"
    model.write_text("\n".join(lines))
    code, out, err = backbeat("adopt", model, "-o", tmp_path / "mine.yaml")
    assert code == 0, err
    assert "ahead: x of base, and knees bend backward" in out
    assert 'rpy="0 0 3.14159265"' in out


def test_what_is_wrong_with_a_description_is_said(adopted, backbeat, tmp_path):
    tree = yaml.safe_load(adopted[0].read_text())
    tree["urdf"] = str(adopted[0].with_name("made.urdf"))
    tree["postures"]["stand"]["joints"]["l_leg_j4"] = 0.3
    del tree["roles"]["left arm"], tree["roles"]["waist"]
    tree["roles"] = {r: j for r, j in tree["roles"].items() if "leg" in r}
    path = tmp_path / "wrong.yaml"
    path.write_text(yaml.safe_dump(tree))
    code, out, _ = backbeat("check", path)
    assert code == 2
    assert "posture 'stand': left_sole is not flat on the ground" in out
    assert "the roles waist, left arm, right arm have no joints" in out
    assert out.endswith("1 failure, 1 warning\n")


@pytest.mark.parametrize(
    ("words", "options", "sentence"),
    [
        ({"effort": "0"}, (), "has no effort limit for waist_j0, "),
        ({}, ("--effort", "hip=3"), "unknown joint without an effort limit 'hip'"),
        ({}, ("--effort", "strong"), "say a number above zero in N m"),
        ({"scale": 1000.0}, (), "a URDF has meters"),
        ({"limits": (-0.001, 0.001)}, (), "cannot stand"),
        ({"effort": "3"}, (), "% of its effort even with knees bent by 0.1 rad"),
        ({}, ("--trunk", "belly"), "has no link 'belly' to be the trunk"),
        ({}, ("--picture", "made.doc"), "name a file that ends in .png, .svg"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(
    backbeat, tmp_path, words, options, sentence
):
    model = tmp_path / "made.urdf"
    model.write_text(Made(**words).urdf())
    code, _, err = backbeat("adopt", model, "-o", tmp_path / "mine.yaml", *options)
    assert code == 2
    assert sentence in err
    assert err.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["made.urdf"]


def test_files_that_exist_are_left_as_they_are(backbeat, tmp_path, adopted):
    model, path = adopted[0].with_name("made.urdf"), tmp_path / "mine.yaml"
    path.write_text("of my own")
    code, _, err = backbeat("adopt", model, "-o", path)
    assert code == 2
    assert "exists and is left as it is" in err
    assert path.read_text() == "of my own"


def test_efforts_that_are_given_drive_joints(backbeat, tmp_path):
    model, path = tmp_path / "made.urdf", tmp_path / "mine.yaml"
    model.write_text(Made(effort="0", arm="").urdf())
    options = ("--effort", "150", "--effort", "l_leg_j3=170")
    code, out, err = backbeat("adopt", model, "-o", path, *options, "--json")
    assert code == 0, err
    assert json.loads(out)["description"]["efforts"]["waist_j0"] == 150
    robot = RobotModel(path)
    limits = dict(zip(robot.joint_names, robot.effort_limits, strict=True))
    assert limits["l_leg_j3"] == 170
    assert {*limits.values()} == {150.0, 170.0}
    assert "left arm" not in robot.roles


@pytest.mark.parametrize("name", ["g1", "h1", "t1"])
def test_robots_of_three_makers_are_adopted(backbeat, tmp_path, name):
    """Their files have boxes, a mesh, spheres; the base of one is its trunk."""
    write_humanoid(tmp_path, name, {"g1": "spheres", "h1": "box", "t1": "mesh"}[name])
    path = tmp_path / "mine.yaml"
    code, out, err = backbeat("adopt", tmp_path / f"{name}.urdf", "-o", path)
    assert code == 0, err
    assert ("feet: cannot roll" in out) == (name == "h1")
    robot = RobotModel(path)
    q = start_configuration(robot, "stand")
    assert len(support_poses(robot, q)) == 2
    assert len(robot.roles.names("left leg")) == (5 if name == "h1" else 6)
    assert backbeat("check", path)[0] == 0


STATIONS = {
    "stands": "- {posture: stand, hold: 2.0}",
    "squats": "- {posture: crouch, move: 1.2, hold: 0.3}\n"
    "- {posture: stand, move: 1.2, hold: 0.3}",
}
SWAY = (
    "kind: dance\nname: sways\nsummary: Sways.\nrobot: mine.yaml\nbpm: 90\nbeats: 8\n"
    "tracks: {legs: [{move: sway, at: 1, beats: 6, values: {width: 0.03, cycle: 3}}]}\n"
)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["g1", "t1"])
def test_an_adopted_robot_stands_squats_and_sways(backbeat, tmp_path, name):
    """On sensors, with motors that lag, ten percent too heavy, nothing by hand."""
    write_humanoid(tmp_path, name, "spheres")
    path, library = tmp_path / "mine.yaml", ("--library", tmp_path / "library")
    assert backbeat("adopt", tmp_path / f"{name}.urdf", "-o", path)[0] == 0
    files = {
        motion: f"kind: posture\nname: {motion}\nsummary: It {motion}.\n"
        f"robot: mine.yaml\nstations:\n{stations}\n"
        for motion, stations in STATIONS.items()
    } | {"sways": SWAY}
    scenario = tmp_path / "scenario.yaml"
    for motion, text in files.items():
        (tmp_path / f"{motion}.yaml").write_text(text)
        code, _, err = backbeat("build", tmp_path / f"{motion}.yaml", *library)
        assert code == 0, err
        scenario.write_text(
            f"behavior: {motion}\nstate: estimated\nactuator_lag: 0.002\n"
            "world: {mass_scale: 1.1}\n"
        )
        words = ("--scenario", scenario, *library, "-o", tmp_path / "run.parquet")
        code, out, err = backbeat("track", *words, "--json")
        assert code == 0, err
        run = json.loads(out)
        assert run["survived"]
        assert run["com_error_mm"]["rms"] < 6.0
        moved = run["range"]["achieved"]["widest_joint_rad"]
        assert (moved > 0.05) == (motion != "stands")


@pytest.mark.slow
def test_an_adopted_robot_reaches_in_words(backbeat, tmp_path, adopted):
    """A shipped behavior that asks for its hands, and a posture for a place."""
    at = ("--library", tmp_path / "library")
    text = (
        "kind: posture\nname: greets\nsummary: Greets.\n"
        f"robot: {adopted[0]}\nstations:\n"
        "- {posture: stand, move: 1, reach: {left hand: [0.3, 0.4, 0.9]}}\n"
    )
    (tmp_path / "greets.yaml").write_text(text)
    code, _, err = backbeat("build", tmp_path / "greets.yaml", *at)
    assert code == 0, err
