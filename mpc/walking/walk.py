"""Walk: which foot steps when, and where it lands, as a value."""

from dataclasses import dataclass

import numpy as np

# Place [m] and heading [rad] of a sole or of the body on the ground: x, y, yaw.
PlanarPose = tuple[float, float, float]
# Forward and to the left [m/s], and turning to the left [rad/s].
Velocity = tuple[float, float, float]
STOP: Velocity = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class WalkStep:
    """A step of a walk.

    Attributes:
        contact: index of the sole that steps, among the soles.
        piece: index of the piece of the stepping cycle that is its motion.
        start: phase at which the piece begins [s].
        foothold: where the foot lands.
        velocity: commanded for this step.
    """

    contact: int
    piece: int
    start: float
    foothold: PlanarPose
    velocity: Velocity


@dataclass(frozen=True)
class Walk:
    """Steps in order, those just made included.

    Attributes:
        feet: where the soles are before the first step.
        steps: the steps; none of a robot that stands.
        settled: how many of them are not changed any more.
    """

    feet: tuple[PlanarPose, PlanarPose]
    steps: tuple[WalkStep, ...] = ()
    settled: int = 0

    def feet_before(self, number: int) -> list[PlanarPose]:
        """Where both soles are before a step, by its number in `steps`."""
        feet = list(self.feet)
        for step in self.steps[:number]:
            feet[step.contact] = step.foothold
        return feet


def rotation(yaw: np.ndarray | float) -> np.ndarray:
    """(..., 2, 2) rotations in the plane by angles (...) [rad]."""
    c, s = np.cos(yaw), np.sin(yaw)
    return np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)


def compose(a: PlanarPose, b: PlanarPose) -> PlanarPose:
    """The pose b of the frame a, in the frame that a is in."""
    x, y = a[:2] + rotation(a[2]) @ b[:2]
    return float(x), float(y), float(a[2] + b[2])


def inverse(a: PlanarPose) -> PlanarPose:
    """The pose with which `compose` gives none."""
    x, y = -(rotation(-a[2]) @ a[:2])
    return float(x), float(y), float(-a[2])


def advanced(velocity: Velocity, time: float) -> PlanarPose:
    """How far a body gets at a constant velocity of its own frame, on an arc."""
    half = 0.5 * velocity[2] * time
    # The chord of the arc.
    x, y = time * np.sinc(half / np.pi) * (rotation(half) @ velocity[:2])
    return float(x), float(y), 2 * half
