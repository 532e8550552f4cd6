"""Atlas as a fused model and as a plant with all its links, side by side."""

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw

from backbeat.models.robot.model import RobotModel
from tests.behaviors.drake_robot import DrakeRobot

X_WB = RigidTransform(RollPitchYaw(0.1, -0.2, 0.3), [0.4, -0.1, 0.65])
LOCKED = {"l_leg_kny": 1.4, "r_leg_hpy": -0.6, "back_bkx": 0.2, "neck_ay": -0.1}
WAYS = {
    "floating": ((), None, {}),
    "sticks": (("sticks",), None, {}),
    "welded": ((), X_WB, {}),
    "sticks-welded-locked": (("sticks",), X_WB, LOCKED),
    "locked": (("sticks",), None, LOCKED),
}


class Twin(DrakeRobot):
    """A robot model and the plant with all its links, at one random state."""

    def __init__(self, way: str):
        equipment, pose, locked = WAYS[way]
        super().__init__(RobotModel("atlas", equipment, pose, locked))
        robot, rng = self.robot, np.random.default_rng(len(way))
        q = rng.uniform(robot.position_lower, robot.position_upper)
        v = rng.normal(size=robot.num_velocities)
        if robot.floating:
            Q = rng.normal(size=4)
            q = np.r_[Q / np.linalg.norm(Q), rng.normal(size=3), q]
        self.q, self.v = q, v
        self.fused_context = robot.plant.CreateDefaultContext()
        robot.plant.SetPositionsAndVelocities(self.fused_context, np.r_[q, v])
        self.set(q, v)
