"""Atlas on two feet with three levels of tasks: ours, TSID's and PlaCo's ticks."""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.posture.stance import start_configuration
from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.rotations import box_plus
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.limited.limits import JointLimits
from backbeat.optimization.task_space.limited.program import (
    LimitedForces,
    LimitedProgram,
)
from backbeat.optimization.task_space.tasks.motion_tasks import (
    ContactTask,
    JointTask,
    MassCenterTask,
    PointTask,
)
from benchmarks.environment import make_environment
from benchmarks.tick import (
    ACCELERATION,
    FEET,
    FREQUENCY,
    FRICTION,
    HANDS,
    SWAY,
    TICK,
    sole_corners,
)
from benchmarks.worker import Worker, bare_urdf

# The others know no levels but hard and soft. With weights this far apart their center
# of mass stays as near to its path as ours; with 1, 0.1, 0.001 it is twice as far off.
WEIGHTS = {"com": 1.0, "point": 1e-3, "posture": 1e-6}
STIFFNESS, DAMPING = 100.0, 20.0  # [1/s^2], [1/s]
# Weight of forces and torques, which no task decides.
FORCE_WEIGHT = 1e-9
# Share of the torque limits at which some joints reach theirs now and then, and those
# ticks.
WEAK, AT_LIMITS = 0.2, "Backbeat, a joint at its limit"
TOOLS = {"TSID": "tsid", "PlaCo": "placo"}


class OurLevels:
    """Center of mass, hands, posture: closed loop with their own ideal dynamics.

    Attributes:
        bounded: whether programs keep torques and contacts within limits.
    """

    def __init__(self, bounded: bool) -> None:
        self.bounded, self.robot = bounded, make_robot("atlas", (), Mount())
        robot, self.space = self.robot, TaskSpace(self.robot)
        for foot in FEET:
            self.space.add(ContactTask(robot, foot))
        self.com = self.space.add(MassCenterTask(), 1.0, 2)
        self.hands = [self.space.add(PointTask(robot, h), 1.0, 3) for h in HANDS]
        self.posture = self.space.add(JointTask(robot), 1.0, 4)
        self.program = LimitedProgram(self.space)
        self.q = start_configuration(robot, "stand")
        self.v = np.zeros(robot.num_velocities)
        state = Configuration(robot, self.q)
        self.start, self.middle = self.q.copy(), state.center_of_mass
        self.places = [h.position(state) for h in self.hands]
        self.time, self.is_limited = 0.0, False
        # Of the last tick: where the search for active limits begins.
        self.last: LimitedForces | None = None

    def weaken(self, share: float) -> None:
        """Leaves motors a share of their torque limits."""
        limits = JointLimits.of(self.robot)
        weak = replace(limits, effort=share * limits.effort)
        self.program = LimitedProgram(self.space, weak)

    def _tick(self, com: np.ndarray) -> np.ndarray:
        """(nv,) acceleration under the torques for a center of mass (3, 3)."""
        robot, space = self.robot, self.space
        space.update(self.q, self.v)
        state = space.state
        off = com[0] - self.com.position(state)
        rate = com[1] - self.com.velocity(state)
        self.com.set_desired(com[2] + STIFFNESS * off + DAMPING * rate)
        for hand, place in zip(self.hands, self.places, strict=True):
            off = place - hand.position(state)
            hand.set_desired(STIFFNESS * off - DAMPING * hand.velocity(state))
        turned = (self.start - self.q)[robot.base_positions :]
        speed = self.v[robot.base_velocities :]
        self.posture.set_desired(STIFFNESS * turned - DAMPING * speed)
        if not self.bounded:
            return space.solve().vdot
        found = self.last = self.program.solve(self.last)
        if not found.is_solved:
            raise BackbeatError("a level was not solved")
        self.is_limited = bool(found.at_limit.any())
        return found.vdot

    def ticks(self, count: int) -> dict[str, Any]:
        """Processor times of ticks [s], and how near the CoM stays to its path [m].

        Also whether each tick had a joint at its limit, and the robot's mass [kg].

        Raises:
            BackbeatError: a program was not solved.
        """
        seconds, limited, worst = [], [], 0.0
        w, sway = 2 * np.pi * FREQUENCY, np.array(SWAY)
        for _ in range(count):
            s, c = np.sin(w * self.time), np.cos(w * self.time)
            com = np.array([self.middle + sway * s, sway * w * c, -sway * w * w * s])
            started = time.process_time()
            vdot = self._tick(com)
            seconds.append(time.process_time() - started)
            limited.append(self.is_limited)
            off = self.com.position(self.space.state) - com[0]
            worst = max(worst, float(np.abs(off).max()))
            self.v = self.v + TICK * vdot
            moved = np.empty_like(self.q)
            box_plus(self.q, self.v - 0.5 * TICK * vdot, TICK, True, moved)
            self.q = moved
            self.time += TICK
        mass = self.robot.total_mass
        return {"processor": seconds, "limited": limited, "com": worst, "mass": mass}

    def for_others(self) -> dict[str, Any]:
        """The same for others: robot, start, tasks with their weights and gains."""
        robot, q = self.robot, self.start
        joints = q[robot.base_positions :]
        gains = {n: [w, STIFFNESS, DAMPING] for n, w in WEIGHTS.items()}
        return gains | {
            "urdf": bare_urdf(robot),
            "quaternion": q[:4].tolist(),
            "position": q[4:7].tolist(),
            "joints": dict(zip(robot.joint_names, joints.tolist(), strict=True)),
            "soles": {robot.contact_link(n): sole_corners(robot, n) for n in FEET},
            "friction": FRICTION,
            "contact": [FORCE_WEIGHT, STIFFNESS, DAMPING],
            "turned": [],
            "hands": list(HANDS),
            "swinging": [],
            "acceleration": ACCELERATION,
            "bounded": self.bounded,
            "sway": list(SWAY),
            "frequency": FREQUENCY,
            "dt": TICK,
        }


