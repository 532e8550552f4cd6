"""Posture tours: stations to reach, hold and leave."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw

from behaviors.authored import Specification
from behaviors.behavior import Event, Mount, make_robot
from behaviors.motion_plan import MotionPlan, check_length
from behaviors.stance import start_configuration, support_poses
from behaviors.time_law import minimum_jerk
from models.collision import make_self_collision_model
from models.errors import BackbeatError
from models.robot import RobotModel
from optimization.contact_schedule import constant_stance
from optimization.inverse_kinematics import IKTarget, InverseKinematics
from optimization.tasks import CenterOfMassTask, FrameTask, PostureTask
from optimization.trajectory_problem import Task, TrajectoryProblem, Weights

# Least and most distance of knots [s].
FINEST, COARSEST = 0.01, 0.1


@dataclass
class Station:
    """One stop of a tour."""

    # Posture of the robot YAML to go to.
    posture: str = ""
    # Joints or groups that go there; empty for all. Others stay near the start.
    joints: list[str] = field(default_factory=list)
    # Angles of single joints beside the posture [rad].
    angles: dict[str, float] = field(default_factory=dict)
    # Height of the pelvis above the ground [m] and how far the trunk leans forward
    # [rad]; 0 for what the posture has.
    pelvis: float = 0.0
    lean: float = 0.0
    # Places for frames [m], from the middle of the feet.
    reach: dict[str, list[float]] = field(default_factory=dict)
    # Time to get there [s], and time to stay [s].
    move: float = 1.5
    hold: float = 0.5


@dataclass
class PostureSpecification(Specification):
    """Schema of `kind: posture`."""

    kind: str = "posture"
    # Posture at the start.
    start: str = "stand"
    stations: list[Station] = field(default_factory=list)
    # Distance of knots [s].
    knot_spacing: float = 0.05

    def plan(self, folder: Path) -> MotionPlan:
        """Compiles the tour into a trajectory problem.

        Raises:
            BackbeatError: a station names something unknown or impossible.
        """
        if not self.stations:
            raise BackbeatError(f"{self.name}: a posture tour needs stations")
        if not FINEST <= self.knot_spacing <= COARSEST:
            raise BackbeatError(
                f"{self.name}: knot_spacing is {self.knot_spacing:g} s; it goes from "
                f"{FINEST:g} to {COARSEST:g}"
            )
        robot = make_robot(self.robot, tuple(self.equipment), Mount())
        q_start = start_configuration(robot, self.start)
        ends = self._times()
        num_knots = max(4, round(ends[-1][1] / self.knot_spacing) + 1)
        times = np.linspace(0.0, ends[-1][1], num_knots)
        feet = support_poses(robot, q_start)
        problem = TrajectoryProblem(
            robot=robot,
            times=times,
            schedule=constant_stance(times[-1], feet),
            q_start=q_start,
            posture=q_start,
            tasks=self._tasks(robot, q_start, feet, times, ends),
            collisions=make_self_collision_model(robot),
            weights=self.objectives.weights(Weights()),
        )
        events = tuple(
            Event(start, "segment", s.posture, duration=end - start)
            for s, (start, end) in zip(self.stations, ends, strict=True)
        )
        return MotionPlan(problem, Mount(), events)

    def _times(self) -> list[tuple[float, float]]:
        """When each station is reached and left [s]."""
        t, ends = 0.0, []
        for station in self.stations:
            if not (station.move > 0 and station.hold >= 0):
                raise BackbeatError(
                    f"{self.name}: move must be > 0 s and hold >= 0 s at station "
                    f"{station.posture!r}"
                )
            numbers = [station.pelvis, station.lean, *station.angles.values()]
            if not np.isfinite(numbers).all():
                raise BackbeatError(
                    f"{self.name}: pelvis, lean and angles must be finite numbers at "
                    f"station {station.posture!r}"
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
    ) -> list[Task]:
        N = len(times)
        path = np.tile(q_start[robot.base_positions :], (N, 1))
        tasks: list[Task] = []
        last, left = path[0].copy(), 0.0
        for station, (reached, leave) in zip(self.stations, ends, strict=True):
            target = self._target(robot, q_start, feet, station)
            u = np.clip((times - left) / (reached - left), 0, 1)[:, None]
            blend = minimum_jerk(u)
            path = np.where(
                (times > left)[:, None], last + blend * (target - last), path
            )
            hold = np.where((times >= reached - 1e-9) & (times <= leave + 1e-9))[0]
            for frame, place in station.reach.items():
                X_WG = RigidTransform(np.array(place, float))
                tasks.append(FrameTask(frame, hold, X_WG, "x y z"))
            last, left = target, leave
        joints, knots = np.arange(robot.num_joints), np.arange(N)
        tasks.append(PostureTask(joints, knots, path, weight=20.0))
        tasks.append(_balance(feet, knots))
        return tasks

    def _target(
        self,
        robot: RobotModel,
        q_start: np.ndarray,
        feet: dict[str, RigidTransform],
        station: Station,
    ) -> np.ndarray:
        """(nj,) joint angles of a station, with its frames where they shall be."""
        nq = robot.base_positions
        q = start_configuration(robot, station.posture)
        if station.joints:
            chosen = nq + robot.joint_indices(station.joints)
            angles = q[chosen]
            q = q_start.copy()
            q[chosen] = angles
        for joint, angle in station.angles.items():
            q[nq + robot.joint_index(joint)] = angle
        if not (station.angles or station.pelvis or station.lean or station.reach):
            return q[nq:]
        targets = {n: IKTarget(X) for n, X in feet.items()}
        if station.pelvis:
            height = RigidTransform(np.array([0.0, 0.0, station.pelvis]))
            targets[robot.base_name] = IKTarget(height, "z")
        if station.lean:
            turn = RollPitchYaw(0.0, station.lean, 0.0)
            upright = RigidTransform(turn, np.zeros(3))
            targets[robot.trunk.name] = IKTarget(upright, "rx ry rz")
        for frame, place in station.reach.items():
            robot.frame(frame)
            if len(place) != 3 or not np.isfinite(place).all():
                raise BackbeatError(f"{self.name}: {frame} needs a place x, y, z")
            targets[frame] = IKTarget(RigidTransform(np.array(place, float)), "x y z")
        middle = np.mean([X.translation() for X in feet.values()], axis=0)
        found = InverseKinematics(robot).solve(q, targets, middle[:2])
        if not found.is_reached:
            raise BackbeatError(
                f"{self.name}: {found.worst} cannot reach "
                f"{station.reach.get(found.worst, 'its place')}; the nearest place "
                f"is {found.residual:.2f} m away"
            )
        return found.q[nq:]


def _balance(feet: dict[str, RigidTransform], knots: np.ndarray) -> CenterOfMassTask:
    """Keeps the center of mass over the middle of the feet."""
    middle = np.mean([X.translation() for X in feet.values()], axis=0)
    p = np.tile(middle, (len(knots), 1))
    return CenterOfMassTask(knots, p, np.array([400.0, 400.0, 0.0]))
