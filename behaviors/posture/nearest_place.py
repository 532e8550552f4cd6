"""Nearest place: where a hand gets that cannot reach its place on another robot.

Places go with the legs. Arms may not, and hands are as large as they are: what was just
above the floor may be out of reach, or leave a hand no clearance there.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

import numpy as np
from pydrake.math import RigidTransform

from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.kinematics.inverse_kinematics import IKSolution, IKTarget

# The farthest from its place that a hand may stay [leg lengths], how much farther than
# where it ended a place is drawn in [m], and how often.
FARTHEST, MORE, ROUNDS = 0.1, 5e-4, 10
# Clearance of a hand from the floor [m].
CLEARANCE = 0.02
# Finds the configuration for targets by frame.
Solve = Callable[[Mapping[str, IKTarget]], IKSolution]


def off_floor(
    robot: RobotModel, targets: Mapping[str, IKTarget], movable: Collection[str]
) -> dict[str, IKTarget]:
    """Targets with places that are clear of the floor, however their frames turn.

    Args:
        robot: the robot.
        targets: what was asked for, by frame.
        movable: frames whose places may be raised.
    """
    found = dict(targets)
    spheres = make_self_collision_model(robot).spheres
    for name in movable:
        frame, X = robot.frame(name), targets[name].X_WG
        sizes = [
            float(np.linalg.norm(s.frame.p_PF - frame.p_PF)) + s.radius
            for s in spheres
            if s.frame.body == frame.body
        ]
        low = CLEARANCE + max(sizes, default=0.0) - X.translation()[2]
        if sizes and low > 0.0:
            raised = RigidTransform(X.rotation(), X.translation() + [0.0, 0.0, low])
            found[name] = replace(targets[name], X_WG=raised)
    return found


def nearest_places(
    robot: RobotModel,
    targets: Mapping[str, IKTarget],
    movable: Collection[str],
    solve: Solve,
) -> tuple[IKSolution, dict[str, IKTarget]]:
    """Targets whose places are drawn in until all of them are reached.

    Args:
        robot: the robot.
        targets: what was asked for, by frame.
        movable: frames whose places may be drawn in.
        solve: finds the configuration for targets.

    Returns:
        The configuration, reached or not; and the targets.
    """
    found = dict(targets)
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
        found[name] = replace(target, X_WG=X)
        solved = solve(found)
    return solved, found


def spoken_shift(asked: IKTarget, target: IKTarget) -> str:
    """A place in words, and how far it is from the one that was asked for."""
    place = target.X_WG.translation()
    away = float(np.linalg.norm(place - asked.X_WG.translation()))
    return f"[{', '.join(f'{x:.3f}' for x in place)}] m, {1e3 * away:.0f} mm away"
