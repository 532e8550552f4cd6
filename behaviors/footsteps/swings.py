"""Swings: tasks of feet on their way through the air, and of those that roll."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from pydrake.math import RigidTransform

from backbeat.behaviors.footsteps.footprints import Footprint, Footprints, swing_path
from backbeat.behaviors.footsteps.heel_and_toe import Roll, tilted
from backbeat.behaviors.footsteps.jump import JUMP_CLEARANCE
from backbeat.behaviors.footsteps.step import FEET, STANDING
from backbeat.behaviors.motion.time_law import minimum_jerk
from backbeat.models.dynamics.edges import EDGE_NAMES, HEEL, TOE, edge_offset
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.problem.tasks import FrameTask

# A swing keeps at least this share of its clearance.
LEAST_CLEARANCE = 0.8
# Heels and toes of pitched feet keep at least this share of it.
EDGE_CLEARANCE = 0.5
# Cost per second on the pitch of a foot that rolls, on its edge and in the air
# [1/rad^2]: one that is pitched farther has its other edge in the ground.
PITCH_WEIGHT = 400.0


def swing_tasks(robot: RobotModel, prints: Footprints) -> Iterator[FrameTask]:
    """Feet through the air, and over their edges.

    Args:
        robot: the robot.
        prints: where its feet are.
    """
    for i, step in enumerate(prints.steps):
        for foot in FEET:
            if foot not in STANDING[step.feet]:
                yield from _swing(robot, prints, i, foot)
    for roll in prints.rolls:
        yield _pitch(robot, prints, roll)


def _swing(
    robot: RobotModel, prints: Footprints, i: int, foot: str
) -> Iterator[FrameTask]:
    """A foot in the air: near its path, above the ground, level at first."""
    first, last = prints.starts[i] + 2, prints.starts[i + 1] - 1
    knots, step, name = np.arange(first, last), prints.steps[i], robot.feet[foot]
    if len(knots) == 0:
        return
    a, b = prints.places[foot][i], prints.places[foot][i + 1]
    u = (knots - first + 1.0) / (last - first + 1.0)
    leaves, lands = prints.roll_of(i - 1, foot, TOE), prints.roll_of(i + 1, foot, HEEL)
    ends = _moved(robot, prints, a, leaves), _moved(robot, prints, b, lands)
    path, height = swing_path(*ends, step, u)
    pitch = prints.pitches(i, foot, u)
    # The lower edge of a pitched sole is as high as a flat one.
    path[:, 2] += robot.contacts[name].half_length * np.abs(np.sin(pitch))
    targets = [
        tilted(Footprint(p, a.yaw + s * (b.yaw - a.yaw), a.R).pose(), 0.0, turn)
        for p, s, turn in zip(path, minimum_jerk(u), pitch, strict=True)
    ]
    free = step.feet == "none"
    # One that rolls does so with its leg.
    turns = "ry rz" if robot.contacts[name].rolls else "rx ry rz"
    yield FrameTask(name, knots, targets, turns, weight=40.0)
    if pitch.any():
        yield FrameTask(name, knots, targets, "ry", weight=PITCH_WEIGHT)
        ground = a.p[2] + minimum_jerk(u) * (b.p[2] - a.p[2])
        for edge in EDGE_NAMES:
            for k, z in zip(knots, ground + EDGE_CLEARANCE * height, strict=True):
                X = RigidTransform([0.0, 0.0, z])
                yield FrameTask(f"{name}.{edge}", np.array([k]), X, "z", lower=0.0)
    if not free:
        yield FrameTask(name, knots, targets, "x y", weight=40.0)
        yield FrameTask(name, knots, targets, "z", weight=400.0)
    for k, X, z in zip(knots, targets, height, strict=True):
        low = min(z, JUMP_CLEARANCE) - z if free else (LEAST_CLEARANCE - 1) * z
        yield FrameTask(name, np.array([k]), X, "z", lower=low)


def _pitch(robot: RobotModel, prints: Footprints, roll: Roll) -> FrameTask:
    """A foot on its edge: pitched as far as its step has it."""
    first, last = prints.starts[roll.step : roll.step + 2]
    if roll.edge == HEEL:
        knots = np.arange(first, first + roll.knots)
    else:
        knots = np.arange(last - roll.knots, last) + 1
    contact = robot.contacts[robot.feet[roll.foot]]
    support = prints.places[roll.foot][roll.step].pose()
    e = float(edge_offset(contact, roll.edge))
    targets = [tilted(support, e, pitch) for pitch in roll.pitches()]
    return FrameTask(robot.feet[roll.foot], knots, targets, "ry", weight=PITCH_WEIGHT)


def _moved(
    robot: RobotModel, prints: Footprints, place: Footprint, roll: Roll | None
) -> Footprint:
    """Where the middle of a foot is that leaves or lands on an edge, but its height."""
    if roll is None:
        return place
    e = float(edge_offset(robot.contacts[robot.feet[roll.foot]], roll.edge))
    ahead = tilted(place.pose(), e, roll.pitch).translation() - place.p
    return replace(place, p=place.p + [ahead[0], ahead[1], 0.0])
