"""Entries of the predictive program's cost that are written for every horizon."""

from typing import NamedTuple

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import IndexMatrix, Indices, Matrix, Vector
from backbeat.models.compiled.bound import Bound
from backbeat.mpc.plans.weights import PredictiveWeights


def dilation_shares(
    weights: PredictiveWeights, h: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """How much the time dilation theta of intervals of unequal length counts.

    The first interval ends at the next knot, and may be a third of the others. With a
    weight per second its dilation would equal that of its neighbor, so that the phase
    rate fell while the interval got shorter, and rose when the next knot became the
    first: a sawtooth with the period of the plans. The cost is on the rate instead,
    which is to be near 1 and to change little.

    Args:
        weights: of the program.
        h: (N,) phase of each interval [s].

    Returns:
        (N,) factors of theta^2 under the weight on it, and (N,) factors of theta in the
        change from one interval to the next under the weight on that.
    """
    share, spacing = weights.spacing / h, weights.spacing
    return spacing * share, np.sqrt(spacing) * share


class CostEntries(NamedTuple):
    """What is written of P at each solve, and where."""

    values: Vector  # all entries, without what is written
    velocity_weight: Vector  # (N,) of an interval's end, costs on it at the phase rate
    share: Vector  # (N,) time for which an interval's end counts
    neighbors: Vector  # (N,) intervals beside one
    theta_diagonal: Indices  # (N,) of theta^2
    theta_pairs: IndexMatrix  # (N - 1, 2) of neighbors
    theta_velocity: IndexMatrix  # (N, 3)
    velocity_theta: IndexMatrix  # (N, 3)
    beats: Indices  # (N,) of time minus phase


@compiled
def write_cost(
    bound: Bound[CostEntries],
    h: Vector,
    velocity: Matrix,
    rates: tuple[float, float, float, float],
    out: Vector,
) -> None:
    """Writes the entries of P.

    Args:
        bound: where they are.
        h: (N,) time of the intervals [s].
        velocity: (N + 1, 3) of the behavior at the knots [m/s].
        rates: spacing of the knots, what theta and its change cost, see
            `dilation_shares`, and the weight on time minus phase.
        out: written.
    """
    of, (spacing, theta, changing, beat) = bound.content, rates
    out[:] = of.values
    N, before = h.shape[0], 0.0
    for k in range(N):
        share = spacing / h[k]
        change, squares = changing * share, np.zeros(3)
        # |dv + theta v_ref / h|^2: slowing down also slows what is to be tracked.
        for i in range(3):
            scale = velocity[k + 1, i] / h[k]
            squares[i] = of.velocity_weight[k] * (scale * scale)
            entry = of.velocity_weight[k] * scale
            out[of.theta_velocity[k, i]] = out[of.velocity_theta[k, i]] = entry
        dilation = spacing * theta * share + change * change * of.neighbors[k]
        out[of.theta_diagonal[k]] += dilation + (squares[0] + squares[1] + squares[2])
        if k > 0:
            pair = -(before * change)
            out[of.theta_pairs[k - 1, 0]] = out[of.theta_pairs[k - 1, 1]] = pair
        out[of.beats[k]] += beat * of.share[k]
        before = change
