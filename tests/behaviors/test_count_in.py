"""Count-ins: clicks before the music in every format and in dances, heard in time."""

from dataclasses import replace

import numpy as np
import pytest

from backbeat.behaviors.dance.arrangement import channel_offsets
from backbeat.behaviors.dance.vocabulary.channels import mirrored
from backbeat.behaviors.dance.vocabulary.move_file import shipped_moves
from backbeat.behaviors.drumming.drummer import kit_members, score_events
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.music.files.score_compiler import compile_score
from backbeat.behaviors.music.files.score_reader import load_score
from backbeat.behaviors.music.notation.count_in import count_in_beats
from backbeat.behaviors.music.notation.meter import Meter, MeterChange, MeterMap
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.music.notation.score_description import (
    PartDescription,
    ScoreDescription,
)
from backbeat.behaviors.specification.kinds import parse_specification
from backbeat.models.common.errors import BackbeatError
from backbeat.models.kit.drum_kit import DrumKit
from backbeat.mpc.runs.file import save_run
from backbeat.sound.midi import note_numbers
from backbeat.sound.notes import (
    STICKS,
    SoundExtras,
    performed,
    performed_in_file,
    planned,
)
from tests.backbeat.performances import drumming, run_of
from tests.behaviors.midi_files import hit, midi_bytes

KIT = DrumKit()
MEMBERS = kit_members(KIT)
PLACES = {m: KIT.strike_pose(m).translation() for m in KIT.members}
SCORE = """\
bpm: 120
count_in: 4
parts:
  - {hold: 5, rest: {left: snare, right: floor_tom}}
  - {left: "- 3 - 3 - 3 - 3"}
"""
DANCE = """\
kind: dance
name: little
bpm: 120
beats: 12
meter: 3/4
count_in: 2
tracks:
  arms: [{move: point, at: 2.5, beats: 4}]
  head: [{move: nod, at: 4, beats: 4}]
"""


def counts(events):
    return [e.time for e in events if e.kind == "count"]


def read(path):
    score = load_score(path, MEMBERS, HandModel(PLACES))
    return score_events(score, lambda member, hand: (0.0, 0.0))


@pytest.mark.parametrize(
    ("meter", "start", "expected"),
    [
        (MeterMap(), 4.0, [2.0, 3.0]),
        (MeterMap(), 2.5, [0.0, 1.0]),
        (MeterMap(Meter(7, 8)), 3.5, [2.5, 3.0]),
        (MeterMap(Meter(3, 4), (MeterChange(3.0, Meter(6, 8)),)), 3.5, [2.0, 3.0]),
    ],
)
def test_clicks_are_pulses_and_the_last_is_before_the_music(meter, start, expected):
    assert count_in_beats(2, start, meter, "it") == expected
    assert count_in_beats(0, start, meter, "it") == []


def test_a_score_is_counted_in_before_its_first_hold_ends(tmp_path):
    (tmp_path / "a.yaml").write_text(SCORE)
    assert counts(read(tmp_path / "a.yaml")) == [0.5, 1.0, 1.5, 2.0]


def test_tablature_and_midi_are_counted_in_to_their_first_bar(tmp_path):
    (tmp_path / "a.tab").write_text("bpm: 120\ncount_in: 3\noffset: 0\nSD|x-x-x-x-|\n")
    (tmp_path / "a.mid").write_bytes(midi_bytes([[(0, hit(38)), (480, hit(38))]]))
    (tmp_path / "b.yaml").write_text("notes: a.mid\ncount_in: 3\n")
    for name in ("a.tab", "b.yaml"):
        score = load_score(tmp_path / name, MEMBERS)
        start = score.tempo.time(score.lead_in)
        found = counts(read(tmp_path / name))
        assert found == pytest.approx([start - 1.5, start - 1.0, start - 0.5])


def test_more_clicks_than_fit_are_refused_in_every_format(tmp_path):
    (tmp_path / "a.yaml").write_text(SCORE.replace("count_in: 4", "count_in: 6"))
    with pytest.raises(BackbeatError, match="count_in is 6, and 5 beats") as error:
        load_score(tmp_path / "a.yaml", MEMBERS)
    assert error.value.path == ("count_in",)
    text = DANCE.replace("count_in: 2", "count_in: 3")
    with pytest.raises(BackbeatError, match="count_in is 3, and 2 beats"):
        parse_specification(text, "it").plan(tmp_path)


def test_a_dance_is_counted_in_before_its_first_move(tmp_path):
    plan = parse_specification(DANCE, "it").plan(tmp_path)
    assert counts(plan.events) == [0.0, 0.5]


def counted_in():
    """A drummer with the count-in of a score at 120 BPM."""
    rest = {"left": "snare", "right": "floor_tom"}
    parts = [PartDescription("ready", hold=4, rest=rest), PartDescription(left="- 3")]
    described = ScoreDescription(parts=parts, bpm=120, count_in=2)
    score = compile_score(described, MEMBERS, "it")
    events = score_events(score, lambda member, hand: (0.0, 0.0))
    behavior = drumming(True, 3.0)
    clicks = [e for e in events if e.kind == "count"]
    return replace(behavior, events=(*clicks, *behavior.events))


def test_clicks_are_heard_and_are_no_strikes_also_from_a_run_file(tmp_path):
    behavior = counted_in()
    run = run_of(behavior)
    path = save_run(run, tmp_path / "a.run.parquet", {})
    for heard in (planned(behavior), performed(run), performed_in_file(path)):
        notes = heard.heard(SoundExtras())
        assert [n.time for n in notes if n.member == STICKS] == [1.0, 1.5]
        assert STICKS not in {n.member for n in heard.notes}
    assert len(behavior.strikes()) == len(drumming(True, 3.0).strikes())
    assert note_numbers()[STICKS] == 31


def test_a_mirrored_dance_is_the_mirror_image_of_all_its_moves():
    robot, moves = make_robot("atlas", (), Mount()), shipped_moves()
    beats = np.arange(0.0, 12.0, 0.25)
    sums = []
    for text in (DANCE, DANCE.replace("beats: 12", "beats: 12\nmirror: true")):
        total = {}
        for placed in parse_specification(text, "it").placed_moves(moves):
            for name, values in channel_offsets(placed, beats, robot).items():
                total[name] = total.get(name, 0.0) + values
        sums.append(total)
    plain, partner = sums
    expected = mirrored(plain, robot)
    assert set(partner) == set(expected)
    assert np.abs(plain["l_arm_shx"]).max() > 1
    assert "l_arm_shx" not in partner
    for name, values in expected.items():
        np.testing.assert_array_equal(partner[name], values)
