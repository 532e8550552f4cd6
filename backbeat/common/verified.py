"""Behaviors for the closed loop: those that passed verification."""

from pathlib import Path

from backbeat.behaviors.kinematic.behavior import KINEMATIC
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.library.stored import Stored
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.control.task_space_setup import task_space_behavior
from backbeat.mpc.scenario.specification import Scenario


def scenario_behavior(
    library: str | Path, scenario: Scenario, unverified: bool = False
) -> Behavior:
    """What a scenario performs: a behavior of the library, or to rest in task space.

    Raises:
        BackbeatError: as of `load_verified`, or of `task_space_behavior`.
    """
    if scenario.control.task_space is not None:
        return task_space_behavior(scenario)
    return load_verified(library, scenario.behavior, unverified, scenario.robot)


def load_verified(
    library: str | Path,
    name: str | Stored,
    unverified: bool = False,
    robot: str = "",
) -> Behavior:
    """Loads a behavior whose certificate holds, or any one when `unverified`.

    Raises:
        BackbeatError: there is none, or it has no forces, or a check of it failed.
    """
    behavior = Library(library).load(name, robot)
    name = behavior.title
    if behavior.kind == KINEMATIC:
        raise BackbeatError(
            f"{name} is a kinematic preview, which no robot can follow: it has no "
            "forces; build the behavior instead"
        )
    failures = behavior.certificate.failures()
    if failures and not unverified:
        worst = failures[0]
        raise BackbeatError(
            f"{name} fails verification: {worst.name} is {worst.value:.3g} at "
            f"{worst.time:.2f} s ({worst.where}), allowed is {worst.bound:.3g}; "
            "build it again, or let it run with --unverified"
        )
    return behavior
