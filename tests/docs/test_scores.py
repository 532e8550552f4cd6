"""The examples of the page on scores are scores, and do what it says."""

import re
from pathlib import Path

import pytest

from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.music.files.score_reader import load_score
from backbeat.behaviors.music.notation.percussion import PIECES, ROWS
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.models.kit.drum_kit import DrumKit
from tests.behaviors.midi_files import hit, midi_bytes
from tests.behaviors.test_backing import write_wav

PAGE = (Path(__file__).parents[2] / "docs" / "scores.md").read_text()
EXAMPLES = re.findall(r"```(yaml|text)\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def load(tmp_path):
    """`load(language, text)` reads an example beside the files that it names."""
    notes = [(480 * k, hit(n)) for k, n in enumerate([36, 38, 56, 42])]
    (tmp_path / "my-song.mid").write_bytes(midi_bytes([notes]))
    write_wav(tmp_path / "my-song.wav")
    kit = DrumKit()
    player = HandModel({m: kit.strike_pose(m).translation() for m in kit.members})

    def read(language, text):
        path = tmp_path / {"yaml": "example.yaml", "text": "example.tab"}[language]
        path.write_text(text)
        return load_score(path, kit_members(kit), player)

    return read


def test_every_example_is_a_score(load):
    assert len(EXAMPLES) == 5
    for language, text in EXAMPLES:
        score = load(language, text)
        assert score.hits
        assert set(score.holds[0].rest) == {"left", "right"}
        assert score.holds[-1].beat + score.holds[-1].beats == score.beats


def test_the_examples_do_what_the_page_says(load):
    parts, sent, time, tab, notes = (load(*example) for example in EXAMPLES)
    assert [s.name for s in parts.sections] == [
        "ready", "verse", "chorus", "ending", "rest",
    ]  # fmt: skip
    assert {h.velocity for h in parts.hits} == {50, 90, 110, 115}
    assert sent.section("away").beats == 2
    assert [h.velocity for h in sent.hits][-1] == 100
    assert "place 0.350, 0.250, 1.000" in [t.name for t in sent.targets]
    swings = time.section("swings").beat
    assert [h.beat - swings for h in time.hits[:2]] == pytest.approx([0, 0.62])
    faster = time.section("faster")
    assert time.tempo.bpm_at(faster.beat) == 110
    assert time.tempo.bpm_at(faster.beat + faster.beats) == 130
    fill = tab.section("fill")
    assert fill.beats == 8
    assert sum(h.beat >= fill.beat for h in tab.hits) == 24
    assert notes.backing == "my-song.wav"
    assert notes.remarks == (
        "MIDI notes: 38 to snare (1 hit), 42 to hi_hat (1 hit)",
        "MIDI note 36, 1 hit: kick, dropped",
        "MIDI note 56, 1 hit: cowbell, given to ride",
    )


def test_the_page_names_rows_and_pieces_that_exist():
    rows = PAGE.split("Rows are ")[1].split("A rest")[0]
    named = set(re.findall(r"`([A-Z0-9]+)`", rows))
    assert named <= set(ROWS)
    assert {ROWS[row] for row in named} == set(ROWS.values())
    assert set(ROWS.values()) <= set(PIECES)
