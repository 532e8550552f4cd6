"""Forces besides those of the contacts, as plans tell them from what they foresaw.

A robot that is lighter than its model feels a lift, which stays; one that is pushed
feels a push, which goes on for a while. What is left over when a plan has been followed
for a period is either: of the vertical a little is learned at a time, so that a push is
not taken for a weight, and of the horizontal all that is too much for noise.
"""

import numpy as np

from backbeat.models.compiled import compiled
from backbeat.models.compiled.arrays import Matrix, Vector
from backbeat.mpc.plans.plan import Plan

# Rate at which the vertical force is learned [1/s], most that one plan may be off to be
# learned from, and most of it in all [weights].
LEARNING, SURPRISE, MOST_LIFT = 1.0, 0.05, 0.3
# Least acceleration that is taken for a push [m/s^2], and how long one that is felt is
# taken to go on [s]: until the next plan has seen whether it has.
FELT, GOES_ON = 6.0, 0.03
# A time in which nothing can be gained [s].
NOTHING = 1e-6


def _gained(
    before: Plan, t: float, deviation: np.ndarray, late: float
) -> tuple[np.ndarray | None, float]:
    """(3,) velocity beyond what a plan foresaw for t [m/s], and the time it took [s].

    None where it did not.
    """
    elapsed = t - (before.time - late)
    if not before.is_fresh or before.iterations == 0 or elapsed < NOTHING:
        return None, elapsed
    return np.asarray(deviation[3:6] - before.at(t).deviation[3:6]), elapsed


def measure_lift(
    before: Plan, t: float, deviation: np.ndarray, gravity: float, late: float = 0.0
) -> float:
    """Vertical force that the world adds to what is believed [weights].

    Args:
        before: the plan in force so far.
        t: time now [s].
        deviation: (12,) as measured now.
        gravity: [m/s^2].
        late: how long before its time the plan's state was measured [s].
    """
    gained, elapsed = _gained(before, t, deviation, late)
    if gained is None:
        return before.lift
    off = gained[2] / (elapsed * gravity)
    off = min(max(float(off), -SURPRISE), SURPRISE)
    lift = before.lift + LEARNING * elapsed * off
    return min(max(lift, -MOST_LIFT), MOST_LIFT)


def measure_push(
    before: Plan, t: float, deviation: np.ndarray, late: float = 0.0
) -> np.ndarray:
    """(2,) horizontal acceleration by which the world pushes [m/s^2].

    What the feet fall short of, while the plan wants them to resist, counts with it.

    Args:
        before: the plan in force so far, which knew of a push that it went on.
        t: time now [s].
        deviation: (12,) as measured now.
        late: how long before its time the plan's state was measured, and carried on
            with the push by then [s].
    """
    gained, elapsed = _gained(before, t, deviation, late)
    if gained is None:
        return np.zeros(2)
    gained = gained[:2]
    if before.push.any():
        # The velocity that the plan foresaw of its own push, as it tells it between
        # its knots.
        h = before.durations
        known = outside_acceleration(0.0, before.push, h, 0.0)[:, :2]
        ends, by = np.r_[0.0, np.cumsum(h)], np.zeros((len(h) + 1, 2))
        np.cumsum(h[:, None] * known, axis=0, out=by[1:])
        since = elapsed - late
        foreseen = [np.interp(since, ends, by[:, i]) for i in range(2)]
        gained = gained + foreseen + late * before.push
    push = gained / elapsed
    return push if np.hypot(*push) > FELT else np.zeros(2)


def outside_acceleration(
    lift: float, push: np.ndarray, durations: np.ndarray, gravity: float
) -> np.ndarray:
    """(N, 3) what the world adds to the acceleration in intervals ahead [m/s^2].

    Args:
        lift: vertical force [weights].
        push: (2,) horizontal acceleration as long as it goes on [m/s^2].
        durations: (N,) of the intervals [s].
        gravity: [m/s^2].
    """
    out = np.empty((len(durations), 3))
    _write_outside(push, durations, GOES_ON, gravity * lift, out)
    return out


@compiled
def _write_outside(
    push: Vector, durations: Vector, goes_on: float, lift: float, out: Matrix
) -> None:
    """Writes what the world adds: a push that goes on for a while, and a lift."""
    end = 0.0
    for k in range(durations.shape[0]):
        end += durations[k]
        lasting = min(end, goes_on) - (end - durations[k])
        share = max(lasting / durations[k], 0.0)
        out[k, 0], out[k, 1], out[k, 2] = share * push[0], share * push[1], lift
