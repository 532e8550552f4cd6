"""Random numbers of a run: a stream for each purpose, which depends on its seed alone.

Each kind of disturbance has a stream of its own, so that one more leaves the others
unchanged (domain randomization).
"""

import zlib
from enum import IntEnum

import numpy as np


class Stream(IntEnum):
    """Streams that have numbers; the order is part of every result."""

    HEIGHT, TILT, SLOPE, FRICTION, DRUM, MASS, JOINT, PLAN, PUSH = range(9)
    CENTER_OF_MASS, TICK = 9, 10


def random_stream(
    seed: int, stream: Stream | str, number: int = 0
) -> np.random.Generator:
    """Random numbers for one purpose in a run.

    Args:
        seed: seed of the scenario.
        stream: the purpose: one that has a number, or any name.
        number: which of many draws, where they have to stay independent.
    """
    # Beyond all numbers, so that no name is one of them.
    own = zlib.crc32(stream.encode()) + 2**32 if isinstance(stream, str) else stream
    return np.random.default_rng([seed, int(own), number])


def either_way(random: np.random.Generator, most: float) -> float:
    """A number that is drawn from -most to most; a zero may have a sign."""
    return float(random.uniform(-most, most + 0.0))
