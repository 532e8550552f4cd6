"""A run that strains a joint: told, and no success for whoever asks for exit codes."""

import json

import pytest

from tests.mpc.test_joint_strain import BEHAVIOR, URDF, YAML

SCENARIO = """behavior: tiny-up
lead_in: 0.1
lead_out: 0.0
pushes: [{{time: 0.0, duration: 2.0, impulse: [{}, 0, 0], body: tip}}]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    for name, text in (("tiny.urdf", URDF), ("tiny.yaml", YAML)):
        (folder / name).write_text(text)
    (folder / "tiny-up.yaml").write_text(BEHAVIOR)
    for name, push in (("held", 80), ("free", 0.001)):
        (folder / f"{name}.yaml").write_text(SCENARIO.format(push))
    return folder


def test_a_strained_joint_is_told_and_track_ends_with_one(backbeat, folder):
    library = "--library", folder / "library"
    assert backbeat("build", folder / "tiny-up.yaml", *library)[0] == 0
    run = folder / "run.parquet"

    def track(name, *more):
        scenario = "--scenario", folder / f"{name}.yaml"
        return backbeat("track", *scenario, *library, "-o", run, *more)

    code, said, _ = track("held")
    words = " ".join(said.split())
    assert code == 1
    assert "tiny-up on tiny overloaded" in words
    assert "no success: elbow was at its limit of 2 (N m or N) in " in words, words
    assert run.is_file()
    code, said, _ = track("held", "--json")
    assert code == 1
    assert json.loads(said)["strained_joints"][0]["joint"] == "elbow"
    code, said, _ = track("free")
    assert code == 0
    assert "overloaded" not in said
