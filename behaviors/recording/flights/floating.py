"""Floating: feet that stand on nothing, for the body of a recording is lifted."""

import numpy as np

from backbeat.behaviors.recording.soles import Soles, slopes

# How high a recording may float for a time, and how fast feet that stand may move
# then, of a robot with usual legs [m, m/s]; and for which share of the time they do.
HIGH, SLOW, MOSTLY = 0.08, 0.1, 0.5


def hovers(
    soles: Soles, foot: str, a: int, b: int, ground: np.ndarray, scale: float
) -> np.ndarray:
    """(b - a,) whether a foot stands in the air while the body does not fall.

    Args:
        soles: of the motion.
        foot: the foot.
        a, b: first and past the last sample of a time without a foot on the ground.
        ground: (n,) height of the ground [m].
        scale: of lengths.
    """
    speed = np.linalg.norm(slopes(soles.corners[foot], soles.dt)[a:b], axis=2)
    low = (soles.lowest(foot) - ground)[a:b] < HIGH * scale
    flags = low & (speed.max(axis=1) < SLOW * np.sqrt(scale))
    # What lifts it and puts it down moves feet, which do not step for that.
    return np.full(b - a, flags.mean() > MOSTLY)
