"""Unknowns of an interval of the predictive program, as rows that pick them out."""

from functools import cached_property

import numpy as np

# Entries of the state that belong to the body: CoM, its velocity, angular momentum per
# mass, rotation, and time minus phase. Places of the soles come after them.
BODY = 13


class Unknowns:
    """Rows over the state and over the input of an interval.

    A cost on the state is a combination of `com`, `velocity`, `momentum`, `rotation`,
    `time`, `soles`, `middle` and `capture`; one on the input of `force`, `vertical`,
    `moment`, `dilation` and `moves`. Axes are the world's, those of wrenches the
    patches'.

    Attributes:
        num_states, num_inputs: NX and NU.
    """

    def __init__(self, patches: int, soles: int, pendulum_time: float) -> None:
        """Makes the rows.

        Args:
            patches: number of contact patches C.
            soles: number of soles S whose places are states.
            pendulum_time: time constant 1 / omega of the CoM on its support [s].
        """
        self.num_states, self.num_inputs = BODY + 2 * soles, 6 * patches + 1 + 2 * soles
        self._patches, self._soles, self._pendulum_time = patches, soles, pendulum_time
        self._x, self._u = np.eye(self.num_states), np.eye(self.num_inputs)

    @property
    def com(self) -> np.ndarray:
        """(3, NX) deviation of the center of mass [m]."""
        return self._x[0:3]

    @property
    def velocity(self) -> np.ndarray:
        """(3, NX) of its velocity [m/s]."""
        return self._x[3:6]

    @property
    def momentum(self) -> np.ndarray:
        """(3, NX) of the angular momentum per mass [m^2/s]."""
        return self._x[6:9]

    @property
    def rotation(self) -> np.ndarray:
        """(3, NX) of the rotation of the body [rad]."""
        return self._x[9:12]

    @property
    def time(self) -> np.ndarray:
        """(1, NX) time minus phase [s]."""
        return self._x[BODY - 1 : BODY]

    @property
    def soles(self) -> np.ndarray:
        """(2 S, NX) of the places of the soles in the plane [m]."""
        return self._x[BODY:]

    @cached_property
    def middle(self) -> np.ndarray:
        """(3, NX) of the mean place of the soles; zero without any, and in height."""
        rows = np.zeros((3, self.num_states))
        for i in range(self._soles):
            rows[:2] += self.soles[2 * i : 2 * i + 2] / self._soles
        return rows

    @property
    def capture(self) -> np.ndarray:
        """(3, NX) of the divergent component of motion from the soles' mean [m]."""
        return self.com - self.middle + self._pendulum_time * self.velocity

    def _wrench(self, *axes: int) -> np.ndarray:
        return self._u[[6 * c + i for c in range(self._patches) for i in axes]]

    @property
    def moment(self) -> np.ndarray:
        """(3 C, NU) of the moments on patches [weights m]."""
        return self._wrench(0, 1, 2)

    @property
    def force(self) -> np.ndarray:
        """(2 C, NU) of the horizontal forces [weights]."""
        return self._wrench(3, 4)

    @property
    def vertical(self) -> np.ndarray:
        """(C, NU) of the normal forces [weights]."""
        return self._wrench(5)

    @property
    def dilation(self) -> np.ndarray:
        """(1, NU) dilation theta of the interval's time [s]."""
        return self._u[6 * self._patches : 6 * self._patches + 1]

    @property
    def moves(self) -> np.ndarray:
        """(2 S, NU) moves of soles in the air [m]."""
        return self._u[6 * self._patches + 1 :]
