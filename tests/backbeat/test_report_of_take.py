"""The report of a behavior that was made from a recorded take, as a user gets it."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from backbeat.behaviors.building.build import solve
from backbeat.behaviors.dance.authoring import Choreography
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.specification.recorded_takes import recorded_takes
from backbeat.figures.drawing.picture import Camera, OffscreenScene
from backbeat.figures.robot.ghosts import ghosts
from backbeat.report.pages.behavior import behavior_page
from tests.behaviors.recordings import table, write
from tests.behaviors.test_dance_builds import QUIET

# What is wrong with the take, which stands and moves an elbow [m].
LIFT, SKATE = 0.02, 0.01
DOCS = Path(__file__).parents[2] / "docs/how_to/recordings.md"
SUMMARIES = ("root_deg", "joints_rms_deg")
PLACE = ("qw", "qx", "qy", "qz", "x", "y", "z")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A dance of a take with a base that is lifted and slides, built and stored."""
    folder = tmp_path_factory.mktemp("takes")
    robot = make_robot("atlas", (), Mount())
    t = np.arange(200) / 100
    q = np.tile(robot.posture("stand"), (len(t), 1))
    q[:, 4] += SKATE * np.sin(np.pi * t)
    q[:, 6] += LIFT
    q[:, robot.base_positions + robot.joint_index("l_arm_elx")] += 0.3 * np.sin(t) ** 2
    frame = table(robot, t, q[:, robot.base_positions :])
    for i, name in enumerate(PLACE):
        frame[f"base.{name}"] = q[:, i]
    write(frame, folder / "take.csv")
    made = Choreography("mine", beats=8)
    made.recording("take", "take.csv", "radians", feet="stay").add("legs", "take", 1)
    behavior = solve(made.dance, made.text(), folder / "mine.yaml", "", QUIET)
    Library(folder / "library").save(behavior)
    return folder


@pytest.fixture
def stored(folder):
    return Library(folder / "library").load("mine")


