"""Robot, hand, start and law of a scenario in task space, without a simulation."""

from dataclasses import dataclass

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.description import SHIPPED, load_description
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.scenario.task_space_scenario import TaskSpaceScenario
from backbeat.mpc.task_space.law import TaskSpaceLaw

# What carries a robot is held by others.
HELD = ("left leg", "right leg")
# Posture of legs where neither scenario nor robot YAML has one.
STAND = "stand"
# Knees bent so far that the pelvis can go 0.1 m up and down, forward and sideways and
# turn by 0.1 rad, all at once.
WELDED_LEGS = "ready"


@dataclass(frozen=True)
class TaskSpaceSetup:
    """What a controller in task space needs.

    Attributes:
        robot: its model, joints that are held locked.
        hand: name of the hand's frame.
        q: (nq,) where the robot begins.
        law: the law.
        effort_limits: (nj,) what motors can do [N m].
    """

    robot: RobotModel
    hand: str
    q: np.ndarray
    law: TaskSpaceLaw
    effort_limits: np.ndarray


def robots_with_hand() -> list[str]:
    """Names of the robots that ship whose YAML says which frame is a hand."""
    return [n for n, path in SHIPPED.items() if load_description(path).task_space.hand]


def set_up(scenario: TaskSpaceScenario) -> TaskSpaceSetup:
    """Makes the controller of a scenario.

    Raises:
        BackbeatError: unknown robot, frame or posture, or a value that makes no sense.
    """
    scenario.check()
    legs = scenario.legs or (WELDED_LEGS if scenario.base.feet == "welded" else "")
    robot = task_space_robot(scenario.robot, legs)
    sways = scenario.base.amplitude or scenario.base.feet == "welded"
    if not robot.floating and sways:
        raise BackbeatError(
            f"the base of {robot.name!r} is bolted down and cannot sway"
        )
    hand = scenario.hand or robot.task_space.hand
    start = scenario.start or robot.task_space.start
    if not hand or not start:
        raise BackbeatError(
            f"say which frame of {robot.name!r} is its hand and a start, in the "
            "scenario or as `task_space: {hand: FRAME, start: POSTURE}` in its YAML"
        )
    q = start_posture(robot, start, legs)
    posture = robot.posture(scenario.posture) if scenario.posture else q
    limits = scenario.effort_share * robot.effort_limits
    joints = posture[robot.base_positions :]
    law = TaskSpaceLaw(robot, hand, scenario.control, joints, limits)
    return TaskSpaceSetup(robot, hand, q, law, limits)


def task_space_robot(name: str, legs: str = "") -> RobotModel:
    """The model of a robot that is controlled in task space; legs are held.

    Args:
        name: name or path of the robot.
        legs: posture of the legs; "" for the one in which the robot starts.
    """
    robot = RobotModel(name)
    if not robot.floating:
        return robot
    there = [role for role in HELD if role in robot.roles]
    held = [robot.joint_names[i] for role in there for i in robot.roles.joints(role)]
    angles = robot.posture_joints(legs or robot.task_space.start or STAND)
    return RobotModel(name, locked={j: angles.get(j, 0.0) for j in held})


def start_posture(robot: RobotModel, start: str, legs: str) -> np.ndarray:
    """(nq,) a posture, the base as high as legs in theirs carry it."""
    q = robot.posture(start)
    if robot.floating and legs:
        q[:7] = robot.posture(legs)[:7]
    return q
