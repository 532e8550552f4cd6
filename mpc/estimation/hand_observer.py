"""Rate of a hand from places that are sensed one after the other.

A fading-memory polynomial filter of second degree: place, rate and acceleration are
predicted, and corrected by what the sensed place is off the predicted one,

    r = x_sensed - x,    x += (1 - t^3) r,    v += 3/2 (1 - t)^2 (1 + t) r / h,
    a += (1 - t)^3 r / h^2,    t = exp(-w h)

with all three poles at the bandwidth w. A constant acceleration is followed without a
lag. Morrison, "Introduction to Sequential Smoothing and Prediction", 1969.
"""

from dataclasses import dataclass

import numpy as np

# Bandwidth [rad/s]: several times that of the hand's own law.
BANDWIDTH = 100.0


@dataclass(frozen=True)
class HandMotion:
    """What is known of a hand.

    Attributes:
        place: (3,) [m].
        rate: (3,) [m/s].
        acceleration: (3,) [m/s^2].
    """

    place: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray

    @classmethod
    def at_rest(cls, place: np.ndarray) -> "HandMotion":
        """A hand that has not moved yet, at a place (3,) [m]."""
        return cls(place, np.zeros(3), np.zeros(3))


def observe(before: HandMotion, sensed: np.ndarray, elapsed: float) -> HandMotion:
    """What is known after another sample.

    Args:
        before: what was known.
        sensed: (3,) where the hand is sensed now [m].
        elapsed: time since the last sample [s].
    """
    h, t = elapsed, float(np.exp(-BANDWIDTH * elapsed))
    a = before.acceleration
    place = before.place + h * before.rate + 0.5 * h * h * a
    off = sensed - place
    return HandMotion(
        place + (1.0 - t**3) * off,
        before.rate + h * a + 1.5 * (1.0 - t) ** 2 * (1.0 + t) * off / h,
        a + (1.0 - t) ** 3 * off / h**2,
    )
