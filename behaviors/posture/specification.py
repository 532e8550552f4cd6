"""Posture tours: stations to reach, hold and leave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
from pydrake.math import RigidTransform

from backbeat.behaviors.library.behavior import Event, Mount, make_robot
from backbeat.behaviors.motion.authored import CLOSER, Specification
from backbeat.behaviors.motion.plan import MotionPlan, check_length
from backbeat.behaviors.motion.time_law import minimum_jerk
from backbeat.behaviors.posture.nearest_place import (
    nearest_places,
    off_floor,
    spoken_shift,
)
from backbeat.behaviors.posture.reach import PostureReach, Reached
from backbeat.behaviors.posture.stance import (
    FARTHEST,
    placed_feet,
    start_configuration,
    support_poses,
)
from backbeat.behaviors.posture.station import Station
from backbeat.behaviors.posture.words import parse_wish
from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.common.errors import BackbeatError, located, unknown_name
from backbeat.models.common.schema import check_values, key
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKTarget,
    InverseKinematics,
)
from backbeat.optimization.problem.contact_schedule import constant_stance
from backbeat.optimization.problem.tasks import CenterOfMassTask, FrameTask, PostureTask
from backbeat.optimization.problem.trajectory_problem import Task, TrajectoryProblem
from backbeat.optimization.problem.weights import TrajectoryWeights

# Cost per second on where the center of mass is, and the factor on it where that was
# said [1/m^2].
BALANCE, CENTERED = (400.0, 400.0), 10.0
# Cost per second on links that a hand is at a place of [1/m^2, 1/rad^2]: they are
# there to a millimeter, and a motion in which they cannot be is found all the same.
BESIDE = 1e5
# Least and most distance of knots; nothing moves in less time than the least [s].
FINEST, COARSEST = 0.01, 0.1


@dataclass
class PostureSpecification(Specification):
    """Schema of `kind: posture`."""

    sized_by: ClassVar[str] = "legs"

    kind: str = "posture"
    start: str = key("stand")
    """Posture at the start."""
    feet: dict[str, str] = key(dict)
    """Changes of the feet's stance at the start, in words: `left foot: out 0.1`."""
    compliance: dict[str, float] = key(dict)
    """How soft limbs are, from 0, the default, to 1: `left arm: 0.8`."""
    stations: list[Station] = key(list)
    """Stops of the tour, in order of time."""
    knot_spacing: float = key(0.05, "s", ge=FINEST, le=COARSEST)
    """Time between knots."""
    apart: list[list[str]] = key(list)
    """Pairs of links, as `[[head, chest]]`, that keep their distance although planners
    take links so near to each other for links that cannot meet."""

    def with_closer_knots(self) -> "PostureSpecification | None":
        """As of `Specification`, by the key `knot_spacing`."""
        spacing = CLOSER * self.knot_spacing
        return replace(self, knot_spacing=spacing) if spacing >= FINEST else None

    def plan(self, folder: str | Path) -> MotionPlan:
        """Compiles the tour into a trajectory problem.

        Raises:
            BackbeatError: a station names something unknown or impossible.
        """
        if not self.stations:
            raise BackbeatError(
                f"{self.name}: a posture tour needs stations", path=("stations",)
            )
        check_values(self, self.name)
        with located("robot"):
            robot = make_robot(self.robot, tuple(self.equipment), Mount())
        compliance = self._compliance(robot)
        q_start = self._start(robot)
        ends = self._times()
        num_knots = max(4, round(ends[-1][1] / self.knot_spacing) + 1)
        times = np.linspace(0.0, ends[-1][1], num_knots)
        feet = support_poses(robot, q_start)
        tasks, notes = self._tasks(robot, q_start, feet, times, ends)
        problem = TrajectoryProblem(
            robot=robot,
            times=times,
            schedule=constant_stance(times[-1], feet),
            q_start=q_start,
            posture=q_start,
            tasks=softened(tasks, compliance),
            collisions=make_self_collision_model(robot, apart=self.apart),
            weights=self.trajectory_weights(TrajectoryWeights()),
        )
        events = tuple(
            Event(start, "segment", s.title(), duration=end - start)
            for s, (start, end) in zip(self.stations, ends, strict=True)
        )
        names = robot.joint_names
        return MotionPlan(
            problem,
            Mount(),
            events,
            remarks=tuple(notes),
            compliance={names[j]: c for j, c in compliance.items()},
        )

    def _start(self, robot: RobotModel) -> np.ndarray:
        """(nq,) the posture at the start, on the feet that it is said to have."""
        with located("start"):
            q = start_configuration(robot, self.start)
        if not self.feet:
            return q
        where = f"{self.name}, feet"
        with located("feet"):
            wishes = [
                parse_wish(n, text, (), where, scale=self.scale)
                for n, text in self.feet.items()
            ]
            q = placed_feet(robot, q, support_poses(robot, q), wishes, where)
        middle = [X.translation() for X in support_poses(robot, q).values()]
        q[4:6] -= np.mean(middle, axis=0)[:2]
        return q

    def _compliance(self, robot: RobotModel) -> dict[int, float]:
        """How soft each joint is, 0 to 1, of those that are not as usual."""
        legs = set(robot.leg_joints.tolist())
        groups = {spoken(g): g for g in robot.groups}
        found: dict[int, float] = {}
        for limb, soft in self.compliance.items():
            group = groups.get(limb, limb)
            if group not in robot.groups:
                with located("compliance"):
                    raise unknown_name(f"limb in {self.name}, compliance", limb, groups)
            joints = {int(j) for j in robot.groups[group]}
            if joints & legs:
                raise BackbeatError(
                    f"{self.name}, compliance: {limb} carries the robot, and "
                    "balance decides its stiffness; choose arms, wrists, back or neck",
                    path=("compliance", limb),
                )
            if not 0 <= soft <= 1:
                raise BackbeatError(
                    f"{self.name}, compliance: {limb} is {soft:g}; it goes from 0, the "
                    "default, to 1, the softest",
                    path=("compliance", limb),
                )
            found |= dict.fromkeys(sorted(joints), soft)
        return found

    def _times(self) -> list[tuple[float, float]]:
        """When each station is reached and left [s]."""
        t, ends = 0.0, []
        for i, station in enumerate(self.stations):
            if not (station.move >= FINEST and station.hold >= 0):
                raise BackbeatError(
                    f"{self.name}: move must be >= {FINEST:g} s and hold >= 0 s at "
                    f"station {station.posture!r}",
                    path=("stations", i),
                    subject=station.posture,
                )
            numbers = [station.pelvis, station.lean, *station.angles.values()]
            if not (np.abs(numbers) <= FARTHEST).all():
                raise BackbeatError(
                    f"{self.name}: pelvis, lean and angles must be finite numbers of "
                    f"at most {FARTHEST:g} at station {station.posture!r}",
                    path=("stations", i),
                    subject=station.posture,
                )
            ends.append((t + station.move, t + station.move + station.hold))
            t = ends[-1][1]
        check_length(self.name, t)
        return ends

    def _tasks(
        self,
        robot: RobotModel,
        q_start: np.ndarray,
        feet: dict[str, RigidTransform],
        times: np.ndarray,
        ends: list[tuple[float, float]],
    ) -> tuple[list[Task], list[str]]:
        """What leads from station to station, and sentences on how far it gets."""
        N = len(times)
        path = np.tile(q_start[robot.base_positions :], (N, 1))
        reach = PostureReach(robot, feet)
        center = np.tile(np.r_[reach.middle, 0.0], (N, 1))
        weight = np.tile([*BALANCE, 0.0], (N, 1))
        tasks: list[Task] = []
        notes: list[str] = []
        last, here, left = path[0].copy(), center[0].copy(), 0.0
        stations = zip(self.stations, ends, strict=True)
        for i, (station, (reached, leave)) in enumerate(stations, 1):
            with located("stations", i - 1):
                notes += [
                    f"{self.name}, station {i}: {robot.name} has no {lacking}, which "
                    "is left out"
                    for lacking in station.lacking(robot)
                ]
                own = station.on(robot, self.scale)
                found = self._target(robot, q_start, reach, own, i)
            target, there = found.q[robot.base_positions :], np.r_[found.center, 0.0]
            u = np.clip((times - left) / (reached - left), 0, 1)[:, None]
            blend, later = minimum_jerk(u), (times > left)[:, None]
            path = np.where(later, last + blend * (target - last), path)
            center = np.where(later, here + blend * (there - here), center)
            hold = np.where((times >= reached - 1e-9) & (times <= leave + 1e-9))[0]
            for frame, goal in found.targets.items():
                tasks.append(FrameTask(frame, hold, goal.X_WG, goal.axes))
            for link, X in found.beside.items():
                tasks.append(FrameTask(link, hold, X, weight=BESIDE))
            if found.is_centered:
                weight[hold] *= CENTERED
            last, here, left = target, there, leave
            notes += found.notes
        joints, knots = np.arange(robot.num_joints), np.arange(N)
        tasks.append(PostureTask(joints, knots, path, weight=20.0))
        if feet:
            tasks.append(CenterOfMassTask(knots, center, weight))
        return tasks, notes

    def _target(
        self,
        robot: RobotModel,
        q_start: np.ndarray,
        reach: PostureReach,
        station: Station,
        number: int,
    ) -> Reached:
        """The posture of a station, with its frames where they shall be."""
        where = f"{self.name}, station {number}"
        if not station.posture:
            raise BackbeatError(
                f"{where}: name the posture to go to, as in 'posture: "
                f"{self.start or 'stand'}'; {robot.name} has "
                f"{', '.join(robot.posture_names)}"
            )
        q = station.configuration(robot, q_start, bool(self.feet))
        wishes = []
        for n, text in station.targets.items():
            with located("targets", n):
                is_hand = n.endswith("hand")
                wish = parse_wish(n, text, robot.places, where, is_hand, self.scale)
            wishes.append(wish)
        asked = station.pelvis or station.lean or station.reach or wishes or self.feet
        if not (asked or station.angles):
            return Reached(q, {}, reach.middle)
        targets = station.given_targets(robot, self.name)
        if wishes:
            found = reach.solve(q, wishes, targets, where)
            held = [n for n in found.targets if n in station.reach or n not in targets]
            goals = {n: found.targets[n] for n in held}
            return replace(found, targets=goals)
        feet = {n: IKTarget(X) for n, X in reach.feet.items()}
        if not (feet or targets):
            return Reached(q, {}, reach.middle)
        places, movable = targets, station.reach if self.scale != 1.0 else ()
        targets = off_floor(robot, places, movable)
        solver, center = InverseKinematics(robot), reach.balanced(reach.middle)
        solved = solver.solve(q, feet | targets, center)
        if not solved.is_reached:
            # Places at another size are as near as arms reach that are not as long.
            solved, targets = nearest_places(
                robot,
                targets,
                movable,
                lambda some: solver.solve(q, {**feet, **some}, center, settles=True),
            )
        if not solved.is_reached:
            raise BackbeatError(f"{where}: {station.out_of_reach(solved)}")
        goals = {n: targets[n] for n in station.reach}
        notes = tuple(
            f"{where}: {n} has no room or reach at its place, and goes to "
            f"{spoken_shift(places[n], targets[n])}"
            for n in movable
            if targets[n] is not places[n]
        )
        return Reached(solved.q, goals, reach.middle, notes=notes)


def spoken(group: str) -> str:
    """What people call a joint group: `l_arm` is the left arm."""
    for side, word in (("l_", "left "), ("r_", "right ")):
        if group.startswith(side):
            return word + group.removeprefix(side)
    return group


def softened(tasks: Sequence[Task], compliance: Mapping[int, float]) -> list[Task]:
    """Tasks that hold soft joints less closely, by a tenth where they are softest."""
    out: list[Task] = []
    for task in tasks:
        if not isinstance(task, PostureTask) or not compliance:
            out.append(task)
            continue
        soft = np.array([compliance.get(int(j), 0.0) for j in task.joints])
        for value in np.unique(soft):
            at = np.flatnonzero(soft == value)
            weight = task.weight * 10.0**-value
            target = task.target[..., at]
            out.append(PostureTask(task.joints[at], task.knots, target, weight))
    return out
