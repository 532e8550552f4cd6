"""What a simulation asks of controllers that are not in it.

A simulation takes a function that connects it to them, and depends on neither their
place nor their protocol: `backbeat.mpc.remote` has those of another process.
"""

from collections.abc import Callable
from typing import Protocol

from pydrake.systems.framework import DiagramBuilder

from backbeat.behaviors.library.behavior import Behavior
from backbeat.mpc.control.controllers import Controllers, ControllerSettings
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
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


# What connects a run to controllers that are somewhere else.
ConnectControllers = Callable[
    [Behavior, Scenario, ControllerWeights | None], OutsideControllers
]
