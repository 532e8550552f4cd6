"""Dense songs are as dense as their module says, for any seed the same."""

from collections import Counter

import pytest

from benchmarks.dense_songs import DENSITY, SONGS, make_dense_song
from benchmarks.grooves import TEMPO

FEET = ("kick", "pedal_hi_hat")


@pytest.mark.parametrize("seed", SONGS)
def test_a_song_keeps_what_its_module_says(seed):
    song = make_dense_song(seed)
    assert song == make_dense_song(seed)
    assert TEMPO[0] <= song.score.bpm <= TEMPO[1]
    assert DENSITY[0] - 0.05 <= song.hits_per_second <= DENSITY[1] + 0.05
    hits = [h for part in song.score.parts for h in part.hits]
    hands = [h for h in hits if h.member not in FEET]
    seconds = 60.0 * 64 / song.score.bpm
    assert len(hands) / seconds == pytest.approx(song.hits_per_second)
    # On the grid, or off it where a song is played as by hand.
    places = Counter((h.bar, h.beat) for h in hands)
    assert max(places.values()) <= 2
    if seed % 2:
        assert max(places.values()) == 1


def test_ten_songs_have_all_feels():
    assert len(SONGS) == 10
    assert len({make_dense_song(s).feel for s in SONGS}) == 5
