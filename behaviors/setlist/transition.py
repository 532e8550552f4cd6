"""Transitions: motions from the end of one behavior to the start of the next.

A transition visits configurations at rest; it may start from one in motion. Where the
feet of two of them are the same the posture changes between them, and where they are
not the robot steps there. Both are trajectory problems like any other, whose last
configuration is given.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy
from pydrake.math import RigidTransform

from backbeat.behaviors.footsteps.specification import FootstepSpecification, Walker
from backbeat.behaviors.footsteps.steps_between import steps_between
from backbeat.behaviors.motion.placement import Placement
from backbeat.behaviors.motion.time_law import minimum_jerk
from backbeat.behaviors.posture.stance import support_poses
from backbeat.behaviors.setlist.touchdown import SPACING, touchdowns, touching
from backbeat.models.collision.shapes import CollisionModel
from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.rotations import box_minus, box_plus
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.diagnosis.explanation import explain
from backbeat.optimization.interior_point.solution import TrajectorySolution
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKTarget,
    InverseKinematics,
)
from backbeat.optimization.problem.contact_schedule import (
    ContactSchedule,
    constant_stance,
)
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.problem.tasks import CenterOfMassTask, PostureTask
from backbeat.optimization.problem.trajectory_problem import (
    Limits,
    Task,
    TrajectoryProblem,
)
from backbeat.optimization.reconstruction.reconstruct import reconstruct
from backbeat.optimization.transcription.transcribe import Transcription
from backbeat.optimization.verification.certificate import BOUNDS
from backbeat.optimization.verification.clearance import Clearance

# Feet this near to each other are in the same place [m or 1].
SAME = 1e-5
# Mean speeds of a change of posture [rad/s, m/s], and the least time it takes [s].
JOINT_SPEED, BASE_SPEED, LEAST_TIME = 1.0, 0.2, 0.8
# Height to which points that touch something are lifted [m], and the time around a
# touch in which they may be near it [s].
LIFT, NEAR = 0.1, 0.3
KNOT_SPACING = 0.05
# Shares of that time, and distances of knots [s], to try: each where no motion was
# found in the one before, or one that goes into something between its knots.
TRIES = ((1.0, KNOT_SPACING), (1.0, 0.025), (1.5, KNOT_SPACING), (2.5, KNOT_SPACING))


class LegEnd(NamedTuple):
    """How a leg begins or ends."""

    v: np.ndarray | None = None  # (nv,), None at rest
    vdot: np.ndarray | None = None  # (nv,)
    wrench: Mapping[str, np.ndarray] | None = None  # of contacts, by name
    # Points that touch something, by name: where, z along its normal.
    touches: Mapping[str, RigidTransform] = {}


@dataclass(frozen=True)
class Leg:
    """A part of a transition: a solved problem and its motion.

    Attributes:
        name: what the robot does.
        solution: the knots.
        motion: what is between them.
    """

    name: str
    solution: TrajectorySolution
    motion: DenseTrajectory


class TransitionPlanner:
    """Plans transitions of one robot in one scene."""

    def __init__(self, robot: RobotModel, collisions: CollisionModel) -> None:
        """Prepares.

        Args:
            robot: the robot.
            collisions: what keeps its distance from what.
        """
        self.robot, self.collisions = robot, collisions
        self._clearance = Clearance(robot, collisions)

    def place(self, q: np.ndarray) -> Placement:
        """Where the feet of a configuration are."""
        return Placement.between(support_poses(self.robot, q).values())

    def stands_as(self, a: np.ndarray, b: np.ndarray) -> bool:
        """Whether the feet of two configurations are in the same places."""
        return _are_same(support_poses(self.robot, a), support_poses(self.robot, b))

    def lifted(self, q: np.ndarray, points: Sequence[str]) -> np.ndarray:
        """A configuration with some points straight above where they are.

        Raises:
            BackbeatError: there is none.
        """
        state, robot = Configuration(self.robot, q), self.robot
        up = RigidTransform([0.0, 0.0, LIFT])
        targets = {n: IKTarget(X) for n, X in support_poses(robot, q).items()}
        weights = np.full(robot.num_velocities, 100.0)
        for name in points:
            targets[name] = IKTarget(up @ state.pose(name), "x y z")
            weights[robot.base_velocities + robot.contacts[name].limb] = 1.0
        found = InverseKinematics(robot, joint_weights=weights).solve(q, targets)
        if not found.is_reached:
            raise BackbeatError(
                f"{found.worst} cannot be lifted by {100 * LIFT:.0f} cm; it ends "
                f"{found.away} away"
            )
        return found.q

    def solve(
        self,
        names: tuple[str, str],
        stations: Sequence[np.ndarray],
        before: DenseTrajectory,
        after: DenseTrajectory,
    ) -> list[Leg]:
        """Solves the transition through some configurations.

        Args:
            names: behaviors before and after, for errors.
            stations: (nq,) configurations that stand.
            before: motion that ends, moving or not, at the first of them.
            after: motion that starts at rest at the last.

        Raises:
            BackbeatError: no motion was found, or it would be a long walk.
        """
        legs: list[Leg] = []
        for a, b in itertools.pairwise(stations):
            motion = legs[-1].motion if legs else before
            moves = motion.v[-1].any()
            if moves or np.abs(self._difference(a, b)).max() > SAME:
                end = self._end(after, 0) if b is stations[-1] else LegEnd()
                legs.append(self._leg(names, a, b, self._end(motion, -1), end))
        return legs

    def _end(self, motion: DenseTrajectory, i: int) -> LegEnd:
        """How a leg begins or ends that joins a motion at its first or last sample."""
        contacts = motion.contacts
        wrench = {n: motion.wrench[i, contacts.index(n)] for n in self.robot.soles}
        touches = touching(self.robot, motion, i)
        if not motion.v[i].any():
            return LegEnd(None, None, wrench, touches)
        return LegEnd(motion.v[i], motion.vdot[i], wrench, touches)

    def _difference(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        d = np.zeros(self.robot.num_velocities)
        box_minus(b, a, True, d)
        return d

    def _leg(
        self,
        names: tuple[str, str],
        a: np.ndarray,
        b: np.ndarray,
        start: LegEnd,
        end: LegEnd,
    ) -> Leg:
        steps, leg = not self.stands_as(a, b), None
        if steps:
            problems = iter([self._steps(names, a, b, start)])
        else:
            problems = (self._change(a, b, (start, end), *how) for how in TRIES)
        for problem in problems:
            problem = replace(problem, wrench_end=end.wrench)
            solution = InteriorPoint(Transcription(problem)).solve()
            if not solution.is_solved:
                continue
            motion = reconstruct(solution)
            leg = Leg("steps" if steps else "posture", solution, motion)
            # There is no other way to step.
            if steps or self._is_clear(motion):
                break
        if leg is None:
            raise BackbeatError(
                f"no transition from {names[0]} to {names[1]} found: "
                f"{explain(solution).sentence()}; put a behavior between them that "
                "ends nearer to where the next one starts, such as stand"
            )
        return leg

    def _is_clear(self, motion: DenseTrajectory) -> bool:
        """Whether nothing goes into anything, between knots too."""
        deepest = max(self._clearance.deepest(q)[0] for q in motion.q)
        return deepest <= BOUNDS["collision"]

    def _change(
        self,
        a: np.ndarray,
        b: np.ndarray,
        ends: tuple[LegEnd, LegEnd],
        pace: float,
        spacing: float,
    ) -> TrajectoryProblem:
        """A change of posture on both feet.

        Args:
            a, b, ends: from where to where, and how it begins and ends.
            pace: share of the usual time.
            spacing: distance of knots, at most [s].
        """
        start, end = ends
        if start.touches or end.touches:
            spacing = min(spacing, SPACING)
        robot, d = self.robot, self._difference(a, b)
        nv, feet = robot.base_velocities, support_poses(self.robot, a)
        time = pace * max(
            LEAST_TIME,
            np.abs(d[nv:]).max() / JOINT_SPEED,
            np.abs(d[3:nv]).max() / BASE_SPEED,
        )
        times = np.linspace(0.0, time, max(4, round(time / spacing)) + 1)
        path = self._path(a, b, times, start)
        knots, joints = np.arange(len(times)), np.arange(robot.num_joints)
        com_a, com_b = (Configuration(robot, q).center_of_mass for q in (a, b))
        com = com_a + minimum_jerk(times / time)[:, None] * (com_b - com_a)
        return self._problem(
            times,
            path,
            start,
            Limits(friction_share=0.8, patch_share=0.8),
            schedule=constant_stance(time, feet),
            tasks=[
                PostureTask(joints, knots, path[:, robot.base_positions :], 20.0),
                CenterOfMassTask(knots, com, np.array([400.0, 400.0, 0.0])),
                *touchdowns(start.touches, times - times[1]),
                *touchdowns(end.touches, times[-2] - times),
            ],
        )

    def _steps(
        self, names: tuple[str, str], a: np.ndarray, b: np.ndarray, start: LegEnd
    ) -> TrajectoryProblem:
        """Steps from the feet of one configuration to those of another."""
        robot = self.robot
        specification = FootstepSpecification(
            name=f"{names[0]} to {names[1]}",
            steps=steps_between(robot, names, a, b),
            knot_spacing=KNOT_SPACING,
        )
        walker = Walker(specification, robot, a, self.place(a).yaw)
        problem = walker.plan().problem
        knots = np.arange(problem.num_knots)
        path = self._path(a, b, problem.times, start)
        others = np.setdiff1d(np.arange(robot.num_joints), robot.leg_joints)
        angles = path[:, robot.base_positions + others]
        tasks = [*problem.tasks, PostureTask(others, knots, angles, 20.0)]
        return self._problem(
            problem.times, path, start, problem.limits, problem.schedule, tasks
        )

    def _path(
        self, a: np.ndarray, b: np.ndarray, times: np.ndarray, start: LegEnd
    ) -> np.ndarray:
        """(N, nq) from one configuration to another, coordinate by coordinate.

        Each has the least jerk among the curves from its state to rest.
        """
        d = self._difference(a, b)
        path, rest = np.tile(a, (len(times), 1)), np.zeros((2, len(d)))
        moving = rest if start.v is None else [start.v, start.vdot]
        ends = [np.r_[rest[:1], moving], np.r_[d[None], rest]]
        curve = scipy.interpolate.BPoly.from_derivatives(times[[0, -1]], ends)
        for q, change in zip(path, curve(times), strict=True):
            box_plus(a, change, 1.0, True, q)
        path[-2:] = b
        return path

    def _problem(
        self,
        times: np.ndarray,
        path: np.ndarray,
        start: LegEnd,
        limits: Limits,
        schedule: ContactSchedule,
        tasks: Sequence[Task],
    ) -> TrajectoryProblem:
        return TrajectoryProblem(
            robot=self.robot,
            times=times,
            q_start=path[0],
            v_start=start.v,
            vdot_start=start.vdot,
            wrench_start=start.wrench,
            q_end=path[-1],
            posture=path,
            guess=path,
            collisions=self.collisions,
            near=self._near(times, path),
            limits=limits,
            schedule=schedule,
            tasks=tasks,
        )

    def _near(
        self, times: np.ndarray, path: np.ndarray
    ) -> list[tuple[int, np.ndarray]]:
        """What is near something at an end may be so around it."""
        arrays, margin = self.collisions.arrays(), self.collisions.margin
        near = []
        for q, at in (
            (path[0], np.where(times <= NEAR)[0]),
            (path[-1], np.where(times >= times[-1] - NEAR)[0]),
        ):
            distance, _ = Configuration(self.robot, q).distances(arrays)
            near += [(int(i), at) for i in np.where(distance < 1.5 * margin)[0]]
        return near


def _are_same(a: Mapping[str, RigidTransform], b: Mapping[str, RigidTransform]) -> bool:
    """Whether contacts are in the same places."""
    return all(
        np.abs(a[n].GetAsMatrix34() - b[n].GetAsMatrix34()).max() < SAME for n in a
    )
