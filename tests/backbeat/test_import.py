"""Motion files on the command line: out, in, judged, and built."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from backbeat.behaviors.cuts import finding
from backbeat.behaviors.cuts.body_heights import find_heights
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.recording import take_file
from backbeat.behaviors.recording.take_file import read_take
from backbeat.behaviors.specification.checking import check_file
from backbeat.behaviors.specification.kinds import read_any
from backbeat.behaviors.takes.readers.formats import read_motion
from backbeat.models.robot.description import find_description
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.runs.file import load_run, save_run
from tests.backbeat.performances import run_of, swaying
from tests.behaviors.takes.conftest import states_of
from tests.behaviors.takes.floor_takes import KNEELS, down_and_up, floor_take
from tests.behaviors.takes.standing import standing_frame


@pytest.fixture
def backbeat(backbeat, monkeypatch, tmp_path):
    """The command in a folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    return backbeat


@pytest.fixture
def exported(backbeat, built, tmp_path):
    """A behavior in a library, and a file of it."""
    Library(tmp_path / "library").save(built("quarter-turn"))

    def call(form, *options):
        code, said, complaint = backbeat(
            "export", "quarter-turn", "--library", "library", "--format", form, *options
        )
        assert code == 0, complaint
        return said

    return call


@pytest.fixture(scope="module")
def g1():
    return RobotModel(find_description("g1"))


def test_a_behavior_goes_out_and_comes_in(exported, backbeat, tmp_path):
    said = exported("mjlab", "-o", "turn.npz")
    assert "turn.npz: " in said
    assert "at 50 samples/s of atlas" in said
    code, said, _ = backbeat("check", "turn.npz", "--robot", "atlas")
    assert code == 0
    assert "feasible as it is" in said
    assert "off balance 0 % of the time" in said
    code, said, complaint = backbeat("import", "turn.npz", "-o", "mine.yaml")
    assert code == 0, complaint
    assert "turn.npz has the joints of atlas" in said
    assert "depth first (mjlab) by names" in said
    assert "next: backbeat build mine.yaml" in said
    dance, _ = read_any(tmp_path / "mine.yaml")
    assert dance.recordings["take-1"].file == "turn.npz"
    assert not [f for f in check_file(tmp_path / "mine.yaml") if f.finding.fails]
    # What is there is left as it is.
    assert backbeat("import", "turn.npz", "-o", "mine.yaml")[0] == 2


def test_a_file_is_read_once_and_cut_once(exported, backbeat, tmp_path, monkeypatch):
    """By the import, by the dance that it becomes, and by the build of that."""
    exported("csv", "-o", "turn.csv")
    read, cut = [], []

    def counted(function, calls):
        return lambda *args: calls.append(args) or function(*args)

    monkeypatch.setattr(take_file, "read_motion", counted(read_motion, read))
    monkeypatch.setattr(finding, "find_heights", counted(find_heights, cut))
    code, _, complaint = backbeat("import", "turn.csv", "--robot", "atlas")
    assert code == 0, complaint
    assert (len(read), len(cut)) == (1, 1)
    dance, _ = read_any(tmp_path / "turn.yaml")
    assert dance.plan(Path()).recorded["take-1"].planted
    assert (len(read), len(cut)) == (1, 1)
    frame = pd.read_csv(tmp_path / "turn.csv")
    frame["base.z"] += 0.01
    frame.to_csv(tmp_path / "turn.csv", index=False)
    assert dance.plan(Path()).recorded["take-1"].planted
    assert len(read) == 2


def test_what_cannot_be_is_named_and_ends_with_two(exported, backbeat, tmp_path):
    exported("csv")
    path = tmp_path / "quarter-turn.csv"
    frame = pd.read_csv(path)
    frame["base.z"] += 0.03
    frame.to_csv(path, index=False)
    code, said, _ = backbeat("check", path, "--robot", "atlas")
    assert code == 2
    assert "not feasible as it is: 1 limit exceeded" in said
    assert "exceeds a foot that stands floats: 30 mm" in said


def test_a_file_without_names_says_whose_it_is(backbeat, tmp_path, g1):
    from backbeat.behaviors.takes.writers.formats import WRITTEN

    states = states_of("g1", 30.0)
    (tmp_path / "take.csv").write_bytes(WRITTEN["csv-robot"].write(states))
    code, said, complaint = backbeat("import", "take.csv", "--start", 0.5, "--end", 1.5)
    assert code == 0, complaint
    assert "take.csv has the joints of g1, whose motion it is" in said
    assert "quaternion w last, z up" in said
    dance, _ = read_any(tmp_path / "take.yaml")
    assert dance.robot == "g1"
    recording = dance.recordings["take-1"]
    assert (recording.start, recording.end) == (0.5, 1.5)
    code, _, complaint = backbeat("import", "take.csv", "--robot", "h1", "-o", "b.yaml")
    assert code == 2
    assert "36 columns without names, and a motion of h1 has 26" in complaint
    assert not (tmp_path / "b.yaml").exists()


