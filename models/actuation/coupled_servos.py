"""Servos that act on one motion: gains of joints whose axes are nearly parallel.

An arm that is raised to a side has the axes of shoulder and elbow in one line. Each of
the joints feels a small inertia, that of the upper arm between them, and the servos of
both act on it: gains that each of them holds alone shake it. With the inertia matrix M
of the joints, the servos' dampings Kd and the motions u_i in which they do not mix,

    Kd u_i = lambda_i M u_i,    u_i' M u_i = 1

each motion is a joint of inertia 1 with the damping lambda_i, the stiffness u_i' Kp u_i
and the own damping u_i' D u_i, whose servo `backbeat.models.actuation.servo_margin`
judges. What a motion does not bear is taken off the joints by their parts in it.
"""

import numpy as np

from backbeat.models.actuation.servo_margin import SampledServo, Sampling

# How much larger gains have to hold too [-]. Each servo alone has a larger margin.
MARGIN = 1.5
# Rounds in which gains are lowered, at most.
_ROUNDS = 20


def coupled_shares(
    inverse: np.ndarray,
    gains: tuple[np.ndarray, np.ndarray],
    own: np.ndarray,
    sampling: Sampling,
) -> np.ndarray:
    """(nj,) share of both gains, at most 1, at which servos hold together.

    Args:
        inverse: (nj, nj) rows of the joints of M^-1, with all else free
            [1/(kg m^2) or 1/kg].
        gains: (nj,) stiffness and damping of each joint [N m/rad, N m s/rad].
        own: (nj,) viscous damping of the joints [N m s/rad].
        sampling: when samples are taken, and when they act.
    """
    shares = np.ones(len(own))
    for _ in range(_ROUNDS):
        lowered = _lowered(inverse, shares * gains[0], shares * gains[1], own, sampling)
        if (lowered == 1.0).all():
            break
        shares *= lowered
    return shares


def _lowered(
    inverse: np.ndarray,
    stiffness: np.ndarray,
    damping: np.ndarray,
    own: np.ndarray,
    sampling: Sampling,
) -> np.ndarray:
    """(nj,) factors on gains after one round; ones where servos hold."""
    factors = np.ones(len(own))
    held = np.flatnonzero(damping > 0)
    root = np.sqrt(damping[held])
    # With u = M^-1 Kd^(1/2) v / sqrt(lambda) the motions are eigenvectors v.
    inside = inverse[np.ix_(held, held)]
    rates, v = np.linalg.eigh(root[:, None] * inside * root)
    # Alone a servo has a larger margin: the largest gains of one joint are those of a
    # motion.
    alone = (damping * np.diag(inverse))[held].max(initial=0.0)
    parts = np.zeros(len(held))
    for i in np.flatnonzero(rates > alone * (1 + 1e-9)):
        u = v[:, i] * np.sqrt(rates[i]) / root
        servo = SampledServo(
            1.0, MARGIN * u @ (stiffness[held] * u), MARGIN * rates[i], 0.0, *sampling
        )
        servo = servo._replace(own=float(u @ (own[held] * u)))
        if not servo.holds():
            parts += v[:, i] ** 2 * (1.0 / min(servo.largest_share(), 1.0) - 1.0)
    factors[held] = 1.0 / (1.0 + parts)
    return factors
