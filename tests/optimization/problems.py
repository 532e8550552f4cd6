"""Small problems with every kind of residual, built without a specification."""

from dataclasses import replace

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw

from backbeat.behaviors.footsteps.heel_and_toe import tilted
from backbeat.behaviors.posture.stance import start_configuration, support_poses
from backbeat.models.collision.making import make_collision_model
from backbeat.models.collision.shapes import CYLINDER, WORLD, Solid
from backbeat.models.dynamics.edges import HEEL, TOE
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.problem.contact_schedule import (
    ContactSchedule,
    Phase,
    constant_stance,
)
from backbeat.optimization.problem.tasks import CenterOfMassTask, FrameTask, PostureTask
from backbeat.optimization.problem.trajectory_problem import (
    Impact,
    Limits,
    TrajectoryProblem,
)
from backbeat.optimization.problem.weights import TrajectoryWeights
from tests.arms_ahead import put_arms_ahead

# Somewhere in the world, where the axes of things are not those of the world.
PLACE = RigidTransform(RollPitchYaw(0.0, 0.0, 0.5), [0.4, -0.3, 0.0])


def standing(robot: RobotModel, place: RigidTransform) -> np.ndarray:
    """(nq,) the posture `stand` at a place."""
    q = start_configuration(robot, "stand")
    X_WB = place @ Configuration(robot, q).pose("pelvis")
    q[:4] = X_WB.rotation().ToQuaternion().wxyz()
    q[4:7] = X_WB.translation()
    return q


def squat(
    num_knots: int = 11,
    duration: float = 1.0,
    place: RigidTransform = PLACE,
    **changes,
):
    """Ten centimeters down and up again, on both feet."""
    robot = RobotModel()
    q = standing(robot, place)
    times = np.linspace(0.0, duration, num_knots)
    path = np.tile(Configuration(robot, q).center_of_mass, (num_knots, 1))
    path[:, 2] -= 0.1 * np.sin(np.pi * times / duration) ** 2
    return replace(_on_both_feet(robot, q, times, path), **changes)


def _on_both_feet(robot, q, times, path):
    """The center of mass goes along a path, both feet stay where they are."""
    return TrajectoryProblem(
        robot=robot,
        times=times,
        schedule=constant_stance(times[-1], support_poses(robot, q)),
        q_start=q,
        posture=q,
        tasks=[CenterOfMassTask(np.arange(len(times)), path, np.full(3, 400.0))],
    )


def uneven(**changes):
    """A squat with intervals of different lengths."""
    steps = [0.10, 0.10, 0.05, 0.05, 0.15, 0.10, 0.12, 0.13]
    return squat(9, duration=0.8, times=np.r_[0.0, np.cumsum(steps)], **changes)


def rolled(num_knots: int = 9, duration: float = 1.0, **changes):
    """Both feet roll, one over its heel and one over its toe, and come back."""
    plain = squat(num_knots, duration)
    feet = plain.schedule.phases[0].contacts
    parts = np.array([0.25, 0.5, 0.25]) * plain.times[-1]
    schedule = ContactSchedule(
        (
            Phase(parts[0], feet, "flat"),
            Phase(parts[1], feet, "rolled", {"l_foot": HEEL, "r_foot": TOE}),
            Phase(parts[2], feet, "flat again"),
        )
    )
    middle = plain.knots(parts[0], parts[0] + parts[1])
    tasks = [
        FrameTask(name, middle, tilted(X, 0.0, pitch), "ry", weight=400.0)
        for (name, X), pitch in zip(feet.items(), (-0.2, 0.3), strict=True)
    ]
    return replace(plain, schedule=schedule, tasks=[*plain.tasks, *tasks], **changes)


def jump(num_knots: int = 41, flight: float = 0.25, **changes):
    """Straight up from both feet and down onto them."""
    robot = RobotModel()
    q = standing(robot, PLACE)
    feet = support_poses(robot, q)
    stance = 0.7
    phases = (
        Phase(stance, feet, "push"),
        Phase(flight, {}, "flight"),
        Phase(stance, feet, "land"),
    )
    schedule = ContactSchedule(phases)
    times = np.linspace(0.0, schedule.duration, num_knots)
    problem = TrajectoryProblem(
        robot=robot, times=times, schedule=schedule, q_start=q, posture=q
    )
    air = problem.knots(stance + 1e-6, stance + flight - 1e-6)
    tasks = [FrameTask(name, air, X, "z", lower=0.0) for name, X in feet.items()]
    return replace(problem, tasks=tasks, **changes)