@dataclass(frozen=True)
class LevelRow:
    """Ticks of one of them.

    Attributes:
        bounded: whether torques were limited.
        way: whose.
        seconds: processor times of ticks [s].
        com: farthest of the center of mass from its path [m].
    """

    bounded: bool
    way: str
    seconds: np.ndarray
    com: float

    @property
    def median(self) -> float:
        """Of the times [s]."""
        return float(np.median(self.seconds))

    @property
    def late(self) -> float:
        """99th percentile of the times [s]."""
        return float(np.percentile(self.seconds, 99))


def _worker(name: str, cache: Path | None) -> Worker:
    tool = TOOLS[name]
    script = Path(__file__).parent / tool / "solve.py"
    return Worker(name, make_environment(cache, tool), script)


def compare(
    bounded: bool, cache: Path | None = None, rounds: int = 5, count: int = 200
) -> list[LevelRow]:
    """Runs all in turns; the first round warms up and does not count.

    Raises:
        BackbeatError: a tool is not to be had, or has another robot.
    """
    ours = OurLevels(bounded)
    case = {"name": str(bounded), "case": ours.for_others(), "ticks": count}
    own = {"Backbeat": ours} | ({AT_LIMITS: OurLevels(True)} if bounded else {})
    found: dict[str, list[dict[str, Any]]] = {n: [] for n in (*own, *TOOLS)}
    with _worker("TSID", cache) as tsid, _worker("PlaCo", cache) as placo:
        for _ in range(rounds + 1):
            for name, levels in own.items():
                found[name].append(levels.ticks(count))
            if AT_LIMITS in own:  # The start has passed.
                own[AT_LIMITS].weaken(WEAK)
            for worker in (tsid, placo):
                found[worker.name].append(worker.ask(case))
    rows = []
    for name, answers in found.items():
        if abs(answers[0]["mass"] - ours.robot.total_mass) > 1e-9:
            raise BackbeatError(f"{name} has another robot than ours")
        seconds = np.concatenate([a["processor"] for a in answers[1:]])
        if name == AT_LIMITS:
            seconds = seconds[np.concatenate([a["limited"] for a in answers[1:]])]
        com = max(a["com"] for a in answers[1:])
        rows.append(LevelRow(bounded, name, seconds, com))
    return rows
