"""Loudness: how fast a stick strikes for a MIDI velocity, and back.

Radiated amplitude grows in proportion to the speed of the stick, and instruments
play amplitude in proportion to the square of the MIDI velocity (R. B. Dannenberg, "The
Interpretation of MIDI Velocity", 2006). So speed goes with the square of velocity.
"""

import numpy as np

LOUDEST = 127
# Speed of the tip along the normal at MIDI velocity 127 [m/s]; 90 is 1.5 m/s.
LOUDEST_SPEED = 3.0


def strike_speed(velocity: float) -> float:
    """Speed of the tip at the head [m/s] for a MIDI velocity, 0 to 127."""
    return LOUDEST_SPEED * (velocity / LOUDEST) ** 2


def strike_velocity(speed: float) -> int:
    """MIDI velocity, 1 to 127, of a strike with a speed [m/s]."""
    share = np.sqrt(max(speed, 0.0) / LOUDEST_SPEED)
    return int(np.clip(round(LOUDEST * share), 1, LOUDEST))
