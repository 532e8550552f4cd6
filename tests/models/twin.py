"""Atlas as a fused model and as a plant with all its links, side by side."""

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.plant import MultibodyPlant

from backbeat.models.robot.fusing import set_joints
from backbeat.models.robot.loading import add_robot
from backbeat.models.robot.model import RobotModel

X_WB = RigidTransform(RollPitchYaw(0.1, -0.2, 0.3), [0.4, -0.1, 0.65])
LOCKED = {"l_leg_kny": 1.4, "r_leg_hpy": -0.6, "back_bkx": 0.2, "neck_ay": -0.1}
WAYS = {
    "floating": ((), None, {}),
    "sticks": (("sticks",), None, {}),
    "welded": ((), X_WB, {}),
    "sticks-welded-locked": (("sticks",), X_WB, LOCKED),
    "locked": (("sticks",), None, LOCKED),
}


class Twin:
    """A robot model and the plant with all its links, at one random state."""

    def __init__(self, way: str):
        equipment, pose, locked = WAYS[way]
        self.robot = robot = RobotModel("atlas", equipment, pose, locked)
        self.plant = MultibodyPlant(0.0)
        add_robot(self.plant, robot.description, equipment)
        if pose is not None:
            base = self.plant.GetFrameByName("pelvis")
            self.plant.WeldFrames(self.plant.world_frame(), base, pose)
        self.plant.Finalize()
        rng = np.random.default_rng(len(way))
        q = rng.uniform(robot.position_lower, robot.position_upper)
        v = rng.normal(size=robot.num_velocities)
        if robot.floating:
            Q = rng.normal(size=4)
            q = np.r_[Q / np.linalg.norm(Q), rng.normal(size=3), q]
        self.q, self.v = q, v
        self.fused_context = robot.plant.CreateDefaultContext()
        robot.plant.SetPositionsAndVelocities(self.fused_context, np.r_[q, v])
        # The full plant has more coordinates when joints are locked.
        self.context = self.plant.CreateDefaultContext()
        set_joints(self.plant, self.context, locked)
        joints = [self.plant.GetJointByName(n) for n in robot.joint_names]
        nf, nb = robot.base_velocities, robot.base_positions
        self.columns = np.r_[
            np.arange(nf), [j.velocity_start() for j in joints]
        ].astype(int)
        rows = np.r_[np.arange(nb), [j.position_start() for j in joints]].astype(int)
        full_q = self.plant.GetPositions(self.context)
        full_v = np.zeros(self.plant.num_velocities())
        full_q[rows], full_v[self.columns] = q, v
        self.plant.SetPositionsAndVelocities(self.context, np.r_[full_q, full_v])
