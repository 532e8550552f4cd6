"""Glide and Sway: inputs that a user moves in a run, without discontinuities.

A value glides to where it shall be as a critically damped oscillator does, solved
exactly from step to step:

    x(t + h) = g + (e + (v + w e) h) exp(-w h)        e = x - g
    v(t + h) = (v - w (v + w e) h) exp(-w h)

Place, velocity and acceleration thus belong together, as tracking with a hand needs.
"""

import numpy as np
from pydrake.systems.framework import BasicVector, Context, DiscreteValues

from backbeat.models.common.collectable_system import CollectableSystem, weak

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


class Glide(CollectableSystem):
    """A target that glides to where a parameter says.

    .. pydrake_system::

        name: Glide
        output_ports:
        - target

    `target` (9) is place, velocity and acceleration [m, m/s, m/s^2].
    """

    def __init__(self, start: np.ndarray, step: float) -> None:
        """Rests at start (3,) [m]; advances every step [s]."""
        super().__init__()
        self._step = step
        self._goal = self.DeclareNumericParameter(BasicVector(start))
        self.DeclareDiscreteState(np.r_[start, np.zeros(3)])
        self.DeclarePeriodicDiscreteUpdateEvent(step, 0.0, weak(self._update))
        self.DeclareVectorOutputPort("target", 9, weak(self._calc))

    def set_goal(self, context: Context, goal: np.ndarray) -> None:
        """Says where to glide to (3,) [m]."""
        context.get_mutable_numeric_parameter(int(self._goal)).SetFromVector(goal)

    def _read(self, context: Context) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        x, v = context.get_discrete_state_vector().value().reshape(2, 3)
        return x, v, context.get_numeric_parameter(int(self._goal)).value()

    def _update(self, context: Context, state: DiscreteValues) -> None:
        state.set_value(np.concatenate(glide(*self._read(context), self._step)))

    def _calc(self, context: Context, output: BasicVector) -> None:
        x, v, goal = self._read(context)
        output.SetFromVector(np.r_[x, v, acceleration(x, v, goal)])


class Sway(CollectableSystem):
    """A sinusoid whose amplitude and rate glide to where parameters say.

    .. pydrake_system::

        name: Sway
        output_ports:
        - sway

    `sway` (3) is the deviation d = a sin(phase), its rate and its acceleration.
    """

    def __init__(self, step: float) -> None:
        """Rests at 0; advances every step [s]."""
        super().__init__()
        self._step = step
        # Amplitude and rate as they shall be.
        self._goal = self.DeclareNumericParameter(BasicVector([0.0, 0.0]))
        # Amplitude, its rate, angular rate, and its rate; the phase.
        self.DeclareDiscreteState(5)
        self.DeclarePeriodicDiscreteUpdateEvent(step, 0.0, weak(self._update))
        self.DeclareVectorOutputPort("sway", 3, weak(self._calc))

    def set_goal(self, context: Context, amplitude: float, rate: float) -> None:
        """Says how far [m, rad] and how fast [rad/s] to sway."""
        goal = context.get_mutable_numeric_parameter(int(self._goal))
        goal.SetFromVector([amplitude, rate])

    def _update(self, context: Context, state: DiscreteValues) -> None:
        goal = context.get_numeric_parameter(int(self._goal)).value()
        z, h = context.get_discrete_state_vector().value(), self._step
        x, v = glide(z[0:4:2], z[1:4:2], goal, h)
        # Hermite's cubic through both ends of the step, integrated.
        phase = z[4] + 0.5 * h * (z[2] + x[1]) + h * h / 12.0 * (z[3] - v[1])
        state.set_value([x[0], v[0], x[1], v[1], phase])

    def _calc(self, context: Context, output: BasicVector) -> None:
        goal = context.get_numeric_parameter(int(self._goal)).value()
        a, da, w, dw, phase = context.get_discrete_state_vector().value()
        dda = -2.0 * QUICKNESS * da - QUICKNESS**2 * (a - goal[0])
        sn, cs = np.sin(phase), np.cos(phase)
        rate = da * sn + a * w * cs
        change = (dda - a * w * w) * sn + (2.0 * da * w + a * dw) * cs
        output.SetFromVector([a * sn, rate, change])