def test_a_run_is_written_too(backbeat, tmp_path):
    made = run_of(swaying())
    run = save_run(made, tmp_path / "a.run.parquet", run_metrics(made))
    code, said, complaint = backbeat("export", run, "--format", "npz", "-o", "a.npz")
    assert code == 0, complaint
    frame, _ = load_run(run)
    assert f"{len(frame)} samples of atlas" in said
    take = read_take(tmp_path / "a.npz", RobotModel(find_description("atlas")))
    joints = frame[[f"q.{j}" for j in take.joints]].to_numpy()
    np.testing.assert_array_equal(take.q, joints)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("import", "a.pkl"), "batch_gmr_pkl_to_csv.py"),
        (("import", "none.csv"), "there is no recording none.csv"),
        (("import", "a.csv", "--format", "fbx"), "unknown format of motions 'fbx'"),
        (("import", "a.csv", "-o", "a.json"), "a specification is called NAME.yaml"),
        (("import", "a.csv", "--robot", "r2"), "r2"),
        (("check", "stand", "--robot", "g1"), "are of motion files"),
        (("export", "stand", "--rate", "50"), "name its --format too"),
        (("export", "stand", "--format", "npz", "--all"), "one by one"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(backbeat, tmp_path, arguments, sentence):
    (tmp_path / "a.pkl").write_bytes(b"\x80\x04K\x01.")
    (tmp_path / "a.csv").write_text("t,neck_ay\n0,0\n0.1,0\n0.2,0\n0.3,0\n")
    code, _, complaint = backbeat(*arguments)
    assert code == 2
    assert sentence in complaint
    assert complaint.count("\n") == 1
    assert not list(tmp_path.glob("*.yaml"))


@pytest.mark.slow
def test_an_imported_motion_of_a_g1_is_built(backbeat, tmp_path, g1):
    frame = standing_frame(g1)
    joints = [f"q.{n}" for n in g1.joint_names]
    frame[["t", *joints]].to_csv(tmp_path / "take.csv", index=False)
    assert backbeat("import", "take.csv", "--robot", "g1")[0] == 0
    code, said, complaint = backbeat("build", "take.yaml", "--library", "library")
    assert code == 0, complaint
    assert "verified" in said + complaint


def write_take(take, path):
    """A take as CSV, with its base."""
    base = [f"base.{a}" for a in ("qw", "qx", "qy", "qz", "x", "y", "z")]
    columns = ["t", *base, *take.joints]
    frame = pd.DataFrame(np.c_[take.t, take.base, take.q], columns=columns)
    frame.to_csv(path, index=False, float_format="%.9g")


def test_a_take_on_its_knees_is_cut_as_asked(backbeat, tmp_path, g1):
    write_take(down_and_up(g1, KNEELS), tmp_path / "take.csv")
    knees = r"both knees on the floor from 4\.0 to 6\.1 s"
    code, said, complaint = backbeat("import", "take.csv", "--robot", "g1")
    assert code == 2
    assert re.search(knees, complaint)
    assert re.search(r"0\.00 to 2\.9\d, 7\.0\d to 10\.00 s remain", complaint)
    assert "--cut longest or all" in complaint
    assert [path.name for path in tmp_path.iterdir()] == ["take.csv"]
    code, said, _ = backbeat("check", "take.csv", "--robot", "g1")
    assert code == 2
    assert re.search(f"not on its feet: .*{knees}", said)
    code, said, _ = backbeat("import", "take.csv", "--robot", "g1", "--cut", "all")
    assert code == 0
    for k, (start, end) in enumerate([(0.0, 2.9), (7.0, 10.0)], 1):
        dance, _ = read_any(tmp_path / f"take-{k}.yaml")
        described = dance.recordings["take-1"]
        assert described.start == pytest.approx(start, abs=0.1)
        assert described.end == pytest.approx(end, abs=0.1)
        assert not [
            f for f in check_file(tmp_path / f"take-{k}.yaml") if f.finding.fails
        ]
    code, _, _ = backbeat("import", "take.csv", "--robot", "g1", "--cut", "longest")
    assert code == 0
    assert (tmp_path / "take.yaml").exists()
    code, _, complaint = backbeat("import", "take.csv", "--robot", "g1", "--cut", "two")
    assert code == 2
    assert "unknown part to keep 'two'" in complaint


def test_a_take_that_is_always_on_its_knees_is_refused(backbeat, tmp_path, g1):
    write_take(floor_take(g1, [(0, KNEELS), (5, KNEELS)]), tmp_path / "take.csv")
    for options in ((), ("--cut", "longest")):
        code, _, complaint = backbeat("import", "take.csv", "--robot", "g1", *options)
        assert code == 2
        assert len(complaint.strip().splitlines()) == 1
        assert "no part remains" in complaint
    assert [path.name for path in tmp_path.iterdir()] == ["take.csv"]
