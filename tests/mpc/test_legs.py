"""Legs of five and seven joints, and a waist between base and legs.

The robots are those of `tests/models/humanoids.py`: the H1 has no ankle roll, the T1
carries its legs below a waist, and the G1 gets a seventh joint in each shank.
"""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix

from backbeat.behaviors.posture.stance import start_configuration
from backbeat.models.dynamics.rolling import ROLLED
from backbeat.models.dynamics.rotations import box_plus
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.whole_body.programs.limbs import find_limbs
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram
from tests.behaviors.drake_robot import DrakeRobot
from tests.models.humanoids import HUMANOIDS, write_humanoid
from tests.mpc.full_program import FullProgram
from tests.mpc.whole_body_cases import Stance
from tests.tolerances import RECURSION

SOLES = ("l_foot", "r_foot")
# Inverses of limbs are damped by 1e-7 of their squared size, which legs of half a meter
# feel: in what joints and soles do, as a share of it, and in wrenches [weights].
DAMPED = 1e-3
# How far off a wide sole is that a leg of five joints cannot wholly hold [rad/s^2,
# m/s^2].
ROLL = 1.0


def add_shank_joints(folder):
    """Gives each leg of the G1 a pitch joint in the middle of its shank."""
    path, description = folder / "g1.urdf", folder / "g1.yaml"
    tree = ET.parse(path)
    root, text = tree.getroot(), description.read_text()
    for side in ("left", "right"):
        ankle = root.find(f"joint[@name='{side}_ankle_pitch_joint']")
        place = np.array([float(x) for x in ankle.find("origin").get("xyz").split()])
        half = " ".join(str(x) for x in 0.5 * place)
        knee, shin = ankle.find("parent").get("link"), f"{side}_shin_link"
        ankle.find("origin").set("xyz", half)
        ankle.find("parent").set("link", shin)
        root.append(
            ET.fromstring(
                f'<link name="{shin}"><inertial><mass value="0.4"/><inertia ixx="1e-3" '
                'ixy="0" ixz="0" iyy="1e-3" iyz="0" izz="4e-4"/></inertial></link>'
            )
        )
        root.append(
            ET.fromstring(
                f'<joint name="{side}_shin_joint" type="revolute">'
                f'<origin xyz="{half}"/><parent link="{knee}"/><child link="{shin}"/>'
                '<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="80" '
                'velocity="20"/></joint>'
            )
        )
        joint = f"{side}_knee_joint"
        text = text.replace(f"{joint}, ", f"{joint}, {side}_shin_joint, ", 1)
    tree.write(path)
    description.write_text(text)


def widen_soles(folder):
    """Gives the H1 feet that lie flat."""
    path = folder / "h1.yaml"
    text = path.read_text()
    assert "half_width: 0.015" in text
    path.write_text(text.replace("half_width: 0.015", "half_width: 0.05"))


def put_waist_into_limbs(folder):
    """Says that the waist of the T1, which moves both legs, belongs to each."""
    path = folder / "t1.yaml"
    text = path.read_text().replace("limb: [", "limb: [Waist, ")
    path.write_text(text.replace("upper: [Waist, ", "upper: ["))


# Robot, change to its files, joints that follow a sole, others that move it.
LEGS = {
    "five joints": ("h1", None, 5, 0),
    "five joints, wide soles": ("h1", widen_soles, 5, 0),
    "six joints": ("g1", None, 6, 0),
    "seven joints": ("g1", add_shank_joints, 6, 1),
    "below a waist": ("t1", None, 6, 1),
    "waist in both limbs": ("t1", put_waist_into_limbs, 6, 1),
}


class TouchingRobot(DrakeRobot):
    """Contacts where soles touch: those that roll at their lower edge, and level."""

    def _contact(self, name: str) -> tuple[object, RigidTransform]:
        frame, X_FC = super()._contact(name)
        patch = self.robot.contacts[name]
        if not patch.rolls:
            return frame, X_FC
        X_WF = frame.CalcPoseInWorld(self.context)
        x, y, _ = (X_WF @ X_FC).rotation().matrix().T
        lower = -patch.half_width * y[2] / np.hypot(y[2], ROLLED)
        normal = np.array([0.0, 0.0, 1.0]) - x[2] * x
        normal /= np.linalg.norm(normal)
        R_WL = RotationMatrix(np.column_stack([x, np.cross(normal, x), normal]))
        R_FL = X_WF.rotation().inverse() @ R_WL
        return frame, RigidTransform(R_FL, X_FC @ np.array([0.0, lower, 0.0]))

    def bias_acceleration(self, name: str) -> np.ndarray:
        if not self.robot.contacts[name].rolls:
            return super().bias_acceleration(name)
        # Where it touches moves: differences of J v along the motion.
        x, v = self.plant.GetPositions(self.context), self._velocity
        h, found = 1e-5, []
        rates = self.plant.MapVelocityToQDot(self.context, self._full(v))
        for step in (-h, h):
            self.plant.SetPositions(self.context, x + step * rates)
            found.append(self.jacobian(name) @ v)
        self.plant.SetPositions(self.context, x)
        return np.asarray((found[1] - found[0]) / (2 * h))

    def set(self, q: np.ndarray, v: np.ndarray) -> None:
        self._velocity = v.copy()
        super().set(q, v)


