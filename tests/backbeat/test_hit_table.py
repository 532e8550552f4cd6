"""Hits by drum: where in the music the latest was."""

import pytest

from backbeat.report.plots.hit_table import hits_by_member


def hit(time, error, member="snare"):
    return {
        "member": member,
        "time": time,
        "made": True,
        "error": error,
        "offset": 0.01,
        "speed": 1.0,
    }


@pytest.mark.parametrize(
    ("bars", "place"),
    [
        ({"meter": [[0.0, "7/8"]], "pulses": []}, "bar 2, beat 1.5"),
        ({"meter": [[0.0, "4/4"], [4.0, "3/4"]], "pulses": []}, "bar 2, beat 1"),
        ({"beats_per_bar": 3}, "bar 2, beat 2"),
    ],
)
def test_the_latest_hit_of_a_drum_has_its_bar_and_beat(bars, place):
    beats = [0.5 * k for k in range(12)]
    hits = [hit(0.5, 0.001), hit(2.0, -0.004), hit(3.0, 0.002)]
    (row,) = hits_by_member({"hits": hits, "beats": beats, **bars})
    assert row["most"] == pytest.approx(4.0)
    assert row["place"] == place


def test_without_music_there_is_no_place():
    (row,) = hits_by_member({"hits": [hit(0.5, 0.001)], "beats": []})
    assert row["place"] == ""