@pytest.fixture
def backbeat(backbeat, monkeypatch, folder, tmp_path):
    """The command with the library of the take, in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: backbeat(*arguments, "--library", folder / "library")


def test_the_build_and_info_say_it_in_a_sentence(backbeat, stored):
    (entry,) = stored.provenance["recordings"]
    assert entry["summary"] in stored.provenance["remarks"]
    assert entry["end_s"] - entry["start_s"] == pytest.approx(1.99, abs=0.01)
    root = re.search(r"the root is off by up to (\d+) mm", entry["summary"])
    assert 1e3 * LIFT - 1 <= int(root[1]) <= 1e3 * (LIFT + SKATE)
    code, said, _ = backbeat("info", "mine")
    assert code == 0
    assert "compared with the take, the root is off by up to" in " ".join(said.split())


def test_the_page_has_figures_pictures_and_the_table(backbeat, tmp_path, capsys):
    code, said, _ = backbeat("report", "mine", "--table", "changes.parquet")
    assert code == 0
    assert "changes.parquet: " in said
    page = (tmp_path / "mine.report.html").read_text()
    assert "What changed from the recording" in page
    assert "the take is not feasible" in page
    assert "a foot that stands floats" in page
    assert page.count("data:image/png;base64") >= 2
    changes = pd.read_parquet(tmp_path / "changes.parquet")
    assert (changes["recording"] == "take").all()
    lowered = changes[["left_foot_mm", "right_foot_mm"]].to_numpy()
    assert (lowered > 1e3 * LIFT - 1).all()
    assert (lowered < 1e3 * np.hypot(LIFT, 2 * SKATE) + 1).all()
    read, _ = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)
    exec(read, {})
    said = capsys.readouterr().out
    assert "root_mm" in said
    joints = [c for c in changes if c.endswith("_deg") and c not in SUMMARIES]
    worst = changes[joints].abs().max().idxmax()
    assert re.search(rf"^{worst} +\d", said, re.MULTILINE)
    assert backbeat("report", "mine", "--table", "changes.csv")[0] == 0
    again = pd.read_csv(tmp_path / "changes.csv")
    np.testing.assert_allclose(again["root_mm"], changes["root_mm"], rtol=1e-8)


def test_a_take_that_is_gone_or_changed_is_said(backbeat, folder, tmp_path, stored):
    file = folder / "take.csv"
    held = file.read_bytes()
    try:
        file.write_bytes(held.replace(b"0.02", b"0.03"))
        (changed,) = recorded_takes(stored)
        assert "is not what it was when the behavior was built" in changed.note
        file.unlink()
        assert backbeat("report", "mine")[0] == 0
        page = (tmp_path / "mine.report.html").read_text()
        assert "take.csv is gone, so that its changes cannot be shown" in page
        assert "the root is off by up to" in page
        code, _, error = backbeat("report", "mine", "--table", "changes.csv")
        assert code == 2
        assert "is gone" in error
        assert not (tmp_path / "changes.csv").exists()
    finally:
        file.write_bytes(held)
    (back,) = recorded_takes(stored)
    assert not back.note
    assert back.judged is not None


def test_a_library_is_moved_with_its_takes(backbeat, folder, tmp_path, stored):
    """What is on disk says where the take is from there; alone, it lacks the take."""
    header = Library(folder / "library").header("mine")
    (entry,) = header["provenance"]["recordings"]
    assert entry["file"] == "../../take.csv"
    assert str(folder) not in json.dumps(header)
    shutil.copytree(folder, tmp_path / "moved")
    (moved,) = recorded_takes(Library(tmp_path / "moved" / "library").load("mine"))
    assert not moved.note
    (tmp_path / "moved" / "take.csv").unlink()
    alone = Library(tmp_path / "moved" / "library").load("mine")
    np.testing.assert_array_equal(alone.motion.q, stored.motion.q)
    (without,) = recorded_takes(alone)
    assert f"its file {tmp_path}/moved/take.csv is gone" in without.note
    # Stored in another place once more, it still leads to where its take was.
    again = Library(tmp_path / "elsewhere" / "deep")
    again.save(stored)
    (back,) = recorded_takes(again.load("mine"))
    assert not back.note


def test_a_behavior_without_a_take_has_no_such_part(built, backbeat, folder):
    stand = built("stand")
    assert "recording" not in behavior_page(stand).lower()
    assert not recorded_takes(stand)
    Library(folder / "library").save(stand)
    code, _, error = backbeat("report", "stand", "--table", "changes.csv")
    assert code == 2
    assert "no recorded take" in error


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("start_s", float("nan"), "it is no part of the behavior"),
        ("start_s", -1e9, "it is no part of the behavior"),
        ("end_s", 1e12, "it is no part of the behavior"),
        ("to_s", 1e12, "was asked for; the file goes from"),
        ("from_s", float("inf"), "was asked for; the file goes from"),
        ("file", "/dev/zero", "a device, not a file"),
        ("file", "a\0b", "is gone"),
        ("move", "other", "no recording 'other'"),
    ],
)
def test_what_a_file_from_elsewhere_says_of_takes_is_checked(
    stored, key, value, sentence
):
    (entry,) = stored.provenance["recordings"]
    told = {**stored.provenance, "recordings": [{**entry, key: value}]}
    (one,) = recorded_takes(replace(stored, provenance=told))
    assert sentence in one.note
    assert one.judged is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("mine", "--table", "changes.txt"), "called NAME.parquet or NAME.csv"),
        (("a.run.parquet", "--table", "changes.csv"), "is a run"),
    ],
)
def test_tables_that_make_no_sense(backbeat, arguments, sentence):
    code, _, error = backbeat("report", *arguments)
    assert code == 2
    assert sentence in error


def test_both_robots_are_in_the_picture_and_the_take_alone_is_blue():
    robot = make_robot("atlas", (), Mount())
    scene, q = OffscreenScene(robot), robot.posture("stand")
    camera = Camera((5.0, 0.0, 1.2), (0.0, 0.0, 0.9), 200, 160)
    beside = q.copy()
    beside[5] += 1.4
    picture = ghosts(scene, beside, q, camera).astype(int)
    blue = picture[:, :, 2] - picture[:, :, 0] > 40
    share = scene.silhouette(q, camera)[:, :, 0]
    # y is to the right as seen from ahead; both are as large.
    assert blue.sum() == pytest.approx(share.sum(), rel=0.2)
    assert blue[:, 100:].sum() > 0.95 * blue.sum()
    same = ghosts(scene, q, q, camera).astype(int)
    np.testing.assert_array_equal(
        same[share == 0], scene.photograph(q, camera)[share == 0]
    )