def stroke(num_knots: int = 25, seated: bool = False, **changes):
    """The left stick rests on a head, the right one strikes another in between.

    Every kind of residual occurs: feet and resting tip, an impact, bounds on a
    path, targets with costs, and shapes that keep their distance.
    """
    seat = RigidTransform([0.0, 0.0, 0.85]) if seated else None
    robot = RobotModel("atlas", ("sticks",), seat)
    q = start_configuration(robot, "stand")
    put_arms_ahead(robot, q)
    state = Configuration(robot, q)
    feet = {} if seated else support_poses(robot, q)
    rest = RigidTransform(state.pose("l_stick_tip").translation())
    above = state.pose("r_stick_tip").translation()
    head = RigidTransform(RollPitchYaw(0.05, -0.1, 0.3), above - [0.0, 0.0, 0.06])
    times = np.linspace(0.0, 0.96, num_knots)
    half, hit = num_knots // 2, num_knots // 2
    schedule = ContactSchedule(
        (
            Phase(times[half + 2], {**feet, "l_stick_tip": rest}, "rest"),
            Phase(times[-1] - times[half + 2], feet, "lift"),
        )
    )
    drum = RigidTransform([0.0, 0.0, -0.01 - 0.05])
    solid = Solid("drum", CYLINDER, WORLD, head @ drum, np.array([0.12, 0.05, 0.0]))
    collisions = make_collision_model(robot, ["r_stick", "r_hand"], [solid])
    tips = collisions.spheres_of("r_stick", "tip")
    knots, near = np.arange(num_knots), np.arange(hit - 1, hit + 2)
    step = 0.6 * times[1]
    tasks = [
        FrameTask("r_stick_tip", np.array([hit]), head, "x y z"),
        FrameTask("r_stick_tip", near[::2], head, "z", lower=step, upper=3 * step),
        FrameTask("r_hand_face", knots, state.pose("r_hand_face"), "x y", weight=5.0),
        FrameTask("pelvis", knots, RigidTransform(), "rx ry rz", weight=20.0),
        PostureTask(robot.joint_indices(["back"]), knots, np.zeros(3), 8.0),
    ]
    if feet:
        middle = np.tile([0.0, 0.0, 0.0], (num_knots, 1))
        tasks.append(CenterOfMassTask(knots, middle, np.array([100.0, 100.0, 0.0])))
    problem = TrajectoryProblem(
        robot=robot,
        times=times,
        schedule=schedule,
        q_start=q,
        posture=q,
        tasks=tasks,
        impacts=[Impact(hit, "r_stick_tip", 1.5, tuple(head.rotation().col(2)))],
        collisions=collisions,
        near=[(i, near) for i in tips],
        limits=Limits(friction_share=0.8, patch_share=0.5),
        weights=TrajectoryWeights(
            effort=0.3, smoothness_share={"base": 5.0, "r_wrist": 0.1}
        ),
    )
    return replace(problem, **changes)


def carries(problem: TrajectoryProblem, k: int, name: str) -> bool:
    """Whether a contact carries at knot k by the schedule.

    One that strikes does from switch to switch, the others between switches.
    """
    t, schedule = problem.times[k], problem.schedule
    if any(impact.contact == name for impact in problem.impacts):
        return name in schedule.standing(t)
    return all(name in schedule.standing(t + s) for s in (-1e-6, 1e-6))


def sway(num_knots: int = 41, **changes):
    """The H1, whose ankles do not roll, eight centimeters to the left and back."""
    robot = RobotModel("h1")
    q, duration = standing(robot, PLACE), 1.6
    times = np.linspace(0.0, duration, num_knots)
    path = np.tile(Configuration(robot, q).center_of_mass, (num_knots, 1))
    way = 0.08 * np.sin(np.pi * times / duration) ** 2
    path += way[:, None] * PLACE.rotation().matrix()[:, 1]
    return replace(_on_both_feet(robot, q, times, path), **changes)
