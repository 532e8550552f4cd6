"""Bars as they are written: 7/8, changes of meter, and where everything counts them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbeat.behaviors.dance.authoring import Choreography
from backbeat.behaviors.drumming.drummer import score_events
from backbeat.behaviors.library.behavior import Event
from backbeat.behaviors.library.table import behavior_from_frame, to_frame, to_header
from backbeat.behaviors.motion.placement import Placement
from backbeat.behaviors.music.files.midi import read_midi
from backbeat.behaviors.music.files.score_compiler import compile_score
from backbeat.behaviors.music.files.score_finish import finish_score
from backbeat.behaviors.music.files.tab_file import read_tab_file
from backbeat.behaviors.music.notation.meter import (
    DENOMINATORS,
    Meter,
    MeterChange,
    MeterMap,
    meter_from_plain,
    meter_map,
)
from backbeat.behaviors.music.notation.score_description import ScoreDescription
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.behaviors.setlist.concatenation import Concatenation
from backbeat.behaviors.specification.kinds import parse_specification
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.yaml_file import parse_yaml
from tests.backbeat.performances import drumming
from tests.behaviors.midi_files import hit, meter, midi_bytes
from tests.behaviors.test_score import MEMBERS

# 4/4 twice, 7/8 twice, 3/4: bars begin on beats 0, 4, 8, 11.5, 15 and 18.
CHANGING = MeterMap(
    Meter(), (MeterChange(8, Meter(7, 8)), MeterChange(15, Meter(3, 4)))
)
STARTS = [0, 4, 8, 11.5, 15, 18]
YAML = """\
bpm: 120
meter: 4/4
steps_per_beat: 2
parts:
  - {name: ready, hold: 8, rest: {left: snare, right: floor_tom}}
  - {name: odd, meter: 7/8, left: "3 - - - 3 - - | 3 - - - 3 - -"}
  - {name: waltz, meter: 3/4, left: "- - - 3 - -"}
"""
TAB = """\
bpm: 120
time: 7/8

[odd] x2
SN|o---o--|

