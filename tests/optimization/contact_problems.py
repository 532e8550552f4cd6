"""Motions on more than flat feet: slopes, a block, a rail, a seat, a table."""

from dataclasses import replace

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix

from backbeat.behaviors.posture.stance import start_configuration
from backbeat.models.collision.shapes import BOX, NOTHING, WORLD, Solid
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKTarget,
    InverseKinematics,
)
from backbeat.optimization.problem.contact_schedule import (
    ContactSchedule,
    Phase,
    constant_stance,
)
from backbeat.optimization.problem.tasks import CenterOfMassTask, FrameTask
from backbeat.optimization.problem.trajectory_problem import Limits, TrajectoryProblem
from backbeat.optimization.problem.weights import TrajectoryWeights

SPACING = 0.05
FEET = {
    "l_foot": RigidTransform([0.0, 0.12, 0.0]),
    "r_foot": RigidTransform([0.0, -0.12, 0.0]),
}
LEVEL = IKTarget(RigidTransform(), "rx ry rz")


def posed(robot, targets, com_xy=(0.0, 0.0), posture="stand"):
    """(nq,) upright, with contacts at poses; a point keeps a direction only."""
    q = start_configuration(robot, posture)
    asked = {"utorso": LEVEL, "pelvis": replace(LEVEL, axes="rz")}
    for name, X_WC in targets.items():
        is_point = robot.contacts[name].is_point
        axes = "rx ry x y z" if is_point else "rx ry rz x y z"
        asked[name] = IKTarget(X_WC, axes)
    found = InverseKinematics(robot).solve(q, asked, np.array(com_xy, float))
    assert found.is_reached, (found.worst, found.residual)
    return found.q


def block(name, low, high):
    """A box in the world between two corners."""
    low, high = np.array(low, float), np.array(high, float)
    X_WS = RigidTransform(0.5 * (low + high))
    return Solid(name, BOX, WORLD, X_WS, 0.5 * (high - low))


def scene(*solids):
    """Things that verification sees and the motion has to avoid by its tasks."""
    return replace(NOTHING, solids=solids)


def problem(robot, q, phases, tasks=(), **others):
    """A problem with the trunk upright and knots every 50 ms."""
    schedule = ContactSchedule(tuple(phases))
    times = np.linspace(0, schedule.duration, round(schedule.duration / SPACING) + 1)
    trunk = FrameTask(
        "utorso", np.arange(len(times)), RigidTransform(), "rx ry rz", weight=20.0
    )
    return TrajectoryProblem(
        robot=robot,
        times=times,
        schedule=schedule,
        q_start=q,
        **({"posture": q} | others),
        tasks=[*tasks, trunk],
    )


def com_path(robot, q, moves, weight=(100.0, 100.0, 100.0)):
    """A task that moves the center of mass by (n, 3) offsets, one a knot."""
    com = Configuration(robot, q).center_of_mass
    return CenterOfMassTask(np.arange(len(moves)), com + moves, np.array(weight))


def swell(num):
    """(num,) up to one and back, at rest at the ends."""
    return np.sin(np.linspace(0, np.pi, num)) ** 2


def blend(u):
    """Minimum-jerk law, held at its ends."""
    u = np.clip(u, 0.0, 1.0)
    return u**3 * (10 - 15 * u + 6 * u**2)


def slope(roll, pitch, **others):
    """Swaying and squatting on tilted ground."""
    robot = RobotModel()
    ground = RigidTransform(RollPitchYaw(roll, pitch, 0.0), [0.0, 0.0, 0.0])
    feet = {name: ground @ X for name, X in FEET.items()}
    q = posed(robot, feet)
    moves = np.outer(swell(25), [0.02, 0.04, -0.05])
    tasks = [com_path(robot, q, moves)]
    return problem(robot, q, constant_stance(1.2, feet).phases, tasks, **others)