class LeggedStance(Stance):
    """A robot near its posture `stand`, with some speed."""

    def __init__(self, robot: RobotModel, seed: int) -> None:
        self.robot, self.trunk = robot, HUMANOIDS[robot.name].trunk
        self.program = WholeBodyProgram(robot, SOLES)
        self.drake = TouchingRobot(robot)
        rest, rng = start_configuration(robot, "stand"), np.random.default_rng(seed)
        nv = robot.num_velocities
        self.q, self.v = np.zeros_like(rest), 0.2 * rng.normal(size=nv)
        box_plus(rest, 0.03 * rng.normal(size=nv), 1.0, True, self.q)
        self.drake.set(self.q, self.v)
        self.target = self.rest(rest)


@pytest.fixture(scope="module", params=LEGS)
def legs(request, tmp_path_factory):
    """A robot, and how many joints follow a sole and move it besides."""
    folder = tmp_path_factory.mktemp("legs")
    name, change, following, coupled = LEGS[request.param]
    path = write_humanoid(folder, name, "spheres")
    if change:
        change(folder)
    return RobotModel(path), following, coupled


def cases(robot):
    """Stances on both feet, and with one of them in the air."""
    for seed in range(3):
        yield LeggedStance(robot, seed)
    stance = LeggedStance(robot, 3)
    stance.target.standing[0] = False
    # Less tilted than planned, a sole need not go higher, which has kinks.
    stance.target.R_contact[0] = RollPitchYaw(0.2, 0.2, 0.0).ToRotationMatrix().matrix()
    stance.target.com[0, :2] = stance.drake.pose("r_foot").translation()[:2]
    stance.target.contact[0] += [0.03, 0.0, 0.05]
    stance.target.contact_motion[0, 0] = [0.0, 0.2, 0.0, 0.3, 0.0, 0.4]
    yield stance


def test_joints_that_follow_a_sole_are_told_from_others_that_move_it(legs):
    robot, following, coupled = legs
    limbs = find_limbs(robot, SOLES)
    assert [(row >= 0).sum() for row in limbs.limb] == [following] * 2
    assert [(row >= 0).sum() for row in limbs.coupled] == [coupled] * 2
    assert set(limbs.free) | set(limbs.limb.ravel()) - {-1} == set(
        range(robot.num_joints)
    )
    assert not set(limbs.free) & set(limbs.limb.ravel())
    # Columns of Drake's Jacobian of a sole are zero for all but these joints.
    stance = LeggedStance(robot, 0)
    for c, name in enumerate(SOLES):
        J = stance.drake.jacobian(name)[:, 6:]
        moving = set(np.flatnonzero(np.abs(J).max(axis=0) > 1e-12))
        named = {*limbs.limb[c], *limbs.free[limbs.coupled[c]]} - {-1}
        assert moving == named


def test_torques_and_wrenches_make_the_accelerations_that_it_promises(legs):
    for stance in cases(legs[0]):
        solution = stance.program.solve(stance.q, stance.v, stance.target)
        assert solution.is_solved
        drake = stance.drake
        total = drake.inverse_dynamics(solution.vdot)
        for name, w in zip(SOLES, solution.wrench, strict=True):
            total -= drake.jacobian(name).T @ stance.wrench(name, w)
        assert np.abs(total[:6]).max() < RECURSION * stance.robot.weight
        error = np.abs(total[6:] - solution.tau).max()
        assert error < RECURSION * np.abs(solution.tau).max()


def test_standing_soles_move_as_they_should(legs):
    """A leg of five joints leaves the roll of a wide sole to the rest of the robot.

    That of a narrow one is free.
    """
    robot, following, _ = legs
    for stance in cases(robot):
        solution = stance.program.solve(stance.q, stance.v, stance.target)
        drake, full = stance.drake, FullProgram(stance)
        for c in np.flatnonzero(stance.target.standing):
            name = SOLES[c]
            wanted = full.wanted_contact(c, name)
            got = drake.jacobian(name) @ solution.vdot + drake.bias_acceleration(name)
            rolls = robot.contacts[name].rolls
            follows = following == 6 or rolls
            most = DAMPED * np.abs(wanted).max() if follows else ROLL
            held = full.followed(c) if rolls else np.eye(6)
            assert np.abs(held @ (got - wanted)).max() < most


def test_the_optimum_is_that_of_the_program_stated_in_full(legs):
    for stance in cases(legs[0]):
        solution = stance.program.solve(stance.q, stance.v, stance.target)
        vdot, tau, wrench = FullProgram(stance).solve()
        size = np.abs(vdot).max()
        assert np.abs(solution.vdot - vdot).max() < DAMPED * size
        assert np.abs(solution.tau - tau).max() < DAMPED * np.abs(tau).max()
        assert np.abs(solution.wrench - wrench).max() < DAMPED
