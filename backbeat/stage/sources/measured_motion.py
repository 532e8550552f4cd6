"""MeasuredMotion: the samples of a run, and what is between two of them."""

from collections.abc import Sequence

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.horizon.prediction import LEAST_FORCE
from backbeat.stage.frames.balance import capture_point
from backbeat.stage.frames.frame import ContactForce


class MeasuredMotion:
    """How a robot moved and what carried it, up to where numbers make sense."""

    def __init__(
        self,
        robot: RobotModel,
        t: np.ndarray,
        q: np.ndarray,
        v: np.ndarray,
        contact: np.ndarray,
    ) -> None:
        """Takes the samples of a run.

        Args:
            robot: the robot model.
            t: (N,) times [s].
            q, v: (N, nq) and (N, nv).
            contact: (N, C, 6) wrenches on its patches about the world's origin.

        Raises:
            BackbeatError: fewer than two samples make sense.
        """
        # After a fall numbers may grow beyond all bounds: nothing to see there.
        good = np.isfinite(q).all(1) & np.isfinite(v).all(1)
        good &= np.isfinite(contact).all((1, 2))
        count = len(good) if good.all() else int(np.argmin(good))
        if count < 2:
            raise BackbeatError("the run has a single sample; simulate for longer")
        self._t, self._q, self._v = t[:count], q[:count], v[:count]
        self._contact = contact[:count]
        self._state = Configuration(robot, q[0])

    @property
    def start(self) -> float:
        """Time of the first sample [s]."""
        return float(self._t[0])

    @property
    def end(self) -> float:
        """Time of the last sample that can be shown [s]."""
        return float(self._t[-1])

    def at(self, t: float) -> tuple[Configuration, dict[str, ContactForce]]:
        """State at a time [s], good until the next call, and the forces that carry."""
        robot = self._state.robot
        i, u = locate(self._t, t)
        v = (1 - u) * self._v[i] + u * self._v[i + 1]
        self._state.update(mixed_configuration(robot, self._q[i], self._q[i + 1], u), v)
        wrenches = (1 - u) * self._contact[i] + u * self._contact[i + 1]
        return self._state, measured_forces(self._state, robot.patches, wrenches)


def measured_capture_point(state: Configuration) -> np.ndarray | None:
    """Capture point of a robot as it moves; None on a welded base."""
    robot = state.robot
    if not robot.floating:
        return None
    velocity = state.momentum[3:] / robot.total_mass
    return capture_point(state.center_of_mass, velocity, robot.gravity)


def locate(times: np.ndarray, t: float) -> tuple[int, float]:
    """Index i and share u with t between times i and i + 1; the ends hold."""
    i = int(np.searchsorted(times, t, side="right")) - 1
    i = min(max(i, 0), len(times) - 2)
    length = times[i + 1] - times[i]
    u = (t - times[i]) / length if length > 0 else 1.0
    return i, float(np.clip(u, 0.0, 1.0))


def mixed_configuration(
    robot: RobotModel, a: np.ndarray, b: np.ndarray, u: float
) -> np.ndarray:
    """Configuration between two that are milliseconds apart."""
    if robot.floating and a[:4] @ b[:4] < 0:
        b = np.r_[-b[:4], b[4:]]
    q = (1 - u) * a + u * b
    if robot.floating:
        q[:4] /= np.linalg.norm(q[:4])
    return q


def measured_forces(
    state: Configuration, patches: Sequence[str], wrenches: np.ndarray
) -> dict[str, ContactForce]:
    """Forces on patches from wrenches about the world's origin, at pressure centers."""
    forces = {}
    for name, wrench in zip(patches, wrenches, strict=False):
        moment, force = wrench[:3], wrench[3:]
        if force[2] < LEAST_FORCE:
            continue
        z = state.pose(name).translation()[2]
        x = (z * force[0] - moment[1]) / force[2]
        y = (z * force[1] + moment[0]) / force[2]
        forces[name] = ContactForce(np.array([x, y, z]), force)
    return forces
