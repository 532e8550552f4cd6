"""Words that are written where they do not belong get a hint on where they do."""

import pytest

from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.music.files.score_reader import load_score
from backbeat.behaviors.specification.checking import check_file
from backbeat.models.kit.drum_kit import DrumKit

SCORE = """\
bpm: 100
parts:
  - {{name: ready, hold: 4, rest: {{L: snare, R: floor_tom}}}}
  - bars: 1
    hits:
      - {{bar: 1, beat: 1, {0}}}
  - {{name: silence, bars: 1}}
  - {{name: rest, hold: 4, rest: {{left: snare, right: floor_tom}}}}
"""
DRUMS = "kind: drumming\nname: song\nscore: song\n"


def write(folder, hit="member: snare", more=""):
    (folder / "scores").mkdir(exist_ok=True)
    (folder / "scores" / "song.yaml").write_text(SCORE.format(hit))
    path = folder / "song.yaml"
    path.write_text(DRUMS + more)
    return path


@pytest.mark.parametrize(
    ("hit", "more", "hint"),
    [
        ("member: snare, hand: foot", "", "a foot plays what has a pedal"),
        ("member: kick, hand: left foot", "", "a foot plays what has a pedal"),
        ("member: kick, foot: right", "", "a foot plays what has a pedal"),
        ("member: foot", "", "foot is no drum; name what a foot plays, kick or"),
        ("member: snare", "backing: a.wav", "'backing'; it is a key of the score"),
        ("member: snare", "bpm: 98", "'bpm'; it is a key of the score"),
        ("member: snare", "unplayable: drop", "the score, and of `adapt` here"),
        ("member: snare", "tempo: 98", "'tempo'; the score has it as bpm"),
        ("member: snare, hand: lefd", "", "did you mean left?"),
    ],
)
def test_a_hint_leads_to_the_place(tmp_path, hit, more, hint):
    (found,) = check_file(write(tmp_path, hit, more))
    assert found.finding.fails
    assert hint in found.finding.sentence


@pytest.mark.parametrize(
    ("letter", "hand"), [("L", "left"), ("R", "right"), ("left", "left")]
)
def test_letters_are_hands(tmp_path, letter, hand):
    path = write(tmp_path, f"member: snare, hand: {letter}")
    score = load_score(path.parent / "scores" / "song.yaml", kit_members(DrumKit()))
    assert [h.hand for h in score.hits] == [hand]
    assert [set(h.rest) for h in score.holds] == [{"left", "right"}] * 2
