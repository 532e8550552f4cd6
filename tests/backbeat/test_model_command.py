"""`backbeat model`: the report, what differs, and what an overlay makes."""

import json
from pathlib import Path

import pytest

from backbeat.cli.main import main
from backbeat.figures.robot.description_tree import tree_of
from backbeat.figures.robot.joint_tree import read_tree
from backbeat.models.robot.model import RobotModel
from backbeat.models.urdf.reading.parsing import read_description
from tests.models.description.traps import TRAPS, robot

MODELS = Path(__file__).parents[2] / "models"
ATLAS = MODELS / "robots" / "atlas" / "atlas_v5.urdf"


@pytest.fixture
def model(monkeypatch, capsys):
    """`model(...)` is the exit code, what was said, and the sentence of a refusal."""

    def call(*arguments):
        monkeypatch.setattr("sys.argv", ["backbeat", "model", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return ended.value.code or 0, said.out, said.err

    return call


def test_the_report_has_groups_masses_limits_and_frames(model):
    _, said, _ = model("report", "atlas", "--json")
    data = json.loads(said)
    assert data["mass_kg"] == pytest.approx(175.117964)
    assert {g: len(j) for g, j in data["groups"].items()}["l_arm"] == 7
    assert "other" not in data["groups"]
    links = {row["link"]: row for row in data["links"]}
    assert links["l_foot"]["collisions"] == {"box": 1, "sphere": 4}
    assert links["utorso"]["parent_joint"] == "back_bkx"
    assert set(links["utorso"]["child_joints"]) > {"neck_ay", "l_arm_shz"}
    joints = {row["joint"]: row for row in data["joints"]}
    assert joints["l_leg_kny"]["effort"] == 890
    frames = {row["frame"]: row["link"] for row in data["frames"]}
    assert frames["l_foot_sole"] == "l_foot"
    assert frames["left_camera_optical_frame"] == "left_camera_frame"


def test_the_report_shows_what_is_not_simulated(model, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(TRAPS["calibration"].text)
    _, said, _ = model("report", path, "--json")
    (joint,) = json.loads(said)["joints"]
    assert joint["calibration"]["rising"] == 0.1
    _, said, _ = model("report", path)
    assert "calibration" in said


def test_the_tree_is_drawn(model, tmp_path):
    picture = tmp_path / "tree.svg"
    code, said, _ = model("report", "atlas_v3", "--picture", picture)
    assert code == 0
    assert "neck_ry" in said
    assert picture.read_text().count("<path") > 35


def branches(link):
    """A tree of links as tuples, whatever the order of what hangs on each."""
    below = sorted(branches(child) for child in link.children)
    return link.name, link.joint, tuple(sorted(link.fixed)), tuple(below)


def test_the_tree_of_a_description_is_the_one_that_drake_reads():
    ours, theirs = tree_of(read_description(ATLAS)), read_tree(RobotModel())
    assert branches(ours) == branches(theirs)


def test_a_robot_does_not_differ_from_itself(model):
    code, said, _ = model("diff", "atlas", ATLAS)
    assert (code, said) == (0, "no differences\n")


def test_two_fifth_atlases_are_told_apart_joint_by_joint(model):
    code, said, _ = model("diff", "atlas_v5_drcsim", "atlas", "--json")
    data = json.loads(said)
    assert code == 1
    assert data["renamed"]["l_arm_wry2"] == "l_arm_lwy"
    found = {(d["kind"], d["name"], d["quantity"]): d for d in data["differences"]}
    torso = found["link", "utorso", "mass_kg"]
    assert (torso["first"], torso["second"]) == (63.73, 84.409)
    assert found["joint", "back_bkx", "soft_limits"]["second"] is None
    assert ("joint", "back_bkx", "effort") not in found
    lacking = {n for kind, n, what in found if (kind, what) == ("joint", "present")}
    assert lacking
    assert not lacking & {j.name for j in read_description(ATLAS).moving_joints()}


def test_a_changed_value_is_the_one_difference(model, tmp_path):
    old, new = tmp_path / "old.urdf", tmp_path / "new.urdf"
    old.write_text(robot())
    new.write_text(robot().replace('effort="3"', 'effort="4"'))
    _, said, _ = model("diff", old, new, "--json")
    (difference,) = json.loads(said)["differences"]
    assert difference == {
        "kind": "joint",
        "name": "j",
        "quantity": "effort",
        "first": 3.0,
        "second": 4.0,
    }


def test_an_overlay_writes_a_urdf_beside_it(model, tmp_path):
    path = tmp_path / "heavy.yaml"
    path.write_text(f"urdf: {ATLAS}\nname: heavy\nmass_factor: 1.1\n")
    code, said, _ = model("overlay", path)
    assert code == 0
    assert "heavy, 70 links, 30 moving joints, 192.63 kg" in said
    assert read_description(tmp_path / "heavy.urdf").name == "heavy"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("joints: {back_bkx: {lower: 3}}", "above its upper limit"),
        ("links: {utorso: {inertia: [1, 0, 0, 1, 0, 9]}}", "nothing is written"),
    ],
)
def test_an_overlay_that_makes_nonsense_writes_nothing(model, tmp_path, text, sentence):
    path = tmp_path / "bad.yaml"
    path.write_text(f"urdf: {ATLAS}\n{text}\n")
    code, said, error = model("overlay", path)
    assert (code, said) == (2, "")
    assert sentence in error
    assert [p.name for p in tmp_path.iterdir()] == ["bad.yaml"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("report", "atlass"), "unknown robot 'atlass'"),
        (("report", "none.urdf"), "cannot read none.urdf"),
        (("diff", "atlas", "none.urdf"), "cannot read none.urdf"),
        (("overlay", "none.yaml"), "cannot read none.yaml"),
        (("report", "atlas", "--picture", "tree.bmp"), "unknown format 'bmp'"),
    ],
)
def test_a_mistake_is_one_sentence(model, arguments, sentence):
    code, said, error = model(*arguments)
    assert (code, said) == (2, "")
    assert sentence in error


def test_an_overlay_does_not_take_the_place_of_what_it_changes(model, tmp_path):
    base, overlay = tmp_path / "mine.urdf", tmp_path / "mine.yaml"
    base.write_bytes(ATLAS.read_bytes())
    overlay.write_text("urdf: mine.urdf\nmass_factor: 2.0\n")
    code, _, error = model("overlay", overlay)
    assert code == 2
    assert "name another file" in error
    assert base.read_bytes() == ATLAS.read_bytes()
