"""Paths of feet and heading of a walk, at the samples of its pieces."""

from typing import NamedTuple

import numpy as np

from backbeat.behaviors.motion.time_law import minimum_jerk
from backbeat.mpc.walking.body_path import bounded_path
from backbeat.mpc.walking.cycle import SteppingCycle
from backbeat.mpc.walking.walk import Walk, compose, inverse

# Time in which the heading of the body follows that of the feet [s].
HEADING_TIME = 0.15
# Standing is sampled so far [s].
REST = 1.0


class Timeline(NamedTuple):
    """Samples of a walk.

    Attributes:
        t: (M,) phases [s].
        row: (M,) rows of the stepping cycle's table.
        cuts: first sample of each step, and the number of samples.
        rests: whether the walk begins, and ends, at rest.
    """

    t: np.ndarray
    row: np.ndarray
    cuts: np.ndarray
    rests: tuple[bool, bool]


def timeline(cycle: SteppingCycle, walk: Walk) -> Timeline:
    """The samples of a walk; two of one that stands."""
    if not walk.steps:
        t, row = np.array([0.0, REST]), np.zeros(2, int)
        return Timeline(t, row, np.array([0, 2]), (True, True))
    rows = [cycle.rows[w.piece] for w in walk.steps]
    times = [
        cycle.reference.table.t[row] - cycle.begins[w.piece] + w.start
        for w, row in zip(walk.steps, rows, strict=True)
    ]
    cuts = np.cumsum([0, *map(len, rows)])
    rests = walk.steps[0].piece == 0, walk.steps[-1].piece == cycle.last
    return Timeline(np.concatenate(times), np.concatenate(rows), cuts, rests)


def foot_paths(cycle: SteppingCycle, walk: Walk, line: Timeline) -> np.ndarray:
    """(3, M, 2, 3) poses of the soles on the ground, x, y, yaw, and two derivatives."""
    out = np.zeros((3, len(line.t), 2, 3))
    out[0] = walk.feet
    for k, step in enumerate(walk.steps):
        first, last = line.cuts[k], line.cuts[k + 1]
        c, (lift, land) = step.contact, cycle.swings[step.piece]
        start, way = out[0, first, c].copy(), step.foothold - out[0, first, c]
        T = land - lift
        u = np.clip((line.t[first:last] - step.start - lift) / T, 0.0, 1.0)
        out[0, first:, c] = step.foothold
        out[0, first:last, c] = start + minimum_jerk(u)[:, None] * way
        out[1, first:last, c] = (30 * u**2 * (1 - u) ** 2 / T)[:, None] * way
        out[2, first:last, c] = (60 * u * (1 - u) * (1 - 2 * u) / T**2)[:, None] * way
    return out


def heading_path(walk: Walk, line: Timeline) -> np.ndarray:
    """(3, M) heading of the body and its derivatives: smoothly the mean of the feet."""
    numbers = range(len(walk.steps) + 1)
    yaw = [np.mean([foot[2] for foot in walk.feet_before(k)]) for k in numbers]
    if not walk.steps:
        return np.array([[yaw[0]] * 2, [0.0] * 2, [0.0] * 2])
    knots = [step.start for step in walk.steps] + [line.t[-1]]
    wanted = np.interp(line.t, knots, yaw)
    # The first step begins, and the last one ends, with a long stance.
    a = np.full(len(line.t), HEADING_TIME**-2)
    ends = np.array([yaw[0], yaw[-1]])[:, None]
    return bounded_path(line.t, a, wanted[:, None], ends)[:, :, 0]


def middle_of(cycle: SteppingCycle, feet: np.ndarray) -> np.ndarray:
    """(3,) pose x, y, yaw of a body between soles at (2, 3) poses."""
    poses = [
        compose((x, y, yaw), inverse(nominal))
        for (x, y, yaw), nominal in zip(feet.tolist(), cycle.feet, strict=True)
    ]
    return np.mean(poses, axis=0)
