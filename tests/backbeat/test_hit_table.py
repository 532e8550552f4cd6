"""Hits by drum: where in the music the latest was; and each hit with its bar."""

import pytest

from backbeat.report.plots.hit_table import hits_by_member, hits_in_bars


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


def test_every_hit_is_told_in_bars_beside_its_time():
    made, missed = (
        {**hit(t, e), "tip": "l_stick_tip"} for t, e in ((2.25, 3e-3), (4.0, 0))
    )
    missed |= {"made": False, "error": float("nan")}
    extra = {"time": 3.5, "member": "ride", "tip": "r_stick_tip", "speed": 0.5}
    story = {"hits": [made, missed], "extra_hits": [{**extra, "kind": "double"}]}
    story |= {
        "meter": [[0.0, "3/4"]],
        "pulses": [],
        "beats": [0.5 * k for k in range(12)],
    }
    rows = [
        (r["place"], r["time"], r["outcome"], r["late"]) for r in hits_in_bars(story)
    ]
    assert rows == [
        ("2:2.5", 2.25, "made", pytest.approx(3.0)),
        ("3:2", 3.5, "unplanned double", None),
        ("3:3", 4.0, "missed", None),
    ]
