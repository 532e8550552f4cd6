"""Drumming on a kit of one's own: found from its specification, kept with the plan."""

import numpy as np
import pytest

from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.kinematic.behavior import read_score
from backbeat.behaviors.library.table import read_scene
from backbeat.behaviors.specification.kinds import read_specification
from backbeat.models.common.errors import BackbeatError

KIT = """\
remove: [mid_tom]
members:
  gong: {kind: cymbal, place: [0.72, 0.05, 1.1], radius: 0.15, depth: 0.02,
         notes: [52], tilt_deg: 20}
"""
SONG = """\
kind: drumming
name: gongs
score: gongs
seat: chair
kit: kits/mine.yaml
"""
SCORE = """\
bpm: 90
parts:
  - {name: ready, hold: 4, rest: {left: snare, right: floor_tom}}
  - {tab: "CH|x---x---|"}
  - {name: rest, hold: 4, rest: {left: snare, right: floor_tom}}
"""


@pytest.fixture(scope="module")
def song(tmp_path_factory):
    """The specification, its folder, and its plan."""
    folder = tmp_path_factory.mktemp("song")
    (folder / "kits").mkdir()
    (folder / "scores").mkdir()
    (folder / "kits" / "mine.yaml").write_text(KIT)
    (folder / "scores" / "gongs.yaml").write_text(SCORE)
    (folder / "gongs.yaml").write_text(SONG)
    specification, _ = read_specification(folder / "gongs.yaml")
    return specification, folder, specification.plan(folder)


def test_a_member_that_was_added_is_played_by_its_note(song):
    _, _, plan = song
    assert {e.what for e in plan.events if e.kind == "strike"} == {"gong"}
    kit = plan.scene.drum_kit()
    assert kit.member("gong").number == 5
    # The gong's own tilt: 20 degrees to the player.
    assert kit.strike_pose("gong").rotation().matrix()[2, 2] == pytest.approx(
        np.cos(np.radians(20))
    )


def test_the_scene_keeps_the_kit_when_its_file_is_gone(song):
    _, folder, plan = song
    told = {"name": plan.scene.name, "place": [*plan.scene.place], "kit": ""}
    assert read_scene(told).drum_kit().text == ""
    told["kit"] = plan.scene.kit
    (folder / "kits" / "mine.yaml").rename(folder / "kits" / "other.yaml")
    try:
        assert "gong" in read_scene(told).drum_kit().members
    finally:
        (folder / "kits" / "other.yaml").rename(folder / "kits" / "mine.yaml")


def test_the_kit_file_counts_for_whether_a_motion_is_built_again(song):
    specification, folder, _ = song
    names = [path.name for path in specification.sources(folder)]
    assert names == ["gongs.yaml", "mine.yaml"]


def test_the_kinematic_player_plays_it_too(song):
    _, folder, _ = song
    score, _, kit = read_score(folder / "gongs.yaml")
    assert {h.member for h in score.hits} == {"gong"}
    assert "gong" in kit.members


def test_a_kit_that_does_not_exist_is_refused(tmp_path):
    specification = DrummingSpecification(name="x", score="x", kit="no.yaml")
    with pytest.raises(BackbeatError, match=r"no kit file .*no.yaml"):
        specification.plan(tmp_path)
