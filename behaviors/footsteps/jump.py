"""Jumps: what a motion that leaves the ground keeps to."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from backbeat.behaviors.footsteps.step import Step
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.problem.tasks import FrameTask
from backbeat.optimization.problem.trajectory_problem import Limits

# What a jump may take [s].
SHORT_FLIGHT, LONG_FLIGHT = 0.2, 0.45
# Share of torques, and distance from joint stops [rad], that a jump keeps to: in a
# landing that is askew, legs bend further and brake harder than planned.
JUMP_TORQUE, JUMP_MARGIN = 0.8, 0.1
# Feet of a jump come no nearer to the ground between its ends [m]; how high they get
# is up to the jump.
JUMP_CLEARANCE = 0.01
# How far the trunk goes down at most where thighs and trunk met in a deeper jump, and
# the most that makes sense [leg lengths].
CROUCH, MOST_CROUCH = 0.35, 1.0


def leaves_ground(steps: Sequence[Step]) -> bool:
    """Whether no foot stands in one of some steps."""
    return any(step.feet == "none" for step in steps)


def as_jump(limits: Limits) -> Limits:
    """Limits of steps as a jump has them."""
    return replace(limits, torque=JUMP_TORQUE, position_margin=JUMP_MARGIN)


def shallow(
    robot: RobotModel, q_start: np.ndarray, knots: np.ndarray, crouch: float
) -> FrameTask:
    """A bound on how far the trunk goes down.

    Args:
        robot: the robot.
        q_start: (nq,) where the jump starts.
        knots: knots at which it holds.
        crouch: how far from there [leg lengths].
    """
    name = robot.trunk.name
    targets = [Configuration(robot, q_start).pose(name)] * len(knots)
    return FrameTask(name, knots, targets, "z", lower=-crouch * robot.leg_length)
