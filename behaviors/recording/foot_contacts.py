"""Foot contacts: which feet of a motion touch the ground, and when.

A foot that touches the ground has a corner that is low and stays where it is: any
corner, for heels strike first and toes leave last. One that is on its way has none. Of
all rows of touching and being off, the one is taken that fits best and does not change
its mind with every sample (Viterbi, "Error Bounds for Convolutional Codes", 1967).

Where both feet are off, the body either flies, and its center of mass falls with the
acceleration of gravity, or the recording is not exact. What is no flight and short is
bridged: the foot that leaves stands until the other one can be taken to stand.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from backbeat.behaviors.footsteps.step import FEET
from backbeat.behaviors.library.runs import runs, without_short
from backbeat.behaviors.recording.flights.floating import hovers
from backbeat.behaviors.recording.soles import Soles, noise, slopes

# Of a robot whose soles are so far below its base [m]; others have lengths in
# proportion, and speeds as the roots of them: equal Froude numbers (Alexander,
# "Optimum Walking Techniques for Quadrupeds and Bipeds", 1980).
LEG = 0.85
# Height of a corner on the ground and its speed, as standard deviations [m, m/s]; and
# of one that neither lands nor leaves, which takes so long at most [s].
HIGH, FAST = 0.02, 0.25
FIRM_HIGH, FIRM_FAST, PASSING = 0.007, 0.1, 0.25
# How many usual deviations of heights of standing feet count as one.
UNLIKE = 3.0
# What it costs a sample to be off, and a foot to change.
OFF, CHANGE = 2.0, 2.0
# Share of samples at which some sole is below the ground that is taken for it.
LOWEST = 0.05
# Shorter times on the ground or in the air are noise [s].
BRIEF = 0.12
# Longest time without a foot on the ground that is bridged, and shortest flight [s].
BRIDGED, FLIGHT = 0.36, 0.06
# Shares of gravity with which a body falls that flies, and how many standard deviations
# of that it takes to tell.
FALLING, CERTAIN = (0.6, 1.6), 3.0
# Time of both feet on the ground between one that lands and one that leaves [s].
BOTH = 0.04
# How often the ground is found anew under what stands.
ROUNDS = 3


@dataclass(frozen=True)
class FootContacts:
    """Which feet touch the ground.

    Attributes:
        on: (n,) whether a foot does, by foot.
        ground: (n,) height that is taken for the ground's [m].
        flights: first and past the last sample of each flight.
        bridged: the same of each time in which no foot does, and that is no flight.
    """

    on: Mapping[str, np.ndarray]
    ground: np.ndarray
    flights: tuple[tuple[int, int], ...]
    bridged: tuple[tuple[int, int], ...]


def find_contacts(
    soles: Soles, leg: float, gravity: float, spacing: float | None
) -> FootContacts:
    """Finds out which feet touch the ground.

    Args:
        soles: of a motion whose base is known.
        leg: how far soles are below the base of a robot that stands [m].
        gravity: acceleration of a body that falls [m/s^2].
        spacing: time between the samples of the recording itself [s]; None where its
            base follows from the feet, and no flight can be seen.
    """
    low = np.minimum(*(soles.lowest(f) for f in FEET))
    ground = np.full(len(low), np.quantile(low, LOWEST))
    high = HIGH
    for _ in range(ROUNDS):
        misfit = {f: _misfit(soles, f, ground, leg / LEG, high, FAST) for f in FEET}
        # One sample that is far off tells no more than that.
        cost = {f: np.minimum(misfit[f], 4 * OFF) for f in FEET}
        on = {f: _lasting(soles.dt, _fitting(cost[f])) for f in FEET}
        ground = ground_under(soles, on, ground)
        if spacing is not None:
            high = min(high, _usual_height(soles, on, ground, leg / LEG))
    on = {f: _firm(soles, f, on[f], leg / LEG) for f in FEET}
    flights, bridged = [], []
    for a, b in runs(~(on["left"] | on["right"])):
        if spacing is not None and _flies(soles, a, b, gravity, spacing):
            flights.append((a, b))
        elif (b - a) * soles.dt <= BRIDGED and a > 0 and b < len(low):
            _bridge(on, cost, a, b)
            bridged.append((a, b))
        else:
            for foot, flags in on.items():
                flags[a:b] = hovers(soles, foot, a, b, ground, leg / LEG)
    _overlap(on, soles.dt)
    return FootContacts(on, ground, tuple(flights), tuple(bridged))


def _misfit(
    soles: Soles, foot: str, ground: np.ndarray, scale: float, high: float, fast: float
) -> np.ndarray:
    """(n,) how little a foot is like one on the ground, in squared deviations."""
    p = soles.corners[foot]
    shake = noise(p)
    # Speeds from five samples have so much of the noise of each.
    fast = np.hypot(fast * np.sqrt(scale), shake / (soles.dt * np.sqrt(10.0)))
    high = np.hypot(high * scale, shake)
    speed = np.linalg.norm(slopes(p, soles.dt), axis=2)
    above = np.maximum(p[:, :, 2] - ground[:, None], 0.0)
    return np.asarray(((above / high) ** 2 + (speed / fast) ** 2).min(axis=1))


def _usual_height(
    soles: Soles, on: Mapping[str, np.ndarray], ground: np.ndarray, scale: float
) -> float:
    """How high a corner may be, as heights of feet that stand differ in this motion."""
    above = np.concatenate([np.abs(soles.lowest(f) - ground)[on[f]] for f in FEET])
    if not len(above):
        return HIGH
    # Robust against feet in the air that are taken to stand.
    return max(FIRM_HIGH, UNLIKE * 1.4826 * float(np.median(above)) / scale)


def _firm(soles: Soles, foot: str, on: np.ndarray, scale: float) -> np.ndarray:
    """Flags without samples at which a foot has begun to leave, or has not landed."""
    out, low, n = on.copy(), soles.lowest(foot), len(on)
    passing, brief = round(PASSING / soles.dt), round(BRIEF / soles.dt) + 1
    for a, b in runs(on):
        # Measured from where it stands itself: floors of recordings are not even.
        own = np.full(n, np.median(low[a:b]))
        misfit = _misfit(soles, foot, own, scale, FIRM_HIGH, FIRM_FAST)
        good = a + np.flatnonzero(misfit[a:b] <= 1.0)
        if not len(good):
            continue
        first, last = int(good[0]), int(good[-1]) + 1
        if first - a > passing or b - last > passing or last - first < brief:
            continue
        out[a : first if a > 0 else a] = False
        out[last if b < n else b : b] = False
    return out


def _fitting(cost: np.ndarray) -> np.ndarray:
    """(n,) the row of flags that costs least."""
    n = len(cost)
    best, came = np.zeros(2), np.zeros((n, 2), int)
    for i in range(n):
        change = best[::-1] + CHANGE
        came[i] = np.where(change < best, [1, 0], [0, 1])
        best = np.minimum(best, change) + [OFF, cost[i]]
    flags, state = np.zeros(n, bool), int(best.argmin())
    for i in range(n - 1, -1, -1):
        flags[i] = state
        state = came[i, state]
    return flags


def _lasting(dt: float, flags: np.ndarray) -> np.ndarray:
    """Flags without what lasts too short, first in the air and then on the ground."""
    for value in (False, True):
        flags = without_short(flags, value, lambda a, b: (b - 1 - a) * dt < BRIEF)
    return flags


def ground_under(
    soles: Soles, on: Mapping[str, np.ndarray], before: np.ndarray
) -> np.ndarray:
    """(n,) height of the ground: of what stands, and in a line from one to the next.

    Args:
        soles: of the motion.
        on: (n,) whether a foot stands, by foot.
        before: (n,) what it is taken for if none does [m].
    """
    places, heights = [], []
    for foot in FEET:
        low = soles.lowest(foot)
        for a, b in runs(on[foot]):
            places.append(0.5 * (a + b - 1))
            heights.append(np.median(low[a:b]))
    if not places:
        return before
    order = np.argsort(places)
    return np.interp(
        np.arange(len(before)), np.array(places)[order], np.array(heights)[order]
    )


def _flies(soles: Soles, a: int, b: int, gravity: float, spacing: float) -> bool:
    """Whether a body falls freely while no foot touches the ground.

    A flight of T has its highest point g T^2 / 8 above its ends: v^2 / 2g of what it
    leaves and lands with. That is the curvature of its path.
    """
    least = max(4, round(FLIGHT / soles.dt) + 1)
    if (b - a + 1) < least:
        return False
    wide = b - a < least
    first, last = max(a - wide, 0), min(b + wide, len(soles.com))
    k = np.arange(last - first) - 0.5 * (last - first - 1)
    square = k**2 - np.mean(k**2)
    scale = 2 / (square @ square) / soles.dt**2
    fall = -scale * (square @ soles.com[first:last, 2])
    # What is between the samples of the recording is smooth, and tells of no noise; and
    # samples are means over more than their distance.
    shake = noise(soles.com[:: max(2, math.ceil(spacing / soles.dt)), 2:])
    error = scale * np.linalg.norm(square) * shake
    low, high = (share * gravity for share in FALLING)
    return bool(low < fall < high and fall > CERTAIN * error)


def _bridge(
    on: Mapping[str, np.ndarray], cost: Mapping[str, np.ndarray], a: int, b: int
) -> None:
    """Lets a foot stand that is off; the one that leaves, and then the one that lands.

    They change where it costs least.
    """
    leaving = [f for f in FEET if on[f][a - 1]]
    landing = [f for f in FEET if on[f][b]]
    best = np.inf
    for before in leaving:
        for after in landing:
            for k in range(a, b + 1):
                total = cost[before][a:k].sum() + cost[after][k:b].sum()
                if total < best:
                    best, found = total, (before, after, k)
    before, after, k = found
    on[before][a:k] = True
    on[after][k:b] = True


def _overlap(on: Mapping[str, np.ndarray], dt: float) -> None:
    """Has both feet stand for a moment where one lands as the other one leaves."""
    both, most = round(BOTH / dt), round(BRIDGED / dt)
    for landing, leaving in (("left", "right"), ("right", "left")):
        for a, _ in runs(on[landing]):
            ends = [b for _, b in runs(on[leaving]) if abs(b - a - both) <= most]
            for b in ends:
                short = both - (b - a)
                if a == 0 or b == len(on[leaving]) or not 0 < short <= most:
                    continue
                first = max(0, a - short // 2)
                on[landing][first:a] = True
                on[leaving][b : b + short - (a - first)] = True
