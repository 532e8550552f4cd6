"""The drift of hits is that of a clock that runs wrong, and scatter is none."""

import numpy as np
import pytest

from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.music.files.score_reader import load_score
from backbeat.models.kit.drum_kit import DrumKit
from benchmarks.drift import LENGTH, TEMPO, drift
from benchmarks.songs import write_song

RNG = np.random.default_rng(5)
TIME = np.sort(RNG.uniform(0.0, LENGTH, 1300))
SCATTER = 0.4e-3 * RNG.normal(size=len(TIME))


@pytest.mark.parametrize("parts_per_million", [0.0, 1.0, -5.0])
def test_a_clock_that_runs_wrong_drifts(parts_per_million):
    error = -0.8e-3 + 1e-6 * parts_per_million * TIME + SCATTER
    found = drift(TIME, error, LENGTH)
    assert found.deviation_ms == pytest.approx(0.4 * np.sqrt(12 / len(TIME)), rel=0.1)
    assert abs(found.drift_ms - 0.6 * parts_per_million) < 3 * found.deviation_ms


def test_the_song_takes_ten_minutes(tmp_path):
    write_song(tmp_path, LENGTH, bpm=TEMPO)
    members = kit_members(DrumKit())
    score = load_score(tmp_path / "scores" / "song.yaml", members, None)
    assert score.tempo.time(score.beats) == pytest.approx(LENGTH)
    assert len(score.hits) > 1300
