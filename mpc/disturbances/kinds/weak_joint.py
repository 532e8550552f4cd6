"""WeakJoint: a joint whose motor gives less than its limit."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from backbeat.models.common.schema import key
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.disturbances.draws import Stream, random_stream
from backbeat.mpc.disturbances.simulated_world import SimulatedWorld

# What a random joint is called, for it may be any.
ANY_JOINT = "any"


@dataclass
class WeakJoint(Disturbance):
    """A joint with less effort than its limit."""

    name: ClassVar[str] = "weak joint"

    weak_joint: str = key("")
    """A joint with less effort, or one drawn from a group of joints, or from `any`;
    `""` is none."""
    weak_share: float = key(0.6, gt=0)
    """Share of its effort limit that this joint has."""

    def change_world(self, world: SimulatedWorld) -> None:
        """Weakens the joint.

        Raises:
            BackbeatError: an unknown joint.
        """
        if self.weak_joint:
            robot = world.reference.robot
            world.weak_joint = self._drawn(world.seed, robot)
            world.effort_limits[robot.joint_index(world.weak_joint)] *= self.weak_share

    def _drawn(self, seed: int, robot: RobotModel) -> str:
        """The joint that is weak: the one named, or one drawn from a group."""
        choice = (
            np.arange(robot.num_joints)
            if self.weak_joint == ANY_JOINT
            else robot.joint_indices([self.weak_joint])
        )
        drawn = random_stream(seed, Stream.JOINT).integers(len(choice))
        return robot.joint_names[int(choice[drawn])]
