"""States and targets for the whole-body program."""

import numpy as np

from behaviors.behavior import Mount, make_robot
from behaviors.stance import start_configuration
from models.configuration import Configuration
from models.robot import RobotModel
from models.rotations import box_plus
from mpc.whole_body_arguments import Target
from mpc.whole_body_program import WholeBodyProgram
from tests.behaviors.drake_robot import DrakeRobot

FEET = ("l_foot", "r_foot")
TIPS = ("l_stick_tip", "r_stick_tip")


class Stance:
    """Atlas with sticks, near a posture and with some speed.

    Attributes:
        robot, program, drake: the robot, its program, and Drake's plant of it.
        q, v: the state, also set in `drake`.
        target: what the program tracks; the posture at rest, unless changed.
    """

    def __init__(
        self,
        seed: int = 0,
        spread: float = 0.05,
        speed: float = 0.2,
        contacts: tuple[str, ...] = FEET,
        posture: str = "drum-ready",
    ) -> None:
        equipment = ("sticks", "seat") if "seat" in contacts else ("sticks",)
        self.robot: RobotModel = make_robot("atlas", equipment, Mount())
        self.program = WholeBodyProgram(self.robot, contacts, TIPS)
        self.drake = DrakeRobot(self.robot)
        rest = start_configuration(self.robot, posture)
        rng = np.random.default_rng(seed)
        nv = self.robot.num_velocities
        self.q = np.zeros_like(rest)
        box_plus(rest, spread * rng.normal(size=nv), 1.0, True, self.q)
        self.v = speed * rng.normal(size=nv)
        self.drake.set(self.q, self.v)
        self.target = self._rest(rest)

    def _rest(self, posture: np.ndarray) -> Target:
        target, state = self.program.make_target(), Configuration(self.robot, posture)
        target.com[0] = state.center_of_mass
        target.R_base[:] = state.pose(self.robot.base_name).rotation().matrix()
        target.R_trunk[:] = state.pose(self.robot.trunk).rotation().matrix()
        target.joints[0] = posture[7:]
        for c, name in enumerate(self.program.contacts):
            target.contact[c] = state.pose(name).translation()
            target.R_contact[c] = state.pose(name).rotation().matrix()
            target.wrench[c, 5] = 1.0 / len(self.program.contacts)
        for p, name in enumerate(TIPS):
            target.point[0, p] = state.pose(name).translation()
        target.point_on[:] = 1.0
        return target

    def off_path(self, c: int) -> np.ndarray:
        """(3,) way of contact c to its path, lifted by its lowest corner [m]."""
        corners = self.robot.contacts[self.program.contacts[c]].corners()
        X = self.drake.pose(self.program.contacts[c])
        planned = (corners @ self.target.R_contact[c].T)[:, 2].min()
        tilted = (corners @ X.rotation().matrix().T)[:, 2].min()
        way = self.target.contact[c] - X.translation()
        return way + [0.0, 0.0, max(planned - tilted, 0.0)]

    def wrench(self, name: str, local: np.ndarray) -> np.ndarray:
        """(6,) wrench in world axes [N m, N] of one in patch axes [weights]."""
        R = self.drake.pose(name).rotation().matrix()
        return self.robot.weight * np.r_[R @ local[:3], R @ local[3:]]
