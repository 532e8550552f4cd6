"""States and targets for the whole-body program."""

from pathlib import Path

import numpy as np

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.posture.stance import start_configuration
from backbeat.models.dynamics.rotations import box_plus
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.whole_body.programs.arguments import Target
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram
from tests.arms_ahead import put_arms_ahead
from tests.behaviors.drake_robot import DrakeRobot

FEET = ("l_foot", "r_foot")
TIPS = ("l_stick_tip", "r_stick_tip")


class Stance:
    """Atlas with sticks, near a posture and with some speed.

    Attributes:
        robot, program, drake: the robot, its program, and Drake's plant of it.
        trunk: name of the link whose orientation is tracked besides the base's.
        q, v: the state, also set in `drake`.
        target: what the program tracks; the posture at rest, unless changed.
    """

    def __init__(
        self,
        seed: int = 0,
        spread: float = 0.05,
        speed: float = 0.2,
        contacts: tuple[str, ...] = FEET,
        posture: str = "stand",
        robot: str | Path = "atlas",
    ) -> None:
        equipment = ("sticks", "seat") if "seat" in contacts else ("sticks",)
        self.robot: RobotModel = make_robot(str(robot), equipment, Mount())
        self.trunk = "utorso"
        self.program = WholeBodyProgram(self.robot, contacts, TIPS)
        self.drake = DrakeRobot(self.robot)
        rest = start_configuration(self.robot, posture)
        if posture == "stand":
            put_arms_ahead(self.robot, rest)
        rng = np.random.default_rng(seed)
        nv = self.robot.num_velocities
        self.q = np.zeros_like(rest)
        box_plus(rest, spread * rng.normal(size=nv), 1.0, True, self.q)
        self.v = speed * rng.normal(size=nv)
        self.drake.set(self.q, self.v)
        self.target = self.rest(rest)

    def rest(self, posture: np.ndarray) -> Target:
        """The posture at rest, as a target."""
        target, state = self.program.make_target(), Configuration(self.robot, posture)
        target.com[0] = state.center_of_mass
        target.R_base[:] = state.pose(self.robot.base_name).rotation().matrix()
        target.R_trunk[:] = state.pose(self.robot.trunk).rotation().matrix()
        target.joints[0] = posture[7:]
        for c, name in enumerate(self.program.contacts):
            target.contact[c] = state.pose(name).translation()
            target.R_contact[c] = state.pose(name).rotation().matrix()
            target.wrench[c, 5] = 1.0 / len(self.program.contacts)
        for p, name in enumerate(self.program.points):
            target.point[0, p] = state.pose(name).translation()
        target.point_on[:] = 1.0
        return target

    def raised(self, c: int, alpha: np.ndarray) -> np.ndarray:
        """(3,) height that the tilt of contact c asks for, and its rates [m/s, m/s^2].

        Args:
            c: index of the contact.
            alpha: (3,) its angular acceleration, world axes [rad/s^2].
        """
        name, target = self.program.contacts[c], self.target
        patch, R = self.robot.contacts[name], self.drake.pose(name).rotation().matrix()
        # One that rolls lands on an edge, whatever its roll.
        across = 0.0 if patch.rolls else patch.half_width
        size = np.array([patch.half_length, across])
        w, motion = (self.drake.jacobian(name) @ self.v)[:3], target.contact_motion

        def height(t: float) -> float:
            now = _turned(R, w, alpha, t)[2, :2]
            planned = _turned(target.R_contact[c], *motion[:, c, :3], t)[2, :2]
            return float(size @ np.maximum(np.abs(now) - np.abs(planned), 0.0))

        h = 1e-4
        before, at, after = height(-h), height(0.0), height(h)
        rates = (after - before) / (2 * h), (after - 2 * at + before) / h**2
        return np.array([at, *rates])

    def wanted_motion(self, c: int, alpha: np.ndarray) -> np.ndarray:
        """(3,) acceleration of contact c in the air, world axes [m/s^2].

        Args:
            c, alpha: as of `raised`.
        """
        gains, target = self.program.gains_for(self.target), self.target
        name, motion = self.program.contacts[c], target.contact_motion
        way = target.contact[c] - self.drake.pose(name).translation()
        off = motion[0, c, 3:] - (self.drake.jacobian(name) @ self.v)[3:]
        height, speed, change = self.raised(c, alpha)
        way[2], off[2] = way[2] + height, off[2] + speed
        wanted = motion[1, c, 3:] + gains.swing_stiffness * way
        wanted += gains.swing_damping * off
        wanted[2] += change
        return np.asarray(wanted)

    def wrench(self, name: str, local: np.ndarray) -> np.ndarray:
        """(6,) wrench in world axes [N m, N] of one in patch axes [weights]."""
        R = self.drake.pose(name).rotation().matrix()
        return self.robot.weight * np.r_[R @ local[:3], R @ local[3:]]


def _turned(R: np.ndarray, w: np.ndarray, alpha: np.ndarray, t: float) -> np.ndarray:
    """R after a time t of turning with w, which changes with alpha; to second order."""
    W, A = (np.cross(np.eye(3), x) for x in (w, alpha))
    return np.asarray(R + t * W @ R + 0.5 * t**2 * (A + W @ W) @ R)