[waltz]
time: 3/4
SN|o-----|o-----|
"""


def test_pulses_are_notes_of_the_denominator():
    seven = MeterMap(Meter(7, 8)).pulses(7)
    assert [p.beat for p in seven] == [k / 2 for k in range(15)]
    assert [p.beat for p in seven if p.number == 1] == [0, 3.5, 7]
    assert {p.count for p in seven} == {7}
    two = MeterMap(Meter(2, 2)).pulses(7.9)
    assert [(p.beat, p.bar, p.number) for p in two] == [
        (0, 1, 1),
        (2, 1, 2),
        (4, 2, 1),
        (6, 2, 2),
    ]
    assert MeterMap().pulses(-0.1) == []


def test_bars_follow_each_other_through_changes():
    firsts = [p for p in CHANGING.pulses(18) if p.number == 1]
    assert [p.beat for p in firsts] == STARTS
    assert [p.bar for p in firsts] == [1, 2, 3, 4, 5, 6]
    assert [CHANGING.start(bar) for bar in range(1, 7)] == STARTS
    assert [CHANGING.place(b) for b in STARTS] == [(k, 1.0) for k in range(1, 7)]
    assert str(CHANGING) == "4/4, 7/8 from bar 3, 3/4 from bar 5"
    assert meter_map(Meter(), [(3, Meter(7, 8)), (5, Meter(3, 4))]) == CHANGING


def test_a_change_at_the_start_is_the_first_meter():
    early = MeterMap(
        Meter(), (MeterChange(0, Meter(7, 8)), MeterChange(5, Meter(7, 8)))
    )
    assert early == MeterMap(Meter(7, 8), (MeterChange(5, Meter(7, 8)),))
    assert meter_from_plain(early.to_plain()) == early
    # A bar begins anew, and the meter is what it was.
    assert (str(early), early.place(5)) == ("7/8", (3, 1))


def test_a_bar_that_the_next_meter_cuts_has_fewer_pulses():
    cut = MeterMap(Meter(), (MeterChange(6, Meter(3, 4)),))
    assert [(p.bar, p.number, p.count) for p in cut.pulses(6.5)][4:] == [
        (2, 1, 2),
        (2, 2, 2),
        (3, 1, 3),
    ]


@given(
    st.lists(
        st.tuples(st.integers(1, 24), st.sampled_from(DENOMINATORS), st.integers(1, 9)),
        min_size=1,
        max_size=5,
    )
)
def test_every_pulse_is_where_bar_and_beat_say(rows):
    meters = [(n, d, bars) for n, d, bars in rows if 0.25 <= 4 * n / d <= 16]
    if not meters:
        return
    bar, changes = 1, []
    for n, d, bars in meters:
        changes.append((bar, Meter(n, d)))
        bar += bars
    found = meter_map(changes[0][1], changes[1:])
    pulses = found.pulses(found.start(bar))
    assert len(pulses) == sum(n * bars for n, _, bars in meters) + 1
    for p in pulses:
        where, at = found.place(p.beat)
        assert where == p.bar
        assert at - 1 == pytest.approx((p.number - 1) * found.at(p.beat).pulse)
        if p.number == 1:
            assert found.start(p.bar) == p.beat
    assert meter_from_plain(found.to_plain()) == found


@pytest.mark.parametrize("meter", [(0, 4), (4, 3), (1, 64), (99, 4), (17, 4), (-3, 8)])
def test_what_is_no_meter_is_refused(meter):
    with pytest.raises(BackbeatError, match="is not a meter"):
        Meter(*meter)


@pytest.mark.parametrize("bars", [(1,), (3, 3), (5, 2)])
def test_changes_at_bars_in_disorder_are_refused(bars):
    with pytest.raises(BackbeatError, match="from bar 2"):
        meter_map(Meter(), [(b, Meter(3, 4)) for b in bars])


# --- scores -----------------------------------------------------------------------


def compiled(text):
    return compile_score(parse_yaml(ScoreDescription, text, "song"), MEMBERS, "song")


def test_a_score_changes_its_meter():
    score = compiled(YAML)
    assert score.tempo.meter.place(15) == (5, 1)
    assert score.tempo.meter == CHANGING
    assert [h.beat for h in score.hits] == [8, 10, 11.5, 13.5, 16.5]
    places = [score.tempo.place(h.beat) for h in score.hits]
    assert places == [(3, 1), (3, 3), (4, 1), (4, 3), (5, 2.5)]


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("3 - - - 3", "3 - - - 9", "bar 3, beat 3"),
        ("- - - 3 - -", "- - - 9 - -", "bar 5, beat 2.5"),
    ],
)
def test_messages_name_bars_of_changing_meters(old, new, place):
    with pytest.raises(BackbeatError, match=place):
        compiled(YAML.replace(f'"{old}', f'"{new}', 1))


def test_a_tablature_changes_its_meter():
    score = compile_score(read_tab_file(TAB, MEMBERS, "song"), MEMBERS, "song")
    meters = [
        (score.tempo.place(c.beat), str(c.meter)) for c in score.tempo.meter.changes
    ]
    start = next(s for s in score.sections if s.name == "odd").beat
    assert score.tempo.meter.first == Meter(7, 8)
    assert start % 3.5 == 0
    assert [h.beat - start for h in score.hits] == [0, 2, 3.5, 5.5, 7, 10]
    assert meters[-1] == ((round(start / 3.5) + 3, 1.0), "3/4")
    assert {score.tempo.place(h.beat)[1] for h in score.hits[::2]} == {1.0}


def test_a_midi_file_changes_its_meter():
    at = 480 * np.array([0, 8, 11.5, 15, 18])
    track = [(int(t), hit(38)) for t in at]
    track += [(0, meter(4, 4)), (480 * 8, meter(7, 8)), (480 * 15, meter(3, 4))]
    score = read_midi(midi_bytes([track]), MEMBERS, "song.mid")
    start, map_ = score.lead_in, score.tempo.meter
    assert [str(c.meter) for c in map_.changes] == ["7/8", "3/4"]
    assert [c.beat - start for c in map_.changes] == [8, 15]
    assert {map_.place(h.beat)[1] for h in score.hits} == {1.0}
    assert score.beats == map_.start(map_.place(score.beats)[0])  # it ends with a bar


def test_six_eighths_are_not_three_quarters():
    track = [(0, meter(6, 8)), (1440, meter(3, 4)), (2880, hit(38))]
    map_ = read_midi(midi_bytes([track]), MEMBERS, "song.mid").tempo.meter
    assert (str(map_.first), [str(c.meter) for c in map_.changes]) == ("6/8", ["3/4"])


def test_a_midi_file_with_a_meter_that_is_none_is_told():
    track = [(0, meter(200, 1)), (0, hit(38))]
    with pytest.raises(BackbeatError, match=r"song.mid: '200/1' is not a meter"):
        read_midi(midi_bytes([track]), MEMBERS, "song.mid")


# --- behaviors --------------------------------------------------------------------


def test_a_behavior_counts_pulses_of_its_bars():
    behavior = replace(drumming(duration=6.0), bpm=120.0, meter=MeterMap(Meter(7, 8)))
    pulses = behavior.pulses(4.0)
    assert [t for t, p in pulses if p.number == 1] == [0, 1.75, 3.5]
    assert np.diff([t for t, _ in pulses]) == pytest.approx(0.25)
    assert behavior.beat_times(4.0).tolist() == [k / 2 for k in range(9)]
    assert behavior.grid.place(1.75) == (2, 1.0)
    assert replace(behavior, bpm=0.0).pulses(4.0) == []
    assert "120 BPM in 7/8, " in str(behavior)
    assert "BPM in" not in str(drumming())


def test_pulses_of_a_changing_tempo_are_exact():
    """Eighths in a ramp, against the integral of 60 / bpm."""
    text = YAML.replace("name: odd,", "name: odd, bpm: 90, end_bpm: 150,")
    score = compiled(text)
    events = score_events(finished(score), lambda member, hand: (0.0, 0.0))
    behavior = replace(
        drumming(duration=20.0), bpm=120.0, meter=score.tempo.meter, events=events
    )
    pulses = behavior.pulses(20.0)
    assert [p.beat for _, p in pulses] == [p.beat for p in CHANGING.pulses(18)]
    times = [score.tempo.time(p.beat) for _, p in pulses]
    assert [t for t, _ in pulses] == pytest.approx(times, abs=1e-12)
    whole = [score.tempo.time(b) for b in range(19)]
    assert behavior.beat_times(20.0).tolist() == pytest.approx(whole)


def finished(score):
    return finish_score(score, ScoreDescription(), MEMBERS, "song", None)


def test_a_stored_behavior_keeps_its_meter_and_an_old_one_gains_it():
    behavior = replace(drumming(duration=1.0), meter=CHANGING)
    frame, header = to_frame(behavior), to_header(behavior)
    assert behavior_from_frame(frame, header).meter == CHANGING
    del header["meter"]
    old = behavior_from_frame(frame, {**header, "beats_per_bar": 3})
    assert old.meter == MeterMap(Meter(3, 4))
    marked = [{**vars(Event(t, "beat", "")), "aim": [0, 0]} for t in (0.0, 0.4, 0.9)]
    old = behavior_from_frame(frame, {**header, "beats_per_bar": 2, "events": marked})
    assert [(t, p.bar, p.number) for t, p in old.pulses(1.0)] == [
        (0.0, 1, 1),
        (0.4, 1, 2),
        (0.9, 2, 1),
    ]


# --- dances -----------------------------------------------------------------------

DANCE = """\
kind: dance
name: mine
bpm: 100
{meter}
beats: 24
tracks:
  body:
    - {{move: twist, bar: 3, beat: 1, beats: 4}}
    - {{move: twist, bar: 5, beat: 2, beats: 4}}
