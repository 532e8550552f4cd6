"""Bounds on the unknowns of the predictive program."""

from collections.abc import Sequence

import numpy as np

from mpc.horizon import Horizon
from mpc.plan import Plan
from mpc.predictive_weights import PredictiveWeights
from mpc.stepping import Step, covered

# A foot this near to landing lands where it was going [s], and how fast it moves [m/s].
COMMITTED, FOOT_SPEED = 0.05, 3.0
# An added step takes as little time as a foot needs, and is hurried no more.
STEP_RATE = 1.05
INF = 1e30


def variable_bounds(
    horizon: Horizon,
    w: PredictiveWeights,
    soles: Sequence[int],
    width: int,
    steps: Sequence[Step],
    previous: Plan | None,
) -> tuple[np.ndarray, np.ndarray]:
    """(N, width) bounds: wrenches in the air, loads, stretches, moves of soles.

    Args:
        horizon: the behavior ahead.
        w: bounds by name.
        soles: patches whose places are states.
        width: unknowns of an interval: wrenches, stretch, moves, then the state.
        steps: steps that the behavior does not make.
        previous: the plan in force, from whose rate the tempo goes on; None for any.
    """
    N, C = horizon.standing.shape
    t = 6 * C
    low, high = np.full((N, width), -INF), np.full((N, width), INF)
    for c in range(C):
        on = horizon.standing[:, c]
        zero = -horizon.wrench[:, 6 * c : 6 * c + 6]
        o, z = slice(6 * c, 6 * c + 6), 6 * c + 5
        low[:, o] = np.where(on[:, None], low[:, o], zero)
        high[:, o] = np.where(on[:, None], high[:, o], zero)
        low[:, z] = zero[:, 5]
        high[:, z] = np.where(on, w.max_force, 0.0) + zero[:, 5]
    # In flight nothing but gravity keeps time.
    carried = horizon.standing.any(1)
    low[:, t] = np.where(carried, (1 / w.fastest - 1) * horizon.h, 0.0)
    high[:, t] = np.where(carried, (1 / w.slowest - 1) * horizon.h, 0.0)
    middles = 0.5 * (horizon.phases[:-1] + horizon.phases[1:])
    for step in steps:
        inside = covered(step, middles)
        quickest = (1 / STEP_RATE - 1) * horizon.h[inside]
        low[inside, t] = np.maximum(low[inside, t], quickest)
    for i, c in enumerate(soles):
        left = _time_in_the_air(horizon, c)
        far = np.clip(FOOT_SPEED * (left - COMMITTED), 0.0, w.reach[0])[:, None]
        j = slice(t + 1 + 2 * i, t + 3 + 2 * i)
        low[:, j], high[:, j] = -far, far
    if previous is not None:
        _go_on(low[0], high[0], t, horizon, w, previous)
    return low, high


def _time_in_the_air(horizon: Horizon, c: int) -> np.ndarray:
    """(N,) phase until patch c lands, of intervals that have it in the air [s]."""
    left, landing = np.zeros(len(horizon.h)), 0.0
    for k in reversed(range(len(left))):
        if horizon.standing[k, c]:
            landing = 0.0
            continue
        landing = landing or horizon.phases[k + 1] - horizon.phases[0]
        left[k] = landing
    return left


def _go_on(
    low: np.ndarray,
    high: np.ndarray,
    t: int,
    horizon: Horizon,
    w: PredictiveWeights,
    previous: Plan,
) -> None:
    """Bounds the stretch of the first interval, entry t, by the rate so far."""
    h = horizon.h[0]
    elapsed = (horizon.phases[0] - previous.phase) / previous.rate
    if np.any(horizon.standing[0]) and elapsed > 0:
        most = w.hurry * elapsed * h
        now = (horizon.tempo / previous.rate - 1) * h
        now = np.clip(now, low[t], high[t])
        low[t], high[t] = max(low[t], now - most), min(high[t], now + most)
