"""What disturbances change of the simulation before a run begins."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import ModelInstanceIndex
from pydrake.systems.framework import Context

from backbeat.models.world.ground import Ground
from backbeat.mpc.reference.trajectory import Reference


@dataclass
class SimulatedWorld:
    """Values of the simulation that differ from the model.

    Attributes:
        reference: the behavior.
        friction: coefficient between soles and ground where nothing else is said.
        seed: of the run.
        ground: the ground.
        soles: X_WC of the soles at the start, where that is not as planned.
        moved: how far drums stand from their place [m], by name.
        effort_limits: (nj,) what the joints give [N m].
        weak_joint: the joint that gives less, or "".
    """

    reference: Reference
    friction: float
    seed: int
    ground: Ground = field(default_factory=Ground)
    soles: dict[str, RigidTransform] = field(default_factory=dict)
    moved: dict[str, np.ndarray] = field(default_factory=dict)
    effort_limits: np.ndarray = field(default_factory=lambda: np.zeros(0))
    weak_joint: str = ""

    def __post_init__(self) -> None:
        if not len(self.effort_limits):
            self.effort_limits = self.reference.robot.effort_limits.copy()


class SimulatedLinks(NamedTuple):
    """Links and joints of the robot, whose values are parameters of a Context.

    Attributes:
        plant: finalized plant.
        context: its context.
        instance: the robot.
        seed: of the run.
    """

    plant: MultibodyPlant
    context: Context
    instance: ModelInstanceIndex
    seed: int
