"""Dances whose tempo changes, and phrases of dances that are danced again."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from backbeat.behaviors.building.build import Reports, solve
from backbeat.behaviors.dance.authoring import Choreography
from backbeat.behaviors.dance.markers import measure_markers, planned
from backbeat.behaviors.dance.vocabulary.move_file import shipped_moves
from backbeat.behaviors.editing.timeline import timeline
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.behaviors.specification.kinds import parse_specification
from backbeat.models.common.errors import BackbeatError
from tests.tolerances import MARKER_MEAN

# 60 BPM for eight beats, 120 for eight, and down to 60 within eight.
CHANGES = "tempos: [{bar: 3, bpm: 120}, {at: 16, bpm: 60, beats: 8}]"
AGAIN = "phrases: [{at: 2, beats: 6, again: [10, 18], alternate: true}]"
DANCE = """kind: dance
name: mine
bpm: 60
beats: 28
{keys}
tracks:
  legs: [{{move: side-step, at: 2}}]
  arms: [{{move: wave, at: 3, beats: 4, mirror: true}}]
"""


def dance(*keys):
    return parse_specification(DANCE.format(keys="\n".join(keys)), "mine")


def placed(found):
    return [
        (p.move.name, p.start, p.mirror) for p in found.placed_moves(shipped_moves())
    ]


# --- tempo ------------------------------------------------------------------------


def test_knots_beats_and_steps_follow_the_tempo():
    plan = dance(CHANGES, AGAIN).plan(Path())
    times, grid = plan.problem.times, plan.events
    per_beat = (len(times) - 1) / 28
    assert per_beat == round(per_beat)
    at = times[:: int(per_beat)]
    np.testing.assert_allclose(at[:17], [*range(8), *(8 + 0.5 * np.arange(9))])
    # A ramp takes the logarithmic mean of its two beats: 60 ln 2 / 60 s for each.
    assert at[24] - at[16] == pytest.approx(8 * np.log(2))
    assert (np.diff(at[16:25], 2) > 0).all()
    np.testing.assert_allclose(np.diff(at[24:]), 1.0)
    marked = [(float(e.what), e.time) for e in grid if e.kind == "beat"]
    np.testing.assert_allclose([t for _, t in marked], at)
    # Feet are in the air when the moves have it, at the tempo there.
    swings = np.diff(plan.problem.schedule.switch_times)[1::2]
    slow, fast, ramp = np.split(swings, 3)
    np.testing.assert_allclose(slow, 2 * fast)
    assert (slow > ramp).all()
    assert (ramp > fast).all()
    assert plan.place(10.0) == "bar 4, beat 1, in side-step and wave"


def test_a_dance_of_one_tempo_has_even_knots():
    plan = dance().plan(Path())
    np.testing.assert_allclose(np.diff(plan.problem.times), plan.problem.times[1])
    assert not [e for e in plan.events if e.kind == "beat"]
    assert timeline(DANCE.format(keys=""), "mine.yaml").times == []


def test_another_tempo_is_one_for_all_changes():
    found = dance(CHANGES).at_tempo(90.0).tempo_map()
    assert [found.bpm_at(b) for b in (0, 8, 24)] == [90.0, 180.0, 90.0]
    assert found.bpm_at(20) == pytest.approx(135.0)


def test_the_slowest_beat_counts_for_knots():
    tempo = dance(CHANGES).tempo_map()
    assert tempo.longest_beat(28) == 1.0
    assert Tempo(120.0).longest_beat(8) == 0.5
    late = dance("tempos: [{at: 20, bpm: 30, beats: 4}]").tempo_map()
    assert late.longest_beat(28) == 2.0
    assert late.longest_beat(22) == pytest.approx(60 / 45)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ("{at: 0, bpm: 90}", "the first tempo is that of 'bpm'"),
        ("{at: 28, bpm: 90}", "before the dance ends, at beat 28"),
        ("{bar: 3, bpm: 5}", "tempos, bar 3, beat 1: bpm is 5"),
        ("{bar: 3}", "tempos, bar 3, beat 1: bpm is 0"),
        ("{bar: 3, bpm: 90, beats: 8}, {at: 12, bpm: 99}", "has ended, at beat 16"),
        ("{bar: 4, bpm: 90}, {bar: 3, bpm: 99}", "has ended, at beat 12"),
        ("{bar: 3, bpm: 90, beats: -1}", "beats"),
    ],
)
def test_changes_of_tempo_that_make_no_sense_are_refused(rows, sentence):
    with pytest.raises(BackbeatError, match=sentence) as caught:
        dance(f"tempos: [{rows}]").plan(Path())
    assert caught.value.path[0] == "tempos"
    (mark,) = timeline(DANCE.format(keys=f"tempos: [{rows}]"), "mine.yaml").marks[:1]
    assert mark.fails


def test_moves_are_as_fast_as_the_tempo_allows_where_they_are():
    """A jump has its time in the air from the tempo at its place."""
    text = DANCE.format(keys="tempos: [{bar: 4, bpm: 200}]").replace(
        "{move: side-step, at: 2}", "{move: jump, at: 16}"
    )
    said = [m.sentence for m in timeline(text, "mine.yaml").marks if m.fails]
    assert any("at 200 BPM; a jump takes" in s for s in said)


# --- phrases ----------------------------------------------------------------------


def test_a_phrase_is_danced_again_and_mirrored_every_second_time():
    assert placed(dance(AGAIN)) == [
        ("side-step", 2.0, False),
        ("side-step", 10.0, True),
        ("side-step", 18.0, False),
        ("wave", 3.0, True),
        ("wave", 11.0, False),
        ("wave", 19.0, True),
    ]
    bars = "phrases: [{bar: 1, beats: 8, again: [3, 5]}]"
    assert [p[1:] for p in placed(dance(bars))[:3]] == [
        (2.0, False),
        (10.0, False),
        (18.0, False),
    ]


def test_what_is_danced_again_is_what_would_have_been_written():
    """Fades, blends and repeats too: the phrase by itself, later."""
    rows = "{move: bounce, at: 0, beats: 4}, {move: sway, at: 4, beats: 4, blend: 2}"
    written = rows + ", " + rows.replace("at: 0", "at: 8").replace("at: 4", "at: 12")
    found = []
    for legs, keys in (
        (rows, "phrases: [{beats: 8, again: [8]}]"),
        (written, ""),
    ):
        text = DANCE.format(keys=keys).replace("{move: side-step, at: 2}", legs)
        every = parse_specification(text, "mine").placed_moves(shipped_moves())
        found.append([(p.move.name, p.start, p.rise, p.fall) for p in every][:4])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("{at: 2, again: [8]}", "from beat 2 has 0 beats"),
        ("{at: 2, beats: 4}", "is never danced again"),
        ("{at: 8, beats: 4, again: [16]}", "has no move that begins before beat 12"),
        ("{at: 2, beats: 6, again: [6]}", "danced again before it is over"),
        ("{at: 2, beats: 6, again: [10, 12]}", "danced again before it is over"),
        ("{at: 2, beats: 6, again: [26]}", "runs from beat 26 to 30"),
    ],
)
def test_phrases_that_make_no_sense_are_refused(row, sentence):
    found = dance(f"phrases: [{row}]").findings(Path())
    assert any(f.fails and sentence in f.sentence for f in found)


def test_a_page_shows_what_is_danced_again():
    shown = timeline(DANCE.format(keys=f"{CHANGES}\n{AGAIN}"), "mine.yaml")
    legs = [e for e in shown.echoes if e.track == "legs"]
    assert [(e.row, e.start, e.beats, e.mirror) for e in legs] == [
        (0, 10.0, 4.0, True),
        (0, 18.0, 4.0, False),
    ]
    assert [len(rows) for rows in shown.tracks.values()] == [1, 0, 1, 0]
    assert shown.times[8:17] == pytest.approx(8 + 0.5 * np.arange(9))
    assert all(b > a for a, b in pairwise(shown.times))
    broken = timeline(DANCE.format(keys=AGAIN.replace("2,", "-9,")), "mine.yaml")
    assert broken.marks[0].fails


def test_a_dance_in_code_has_both():
    code = Choreography("mine", 28, bpm=60).change_tempo(3, 120)
    code.dance_again(2, 6, [10, 18], alternate=True).legs("side-step", 2)
    read = parse_specification(code.text(), "mine")
    assert read.tempo_map() == code.dance.tempo_map()
    assert read.phrases == code.dance.phrases
    assert "(18.0 s)" in str(code)
    assert str(code).count("side-step") == 3


# --- built ------------------------------------------------------------------------


@pytest.mark.slow
def test_a_dance_is_on_the_beat_through_its_changes_of_tempo():
    """Steps and arms, at once and over a ramp; what is danced again, too."""
    text = DANCE.format(keys=f"{CHANGES}\n{AGAIN}").replace("bpm: 60\n", "bpm: 70\n")
    specification = parse_specification(text, "mine")
    reports = Reports(lambda share, what: None, lambda entry: None)
    behavior = solve(specification, text, Path("mine.yaml"), "", reports)
    assert behavior.certificate.passed
    tempo = specification.tempo_map()
    markers = [e for e in behavior.events if e.kind == "marker"]
    assert len(markers) >= 6
    for event in markers:
        beat = tempo.beat(event.time)
        assert 2 * beat == pytest.approx(round(2 * beat), abs=1e-6)
    table = measure_markers(behavior.events, planned(behavior))
    assert table["error"].abs().max() <= MARKER_MEAN
    times = behavior.grid.beat_times(behavior.duration)
    np.testing.assert_allclose(times, [tempo.time(b) for b in range(29)], atol=1e-6)
