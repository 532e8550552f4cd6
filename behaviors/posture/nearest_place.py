"""Nearest place: where a hand gets that cannot reach its place on another robot."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import numpy as np
from pydrake.math import RigidTransform

from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.kinematics.inverse_kinematics import IKSolution, IKTarget

# The farthest from its place that a hand may stay [leg lengths], how much farther than
# where it ended a place is drawn in [m], and how often.
FARTHEST, MORE, ROUNDS = 0.1, 5e-4, 10
# Finds the configuration for targets by frame.
Solve = Callable[[Mapping[str, IKTarget]], IKSolution]


def nearest_places(
    robot: RobotModel,
    targets: Mapping[str, IKTarget],
    movable: Collection[str],
    solve: Solve,
) -> tuple[IKSolution, dict[str, IKTarget], dict[str, float]]:
    """Targets whose places are drawn in until all of them are reached.

    Args:
        robot: the robot.
        targets: what was asked for, by frame.
        movable: frames whose places may be drawn in.
        solve: finds the configuration for targets.

    Returns:
        The configuration, reached or not; the targets; and how far those that were
        drawn in are from what was asked for [m], by frame.
    """
    found, moved = dict(targets), dict[str, float]()
    solved = solve(found)
    for _ in range(ROUNDS):
        name = solved.worst
        if solved.is_reached or name not in movable:
            break
        target = found[name]
        place = target.X_WG.translation()
        at = Configuration(robot, solved.q).pose(name).translation()
        short = at - place
        length = float(np.linalg.norm(short))
        place = place + short * (1.0 + MORE / length)
        away = float(np.linalg.norm(place - targets[name].X_WG.translation()))
        if away > FARTHEST * robot.leg_length:
            break
        X = RigidTransform(target.X_WG.rotation(), place)
        found[name], moved[name] = replace(target, X_WG=X), away
        solved = solve(found)
    return solved, found, moved
