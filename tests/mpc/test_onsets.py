import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backbeat.mpc.analysis.drumming.onsets import (
    fit_tempo,
    matched,
    spikes_per_minute,
    velocity_spikes,
)


def struck_arm(times, speed=3.0, noise=0.02, sway=0.0):
    """Two joints of an arm that turns round at every strike, sampled at 200 Hz."""
    t = np.arange(-0.5, max(times, default=0.0) + 1.5, 0.005)
    v = np.random.default_rng(0).normal(0.0, noise, (len(t), 2))
    v[:, 1] += sway * np.sin(2 * np.pi * 0.8 * t)
    for time in times:
        near = np.abs(t - time) < 0.15
        shape = np.sign(t - time) * np.exp(-np.abs(t - time) / 0.05)
        v[near, 0] += speed * shape[near]
    return pd.DataFrame({"t": t, "v.wrist": v[:, 0], "v.elbow": v[:, 1]})


@pytest.mark.parametrize("bpm", [75.0, 98.0, 130.0])
def test_strikes_of_an_arm_give_its_tempo_back(bpm):
    times = 1.0 + np.arange(20) * 60 / bpm
    spikes = velocity_spikes(struck_arm(times), ["wrist", "elbow"])
    assert len(spikes) == len(times)
    assert np.abs(spikes - times).max() < 0.01
    assert spikes_per_minute(spikes) == pytest.approx(bpm, abs=0.3)
    assert fit_tempo(spikes).bpm == pytest.approx(bpm, abs=0.1)


def test_an_arm_that_only_sways_does_not_strike():
    samples = struck_arm([], noise=0.02, sway=2.0)
    assert len(velocity_spikes(samples, ["wrist", "elbow"])) == 0


def test_pauses_and_softer_strikes_do_not_change_the_tempo():
    beats = np.r_[np.arange(8), np.arange(14, 22)] * 60 / 98
    samples = struck_arm(beats) + struck_arm(beats[::3], speed=2.0, noise=0.0) * 0
    spikes = velocity_spikes(samples, ["wrist", "elbow"])
    assert spikes_per_minute(spikes) == pytest.approx(98.0, abs=0.3)
    assert fit_tempo(spikes).bpm == pytest.approx(98.0, abs=0.1)


def test_what_is_before_the_start_is_left_out():
    spikes = velocity_spikes(struck_arm([0.5, 1.0, 1.5]), ["wrist"], start=0.8)
    assert spikes == pytest.approx([1.0, 1.5], abs=0.01)


@given(
    st.floats(71.0, 139.0),
    st.lists(st.integers(0, 60), min_size=12, max_size=40, unique=True),
    st.integers(0, 1000),
)
def test_the_grid_is_found_under_jitter_and_a_stray(bpm, beats, seed):
    random = np.random.default_rng(seed)
    beats = np.unique([*beats, 0, 1, 2, 3, 60])  # the beat itself is heard
    times = beats * 60 / bpm + random.normal(0.0, 0.004, len(beats))
    fit = fit_tempo(np.r_[times, times[2] + 0.4 * 60 / bpm])
    assert fit.bpm == pytest.approx(bpm, abs=0.5)
    assert fit.sd < 0.02


def test_eighths_are_told_as_the_tempo_of_their_beats():
    assert fit_tempo(np.arange(40) * 30 / 98).bpm == pytest.approx(98.0)


def test_two_spikes_are_no_tempo():
    assert np.isnan(fit_tempo(np.array([1.0, 2.0])).bpm)
    assert np.isnan(spikes_per_minute(np.array([1.0])))


def test_times_are_matched_with_the_nearest_spike():
    found = matched(np.array([1.0, 2.02]), np.array([0.99, 2.0, 5.0]), 0.03)
    assert found[:2] == pytest.approx([0.01, 0.02])
    assert np.isnan(found[2])
    assert np.isnan(matched(np.zeros(0), np.array([1.0]), 0.1)).all()