"""


@pytest.mark.parametrize(
    ("keys", "starts"),
    [
        ("beats_per_bar: 4", [8, 17]),
        ("meter: 3/4", [6, 13]),
        ("meter: 7/8", [7, 15]),
        ("meter: 4/4\nmeters: [{bar: 3, meter: 7/8}, {bar: 5, meter: 3/4}]", [8, 16]),
    ],
)
def test_a_dance_counts_its_own_bars(keys, starts):
    dance = parse_specification(DANCE.format(meter=keys), "mine.yaml")
    map_ = dance.meter_map()
    rows = dance.tracks["body"]
    assert [row.start(map_) for row in rows] == starts


def test_a_dance_keeps_its_meter_to_the_plan():
    keys = "meter: 3/4\nmeters: [{bar: 3, meter: 7/8}]"
    dance = parse_specification(DANCE.format(meter=keys), "mine.yaml")
    plan = dance.plan(Path())
    assert str(plan.meter) == "3/4, 7/8 from bar 3"
    assert plan.place(6 * 0.6) == "bar 3, beat 1"
    assert plan.place((6 + 3.5) * 0.6) == "bar 4, beat 1, in twist"


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ("meter: 7/9", "mine: '7/9' is not a meter"),
        ("meter: seven", "mine: 'seven' is not a meter"),
        ("meters: [{bar: 1, meter: 3/4}]", "mine, meters: .* from bar 2"),
        ("meters: [{bar: 3}]", "mine, meters, bar 3: '' is not a meter"),
        ("meter: 7/8", "beat 4.5 of a bar of 7/8, which is 3.5 quarters long"),
    ],
)
def test_a_dance_with_a_meter_that_is_none_is_refused(keys, sentence):
    text = DANCE.format(meter=keys)
    if "4.5" in sentence:
        text = text.replace("bar: 5, beat: 2", "bar: 5, beat: 4.5")
    with pytest.raises(BackbeatError, match=sentence):
        parse_specification(text, "mine.yaml").plan(Path())


def test_a_dance_in_code_tells_its_bars():
    dance = Choreography("mine", 24, meter="7/8").change_meter(3, "3/4")
    dance.body("twist", 3.5, beats=4).body("twist", 10.0, beats=4)
    lines = str(dance).splitlines()
    assert "bar   2 beat 1 " in lines[1]
    assert "bar   4 beat 1 " in lines[2]
    again = parse_specification(dance.text(), "mine.yaml")
    assert again.meter_map() == dance.dance.meter_map()


# --- shows ------------------------------------------------------------------------


def joined(*parts):
    """A concatenation of short parts at 120 beats a minute, and it as a behavior."""
    joined = Concatenation(120.0)
    for part in parts:
        made = {"knots": 2, "log": [], "active_limits": []}
        joined.add_part(replace(part, provenance=made), Placement())
        joined.rest(0.1, 0.0)
    events = tuple(sorted(joined.events, key=lambda e: e.time))
    return replace(
        drumming(duration=joined.time), bpm=120.0, meter=joined.meter(), events=events
    )


def test_bars_of_a_show_begin_with_every_behavior():
    """It is on the ground for 2.5 s, waits for beat 6, and waltzes on from there."""
    odd = replace(drumming(duration=2.5), bpm=120.0, meter=MeterMap(Meter(7, 8)))
    waltz = replace(drumming(duration=2.0), bpm=120.0, meter=MeterMap(Meter(3, 4)))
    still = replace(odd, bpm=0.0)
    show = joined(odd, waltz, still)
    assert str(show.meter) == "7/8, 3/4 from bar 3"
    bars = [t for t, p in show.pulses(5.0) if p.number == 1]
    assert bars == [0, 1.75, 3.0, 4.5]
    assert joined(still).meter == MeterMap()


def test_beats_of_a_changing_tempo_are_counted_through_a_show():
    marked = [(0.0, 0.0), (0.5, 0.2), (1.0, 0.5), (1.5, 0.9), (2.0, 1.4)]
    events = tuple(Event(t, "beat", f"{b:g}") for b, t in marked)
    part = replace(
        drumming(duration=1.5),
        bpm=120.0,
        meter=MeterMap(Meter(2, 8)),
        events=events,
    )
    show = joined(part, part)
    assert [b for b, _ in show.grid.marked] == [0, 0.5, 1, 1.5, 2, 3, 3.5, 4, 4.5, 5]
    bars = [round(t, 6) for t, p in show.pulses(4.0) if p.number == 1]
    assert bars == [0.0, 0.5, 1.4, 2.0, 2.5, 3.4]


@pytest.mark.parametrize("lead_in", [0, 2])
def test_bars_put_before_those_of_the_file_are_not_counted(lead_in):
    meter = MeterMap(Meter(3, 4), (MeterChange(12.0, Meter(4, 4)),), lead_in)
    first = 3.0 * lead_in
    assert meter.place(first) == (1, 1.0)
    assert meter.start(1) == first
    bars = [p.bar for p in meter.pulses(20.0) if p.number == 1]
    assert bars == list(range(1 - lead_in, 1 - lead_in + len(bars)))
    for pulse in meter.pulses(20.0):
        assert meter.place(pulse.beat)[0] == pulse.bar
    assert str(meter) == f"3/4, 4/4 from bar {5 - lead_in}"
    assert meter_from_plain(meter.to_plain(), lead_in) == meter
    said = Tempo(60, meter).in_words(0.0)
    assert said.startswith("the bars before the first" if lead_in else "bar 1")
