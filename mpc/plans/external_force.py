"""Estimates of external forces from the error of a plan's prediction.

The velocity of the center of mass that a plan of one period ago did not predict has two
causes: an error of the model's mass, which is constant, and a push, which is short. The
vertical part is attributed to the first, with a slow filter, so that a push does not
change it; the horizontal part to the second, where it exceeds the noise.
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector
from backbeat.mpc.plans.plan import Plan

# Rate at which the vertical force is learned [1/s], bound on the error that one plan
# contributes, and bound on the estimate [weights].
LEARNING, SURPRISE, MAX_VERTICAL_FORCE = 1.0, 0.05, 0.3
# Least acceleration that counts as a push [m/s^2], and for how long the push is assumed
# to continue [s]: until the next plan has measured whether it does.
FELT, GOES_ON = 6.0, 0.03
# Elapsed times below this give no estimate [s].
NOTHING = 1e-6


def _gained(
    before: Plan, t: float, deviation: np.ndarray, late: float
) -> tuple[np.ndarray | None, float]:
    """(3,) velocity minus the plan's prediction for t [m/s], and time since it [s].

    None where there is no prediction.
    """
    elapsed = t - (before.time - late)
    if not before.is_fresh or before.iterations == 0 or elapsed < NOTHING:
        return None, elapsed
    return np.asarray(deviation[3:6] - before.at(t).deviation[3:6]), elapsed


def estimate_external_force(
    before: Plan, t: float, deviation: np.ndarray, gravity: float, late: float = 0.0
) -> float:
    """Vertical force that acts besides those of the contacts and the model [weights].

    Args:
        before: the plan in force so far.
        t: time now [s].
        deviation: (12,) as measured now.
        gravity: [m/s^2].
        late: how long before its time the plan's state was measured [s].
    """
    gained, elapsed = _gained(before, t, deviation, late)
    if gained is None:
        return before.external_force_z
    off = gained[2] / (elapsed * gravity)
    off = min(max(float(off), -SURPRISE), SURPRISE)
    external_force_z = before.external_force_z + LEARNING * elapsed * off
    return min(max(external_force_z, -MAX_VERTICAL_FORCE), MAX_VERTICAL_FORCE)


def estimate_external_acceleration(
    before: Plan, t: float, deviation: np.ndarray, late: float = 0.0
) -> np.ndarray:
    """(2,) horizontal acceleration by external forces [m/s^2].

    Contact forces that stay below the plan's are part of the estimate.

    Args:
        before: the plan in force so far, whose prediction contains its own estimate.
        t: time now [s].
        deviation: (12,) as measured now.
        late: how long before its time the plan's state was measured; the estimate
            of then was used to predict it to the plan's time [s].
    """
    gained, elapsed = _gained(before, t, deviation, late)
    if gained is None:
        return np.zeros(2)
    gained = gained[:2]
    if before.external_acceleration_xy.any():
        # The part of the predicted velocity that is due to the plan's own estimate,
        # interpolated between its knots.
        h = before.durations
        known = external_acceleration(0.0, before.external_acceleration_xy, h, 0.0)[
            :, :2
        ]
        ends, by = np.r_[0.0, np.cumsum(h)], np.zeros((len(h) + 1, 2))
        np.cumsum(h[:, None] * known, axis=0, out=by[1:])
        since = elapsed - late
        foreseen = [np.interp(since, ends, by[:, i]) for i in range(2)]
        gained = gained + foreseen + late * before.external_acceleration_xy
    external_acceleration_xy = gained / elapsed
    return (
        external_acceleration_xy
        if np.hypot(*external_acceleration_xy) > FELT
        else np.zeros(2)
    )


def external_acceleration(
    external_force_z: float,
    external_acceleration_xy: np.ndarray,
    durations: np.ndarray,
    gravity: float,
) -> np.ndarray:
    """(N, 3) acceleration by external forces in the intervals ahead [m/s^2].

    Args:
        external_force_z: vertical force [weights].
        external_acceleration_xy: (2,) horizontal acceleration while it lasts [m/s^2].
        durations: (N,) of the intervals [s].
        gravity: [m/s^2].
    """
    out = np.empty((len(durations), 3))
    vertical = gravity * external_force_z
    _write_external(external_acceleration_xy, durations, GOES_ON, vertical, out)
    return out


@compiled
def _write_external(
    horizontal: Vector, durations: Vector, goes_on: float, vertical: float, out: Matrix
) -> None:
    """Writes accelerations, of which the horizontal one goes on for a while."""
    end = 0.0
    for k in range(durations.shape[0]):
        end += durations[k]
        lasting = min(end, goes_on) - (end - durations[k])
        share = max(lasting / durations[k], 0.0)
        out[k, 0], out[k, 1] = share * horizontal[0], share * horizontal[1]
        out[k, 2] = vertical
