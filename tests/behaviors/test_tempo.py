import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbeat.behaviors.music.notation.meter import Meter, MeterMap
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.models.common.errors import BackbeatError


def test_a_beat_is_sixty_seconds_by_the_tempo():
    assert Tempo(98).beat_length == 60 / 98
    assert Tempo(120).time(4) == 2.0


def test_beat_times_are_absolute_and_not_summed():
    """After an hour of sixteenths the grid is exact; a sum would have drifted."""
    tempo, beat, summed = Tempo(98), 0.0, 0.0
    for _ in range(4 * 98 * 60):
        beat += 0.25
        summed += 0.25 * tempo.beat_length
    assert tempo.time(beat) == 98 * 60 * 60 / 98
    assert summed != tempo.time(beat)


@pytest.mark.parametrize(
    ("beat", "bar", "at"), [(0, 1, 1), (3.5, 1, 4.5), (4, 2, 1), (9, 3, 2)]
)
def test_bars_and_beats_are_counted_from_one(beat, bar, at):
    tempo = Tempo(120)
    assert tempo.position(tempo.time(beat)) == (bar, pytest.approx(at))


@pytest.mark.parametrize("bpm", [97.3, 98, 120])
def test_the_first_beat_of_a_bar_is_never_the_fifth_of_the_one_before(bpm):
    tempo = Tempo(bpm)
    for bar in range(1000):
        assert tempo.position(tempo.time(4 * bar)) == (bar + 1, pytest.approx(1))


def test_a_waltz_has_three_beats():
    tempo = Tempo(90, MeterMap(Meter(3, 4)))
    assert tempo.position(tempo.time(3)) == (2, pytest.approx(1))


@pytest.mark.parametrize("bpm", [0, -98, 19.9, 401, float("nan"), float("inf")])
def test_a_tempo_that_is_not_music_is_refused(bpm):
    with pytest.raises(BackbeatError, match="20 to 400"):
        Tempo(bpm)


@given(st.floats(20, 400), st.integers(1, 16), st.integers(0, 16000))
def test_position_is_the_inverse_of_time(bpm, beats_per_bar, quarters):
    tempo, beat = Tempo(bpm, MeterMap(Meter(beats_per_bar, 4))), quarters / 4
    bar, at = tempo.position(tempo.time(beat))
    assert bar == beat // beats_per_bar + 1
    assert at == pytest.approx(beat % beats_per_bar + 1, abs=1e-6)
