"""Restitution: what dissipation gives back a stated share of a tip's speed.

A stick tip that falls on a head leaves it with a share of its speed, its restitution.
Simulation has other parameters: Drake's lagged and similar contact the coefficient d of
Hunt and Crossley, SAP the relaxation time tau of Kelvin and Voigt,

    f = k x (1 + d x'),        f = k (x + tau x'),

and steps of a millisecond, in a contact of four, take energy of their own. So a drop is
stepped as Drake steps it, with forces at the end of the step, and d and tau are those
with which the stated share comes back.

Sources
    Hunt, Crossley, "Coefficient of Restitution Interpreted as Damping in Vibroimpact",
    1975.
    Castro, Permenter, Han, "An Unconstrained Convex Formulation of Compliant Contact",
    2022.
"""

from collections.abc import Callable
from functools import cache
from math import sqrt

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.contact.cones import STICK_TIP, ContactMaterial

# What the tip is felt as: stick and what of the hand moves with it [kg]; its speed
# [m/s], and the steps of the simulation [s].
MASS, SPEED, STEP = 0.06, 1.2, 1e-3
# Where in a step the tip arrives, as shares of it; the mean over them counts.
PHASES = (0.125, 0.375, 0.625, 0.875)
# Most of the two: with them nothing comes back.
MOST_DISSIPATION, MOST_RELAXATION = 50.0, 0.02
MOST_STEPS = 1000


def restitution(
    stiffness: float, dissipation: float = 0.0, relaxation_time: float = 0.0
) -> float:
    """Share of its speed that a tip has after it hit, as it is simulated.

    Args:
        stiffness: of tip and head together [N/m].
        dissipation: Hunt and Crossley's coefficient [s/m].
        relaxation_time: Kelvin and Voigt's time [s]; one of the two is zero.
    """
    shares = [_drop(stiffness, dissipation, relaxation_time, p) for p in PHASES]
    return float(np.mean(shares))


@cache
def matched(stiffness: float, share: float) -> tuple[float, float]:
    """Dissipation [s/m] and relaxation time [s] that give back a share of the speed.

    Args:
        stiffness: of tip and head together [N/m].
        share: restitution.

    Raises:
        BackbeatError: more than a simulation in steps of a millisecond gives back.
    """
    most = restitution(stiffness)
    if not 0.02 <= share < most:
        raise BackbeatError(
            f"a restitution of {share:g} is not to be had with a stiffness of "
            f"{stiffness:g} N/m; it is 0.02 to {most:.2f}"
        )
    d = _falls_to(share, lambda d: restitution(stiffness, d), MOST_DISSIPATION)
    tau = _falls_to(share, lambda t: restitution(stiffness, 0.0, t), MOST_RELAXATION)
    return d, tau


def _falls_to(value: float, function: Callable[[float], float], most: float) -> float:
    """Where a function that falls has come down to a value, between 0 and `most`.

    By halves, until there is no number between: what solves equations in general takes
    a quarter of a second to import, in every process.
    """
    low, high = 0.0, most
    while low < (middle := 0.5 * (low + high)) < high:
        if function(middle) > value:
            low = middle
        else:
            high = middle
    return middle


def struck_material(stiffness: float, share: float) -> ContactMaterial:
    """What a head or cymbal is made of.

    Args:
        stiffness: of its own, in series with that of the tip [N/m].
        share: restitution of a tip that is dropped on it.

    Raises:
        BackbeatError: as `matched`.
    """
    tip = STICK_TIP.stiffness
    dissipation, relaxation_time = matched(stiffness * tip / (stiffness + tip), share)
    # Drake weighs the coefficients of two surfaces by the other's stiffness.
    own = dissipation * (stiffness + tip) / tip
    return ContactMaterial(STICK_TIP.friction, stiffness, own, relaxation_time)


def _drop(k: float, d: float, tau: float, phase: float) -> float:
    """A tip at a phase of a step above the head, until it leaves; no gravity."""
    x, v = -phase * SPEED * STEP, SPEED  # depth and its rate
    for _ in range(MOST_STEPS):
        if x <= 0 and v <= 0:
            break
        # Contact is found where shapes overlap as a step begins.
        after = _step(k, d, tau, x, v) if x > 0 else v
        x, v = x + STEP * after, after
    return max(0.0, -v / SPEED)


def _step(k: float, d: float, tau: float, x: float, v: float) -> float:
    """Rate of the depth after a step with the force at its end, which only pushes."""
    h = STEP
    if d == 0.0:
        after = (v - h * k / MASS * x) / (1.0 + h * k / MASS * (h + tau))
        return after if x + (h + tau) * after > 0 else v

    if x + h * v <= 0 or 1.0 + d * v <= 0:
        return v
    # m (v+ - v) + h k (x + h v+) (1 + d v+) = 0; the larger root, where both push.
    a, b, c = h * h * k * d, MASS + h * k * (h + d * x), h * k * x - MASS * v
    return -2.0 * c / (b + sqrt(b * b - 4.0 * a * c))
