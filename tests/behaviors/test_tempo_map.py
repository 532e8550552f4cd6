"""Tempo maps against integration, and swing against what it says."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from backbeat.behaviors.library.behavior import Event
from backbeat.behaviors.music.notation.meter import (
    Meter,
    MeterChange,
    MeterMap,
    read_meter,
)
from backbeat.behaviors.music.notation.swing import check_swing, swung
from backbeat.behaviors.music.notation.tempo import Tempo, TempoChange
from backbeat.models.common.errors import BackbeatError
from tests.backbeat.performances import drumming

changes = st.lists(
    st.builds(
        TempoChange,
        st.just(0.0),
        st.floats(20, 400),
        st.none() | st.floats(20, 400),
        st.floats(0.1, 12),
    ),
    max_size=4,
)


@st.composite
def tempos(draw):
    beat, placed = 0.0, []
    for change in draw(changes):
        beat += draw(st.floats(0.5, 8))
        placed.append(TempoChange(beat, change.bpm, change.end_bpm, change.beats))
    return Tempo(draw(st.floats(20, 400)), changes=tuple(placed))


@settings(max_examples=40)
@given(tempos(), st.floats(0, 40))
def test_time_is_the_integral_of_the_beats_lengths(tempo, beat):
    points = [c.beat for c in tempo.changes]
    points += [c.beat + c.beats for c in tempo.changes if c.end_bpm]
    # Over less than rounding no integral is found.
    grid = [0.0, *sorted(p for p in points if 0 < p < beat - 1e-9), beat]
    pieces = [
        quad(lambda b: 60 / tempo.bpm_at(b), a, c, epsabs=1e-12)[0]
        for a, c in itertools.pairwise(grid)
    ]
    assert tempo.time(beat) == pytest.approx(sum(pieces), abs=1e-8)


@settings(max_examples=60)
@given(tempos(), st.floats(0, 500))
def test_beat_is_the_inverse_of_time(tempo, beat):
    assert tempo.beat(tempo.time(beat)) == pytest.approx(beat, abs=1e-8)
    assert tempo.time(beat + 1) > tempo.time(beat)


def test_a_step_changes_the_length_of_later_beats_only():
    tempo = Tempo(60, changes=(TempoChange(8, 120),))
    assert [tempo.time(b) for b in (4, 8, 9, 12)] == [4, 8, 8.5, 10]
    assert (tempo.bpm, tempo.beat_length, tempo.is_constant) == (60, 1.0, False)


def test_a_ramp_passes_its_tempos_evenly_and_stays_at_the_last():
    tempo = Tempo(60, changes=(TempoChange(4, 60, 120, 8),))
    assert [tempo.bpm_at(b) for b in (0, 4, 8, 12, 20)] == [60, 60, 90, 120, 120]
    assert tempo.time(12) == pytest.approx(4 + 8 * np.log(2))
    assert tempo.time(14) - tempo.time(12) == pytest.approx(1.0)


def test_ten_minutes_do_not_drift():
    """Sixteenths through eighty changes of tempo, against exact sums."""
    exact, steps = Fraction(0), []
    for k in range(80):
        bpm = 90 + 7 * (k % 5)
        steps.append((TempoChange(16.0 * k, bpm), exact))
        exact += Fraction(16 * 60, bpm)
    tempo = Tempo(90, changes=tuple(c for c, _ in steps[1:]))
    assert exact > 600
    for change, time in steps:
        assert abs(tempo.time(change.beat) - float(time)) < 1e-10


def change(beat, *meter):
    return MeterChange(beat, Meter(*meter))


def test_a_meter_begins_with_a_bar():
    tempo = Tempo(60, MeterMap(Meter(), (change(6, 3, 4), change(12, 7, 8))))
    places = [tempo.place(b) for b in (5, 6, 8, 9, 12, 15, 15.5)]
    assert places == [(2, 2), (3, 1), (3, 3), (4, 1), (5, 1), (5, 4), (6, 1)]


@pytest.mark.parametrize(
    ("text", "beats"), [("4/4", 4), ("7/8", 3.5), ("6/8", 3), ("3/16", 0.75)]
)
def test_meters(text, beats):
    assert read_meter(text, "song").beats == beats
    assert str(read_meter(text, "song")) == text


@pytest.mark.parametrize("text", ["", "4", "4/5", "0/4", "99/4", "4/0", "-3/4", "x/y"])
def test_what_is_no_meter(text):
    with pytest.raises(BackbeatError):
        read_meter(text, "song")


@pytest.mark.parametrize("beats", [[3, 3], [4, 2], [-1], [float("nan")]])
def test_changes_in_disorder_are_refused(beats):
    with pytest.raises(BackbeatError, match="one after the other"):
        Tempo(60, changes=tuple(TempoChange(b, 90) for b in beats))
    with pytest.raises(BackbeatError, match="one after the other"):
        MeterMap(Meter(), tuple(change(b, 3, 4) for b in beats))


@pytest.mark.parametrize("swing", [0.5, 0.6, 2 / 3, 0.75])
def test_swing_moves_off_beats_and_nothing_else(swing):
    bar = Fraction(4)
    for beat in range(4):
        assert swung(Fraction(beat), bar, swing) == beat
        off = swung(beat + Fraction(1, 2), bar, swing)
        assert float(off) == pytest.approx(beat + swing)
    sixteenth = swung(Fraction(1, 4), bar, swing, 16)
    assert float(sixteenth) == pytest.approx(swing / 2)
    assert swung(Fraction(1, 2), bar, swing, 16) == Fraction(1, 2)


@given(st.floats(0.5, 0.75), st.sampled_from([8, 16]), st.sampled_from(["4", "7/2"]))
def test_swing_keeps_the_order_of_notes(swing, note, bar):
    beats = [Fraction(k, 16) for k in range(int(16 * Fraction(bar)))]
    moved = [swung(b, Fraction(bar), swing, note) for b in beats]
    assert all(a < b for a, b in itertools.pairwise(moved))
    assert all(m >= b for m, b in zip(moved, beats, strict=True))


@pytest.mark.parametrize(("swing", "note"), [(0.4, 8), (0.8, 8), (0.6, 4)])
def test_what_is_no_swing(swing, note):
    with pytest.raises(BackbeatError, match="swing"):
        check_swing(swing, note, "song")


def test_a_behavior_knows_the_beats_of_its_changing_tempo():
    tempo = [0.0, 0.5, 1.0, 2.0, 3.0]
    events = tuple(Event(t, "beat", "") for t in tempo)
    behavior = drumming(duration=4.0)
    changing = replace(behavior, events=events)
    assert changing.beat_times(2.5).tolist() == [0.0, 0.5, 1.0, 2.0]
    b = 60 / behavior.bpm
    assert behavior.beat_times(2.5 * b).tolist() == [0.0, b, 2 * b]
    assert not len(replace(behavior, bpm=0.0).beat_times(3.0))
