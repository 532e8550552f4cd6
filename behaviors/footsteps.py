"""Footsteps: which feet stand when, where the others go, and jumps between."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix
from scipy.interpolate import CubicSpline

from behaviors.authored import Specification
from behaviors.behavior import Event, Mount, make_robot
from behaviors.motion_plan import MotionPlan, check_length
from behaviors.music.tempo import Tempo
from behaviors.stance import FARTHEST, start_configuration, support_poses
from behaviors.time_law import minimum_jerk
from models.collision_making import make_self_collision_model
from models.configuration import Configuration
from models.errors import BackbeatError, unknown_name
from models.robot import RobotModel
from optimization.contact_schedule import ContactSchedule, Phase
from optimization.tasks import CenterOfMassTask, FrameTask, PostureTask
from optimization.trajectory_problem import (
    Limits,
    Task,
    TrajectoryProblem,
    Weights,
)

STANDING = {"both": ("left", "right"), "left": ("left",), "right": ("right",)}
STANDING["none"] = ()
IN_WORDS = {
    "both": "both feet",
    "left": "left foot",
    "right": "right foot",
    "none": "in the air",
}
FEET = {"left": "l_foot", "right": "r_foot"}
# A swing keeps at least this share of its clearance.
LEAST_CLEARANCE = 0.8
# Feet of a jump come no nearer to the ground between its ends [m]; how high they get
# is up to the jump.
JUMP_CLEARANCE = 0.01
# Cost per second on the height of the center of mass [1/m^2]: of one that stays up, and
# of one that jumps; and the share of the last stance in which that stands up again.
HOLD_HEIGHT, FREE_HEIGHT, STRAIGHT = 400.0, 4.0, 0.4
# Fewest intervals between knots of a phase: a foot that lands or leaves is still
# for one on either side, and moves in between.
LEAST_INTERVALS = 4


@dataclass
class Step:
    """A phase: who stands, and what the others do."""

    # Feet that stand: both, left, right or none.
    feet: str = "both"
    # How long, in seconds or, with a tempo, in beats.
    time: float = 0.0
    beats: float = 0.0
    # How far the feet in the air get: forward, to the left [m], and turned left [rad].
    to: list[float] = field(default_factory=lambda: [0.0, 0.0])
    turn: float = 0.0
    # Places on the way, from where the foot left: forward, left, up [m].
    via: list[list[float]] = field(default_factory=list)
    # Height of the foot on the way [m].
    clearance: float = 0.05
    # How much lower the center of mass is at the end than at the start [m].
    lower: float = 0.0
    # Least and most time [s], where the step may choose; empty where it may not.
    between: list[float] = field(default_factory=list)


@dataclass
class FootstepSpecification(Specification):
    """Schema of `kind: footsteps`."""

    kind: str = "footsteps"
    # Tempo, for steps in beats; 0 without music.
    bpm: float = 0.0
    beats_per_bar: int = 4
    start: str = "stand"
    steps: list[Step] = field(default_factory=list)
    # Arm swing: shoulder angle for every meter between the feet [rad/m].
    arm_swing: float = 0.0
    # Distance of knots [s].
    knot_spacing: float = 0.05

    def plan(self, folder: Path) -> MotionPlan:
        """Compiles the steps into a trajectory problem.

        Raises:
            BackbeatError: a step makes no sense.
        """
        self._check()
        robot = make_robot(self.robot, tuple(self.equipment), Mount())
        return Walker(self, robot, start_configuration(robot, self.start)).plan()

    def duration(self, step: Step) -> float:
        """Length of a step [s]."""
        if step.beats > 0:
            return Tempo(self.bpm, self.beats_per_bar).time(step.beats)
        return step.time

    def _check(self) -> None:
        if not self.steps:
            raise BackbeatError(f"{self.name}: there are no steps")
        if not 0.005 <= self.knot_spacing <= 0.1:
            raise BackbeatError(
                f"{self.name}: knot_spacing is {self.knot_spacing:g} s; it is 0.005 to "
                "0.1 s"
            )
        for i, step in enumerate(self.steps, 1):
            where = f"{self.name}, step {i}"
            if step.feet not in STANDING:
                raise unknown_name(f"feet in {where}", step.feet, STANDING)
            if (step.time > 0) == (step.beats > 0):
                raise BackbeatError(f"{where}: give it a time or a number of beats")
            if step.between and not _holds(step.between, self.duration(step)):
                raise BackbeatError(
                    f"{where}: 'between' has a least and a most time around its time"
                )
            if len(step.to) != 2 or any(len(p) != 3 for p in step.via):
                raise BackbeatError(
                    f"{where}: 'to' has two numbers and each place in 'via' three"
                )
            places = [*step.to, *np.ravel(step.via)]
            numbers = [*places, step.turn, step.clearance, step.lower]
            if not (np.abs(numbers) <= FARTHEST).all():
                raise BackbeatError(
                    f"{where}: a value is not a finite number of at most {FARTHEST:g}"
                )
            moves = bool(np.any(step.to)) or step.turn != 0 or bool(step.via)
            if step.feet == "both" and moves:
                raise BackbeatError(f"{where}: both feet stand, none can move")
        check_length(self.name, sum(self.duration(s) for s in self.steps))
        if not abs(self.arm_swing) <= FARTHEST:
            raise BackbeatError(
                f"{self.name}: arm_swing is not a finite number of at most {FARTHEST:g}"
            )
        for i in (0, -1):
            if self.steps[i].feet != "both":
                raise BackbeatError(
                    f"{self.name}: the first and the last step have both feet standing"
                )


@dataclass
class _Place:
    """Where a foot is: place [m] and heading [rad]."""

    p: np.ndarray
    yaw: float
    R: RotationMatrix

    def pose(self) -> RigidTransform:
        turn = RotationMatrix(RollPitchYaw(0.0, 0.0, self.yaw))
        return RigidTransform(turn @ self.R, self.p)


class Walker:
    """Compiles one specification, from any configuration that stands."""

    def __init__(
        self,
        specification: FootstepSpecification,
        robot: RobotModel,
        q_start: np.ndarray,
        heading: float = 0.0,
    ) -> None:
        """Lays out the steps.

        Args:
            specification: the steps; its robot and start count no more.
            robot: who steps.
            q_start: (nq,) where it starts.
            heading: where it faces there, left of x [rad].
        """
        ahead = RotationMatrix(RollPitchYaw(0.0, 0.0, -heading))
        self.specification, self.robot, self.q_start = specification, robot, q_start
        poses = support_poses(self.robot, self.q_start)
        self.places = {
            foot: [_Place(X.translation(), heading, ahead @ X.rotation())]
            for foot, X in ((f, poses[FEET[f]]) for f in FEET)
        }
        self.lengths = [specification.duration(s) for s in specification.steps]
        self.counts = [
            max(LEAST_INTERVALS, round(T / specification.knot_spacing))
            for T in self.lengths
        ]
        self._go()

    def _go(self) -> None:
        """Notes where each foot is after every step."""
        for step in self.specification.steps:
            heading = np.mean([p[-1].yaw for p in self.places.values()])
            c, s = np.cos(heading), np.sin(heading)
            shift = np.array([[c, -s], [s, c]]) @ step.to
            for foot, places in self.places.items():
                last = places[-1]
                if foot in STANDING[step.feet]:
                    places.append(last)
                    continue
                p = last.p + np.r_[shift, 0.0]
                places.append(_Place(p, last.yaw + step.turn, last.R))

    @cached_property
    def starts(self) -> np.ndarray:
        """(steps + 1,) knot at which each step starts, and the last knot."""
        return np.r_[0, np.cumsum(self.counts)]

    @cached_property
    def times(self) -> np.ndarray:
        """(N,) knot times, evenly spaced within each step."""
        ends = np.cumsum(self.lengths)
        parts = [
            np.linspace(end - T, end, n + 1)[1:]
            for T, end, n in zip(self.lengths, ends, self.counts, strict=True)
        ]
        return np.r_[0.0, np.concatenate(parts)]

    def plan(self) -> MotionPlan:
        """The trajectory problem of the steps."""
        specification, steps = self.specification, self.specification.steps
        switches = np.r_[0.0, np.cumsum(self.lengths)]
        problem = TrajectoryProblem(
            robot=self.robot,
            times=self.times,
            schedule=self.schedule(),
            q_start=self.q_start,
            posture=self.q_start,
            tasks=list(self._tasks()),
            collisions=make_self_collision_model(self.robot),
            limits=Limits(friction_share=0.8, patch_share=0.8),
            weights=specification.objectives.weights(Weights()),
        )
        events = tuple(
            Event(switches[i], "segment", IN_WORDS[step.feet], duration=self.lengths[i])
            for i, step in enumerate(steps)
        )
        return MotionPlan(
            problem=problem,
            mount=Mount(),
            events=events,
            bpm=specification.bpm,
            beats_per_bar=specification.beats_per_bar,
            free_phases={
                i: (step.between[0], step.between[1])
                for i, step in enumerate(steps)
                if step.between
            },
            price_of_time=specification.objectives.time,
        )

    def schedule(self) -> ContactSchedule:
        """Who stands when, and where."""
        phases = (
            Phase(
                self.lengths[i],
                {FEET[f]: self.places[f][i].pose() for f in STANDING[step.feet]},
                step.feet,
            )
            for i, step in enumerate(self.specification.steps)
        )
        return ContactSchedule(tuple(phases))

    def swing_tasks(self) -> Iterator[Task]:
        """Feet through the air."""
        for i, step in enumerate(self.specification.steps):
            for foot in FEET:
                if foot not in STANDING[step.feet]:
                    yield from self._swing(i, step, foot)

    def _tasks(self) -> Iterator[Task]:
        """Feet through the air, body between the feet, trunk upright, arms."""
        yield from self.swing_tasks()
        middle, yaw, apart = self.body()
        knots = np.arange(len(self.times))
        can_fly = any(s.feet == "none" for s in self.specification.steps)
        weight = np.tile([20.0, 20.0, HOLD_HEIGHT], (len(knots), 1))
        if can_fly:
            # A jump needs its height free, until it has landed and straightens up.
            upright = self.starts[-1] - int(STRAIGHT * self.counts[-1])
            weight[:upright, 2] = FREE_HEIGHT
        com = Configuration(self.robot, self.q_start).center_of_mass
        yield CenterOfMassTask(knots, middle + [0.0, 0.0, com[2]], weight)
        level = [RigidTransform(RotationMatrix(RollPitchYaw(0, 0, a))) for a in yaw]
        yield FrameTask(self.robot.trunk.name, knots, level, "rx ry rz", weight=20.0)
        if self.specification.arm_swing:
            # The arms are mirrored: the same angle sends one back, one forward.
            joints = np.array(
                [self.robot.joint_index(f"{s}_arm_shz") for s in ("l", "r")]
            )
            swing = self.specification.arm_swing * apart[:, None]
            rest = self.q_start[self.robot.base_positions + joints]
            yield PostureTask(joints, knots, rest + swing, 40.0)

    def _swing(self, i: int, step: Step, foot: str) -> Iterator[Task]:
        """A foot in the air: near its path, above the ground, level at first."""
        first, last = self.starts[i] + 2, self.starts[i + 1] - 1
        knots = np.arange(first, last)
        if len(knots) == 0:
            return
        a, b = self.places[foot][i], self.places[foot][i + 1]
        u = (knots - first + 1.0) / (last - first + 1.0)
        path, height = _path(a, b, step, u)
        targets = [
            _Place(p, a.yaw + s * (b.yaw - a.yaw), a.R).pose()
            for p, s in zip(path, minimum_jerk(u), strict=True)
        ]
        name = FEET[foot]
        free = step.feet == "none"
        yield FrameTask(name, knots, targets, "rx ry rz", weight=40.0)
        if not free:
            yield FrameTask(name, knots, targets, "x y", weight=40.0)
            yield FrameTask(name, knots, targets, "z", weight=400.0)
        for k, X, z in zip(knots, targets, height, strict=True):
            low = min(z, JUMP_CLEARANCE) - z if free else (LEAST_CLEARANCE - 1) * z
            yield FrameTask(name, np.array([k]), X, "z", lower=low)

    def body(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where the body is taken at every knot.

        Returns:
            (N, 3) middle of the feet with the lowering [m], (N,) heading [rad], (N,)
            how far the left foot is ahead of the right one [m].
        """
        N = len(self.times)
        middle, yaw, apart = np.zeros((N, 3)), np.zeros(N), np.zeros(N)
        lower = 0.0
        for i, step in enumerate(self.specification.steps):
            a, b = self.starts[i], self.starts[i + 1]
            s = minimum_jerk(np.linspace(0.0, 1.0, b - a + 1))
            ends = []
            for j in (i, i + 1):
                feet = [p[j] for p in self.places.values()]
                along = [np.cos(feet[0].yaw), np.sin(feet[0].yaw)]
                between = (feet[0].p - feet[1].p)[:2] @ along
                place = np.mean([f.p for f in feet], axis=0)
                ends.append((place, np.mean([f.yaw for f in feet]), between))
            rows = slice(a, b + 1)
            middle[rows] = ends[0][0] + s[:, None] * (ends[1][0] - ends[0][0])
            middle[rows, 2] = -(lower + s * step.lower)
            yaw[rows] = ends[0][1] + s * (ends[1][1] - ends[0][1])
            apart[rows] = ends[0][2] + s * (ends[1][2] - ends[0][2])
            lower += step.lower
        return middle, yaw, apart


def _holds(between: list[float], time: float) -> bool:
    return len(between) == 2 and 0 < between[0] <= time <= between[1]


def _path(
    a: _Place, b: _Place, step: Step, u: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(n, 3) places of a foot in the air, and (n,) heights above the ground."""
    s = minimum_jerk(u)[:, None]
    if step.via:
        c, d = np.cos(a.yaw), np.sin(a.yaw)
        turn = np.array([[c, -d, 0], [d, c, 0], [0, 0, 1]])
        points = [a.p, *(a.p + turn @ v for v in step.via), b.p]
        through = CubicSpline(np.linspace(0, 1, len(points)), points, bc_type="clamped")
        path = through(u)
        return path, path[:, 2] - a.p[2]
    path = a.p + s * (b.p - a.p)
    height = step.clearance * np.sin(np.pi * u) ** 2
    path[:, 2] += height
    return path, height
