"""Times of samples: seconds that increase, or a rate that makes them."""

import numpy as np

from backbeat.models.common.bounds import LONGEST_TAKE
from backbeat.models.common.errors import BackbeatError

# Least length [s] and number of samples.
SHORTEST, FEWEST = 0.2, 4
# Samples so far apart are hardly seconds [s].
SPARSE = 5.0
# Seconds since 1970 are fewer, nanoseconds more [s].
LATEST = 1e11
# Rates that motions are recorded at [1/s]; a number below is a period.
LEAST_RATE, MOST_RATE = 4.0, 2000.0
# A gap is so many times as long as samples are apart, and at least so long [s].
GAP, LEAST_GAP = 2.5, 0.05


def check_time(t: np.ndarray, path: object, first_line: int | None = None) -> None:
    """Refuses times that are no seconds of a recording.

    Args:
        t: (n,) times [s].
        path: names the file in errors.
        first_line: line of the first sample; None where there are none.

    Raises:
        BackbeatError: too few, too long, not increasing, or no seconds.
    """
    if len(t) < FEWEST:
        raise BackbeatError(
            f"{path}: {len(t)} samples are too few; at least {FEWEST} are needed"
        )
    if np.abs(t).max() > LATEST:
        raise BackbeatError(
            f"{path}: time goes to {np.abs(t).max():g}; give seconds from the start"
        )
    back = np.flatnonzero(np.diff(t) <= 0)
    if len(back):
        i = back[0] + 1
        at = f"{path}: sample {i}" if first_line is None else f"{path}:{i + first_line}"
        raise BackbeatError(
            f"{at}: time goes from {t[i - 1]:g} to {t[i]:g} s; it must "
            "increase from line to line"
        )
    length = t[-1] - t[0]
    if np.median(np.diff(t)) > SPARSE:
        raise BackbeatError(
            f"{path}: samples are {np.median(np.diff(t)):g} s apart; is time in "
            "milliseconds? seconds are needed"
        )
    if not SHORTEST <= length <= LONGEST_TAKE:
        raise BackbeatError(
            f"{path}: it lasts {length:g} s; a recording has {SHORTEST:g} to "
            f"{LONGEST_TAKE:g} s"
        )


def timed(
    count: int, told: float | None, usual: float, path: object
) -> tuple[np.ndarray, str]:
    """Times of samples that come at an even rate, and the rate in words.

    Args:
        count: how many samples.
        told: the rate that the user says, or None.
        usual: the rate that the format is usual at.
        path: names the file in errors.

    Raises:
        BackbeatError: no rate of a recording.
    """
    rate = usual if told is None else check_rate(told, path)
    how = (
        ", usual for the format (--rate gives another)" if told is None else " as said"
    )
    return np.arange(count) / rate, f"{rate:g} samples/s{how}"


def check_rate(rate: float, path: object) -> float:
    """A rate that a motion may be recorded at [1/s].

    Raises:
        BackbeatError: it is none.
    """
    if not LEAST_RATE <= rate <= MOST_RATE:
        raise BackbeatError(
            f"{path}: a rate of {rate:g} samples a second was given; recordings have "
            f"{LEAST_RATE:g} to {MOST_RATE:g}"
        )
    return rate


def stated(
    count: int, value: float, told: float | None, path: object
) -> tuple[np.ndarray, str]:
    """Times of samples at a rate that the file states, or whose period it states.

    Args:
        count: how many samples.
        value: frames a second, or seconds between frames.
        told: the rate that the user says, or None.
        path: names the file in errors.

    Raises:
        BackbeatError: it is neither a rate nor a period of a recording.
    """
    if told is not None:
        return timed(count, told, told, path)
    if LEAST_RATE <= value <= MOST_RATE:
        return np.arange(count) / value, f"{value:g} samples/s as its fps says"
    if 1 / MOST_RATE <= value <= 1 / LEAST_RATE:
        rate = 1 / value
        # A period is seldom exact: 0.0333 s means 30 frames.
        if abs(rate - round(rate)) < 2e-3 * rate:
            rate = float(round(rate))
        return (
            np.arange(count) / rate,
            f"{rate:g} samples/s, as its fps of {value:g} is a period",
        )
    raise BackbeatError(
        f"{path}: fps is {value:g}, which is neither a rate of {LEAST_RATE:g} to "
        f"{MOST_RATE:g} samples a second nor the period of one; give one with --rate"
    )


def gaps(t: np.ndarray) -> tuple[str, ...]:
    """A sentence on times without samples, if there are any."""
    apart = np.diff(t)
    usual = float(np.median(apart))
    long = np.flatnonzero(apart > max(GAP * usual, usual + LEAST_GAP))
    if not len(long):
        return ()
    k = long[int(apart[long].argmax())]
    count = f"are {len(long)} gaps" if len(long) > 1 else "is a gap"
    longest = "the longest " if len(long) > 1 else ""
    return (
        f"there {count} in the samples, {longest}from {t[k]:.3g} to "
        f"{t[k + 1]:.3g} s, over which the motion is interpolated",
    )
