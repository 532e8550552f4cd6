"""Engine: the interface of what moves a robot in its world, step by step."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from backbeat.models.robot.model import RobotModel


@dataclass(frozen=True)
class AppliedForce:
    """A force on a body over a step.

    Attributes:
        body: number of the body in the world's plant.
        p_BoBq_B: (3,) point of the body that it acts on, in its axes [m].
        f_W: (3,) mean over the step, world axes [N].
    """

    body: int
    p_BoBq_B: np.ndarray
    f_W: np.ndarray


@dataclass(frozen=True)
class EngineMoment:
    """All that an engine remembers at the end of a step, and what can be read of it.

    It is a value: nothing in it ever changes, and an engine goes on from any moment
    that it has made.

    Attributes:
        memory: the engine's own.
        q, v: (nq,), (nv,) of the robot model.
        contact: (C + 1, 6) wrench of ground and chair on each patch of the robot, and
            on the rest of it, about the origin of the world over the step that has
            ended [N m, N].
        normal_forces: (S,) on each sole [N].
        effort: (nj,) what came through to the joints over that step: motors less
            friction in joints [N m or N].
        strikes: (T, ROW) rows of `backbeat.mpc.world.contact_log.ContactLog.strikes`;
            (0, ROW) without sticks.
        friction: coefficient between soles and ground; None for that of the world.
    """

    memory: Any
    q: np.ndarray
    v: np.ndarray
    contact: np.ndarray
    normal_forces: np.ndarray
    effort: np.ndarray
    strikes: np.ndarray
    friction: float | None = None

    def __deepcopy__(self, memo: object) -> "EngineMoment":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self

    @property
    def state(self) -> np.ndarray:
        """(nq + nv,) [q, v] of the robot model."""
        return np.concatenate((self.q, self.v))


class Engine(Protocol):
    """Moves a robot in its world. It holds no state: moments are handed in and out.

    Attributes:
        robot: whose state and joints are meant.
        time_step: length of a step [s].
    """

    robot: RobotModel
    time_step: float

    def reset(self, q: np.ndarray, v: np.ndarray) -> EngineMoment:
        """The robot at (q, v), (nq,) and (nv,), with nothing touching yet."""

    def step(
        self,
        now: EngineMoment,
        effort: np.ndarray,
        pushes: Sequence[AppliedForce] = (),
    ) -> EngineMoment:
        """The moment after a step.

        Args:
            now: the moment before it.
            effort: (nj,) of the motors, constant over the step [N m or N].
            pushes: forces from outside.

        Raises:
            RuntimeError: numbers have left all bounds, as after a fall.
        """
