"""Recordings on the command line: out of a run, and into a dance."""

import numpy as np
import pytest

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.recording.take_file import read_take
from backbeat.behaviors.specification.checking import check_file
from backbeat.behaviors.specification.kinds import read_any
from backbeat.behaviors.takes.take import Conventions
from backbeat.mpc.runs.file import load_run, save_run
from tests.backbeat.performances import run_of, swaying
from tests.behaviors.recordings import careless_sway, write


@pytest.fixture
def backbeat(backbeat, monkeypatch, tmp_path):
    """The command in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    return backbeat


@pytest.fixture(scope="module")
def robot():
    return make_robot("atlas", (), Mount())


def test_a_run_reads_back_as_a_recording(backbeat, tmp_path, robot):
    run = save_run(run_of(swaying()), tmp_path / "a.run.parquet", {})
    code, said, _ = backbeat("export", run, "--base")
    assert code == 0
    assert "a.run.csv" in said
    found = read_take(tmp_path / "a.run.csv", robot, Conventions(unit="radians"))
    frame, _ = load_run(run)
    joints = frame[[f"q.{j}" for j in robot.joint_names]].to_numpy()
    np.testing.assert_allclose(found.q, joints, rtol=1e-8, atol=1e-9)
    assert found.joints == robot.joint_names
    np.testing.assert_allclose(found.base[:, 6], frame["q.base.z"], rtol=1e-8)


def test_a_recording_starts_a_dance(backbeat, tmp_path, robot):
    (tmp_path / "takes").mkdir()
    write(careless_sway(robot), tmp_path / "takes" / "one.csv")
    take = ("--recording", "takes/one.csv", "--unit", "radians")
    code, said, _ = backbeat("new", "dance", "mine", "--folder", "dances", *take)
    assert code == 0
    assert "the left foot stands from 0.00 to 2.99 s, as found" in said
    assert "l_arm_elx goes to 2.80 rad" in said
    path = tmp_path / "dances" / "mine.yaml"
    dance, _ = read_any(path)
    # What a dance refers to lies beside it.
    assert dance.recordings["take-1"].file == "one.csv"
    copied = tmp_path / "dances" / "one.csv"
    assert copied.read_text() == (tmp_path / "takes" / "one.csv").read_text()
    assert dance.recordings["take-1"].planted["left"] == [[0.0, 2.99]]
    assert not [f for f in check_file(path) if f.finding.fails]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("dance", "mine", "--recording", "one.csv", "--unit", "degrees"),
            "no angle is beyond",
        ),
        (
            ("dance", "mine", "--recording", "none.csv", "--unit", "degrees"),
            "there is no recording",
        ),
        (("drumming", "mine", "--recording", "one.csv"), "only a dance"),
        (("dance", "mine", "--unit", "radians"), "name the recording"),
    ],
)
def test_what_is_no_start_leaves_nothing(
    backbeat, tmp_path, robot, arguments, sentence
):
    write(careless_sway(robot, seconds=1.0), tmp_path / "one.csv")
    code, _, complaint = backbeat("new", *arguments)
    assert code == 2
    assert sentence in complaint
    assert complaint.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["one.csv"]
