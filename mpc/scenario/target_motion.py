"""TargetMotion: where a hand shall be, as a function of time, and as a Drake system."""

from dataclasses import dataclass

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import BasicVector, Context, DiscreteValues

from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.common.schema import key
from backbeat.mpc.scenario.glide import acceleration, glide
from backbeat.mpc.task_space.settings import TaskSettings

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
        out[0] = start + (np.array(self.offset) if t > -1e-9 else 0.0)
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
    """Outputs the desired motion of the hand, and glides where settings move it.

    .. pydrake_system::

        name: TargetSource
        input_ports:
        - task
        output_ports:
        - target

    `task` is a TaskSettings; unconnected, nothing moves the target besides its motion.
    `target` (9) is place, velocity and acceleration [m, m/s, m/s^2].
    """

    def __init__(
        self,
        motion: TargetMotion,
        start: np.ndarray,
        step: float = 0.001,
        start_time: float = 0.0,
    ) -> None:
        """Makes the source.

        Args:
            motion: of the target.
            start: (3,) where the hand begins [m].
            step: in which it glides [s].
            start_time: time at which the motion's time is zero [s].
        """
        super().__init__()
        self._motion, self._start, self._step = motion, start, step
        self._start_time = start_time
        self._task = self.DeclareAbstractInputPort(
            "task", AbstractValue.Make(TaskSettings())
        )
        self.DeclareDiscreteState(6)
        self.DeclarePeriodicDiscreteUpdateEvent(step, 0.0, weak(self._update))
        self.DeclareVectorOutputPort("target", 9, weak(self._calc))

    def _goal(self, context: Context) -> np.ndarray:
        if not self._task.HasValue(context):
            return np.zeros(3)
        task: TaskSettings = self._task.Eval(context)
        return np.array(task.target)

    def _update(self, context: Context, state: DiscreteValues) -> None:
        x, v = context.get_discrete_state_vector().value().reshape(2, 3)
        goal = self._goal(context)
        state.set_value(np.concatenate(glide(x, v, goal, self._step)))

    def _calc(self, context: Context, output: BasicVector) -> None:
        told = self._motion.told(context.get_time() - self._start_time, self._start)
        x, v = context.get_discrete_state_vector().value().reshape(2, 3)
        told[0] += x
        if self._motion.feedforward:
            told[1:] += np.array([v, acceleration(x, v, self._goal(context))])
        output.SetFromVector(told.ravel())
