"""Room: the reflections of a small room around the drums.

They are noise that decays exponentially, other noise at either ear (J. A. Moorer, About
This Reverberation Business, Computer Music Journal 3(2), 1979), between what a kick
drum would blur and what air and curtains take.
"""

from functools import cache

import numpy as np
import scipy

# Time in which reflections fall by 60 dB, and before the first of them [s].
DECAY, DELAY = 0.35, 0.006
# Their energy at both ears beside that of what is heard directly, in their band [dB].
WET = -9.0
# What is reflected [Hz].
BAND = (180.0, 7000.0)


@cache
def reflections(rate: int) -> np.ndarray:
    """(n, 2) what is heard left and right of a click in the room, without the click.

    Args:
        rate: samples a second.
    """
    t = np.arange(round(DECAY * rate)) / rate
    noise = np.random.default_rng(98).standard_normal((len(t), 2))
    sos = scipy.signal.butter(2, BAND, "bandpass", fs=rate, output="sos")
    tail = scipy.signal.sosfilt(sos, noise, axis=0)
    tail *= 10.0 ** (-3.0 * t / DECAY)[:, None]
    # Mean of the squared gains at both ears in the band.
    gain = (tail**2).sum() * 0.5 * rate / (BAND[1] - BAND[0])
    tail *= np.sqrt(10.0 ** (0.1 * WET) / gain)
    found = np.vstack([np.zeros((round(DELAY * rate), 2)), tail])
    found.flags.writeable = False
    return found


def in_room(sound: np.ndarray, rate: int) -> np.ndarray:
    """(n, 2) sound with the reflections of what both ears hear together."""
    middle = sound.mean(1, keepdims=True)
    wet = scipy.signal.oaconvolve(middle, reflections(rate), axes=0)
    return np.asarray(sound + wet[: len(sound)])
