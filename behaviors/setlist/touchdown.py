"""Touchdowns: how points come to rest on things in a transition, and leave them.

They do so straight along the normal and at a steady speed. An arm whose masses are not
those of the plan is a few millimeters too low; a point that came down ever more slowly
would then touch a tenth of a second early, and tremble there until it is to press.
"""

from collections.abc import Mapping

import numpy as np
from pydrake.math import RigidTransform, RotationMatrix

from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.problem.tasks import FrameTask

# Speed beside a touch [m/s], too slow for a hit, and for how long [s].
SPEED, TIME = 0.2, 0.15
# Largest distance of knots with which a motion keeps that until just before [s].
SPACING = 0.025
# Weight of a point's place then.
STRAIGHT = 2e5


def touching(
    robot: RobotModel, motion: DenseTrajectory, i: int
) -> dict[str, RigidTransform]:
    """Points that rest on something at a sample, and where, z along its normal."""
    state, found = Configuration(robot, motion.q[i]), {}
    for c in np.flatnonzero(motion.standing[i]):
        name = motion.contacts[c]
        if robot.contacts[name].is_point:
            R = RotationMatrix(motion.R_WC[i, c])
            found[name] = RigidTransform(R, state.pose(name).translation())
    return found


def touchdowns(
    touches: Mapping[str, RigidTransform], away: np.ndarray
) -> list[FrameTask]:
    """Points on their way to where they touch, or from there.

    Args:
        touches: where, z along the normal, by name.
        away: (N,) time of each knot until they are there, or since they were [s].
    """
    knots = np.flatnonzero((away > 0) & (away <= TIME))
    above = [RigidTransform([0.0, 0.0, SPEED * t]) for t in away[knots]]
    return [
        FrameTask(name, knots, [X @ up for up in above], "x y z", weight=STRAIGHT)
        for name, X in touches.items()
    ]
