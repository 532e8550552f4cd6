"""PushLocation: the link on which one force explains the residual torques best.

A wrench W = [n, f] on a link makes the torques J' W. For every link the W that
minimizes

    |D (r - J' W)|^2 + |n|^2 / (SIZE |f|)^2

is found, with D the usual size of each torque, and n about the link's center of mass:
a push acts within the size of its link. Of links that explain about as much the
larger one is likelier, for its surface goes with the power 2/3 of its mass.

Haddadin, De Luca, Albu-Schäffer, "Robot Collisions: A Survey on Detection, Isolation,
and Identification", 2017, looks for the last link whose joint feels something; a free
base says besides along which line the force acts.
"""

import numpy as np

from backbeat.models.dynamics.frames import Frame
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# How far from its center of mass a link is touched [m], and the least force that is
# looked for [N].
SIZE, LEAST = 0.15, 5.0


def straight(robot: RobotModel) -> np.ndarray:
    """(nq,) upright at the origin, all joints at zero."""
    q = np.zeros(robot.num_positions)
    if robot.floating:
        q[0] = 1.0
    return q


class PushLocation:
    """Finds links of one robot."""

    def __init__(self, robot: RobotModel, rows: np.ndarray, usual: np.ndarray) -> None:
        """Prepares the links.

        Args:
            robot: the robot.
            rows: (n,) velocities whose unexplained torques are known.
            usual: (n,) standard deviations of these without a push.
        """
        self._robot, self._rows, self._usual = robot, rows, usual
        self._state = Configuration(robot, straight(robot))
        plant, tree = robot.plant, robot.tree
        joints = [plant.GetJointByName(name) for name in robot.joint_names]
        names = [robot.base_name, *(joint.child_body().name() for joint in joints)]
        self._links = [
            (Frame(name, body, np.eye(3), tree.p_BoBcm[body]), tree.mass[body])
            for body, name in enumerate(names)
            if tree.mass[body] > 0.0
        ]

    def __call__(self, q: np.ndarray, residual: np.ndarray) -> str:
        """Name of the link, for unexplained torques (n,) at a configuration (nq,)."""
        self._state.update(q)
        scores = [
            self._misfit(frame, residual) - 4.0 / 3.0 * np.log(mass)
            for frame, mass in self._links
        ]
        return self._links[int(np.argmin(scores))][0].name

    def _misfit(self, frame: Frame, residual: np.ndarray) -> float:
        """What no wrench on a link explains, in squares of what is usual."""
        J = self._state.jacobian(frame)[:, self._rows]
        A, b = (J / self._usual).T, residual / self._usual
        size = LEAST
        # The force of the first pass says how large a moment may be.
        for _ in range(2):
            near = np.eye(3, 6) / (SIZE * size)
            rows, wish = np.vstack([A, near]), np.concatenate([b, np.zeros(3)])
            W = np.linalg.lstsq(rows, wish, rcond=None)[0]
            size = max(LEAST, float(np.linalg.norm(W[3:])))
        return float(np.sum((rows @ W - wish) ** 2))
