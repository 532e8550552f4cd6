"""What a simulation asks of controllers that are not in it.

A simulation takes a function that connects it to them, and depends on neither their
place nor their protocol: `backbeat.mpc.remote` has those of another process.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from pydrake.systems.framework import Context, DiagramBuilder

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.control.controllers import Controllers, ControllerSettings
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.safety.fail_safe import Safety
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.scenario.task_space_scenario import TaskSpaceScenario
from backbeat.mpc.task_space.law import TaskSpaceLaw
from backbeat.mpc.task_space.system import TaskSpaceSystem
from backbeat.mpc.weights.controller_weights import ControllerWeights


class OutsideControllers(Protocol):
    """Both controllers of a closed loop, somewhere else."""

    def open(self) -> None:
        """Gets them ready.

        Raises:
            BackbeatError: no controller answers, or they refuse.
        """

    def close(self) -> None:
        """Lets them go."""

    def add(
        self,
        builder: DiagramBuilder,
        reference: Reference,
        settings: ControllerSettings,
    ) -> Controllers:
        """Adds what stands for them in a diagram; they are open."""


class OutsideTaskSpace(Protocol):
    """A controller in task space, somewhere else."""

    def open(self) -> None:
        """Gets it ready.

        Raises:
            BackbeatError: no controller answers, or it refuses.
        """

    def close(self) -> None:
        """Lets it go."""

    def system(
        self, law: TaskSpaceLaw, q: np.ndarray, period: float
    ) -> TaskSpaceSystem:
        """What stands for it in a diagram; it is open.

        Args:
            law: says the order of numbers and the settings at the start.
            q: (nq,) where the robot begins.
            period: time between looks at the inputs [s].
        """

    def safety(self, root: Context) -> Safety:
        """What its stand-in has done so far about answers that did not come."""


# What connects a run to controllers that are somewhere else.
ConnectControllers = Callable[
    [Behavior, Scenario, ControllerWeights | None], OutsideControllers
]
ConnectTaskSpace = Callable[[RobotModel, TaskSpaceScenario], OutsideTaskSpace]
