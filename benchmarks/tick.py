"""Whole-body ticks: ours and TSID's, on the same robot with the same tasks."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.posture.stance import start_configuration
from backbeat.models.common.errors import BackbeatError
from backbeat.models.contact.cones import PATCH_MARGIN
from backbeat.models.dynamics.rotations import box_plus
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.whole_body.programs.momentum import WholeBodyProgram
from backbeat.mpc.whole_body.programs.tasks import WholeBodyGains
from benchmarks.worker import Worker, bare_urdf

WORKER = Path(__file__).parent / "tsid" / "solve.py"
FEET, HANDS = ("l_foot", "r_foot"), ("l_hand", "r_hand")
FRICTION, TICK = 0.6, 0.002
# The center of mass is swung, so that no two programs are the same [m, Hz].
SWAY, FREQUENCY = (0.02, 0.03, 0.01), 0.5
SMALL_SWAY = (0.005, 0.005, 0.005)
# Largest acceleration of a joint, for TSID [rad/s^2].
ACCELERATION = 1000.0


@dataclass(frozen=True)
class TickCase:
    """What a robot does in a comparison.

    Attributes:
        name: for the table.
        swinging: feet in the air.
        hands: links whose places are tracked.
        sway: of the center of mass [m].
    """

    name: str
    swinging: tuple[str, ...] = ()
    hands: tuple[str, ...] = ()
    sway: tuple[float, float, float] = SWAY


CASES = (
    TickCase("two feet"),
    TickCase("one foot swinging, two hand tasks", ("r_foot",), HANDS, SMALL_SWAY),
)


class OurTicks:
    """The whole-body program in closed loop with its own ideal dynamics."""

    def __init__(self, case: TickCase) -> None:
        self.case, self.robot = case, make_robot("atlas", (), Mount())
        self.program = WholeBodyProgram(
            self.robot, FEET, case.hands, WholeBodyGains(), FRICTION
        )
        self.q = start_configuration(self.robot, "stand")
        if case.swinging:
            self.q = _above(self.robot, self.q, FEET[0])
        self.v = np.zeros(self.robot.num_velocities)
        state = Configuration(self.robot, self.q)
        self.middle, self.target = state.center_of_mass, self.program.make_target()
        self.target.R_base[:] = state.pose(self.robot.base_name).rotation().matrix()
        self.target.R_trunk[:] = state.pose(self.robot.trunk).rotation().matrix()
        self.target.joints[0] = self.q[self.robot.base_positions :]
        for c, name in enumerate(FEET):
            self.target.standing[c] = name not in case.swinging
            self.target.contact[c] = state.pose(name).translation()
            self.target.R_contact[c] = state.pose(name).rotation().matrix()
        standing = self.target.standing
        self.target.wrench[:, 5] = standing / standing.sum()
        for p, name in enumerate(case.hands):
            self.target.point[0, p] = state.pose(name).translation()
        self.target.point_on[:] = 1.0
        self.start, self.time = self.q.copy(), 0.0
        self._dual: np.ndarray | None = None

    def ticks(self, count: int) -> dict[str, Any]:
        """Processor times of ticks [s], and how near the CoM stays to its path [m].

        Raises:
            BackbeatError: a program was not solved.
        """
        seconds, worst = [], 0.0
        w, sway = 2 * np.pi * FREQUENCY, np.array(self.case.sway)
        q_middle, com = np.empty_like(self.q), self.target.com
        for _ in range(count):
            com[0] = self.middle + sway * np.sin(w * self.time)
            com[1] = sway * w * np.cos(w * self.time)
            com[2] = -sway * w * w * np.sin(w * self.time)
            started = time.process_time()
            solution = self.program.solve(self.q, self.v, self.target, self._dual)
            seconds.append(time.process_time() - started)
            if not solution.is_solved:
                raise BackbeatError("a whole-body program was not solved")
            self._dual = solution.dual
            self.v = self.v + TICK * solution.vdot
            mean = self.v - 0.5 * TICK * solution.vdot
            box_plus(self.q, mean, TICK, True, q_middle)
            self.q = q_middle.copy()
            self.time += TICK
            measured = Configuration(self.robot, self.q).center_of_mass
            worst = max(worst, float(np.abs(measured - com[0]).max()))
        tick = self.program.measure(self.q, self.v)
        size = [len(tick.g), 0, len(tick.lower)]
        mass = self.robot.total_mass
        return {"processor": seconds, "com": worst, "size": size, "mass": mass}

    def for_tsid(self) -> dict[str, Any]:
        """The same for TSID: robot, start, tasks with their weights and gains."""
        robot, q = self.robot, self.start
        g = self.program.gains_for(self.program.make_target())
        m = robot.total_mass
        joints = q[robot.base_positions :]
        return {
            "urdf": bare_urdf(robot),
            "quaternion": q[:4].tolist(),
            "position": q[4:7].tolist(),
            "joints": dict(zip(robot.joint_names, joints.tolist(), strict=True)),
            "soles": {
                robot.contact_link(name): sole_corners(robot, name)
                for name in FEET
                if name not in self.case.swinging
            },
            "friction": FRICTION,
            "contact": [1e-6, g.contact_flatness, g.contact_damping],
            "com": [g.linear_weight, g.com_stiffness, g.com_damping],
            # Ours counts momentum per kilogram.
            "momentum": [g.momentum_weight / m**2, g.momentum_gain, 0.0],
            "turned": [robot.base_name, robot.trunk.name],
            "orientation": [
                g.orientation_weight, g.orientation_stiffness, g.orientation_damping
            ],
            "hands": list(self.case.hands),
            "point": [g.point_weight, g.point_stiffness, g.point_damping],
            "swinging": list(self.case.swinging),
            "swing": [10.0, g.swing_stiffness, g.swing_damping],
            "posture": [g.posture_weight, g.posture_stiffness, g.posture_damping],
            "acceleration": ACCELERATION,
            "sway": list(self.case.sway),
            "frequency": FREQUENCY,
            "dt": TICK,
        }  # fmt: skip


def _above(robot: RobotModel, q: np.ndarray, foot: str) -> np.ndarray:
    """The pose with its center of mass above a foot, by leaning the whole robot."""
    state, q = Configuration(robot, q), q.copy()
    off = state.center_of_mass - state.pose(foot).translation()
    angle = np.arctan2(off[1], off[2])
    q[:4] = [np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0]
    return q


def sole_corners(robot: RobotModel, contact: str) -> list[list[float]]:
    """Corners of a sole, 3 numbers each, in the frame of its link [m]."""
    patch, X = robot.contacts[contact], robot.contact_in_link(contact)
    x, y = PATCH_MARGIN * patch.half_length, PATCH_MARGIN * patch.half_width
    corners = [[a * x, b * y, 0.0] for a in (-1, 1) for b in (-1, 1)]
    return [X.multiply(np.array(p)).tolist() for p in corners]


class Tsid(Worker):
    """A running TSID."""

    def __init__(self, python: Path) -> None:
        super().__init__("TSID", python, WORKER)

    def ticks(self, ours: OurTicks, count: int) -> dict[str, Any]:
        """The same number of ticks; see `tsid/solve.py`."""
        case = ours.for_tsid()
        return self.ask({"name": ours.case.name, "case": case, "ticks": count})


@dataclass(frozen=True)
class TickRow:
    """Ticks of both [s]."""

    case: str
    ours: np.ndarray
    tsid: np.ndarray
    our_com: float
    tsid_com: float
    our_size: Sequence[int]
    tsid_size: Sequence[int]

    @property
    def ratio(self) -> float:
        """Of the medians."""
        return float(np.median(self.ours) / np.median(self.tsid))

    @property
    def spread(self) -> float:
        """Of ours, 99th percentile to median."""
        return float(np.percentile(self.ours, 99) / np.median(self.ours))


def compare(python: Path, rounds: int = 10, count: int = 250) -> list[TickRow]:
    """Runs both in turns; the first round warms up and does not count."""
    rows = []
    with Tsid(python) as tsid:
        for case in CASES:
            ours, pairs = OurTicks(case), []
            for _ in range(rounds + 1):
                pairs.append((ours.ticks(count), tsid.ticks(ours, count)))
            a, b = zip(*pairs[1:], strict=True)
            if abs(a[0]["mass"] - b[0]["mass"]) > 1e-9:
                raise BackbeatError("TSID has another robot than ours")
            rows.append(
                TickRow(
                    case.name,
                    np.concatenate([r["processor"] for r in a]),
                    np.concatenate([r["processor"] for r in b]),
                    max(r["com"] for r in a),
                    max(r["com"] for r in b),
                    a[0]["size"],
                    b[0]["size"],
                )
            )
    return rows
