"""Inputs that a user moves in a run, without discontinuities: a glide and a sway.

A value glides to where it shall be as a critically damped oscillator does, solved
exactly from step to step:

    x(t + h) = g + (e + (v + w e) h) exp(-w h)        e = x - g
    v(t + h) = (v - w (v + w e) h) exp(-w h)

Place, velocity and acceleration thus belong together, as tracking with a hand needs.
"""

import numpy as np

# Rate at which a requested value is approached [1/s]: nine tenths in 0.65 s.
QUICKNESS = 6.0


def glide(
    x: np.ndarray, v: np.ndarray, goal: np.ndarray, h: float
) -> tuple[np.ndarray, np.ndarray]:
    """Value and rate a time h [s] later."""
    e, w, fade = x - goal, QUICKNESS, np.exp(-QUICKNESS * h)
    rest = v + w * e
    return goal + (e + rest * h) * fade, (v - w * rest * h) * fade


def acceleration(x: np.ndarray, v: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Second derivative of a value that glides."""
    return -2.0 * QUICKNESS * v - QUICKNESS**2 * (x - goal)


def sway_step(z: np.ndarray, goal: np.ndarray, h: float) -> np.ndarray:
    """(5,) the state of a sway a time h [s] later.

    Args:
        z: (5,) amplitude, its rate, angular rate, and its rate; the phase.
        goal: (2,) amplitude and angular rate as they shall be.
        h: the time [s].
    """
    x, v = glide(z[0:4:2], z[1:4:2], goal, h)
    # Hermite's cubic through both ends of the step, integrated.
    phase = z[4] + 0.5 * h * (z[2] + x[1]) + h * h / 12.0 * (z[3] - v[1])
    return np.array([x[0], v[0], x[1], v[1], phase])


def sway(z: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """(3,) deviation d = a sin(phase), its rate and its acceleration.

    Args:
        z, goal: as of `sway_step`.
    """
    a, da, w, dw, phase = z
    dda = -2.0 * QUICKNESS * da - QUICKNESS**2 * (a - goal[0])
    sn, cs = np.sin(phase), np.cos(phase)
    rate = da * sn + a * w * cs
    change = (dda - a * w * w) * sn + (2.0 * da * w + a * dw) * cs
    return np.array([a * sn, rate, change])
