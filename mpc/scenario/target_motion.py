"""TargetMotion: where a hand shall be, as a function of time, and as a Drake system."""

from dataclasses import dataclass

import numpy as np
from pydrake.systems.framework import BasicVector, Context

from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.common.schema import key

# Time in which a circle comes to its speed [s].
START = 1.0


@dataclass
class TargetMotion:
    """A place, a circle around it, or a step."""

    offset: list[float] = key([0.0, 0.0, 0.0], "m", length=3)
    """Start, relative to the hand at the start of the behavior, along the world's
    axes."""
    radius: float = key(0.0, "m", ge=0)
    """Radius of a circle in the plane of y and z through the start [m]; 0 for a fixed
    target."""
    frequency: float = key(0.5, "Hz")
    """Frequency of the circle."""
    feedforward: bool = key(True)
    """Whether the controller gets the target's velocity and acceleration."""

    def at(self, t: float, start: np.ndarray) -> np.ndarray:
        """(3, 3) place [m], velocity and acceleration of the target at time t [s].

        Args:
            t: time; before 0 it rests.
            start: (3,) where the hand begins [m].
        """
        out = np.zeros((3, 3))
        out[0] = start + np.array(self.offset)
        if self.radius == 0.0:
            return out
        # The angle's rate grows by a smooth step.
        w, s = 2.0 * np.pi * self.frequency, float(np.clip(t / START, 0.0, 1.0))
        angle = w * START * (s**3 - 0.5 * s**4) + w * max(0.0, t - START)
        rate = w * s * s * (3.0 - 2.0 * s)
        change = w / START * 6.0 * s * (1.0 - s)
        c, sn, r = np.cos(angle), np.sin(angle), self.radius
        out[0, 1:] += r * np.array([c - 1.0, sn])
        out[1, 1:] = r * rate * np.array([-sn, c])
        out[2, 1:] = r * (change * np.array([-sn, c]) - rate**2 * np.array([c, sn]))
        return out

    def told(self, t: float, start: np.ndarray) -> np.ndarray:
        """(3, 3) of the target as the hand gets it."""
        out = self.at(t, start)
        if not self.feedforward:
            out[1:] = 0.0
        return out


class TargetSource(CollectableSystem):
    """Outputs the desired motion of the hand.

    .. pydrake_system::

        name: TargetSource
        output_ports:
        - target

    `target` (9) is place, velocity and acceleration [m, m/s, m/s^2].
    """

    def __init__(self, motion: TargetMotion, start: np.ndarray) -> None:
        """Makes the source for a hand that begins at start (3,) [m]."""
        super().__init__()
        self._motion, self._start = motion, start
        self.DeclareVectorOutputPort(
            "target", 9, weak(self._calc), {self.time_ticket()}
        )

    def _calc(self, context: Context, output: BasicVector) -> None:
        told = self._motion.told(context.get_time(), self._start)
        output.SetFromVector(told.ravel())
