"""Robots of other makers, with soles of all makes, through every command."""

import json

import pytest

from tests.models.humanoids import HUMANOIDS, SOLES, write_humanoid, write_squat

EVERY_DAY = ("t1", "capsules")
CASES = [
    pytest.param(
        name, sole, marks=[] if (name, sole) == EVERY_DAY else [pytest.mark.slow]
    )
    for name in HUMANOIDS
    for sole in SOLES
]


@pytest.mark.parametrize(("name", "sole"), CASES)
def test_a_humanoid_goes_through_every_command(backbeat, tmp_path, name, sole):
    write_humanoid(tmp_path, name, sole)
    squat, library = write_squat(tmp_path, name), tmp_path / "library"
    behavior, at = f"{name}-squat", ("--library", library)

    def run(*words):
        code, out, err = backbeat(*words)
        assert code == 0, err
        assert "Traceback" not in err
        return out

    # A mesh that is converted, and no transmissions, are worth a note.
    run("lint", tmp_path / f"{name}.urdf")
    assert run("check", squat) == "0 failures, 0 warnings\n"
    (built,) = json.loads(run("build", squat, *at, "--json"))
    assert built["name"] == behavior
    tracked = json.loads(run("track", behavior, *at, "--json"))
    assert tracked["survived"]
    # A millimeter, and a degree, with the wrists held as softly as others.
    assert tracked["com_error_mm"]["max"] < 1.0
    assert tracked["joint_error_deg"]["max"] < 1.0
    assert tracked["foot_slip_mm"] < 1.0
    # Standing still would not have passed.
    assert tracked["range"]["achieved"]["widest_joint_rad"] > 0.2
    for words in (
        ("report", behavior, *at, "-o", tmp_path / "report.html"),
        ("play", behavior, *at, "--record", tmp_path / "play.html"),
        ("play", behavior, *at, "--simulated", "--speed", 4, "--no-browser-wait"),
        ("export", behavior, *at, "-o", tmp_path / "joints.csv"),
        ("model", "report", tmp_path / f"{name}.yaml"),
    ):
        run(*words)
    header, *rows = (tmp_path / "joints.csv").read_text().splitlines()
    assert len(header.split(",")) == 1 + tracked_joints(tmp_path / f"{name}.urdf")
    assert len(rows) > 100
    for page in ("report.html", "play.html"):
        assert (tmp_path / page).stat().st_size > 50_000


def test_a_shipped_behavior_goes_on_another_robot(backbeat, tmp_path):
    robot = write_humanoid(tmp_path, "g1", "spheres")
    at = ("--robot", robot, "--library", tmp_path / "library")
    code, _, err = backbeat("track", "march", *at)
    assert code == 2
    assert f"backbeat build march --robot {robot}" in err
    code, _, err = backbeat("build", "march", *at)
    assert code == 0, err
    assert "march on g1 (footsteps, 8.6 s, 98 BPM" in err
    code, out, err = backbeat("track", "march", *at, "--duration", 3, "--json")
    assert code == 0, err
    tracked = json.loads(out)
    assert (tracked["behavior"], tracked["robot"]) == ("march", "g1")
    assert tracked["survived"]
    assert tracked["com_error_mm"]["rms"] < 6.0


def tracked_joints(urdf):
    """Number of joints that move."""
    return urdf.read_text().count('type="revolute"')