def steps_over_a_block(height=0.10, length=0.36, clearance=0.04):
    """Both feet up onto a block and down on its other side."""
    robot = RobotModel()
    q = posed(robot, FEET)
    places, phases, tasks = dict(FEET), [], []
    start, com = 0.6, []
    phases.append(Phase(start, dict(places)))
    com.append((0.0, np.mean([X.translation() for X in places.values()], 0)))
    for i in range(4):
        foot = ("l_foot", "r_foot")[i % 2]
        x, z = (i // 2 + 1) * length, height * (i < 2)
        other = ("r_foot", "l_foot")[i % 2]
        old, new = places[foot], RigidTransform([x, FEET[foot].translation()[1], z])
        support = places[other].translation()
        com.append((start, 0.7 * support + 0.3 * old.translation()))
        com.append((start + 0.7, 0.7 * support + 0.3 * new.translation()))
        phases.append(Phase(0.7, {other: places[other]}))
        tasks += swing(foot, start, start + 0.7, old, new, clearance)
        places[foot] = new
        phases.append(Phase(0.3 if i < 3 else 0.6, dict(places)))
        start += 1.0
    com.append((start + 0.3, np.mean([X.translation() for X in places.values()], 0)))
    t = np.linspace(0, 4.9, 99)
    moves = np.stack(
        [np.interp(t, [c[0] for c in com], [c[1][j] for c in com]) for j in range(3)], 1
    )
    tasks.append(com_path(robot, q, moves, (5.0, 5.0, 20.0)))
    middle = 0.5 * length
    solid = block(
        "block", [middle + 0.01, -0.4, -0.5], [length + middle - 0.01, 0.4, height]
    )
    return problem(robot, q, phases, tasks, collisions=scene(solid))


def swing(foot, start, end, old, new, clearance):
    """A foot through the air: up first when it climbs, down last when it descends."""
    knots = np.arange(round(start / SPACING) + 2, round(end / SPACING) - 1)
    u = (knots * SPACING - start - SPACING) / (end - start - 2 * SPACING)
    a, b = old.translation(), new.translation()
    climbs = b[2] > a[2]
    along = blend(1.6 * u - 0.6 * climbs)
    rise = blend(2.0 * u - 1.0 * (not climbs))
    room = clearance * np.sin(np.pi * u) ** 2
    path = a + along[:, None] * (b - a)
    path[:, 2] = a[2] + rise * (b[2] - a[2]) + room
    targets = [RigidTransform(old.rotation(), p) for p in path]
    yield FrameTask(foot, knots, targets, weight=400.0)
    for k, X, z in zip(knots, targets, room, strict=True):
        yield FrameTask(foot, np.array([k]), X, "z", lower=-0.7 * z)


def rail(least=50.0, most=100.0):
    """The left palm comes down on a rail, presses and leaves."""
    robot = RobotModel("atlas", ["palms"])
    top = RigidTransform([0.3, 0.55, 0.80])
    above = RigidTransform(top.translation() + [0.0, 0.0, 0.1])
    q = posed(robot, {**FEET, "l_palm": above})
    phases = [
        Phase(0.6, FEET, "stand"),
        Phase(0.8, {**FEET, "l_palm": top}, "press"),
        Phase(0.6, FEET, "stand"),
    ]
    knots = np.arange(41)
    tasks = [
        com_path(robot, q, np.zeros((41, 3))),
        FrameTask("l_palm", knots, top, "rx ry", weight=20.0),
        FrameTask("l_palm", knots[-5:], above, "x y z", weight=100.0),
    ]
    solid = block("rail", [-0.5, 0.51, 0.75], [1.0, 0.59, 0.80])
    limits = Limits(contact_forces={"l_palm": (least, most)})
    return problem(robot, q, phases, tasks, limits=limits, collisions=scene(solid))


def rise():
    """Sitting on a stool, and up from it."""
    robot = RobotModel("atlas", ["seat"])
    seat = RigidTransform([-0.28, 0.0, 0.55])
    q = posed(robot, {**FEET, "seat": seat}, (-0.26, 0.0), "seated")
    up = posed(robot, FEET)
    phases = [
        Phase(1.0, {**FEET, "seat": seat}, "sit"),
        Phase(1.5, FEET, "stand"),
    ]
    t = np.linspace(0, 2.5, 51)
    ends = [Configuration(robot, x).center_of_mass for x in (q, up)]
    moves = blend((t[:, None] - [0.2, 0.2, 0.9]) / 1.0) * (ends[1] - ends[0])
    posture = np.where(t[:, None] < 1.0, q, up)
    tasks = [com_path(robot, q, moves, (20.0, 20.0, 20.0))]
    solid = block("stool", [-0.5, -0.2, 0.50], [-0.18, 0.2, 0.55])
    # Feet and seat would rather not tip: who sits over the seat loads the seat.
    others = {"posture": posture, "weights": TrajectoryWeights(moment=400.0)}
    result = problem(robot, q, phases, tasks, collisions=scene(solid), **others)
    # To rise, the trunk leans.
    tasks = [
        replace(x, weight=1.0) if isinstance(x, FrameTask) else x for x in result.tasks
    ]
    return replace(result, tasks=tasks)


def table():
    """Two feet, two palms on a table, and the body leans forward onto them."""
    robot = RobotModel("atlas", ["palms"])
    palms = {
        "l_palm": RigidTransform([0.45, 0.30, 0.75]),
        "r_palm": RigidTransform([0.45, -0.30, 0.75]),
    }
    contacts = {**FEET, **palms}
    q = posed(robot, contacts)
    moves = np.outer(swell(31), [0.08, 0.0, -0.02])
    limits = Limits(contact_forces=dict.fromkeys(palms, (5.0, 150.0)))
    solid = block("table", [0.35, -0.6, 0.70], [1.0, 0.6, 0.75])
    phases = constant_stance(1.5, contacts).phases
    tasks = [com_path(robot, q, moves, (400.0, 400.0, 400.0))]
    tasks += [FrameTask(n, np.arange(31), X, "rx ry") for n, X in palms.items()]
    return problem(robot, q, phases, tasks, limits=limits, collisions=scene(solid))


def one_foot():
    """On the left foot alone; the right one moves forward in the air."""
    robot = RobotModel()
    left = {"l_foot": FEET["l_foot"]}
    raised = RigidTransform(FEET["r_foot"].translation() + [0.0, 0.0, 0.1])
    q = posed(robot, {**left, "r_foot": raised}, FEET["l_foot"].translation()[:2])
    path = [
        RigidTransform(RotationMatrix(), raised.translation() + [0.15 * s, 0.0, 0.0])
        for s in swell(25)
    ]
    tasks = [FrameTask("r_foot", np.arange(25), path, weight=100.0)]
    return problem(robot, q, constant_stance(1.2, left).phases, tasks)
