"""Onsets: strikes and tempo read from joint velocities alone.

A stick that meets a drum turns round, and the velocities of its arm jump. Counting the
jumps gives the tempo back, BPM = 60 n / dt (G. Bahati, S. Esteban, "Atlas The
Drummer", 2021), where an arm strikes on every beat; where it pauses or plays two
strokes a beat, the grid on which the jumps lie says more.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

# Strikes of one arm are not closer [s].
CLOSEST = 0.12
# A jump is no strike below this share of the strong ones, or below this speed [rad/s].
LEAST_SHARE, LEAST_JUMP = 0.2, 0.3
# Spikes farther apart than this are in different stretches of playing [s].
PAUSE = 1.5
# Tempos are given within this octave [beats/min].
SLOWEST, FASTEST = 70.0, 140.0
# Share of the strongest regularity that the longest period must have.
REGULAR = 0.85
# A spike farther from the grid than this share of its period is left out.
OFF_GRID = 0.15


def velocity_spikes(
    samples: pd.DataFrame, joints: Sequence[str], start: float = 0.0
) -> np.ndarray:
    """Times at which the velocities of some joints jump [s].

    Args:
        samples: table of a run, with columns `t` and `v.JOINT`.
        joints: joints of one arm.
        start: what is before is left out [s].
    """
    samples = samples[samples["t"] >= start]
    t = samples["t"].to_numpy()
    v = samples[[f"v.{joint}" for joint in joints]].to_numpy()
    if len(t) < 10:
        return np.zeros(0)
    # What changed in three samples, beyond what changed in the three before and after:
    # an arm that gathers speed steadily does not strike.
    across = np.linalg.norm(v[3:] - v[:-3], axis=1)
    jump = np.zeros(len(t))
    jump[4:-5] = across[3:-3] - 0.5 * (across[:-6] + across[6:])
    # See `backbeat.behaviors.library.joint_jerk`: a long import.
    import scipy

    step = float(np.median(np.diff(t)))
    apart = max(round(CLOSEST / step), 1)
    peaks, found = scipy.signal.find_peaks(jump, height=LEAST_JUMP, distance=apart)
    if not len(peaks):
        return np.zeros(0)
    strong = float(np.percentile(found["peak_heights"], 90))
    peaks = peaks[found["peak_heights"] > LEAST_SHARE * strong]
    return t[peaks] + 0.5 * step


def spikes_per_minute(spikes: np.ndarray, pause: float = PAUSE) -> float:
    """BPM = 60 n / dt over the stretches in which spikes follow each other.

    It is the tempo when there is one spike a beat; a stretch of n + 1 spikes lasts n
    beats. NaN without two spikes in a row.
    """
    gaps = np.diff(np.sort(spikes))
    gaps = gaps[gaps < pause]
    return 60.0 * len(gaps) / float(gaps.sum()) if len(gaps) else float("nan")


@dataclass(frozen=True)
class TempoFit:
    """A tempo that explains when spikes were.

    Attributes:
        bpm: [beats/min].
        sd: standard deviation of the spikes from the grid [s].
        spikes: how many were used.
    """

    bpm: float
    sd: float
    spikes: int


def fit_tempo(spikes: np.ndarray) -> TempoFit:
    """The longest regular grid on which spikes lie, as a tempo of 70 to 140 BPM.

    Whether a beat has one stroke or two no spike can say, hence the octave.

    Args:
        spikes: times [s]; at least three.
    """
    if len(spikes) < 3:
        return TempoFit(float("nan"), float("nan"), len(spikes))
    t = np.sort(spikes) - np.min(spikes)
    # The search must not miss a tempo between two of its own: a tenth of a turn at
    # the end.
    fine = 0.1 / max(float(t[-1]), 1.0)
    rates = np.arange(0.5, 8.0, fine)
    regular = np.abs(np.exp(2j * np.pi * rates[:, None] * t).mean(1))
    best = int(np.argmax(regular))
    rate = rates[best]
    # Whole multiples of a rate are as regular: the slowest of them is meant.
    for k in range(8, 1, -1):
        near = np.abs(rates - rates[best] / k) < fine
        if near.any() and regular[near].max() >= REGULAR * regular[best]:
            rate = rates[near][np.argmax(regular[near])]
            break
    for _ in range(3):
        # The phase first, or rounding would tear a cluster of spikes apart.
        phase = np.angle(np.exp(2j * np.pi * rate * t).mean()) / (2 * np.pi)
        count = np.round(rate * t - phase)
        period, first = np.polyfit(count, t, 1)
        rate, off = 1.0 / period, t - first - period * count
        # A stick that lands to rest does so off the grid.
        on_grid = np.abs(off) < OFF_GRID * period
        if on_grid.sum() < 3:
            break
        t, off = t[on_grid], off[on_grid]
    sd = float(np.std(off))
    bpm = 60.0 * rate
    while bpm >= FASTEST:
        bpm /= 2.0
    while bpm < SLOWEST:
        bpm *= 2.0
    return TempoFit(float(bpm), sd, len(t))


def matched(spikes: np.ndarray, times: np.ndarray, within: float) -> np.ndarray:
    """Distance of every time from its nearest spike [s]; NaN if none is near.

    Args:
        spikes: [s].
        times: contacts, say [s].
        within: what is near [s].
    """
    if not len(spikes):
        return np.full(len(times), np.nan)
    nearest = spikes[np.abs(spikes[None, :] - times[:, None]).argmin(1)] - times
    return np.where(np.abs(nearest) <= within, nearest, np.nan)
