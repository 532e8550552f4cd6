"""StatePoint: quantities of a robot at one state, as rows of terms."""

from abc import ABC, abstractmethod

import numpy as np

from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.terms.rows import Rows


class StatePoint(ABC):
    """What a term may be of, at a state of a robot; axes are the world's.

    Attributes:
        robot: the robot.
        state: its configuration and velocity.
    """

    def __init__(self, robot: RobotModel, state: Configuration) -> None:
        """Looks at a state, which may move on."""
        self.robot, self.state = robot, state

    @abstractmethod
    def rows(self, value: np.ndarray, J: np.ndarray, bias: np.ndarray) -> Rows:
        """Rows of a function of the configuration.

        Args:
            value: (m,) of the function.
            J: (m, nv) derivative by tangent increments.
            bias: (m,) second derivative by time without accelerations.
        """

    @property
    def joints(self) -> Rows:
        """(nj,) joint positions [rad or m]."""
        nq, nf = self.robot.base_positions, self.robot.base_velocities
        J = np.eye(self.robot.num_velocities)[nf:]
        return self.rows(self.state.q[nq:], J, np.zeros(len(J)))

    @property
    def com(self) -> Rows:
        """(3,) place of the center of mass [m]."""
        state = self.state
        bias = state.center_of_mass_bias
        return self.rows(state.center_of_mass, state.center_of_mass_jacobian, bias)

    def place(self, name: str) -> Rows:
        """(3,) place of a part of the body, contact, frame or link [m]."""
        frame, state = self._frame(name), self.state
        J, bias = state.jacobian(frame)[3:], state.bias_acceleration(frame)[3:]
        return self.rows(state.place(frame), J, bias)

    def axis(self, name: str, which: int = 2) -> Rows:
        """(3,) direction of an axis of one of these, by default its z axis."""
        frame, state = self._frame(name), self.state
        J, bias = state.jacobian(frame)[:3], state.bias_acceleration(frame)[:3]
        a, w = state.rotation(frame)[:, which], J @ state.v
        turned = np.cross(J.T, a).T
        return self.rows(a, turned, np.cross(bias, a) + np.cross(w, np.cross(w, a)))

    def _frame(self, name: str) -> str:
        """Name of the frame of a part of the body, or the name itself."""
        part = self.robot.parts.get(name)
        return part.frame if part is not None and part.frame else name
