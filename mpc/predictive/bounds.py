"""Bounds on the unknowns of the predictive program."""

from collections.abc import Sequence

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import (
    Array3,
    Array3View,
    Array4,
    FlagMatrix,
    FlagsView,
    Matrix,
    Vector,
    VectorView,
)
from backbeat.models.dynamics.finite import UNBOUNDED
from backbeat.mpc.horizon.sampling import Horizon
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.plans.stepping import AddedStep, covered
from backbeat.mpc.plans.weights import PredictiveWeights

# Index of the center of mass's height and its rate in the state.
HEIGHT, VELOCITY = 2, 5
# Most force of each patch after a flight, until a plan starts on the ground [weights].
# Soles that are some millimeters above it would be thrown onto it by what they are to
# carry: that turns them, and soft ground throws them back.
TOUCHING = 0.3


def variable_bounds(
    horizon: Horizon,
    w: PredictiveWeights,
    soles: Sequence[int],
    width: int,
    steps: Sequence[AddedStep],
    start: PlanStart,
    gravity: float,
) -> np.ndarray:
    """(2, N, width) bounds of wrenches, time dilations, moves of soles, and height.

    Args:
        horizon: the behavior ahead.
        w: bounds by name.
        soles: patches whose places are states.
        width: unknowns of an interval: wrenches, dilation, moves, then the state.
        steps: steps that the behavior does not make.
        start: initial phase rate of the plan, and initial height of the body.
        gravity: [m/s^2].
    """
    N, C = horizon.standing.shape
    t = 6 * C
    bounds = np.empty((2, N, width))
    low, high = bounds
    low[:], high[:] = -UNBOUNDED, UNBOUNDED
    limits = w.max_phase_rate, w.min_phase_rate, w.max_force
    _bound_loads(horizon.standing, horizon.wrench, horizon.h, limits, low, high)
    _time_flight(horizon, start, gravity, limits[:2], bounds[:, :, t])
    middles = 0.5 * (horizon.phases[:-1] + horizon.phases[1:])
    for step in (step for step in steps if not step.stands):
        inside = covered(step, middles)
        quickest = (1 / w.max_step_rate - 1) * horizon.h[inside]
        low[inside, t] = np.maximum(low[inside, t], quickest)
    for i, c in enumerate(soles):
        left = np.zeros(N)
        _time_in_the_air(horizon.standing[:, c], horizon.phases, left)
        free = w.foot_speed * (left - w.commit_time)
        far = np.clip(free, 0.0, w.max_step_length[0])[:, None]
        j = slice(t + 1 + 2 * i, t + 3 + 2 * i)
        low[:, j], high[:, j] = -far, far
    if start.rate is not None and start.elapsed > 0 and horizon.standing[0].any():
        _limit_rate_change(
            low[0],
            high[0],
            t,
            horizon,
            w.max_phase_rate_change * start.elapsed,
            start.rate,
        )
    height = high[:, t + 1 + 2 * len(soles) + HEIGHT]
    height[:] = w.max_com_rise
    motion = float(start.deviation[HEIGHT]), float(start.deviation[VELOCITY])
    fall = gravity, horizon.external[:, 2], w.rise_margin
    for pace in (1.0, 1 / w.max_phase_rate, 1 / w.min_phase_rate):
        _allow_ballistic_rise(
            horizon.wrench, horizon.R, pace * horizon.h, motion, fall, height
        )
    return bounds


def _time_flight(
    horizon: Horizon,
    start: PlanStart,
    gravity: float,
    rates: tuple[float, float],
    out: np.ndarray,
) -> None:
    """Writes the time dilations of what is left of a flight.

    Gravity keeps time: the body lands when it has fallen to the height at which the
    behavior lands, and the phase of the landing is reached then.

    Args:
        horizon: the behavior ahead.
        start: height and vertical velocity now, minus the behavior's.
        gravity: [m/s^2].
        rates: highest and lowest phase rate.
        out: (2, N) bounds of the dilations [s], written for the flight.
    """
    flies: np.ndarray = np.asarray(~horizon.standing.any(axis=1))
    if not flies[0] or flies.all():
        return
    n = int(np.argmin(flies))
    planned, speed = float(horizon.h[:n].sum()), float(horizon.velocity[0, 2])
    fall = 0.5 * gravity * planned**2 - speed * planned
    height = max(0.0, fall + float(start.deviation[HEIGHT]))
    upward = speed + float(start.deviation[VELOCITY])
    time = (upward + np.sqrt(upward**2 + 2 * gravity * height)) / gravity
    share = min(max(time / planned, 1 / rates[0]), 1 / rates[1])
    out[:, :n] = (share - 1) * horizon.h[:n]


