"""Feet of a person: when they are on the floor, how they are turned, and how high.

A foot is on the floor while its heel, its ball or its toes are low and hardly move.
Where heel and ball are, the sole is level: there its axes are known, and with them
everywhere.
"""

from dataclasses import dataclass

import numpy as np

from backbeat.behaviors.library.runs import runs, without_short
from backbeat.behaviors.retargeting.smoothing import (
    mean_rotation,
    nearest_rotations,
    upright,
)
from backbeat.models.common.errors import BackbeatError

# What a foot on the floor is, by heights [m] and speeds [m/s] of a person with a leg of
# so many meters from hip to ankle.
LEG, HIGH, FAST = 0.85, 0.03, 0.35
# Flat feet are slower; where there are none, faster ones count.
STILL = (0.1, 0.2, 0.4)
# Samples of them that are needed.
FEWEST = 5
# Share of samples that are lower than the floor's height is looked for at.
LOWEST = 0.1
# Shorter times on the floor or in the air are noise [s].
BRIEF = 0.08
# Points of a sole in its axes, from the ankle and twice from the toes' joint, in legs
# (Winter, "Biomechanics and Motor Control of Human Movement", 2009, chapter 4, for the
# length of the foot and the height of the ankle).
HEEL = np.array([-0.08, 0.0, -0.08])
BALL, TIP = np.array([0.0, 0.0, -0.03]), np.array([0.07, 0.0, -0.03])


@dataclass(frozen=True)
class FootMotion:
    """A foot over time.

    Attributes:
        on: (n,) whether it is on the floor.
        R: (n, 3, 3) axes of the sole: x to the toes, z up where it is level.
        ankle: (n, 3) place of the ankle, its height that over a level sole [m].
        level: height of the ankle over a level sole, from the file's zero [m].
        height: (n,) of the lowest point of the sole over the floor, not below [m].
    """

    on: np.ndarray
    R: np.ndarray
    ankle: np.ndarray
    level: float
    height: np.ndarray


def find_foot(
    ankle: np.ndarray,
    toe: np.ndarray,
    turn: np.ndarray,
    dt: float,
    leg: float,
    where: str,
) -> FootMotion:
    """What a foot does.

    Args:
        ankle, toe: (n, 3) places of the two joints [m].
        turn: (n, 3, 3) rotation of the ankle's joint.
        dt: time between samples [s].
        leg: length of the leg, from hip to ankle [m].
        where: names foot and file in errors.

    Raises:
        BackbeatError: the foot is never flat on a floor.
    """
    size = leg / LEG
    speed = {n: _speed(p, dt) / np.sqrt(size) for n, p in (("a", ankle), ("t", toe))}
    flat = _flat(ankle[:, 2], toe[:, 2], np.maximum(speed["a"], speed["t"]), size)
    if flat is None:
        raise BackbeatError(
            f"{where} is never flat on the floor and still, so that the floor cannot "
            "be found; take a part in which the person stands or walks"
        )
    floor_a, floor_t = np.median(ankle[flat, 2]), np.median(toe[flat, 2])
    level = upright(np.cross([0.0, 0.0, 1.0], (toe - ankle)[flat]))
    offset = mean_rotation(np.einsum("nji,njk->nik", turn[flat], level))
    R = nearest_rotations(turn @ offset)
    points = [
        joint - [0.0, 0.0, floor] + R @ (leg * arm) - [0.0, 0.0, leg * arm[2]]
        for joint, floor, arm in (
            (ankle, floor_a, HEEL),
            (toe, floor_t, BALL),
            (toe, floor_t, TIP),
        )
    ]
    on = np.any([_on(p, dt, size) for p in points], axis=0)
    brief = max(1, round(BRIEF / dt))
    for value in (False, True):
        on = without_short(on, value, lambda a, b: b - a <= brief)
    height = np.min([p[:, 2] for p in points], axis=0)
    floor = _own_floor(on, height)
    place = ankle - [0.0, 0.0, floor_a]
    place[:, 2] -= floor
    return FootMotion(on, R, place, float(floor_a), np.maximum(height - floor, 0.0))


def _speed(p: np.ndarray, dt: float) -> np.ndarray:
    return np.asarray(np.linalg.norm(np.gradient(p, dt, axis=0), axis=1))


def _flat(
    ankle: np.ndarray, toe: np.ndarray, speed: np.ndarray, size: float
) -> np.ndarray | None:
    """(n,) where heel and ball are low and slow; None where they never are."""
    low = (ankle < np.quantile(ankle, LOWEST) + HIGH * size) & (
        toe < np.quantile(toe, LOWEST) + HIGH * size
    )
    for still in STILL:
        flat = low & (speed < still)
        if flat.sum() >= FEWEST:
            return flat
    return None


def _on(point: np.ndarray, dt: float, size: float) -> np.ndarray:
    """(n,) whether a point of a sole is on the floor, which is at zero."""
    speed = _speed(point, dt) / np.sqrt(size)
    return np.asarray((point[:, 2] < HIGH * size) & (speed < FAST))


def _own_floor(on: np.ndarray, height: np.ndarray) -> np.ndarray:
    """(n,) height of the floor under each contact, and between them [m]."""
    contacts = runs(on)
    if not contacts:
        return np.zeros(len(on))
    levels = [float(np.median(height[a:b])) for a, b in contacts]
    return between(contacts, np.array(levels)[:, None], len(on))[:, 0]


def between(contacts: list[tuple[int, int]], values: np.ndarray, n: int) -> np.ndarray:
    """(n, k) a value (k,) for each contact, and smoothly from one to the next."""
    out = np.tile(values[0], (n, 1))
    for (_, a), (b, _), before, after in zip(
        contacts, contacts[1:], values, values[1:], strict=False
    ):
        u = np.linspace(0.0, 1.0, b - a + 2)[1:-1, None]
        out[a:b] = before + (after - before) * u**2 * (3 - 2 * u)
        out[b:] = after
    return out
