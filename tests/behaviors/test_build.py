"""Building: when it happens, when it does not, and what is left when it fails."""

import dataclasses
import re
from pathlib import Path

import pytest

from backbeat.behaviors.building import build as building
from backbeat.behaviors.building import build_key
from backbeat.behaviors.building.build import build
from backbeat.behaviors.solving import solved_behavior
from backbeat.behaviors.specification.kinds import find_specification
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.description import find_description
from backbeat.optimization.verification.certificate import Certificate, Check
from tests.copied_sources import copy_sources

POSTURE = """\
kind: posture
name: mine
summary: A short one.
start: stand
stations:
  - {posture: stand, move: 0.3, hold: 0.1}
"""
DRUMMING = "kind: drumming\nname: mine\nscore: song\n"
SCORE = """\
parts:
  - {hold: 5, rest: {left: snare, right: floor_tom}}
  - {left: "- 3", right: "7 -"}
"""


@pytest.fixture
def write(tmp_path):
    """`write(text, name)` writes a file and returns its path."""

    def to(text, name="mine.yaml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return to


@pytest.fixture
def solved(monkeypatch, drums):
    """Takes the solver's place; a list of the names that were solved."""
    names = []

    def solve(specification, text, folder, key, *_):
        names.append(specification.name)
        provenance = {"key": key, "duration_s": 0.5}
        return dataclasses.replace(
            drums,
            name=specification.name,
            robot=specification.robot,
            provenance=provenance,
        )

    monkeypatch.setattr(building, "solve", solve)
    return names


def test_a_behavior_is_solved_verified_and_stored(library, write):
    shares = []
    behavior = build(
        write(POSTURE), library, progress=lambda share, what: shares.append(share)
    )
    assert behavior.certificate.passed
    assert behavior.duration == pytest.approx(0.4)
    assert library.names() == ["mine"]
    assert library.load("mine").specification == POSTURE
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    provenance = behavior.provenance
    assert provenance["violation"] <= 1e-6
    assert provenance["key"] == library.key("mine")


def test_what_has_not_changed_is_never_solved_again(library, write, solved):
    path = write(POSTURE)
    for _ in range(3):
        build(path, library)
    assert solved == ["mine"]


def test_force_solves_again(library, write, solved):
    path = write(POSTURE)
    build(path, library)
    build(path, library, force=True)
    assert solved == ["mine"] * 2


def test_a_changed_specification_is_solved_again(library, write, solved):
    build(write(POSTURE), library)
    build(write(POSTURE.replace("hold: 0.1", "hold: 0.2")), library)
    assert solved == ["mine"] * 2


def test_a_changed_score_is_solved_again(library, write, solved):
    write(SCORE, "scores/song.yaml")
    path = write(DRUMMING)
    build(path, library)
    build(path, library)
    assert solved == ["mine"]
    write(SCORE.replace("7 -", "6 -"), "scores/song.yaml")
    build(path, library)
    assert solved == ["mine"] * 2


@pytest.mark.parametrize("file", ["atlas.yaml", "atlas_v5.urdf"])
def test_a_changed_robot_is_solved_again(library, write, solved, tmp_path, file):
    folder = tmp_path / "robots" / "atlas"
    source = find_description("atlas").parent
    copy_sources(source, folder)
    copy_sources(source.parents[1] / "kit", tmp_path / "kit")
    path = write(POSTURE + f"robot: {folder / 'atlas.yaml'}\n")
    build(path, library)
    build(path, library)
    assert solved == ["mine"]
    robot = folder / file
    robot.write_text(robot.read_text() + "\n")
    build(path, library)
    assert solved == ["mine"] * 2


def test_a_changed_program_is_solved_again(library, write, solved, monkeypatch):
    path = write(POSTURE)
    build(path, library)
    monkeypatch.setattr(build_key, "_sources", lambda: "other sources")
    build(path, library)
    assert solved == ["mine"] * 2


@pytest.mark.parametrize(
    ("file", "counts"),
    [
        ("behaviors/posture/specification.py", True),
        ("optimization/interior_point/solver.py", True),
        ("models/kit/drum_kit.yaml", True),
        ("models/robots/atlas/atlas_v5.urdf", True),
        ("mpc/reference/trajectory.py", False),
        ("cli/main.py", False),
        ("behaviors/specifications/groove.yaml", False),
        ("models/robots/atlas/shell/palette.py", False),
    ],
)
def test_only_what_can_change_a_motion_counts(tmp_path, monkeypatch, file, counts):
    for name in ("models", "optimization", "behaviors", "mpc", "cli"):
        copy_sources(build_key.ROOT / name, tmp_path / name)
    monkeypatch.setattr(build_key, "ROOT", tmp_path)
    before = build_key._sources.__wrapped__()
    changed = tmp_path / file
    changed.write_text(changed.read_text() + "\n")
    assert (build_key._sources.__wrapped__() != before) == counts


def test_a_damaged_file_is_solved_again(library, write, solved):
    path = write(POSTURE)
    build(path, library)
    stored = library.path("mine")
    stored.write_bytes(stored.read_bytes()[:100])
    build(path, library)
    assert solved == ["mine"] * 2
    assert library.load("mine").name == "mine"


@pytest.mark.parametrize("stage", ["reconstruct", "verify", "centroidal_quantities"])
def test_an_interrupted_build_leaves_the_library_as_it_was(
    library, write, monkeypatch, stage
):
    build(write(POSTURE), library)
    before = library.path("mine").read_bytes()

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(solved_behavior, stage, interrupted)
    path = write(POSTURE.replace("hold: 0.1", "hold: 0.2"))
    with pytest.raises(KeyboardInterrupt):
        build(path, library)
    assert [p.name for p in library.path("mine").parent.iterdir()] == ["mine.parquet"]
    assert library.path("mine").read_bytes() == before
    monkeypatch.undo()
    assert build(path, library).duration == pytest.approx(0.5)


def test_a_motion_that_fails_verification_is_not_stored(library, write, monkeypatch):
    bad = Check("joint_torque", 1.3, 1.0, 0.25, "l_leg_kny")
    monkeypatch.setattr(solved_behavior, "verify", lambda *_: Certificate((bad,)))
    with pytest.raises(BackbeatError) as caught:
        build(write(POSTURE), library)
    for word in ("mine", "joint_torque", "1.3 > 1", "0.25 s", "l_leg_kny"):
        assert word in str(caught.value)
    assert library.names() == []


def test_a_motion_that_cannot_be_found_says_what_and_when(library, write):
    """A far reach in a tenth of a second."""
    far = "stand, reach: {l_hand_face: [0.55, 0.75, 1.25]}, move: 0.1"
    path = write(POSTURE.replace("stand, move: 0.3", far))
    with pytest.raises(BackbeatError) as caught:
        build(path, library)
    sentence = str(caught.value)
    assert sentence.startswith("mine: no motion found")
    assert re.search(r"worst is \S+.* at \d\.\d\d s, off by", sentence)
    assert "\n" not in sentence
    assert library.names() == []


def test_a_specification_is_found_by_name_or_path(write):
    assert find_specification("groove").name == "groove.yaml"
    path = write(POSTURE)
    assert find_specification(path) == path
    with pytest.raises(BackbeatError, match="did you mean groove"):
        find_specification("groov")
    with pytest.raises(BackbeatError, match="no specification file"):
        find_specification(Path("nothing.yaml"))