@compiled
def _allow_ballistic_rise(
    wrench: Matrix,
    R: Array4,
    h: Vector,
    motion: tuple[float, float],
    fall: tuple[float, VectorView, float],
    high: VectorView,
) -> None:
    """Raises (N,) bounds on the height to that of a ballistic motion.

    A body that moves upward cannot stop at once: without contact forces it follows a
    ballistic path.
    """
    (z, speed), (gravity, external, room) = motion, fall
    N, C = R.shape[:2]
    for k in range(N):
        a = external[k]
        for c in range(C):
            for i in range(3):
                a -= gravity * R[k, c, 2, i] * wrench[k, 6 * c + 3 + i]
        z += speed * h[k] + 0.5 * a * h[k] * h[k]
        speed += a * h[k]
        high[k] = max(high[k], z + room)


@compiled
def _bound_loads(
    standing: FlagMatrix,
    wrench: Matrix,
    h: Vector,
    limits: tuple[float, float, float],
    low: Matrix,
    high: Matrix,
) -> None:
    """Bounds wrenches, none in the air, and the time dilation of intervals."""
    max_phase_rate, min_phase_rate, most = limits
    N, C = standing.shape
    flies = True
    for k in range(N):
        carried = False
        load = min(most, TOUCHING) if flies and k > 0 else most
        for c in range(C):
            z = 6 * c + 5
            if standing[k, c]:
                carried = True
                low[k, z], high[k, z] = -wrench[k, z], load - wrench[k, z]
                continue
            for i in range(6 * c, 6 * c + 6):
                low[k, i], high[k, i] = -wrench[k, i], -wrench[k, i]
        # In flight nothing but gravity keeps time.
        low[k, 6 * C], high[k, 6 * C] = 0.0, 0.0
        flies = flies and not carried
        if carried:
            low[k, 6 * C] = (1 / max_phase_rate - 1) * h[k]
            high[k, 6 * C] = (1 / min_phase_rate - 1) * h[k]


@compiled
def step_limit_rows(
    heading: Array3,
    soles: Array3View,
    shift: Array3,
    limits: tuple[float, float, float],
    entries: Array3,
    bounds: Array3View,
) -> None:
    """Writes rows and bounds of the distance of two soles, forward and sideways.

    Distances that are measured, or that the behavior has, are always allowed.

    Args:
        heading: (N + 1, 2, 2) forward and left at the knots.
        soles: (N + 1, 2, 3) places in the behavior [m].
        shift: (N, 2, 2) where they are, minus that [m].
        limits: most forward, most and least sideways [m].
        entries: (N, 2, 4) written: of the places of both soles in the rows.
        bounds: (2, N, 2) written: least and most [m].
    """
    forward, wide, min_step_width = limits
    for k in range(entries.shape[0]):
        for r in range(2):
            planned, moved = 0.0, 0.0
            for i in range(2):
                axis = heading[k + 1, r, i]
                entries[k, r, i], entries[k, r, 2 + i] = axis, -axis
                planned += axis * (soles[k + 1, 0, i] - soles[k + 1, 1, i])
                moved += axis * (shift[k, 0, i] - shift[k, 1, i])
            low, high = -forward, forward
            if r == 1:
                low, high = (
                    (min_step_width, wide) if planned > 0 else (-wide, -min_step_width)
                )
            now = planned + moved
            bounds[0, k, r] = min(low, min(planned, now) - 1e-3) - planned
            bounds[1, k, r] = max(high, max(planned, now) + 1e-3) - planned


@compiled
def _time_in_the_air(stands: FlagsView, phases: Vector, left: Vector) -> None:
    """Writes (N,) phase until a patch lands, of intervals that have it in the air."""
    landing = 0.0
    for k in range(left.shape[0] - 1, -1, -1):
        if stands[k]:
            landing = 0.0
            continue
        if landing == 0.0:
            landing = phases[k + 1] - phases[0]
        left[k] = landing


def _limit_rate_change(
    low: np.ndarray,
    high: np.ndarray,
    t: int,
    horizon: Horizon,
    change: float,
    rate: float,
) -> None:
    """Bounds the dilation of the first interval, entry t, by the change of the rate."""
    h = horizon.h[0]
    now = min(max((horizon.tempo / rate - 1) * h, low[t]), high[t])
    low[t], high[t] = max(low[t], now - change * h), min(high[t], now + change * h)
