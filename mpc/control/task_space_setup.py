"""Robot, hand and law of a run in task space, and the behavior that it has: to rest."""

import hashlib
import json
from dataclasses import asdict

import numpy as np

from backbeat.behaviors.library.behavior import (
    Behavior,
    Mount,
    centroidal_quantities,
    make_robot,
)
from backbeat.behaviors.library.robots import USUAL_ROBOT, robot_hash
from backbeat.behaviors.music.notation.meter import COMMON
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.description import SHIPPED, load_description
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.world.scene import Scene
from backbeat.mpc.scenario.specification import TASK_SPACE, Scenario
from backbeat.mpc.scenario.task_space_task import DURATION, TaskSpaceTask
from backbeat.mpc.task_space.law import TaskSpaceLaw
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory, unforced
from backbeat.optimization.verification.certificate import Certificate

# What carries a robot is held by others.
HELD = ("left leg", "right leg")
# Posture of legs where neither scenario nor robot YAML has one.
STAND = "stand"
# Knees bent so far that the pelvis can go 0.1 m up and down, forward and sideways and
# turn by 0.1 rad, all at once.
WELDED_LEGS = "ready"


def robots_with_hand() -> list[str]:
    """Names of the robots that ship whose YAML says which frame is a hand."""
    return [n for n, path in SHIPPED.items() if load_description(path).task_space.hand]


def set_up(behavior: Behavior, task: TaskSpaceTask) -> TaskSpaceLaw:
    """Makes the law of a run.

    Args:
        behavior: that of `task_space_behavior`.
        task: what the hand does.

    Raises:
        BackbeatError: unknown frame or posture.
    """
    robot = behavior.robot_model
    posture = robot.posture(task.posture) if task.posture else behavior.motion.q[0]
    limits, joints = task.effort_share * robot.effort_limits, robot.base_positions
    hand = hand_of(behavior)
    return TaskSpaceLaw(robot, hand, task.control, posture[joints:], limits)


def hand_of(behavior: Behavior) -> str:
    """Name of the frame that is the hand of a `task_space_behavior`."""
    return str(behavior.provenance["hand"])


def hand_place(behavior: Behavior, state: Configuration) -> np.ndarray:
    """(3,) where the hand is [m]."""
    frame = behavior.robot_model.frame(hand_of(behavior))
    return np.array(state.pose(frame).translation())


def hand_start(behavior: Behavior) -> np.ndarray:
    """(3,) where the hand begins [m]."""
    state = Configuration(behavior.robot_model, behavior.motion.q[0])
    return hand_place(behavior, state)


def _hand(robot: RobotModel, task: TaskSpaceTask) -> str:
    """Name of the frame that is the hand.

    Raises:
        BackbeatError: there is none, or nothing says which.
    """
    hand = task.hand or robot.task_space.hand
    if not hand:
        raise BackbeatError(
            f"say which frame of {robot.name!r} is its hand and a start, in task_space "
            "of the scenario or as `task_space: {hand: FRAME, start: POSTURE}` in its "
            "YAML"
        )
    robot.frame(hand)
    return hand


def task_space_behavior(scenario: Scenario) -> Behavior:
    """The behavior of a run in task space: its robot rests where it begins.

    Legs are held; with welded feet the simulated ones move.

    Raises:
        BackbeatError: the scenario has no task space, or an unknown robot or posture.
    """
    scenario = scenario.check()
    task, name = scenario.control.task_space, scenario.robot or USUAL_ROBOT
    if task is None:
        raise BackbeatError("this scenario has no task_space")
    is_welded = task.base.feet == "welded"
    legs = task.legs or (WELDED_LEGS if is_welded else "")
    robot, mount = _held(name, legs)
    if not robot.floating and (task.base.amplitude or is_welded):
        raise BackbeatError(
            f"the base of {robot.name!r} is bolted down and cannot sway"
        )
    start = task.start or robot.task_space.start
    hand = _hand(robot, task)
    q = robot.posture(start or STAND)
    if robot.floating and legs:
        q[:7] = robot.posture(legs)[:7]
    length = scenario.timing.duration or DURATION
    motion = _rest(robot, q, length)
    com, momentum, inertia = centroidal_quantities(robot, motion)
    story = asdict(task) | {"robot": robot_hash(name), "length": length}
    key = hashlib.sha256(json.dumps(story, sort_keys=True).encode()).hexdigest()
    return Behavior(
        name=TASK_SPACE,
        kind=TASK_SPACE,
        summary="A hand follows a target; what it leaves, the posture gets.",
        robot=name,
        equipment=(),
        mount=mount,
        scene=Scene(),
        bpm=0.0,
        meter=COMMON,
        motion=motion,
        com=com,
        momentum=momentum,
        inertia=inertia,
        events=(),
        certificate=Certificate(()),
        specification="",
        provenance={"key": key, "hand": hand},
    )


def task_space_robot(name: str, legs: str = "") -> RobotModel:
    """The model of a robot that is controlled in task space; legs are held.

    Args:
        name: name or path of the robot.
        legs: posture of the legs; "" for the one in which the robot starts.
    """
    return _held(name, legs)[0]


def _held(name: str, legs: str) -> tuple[RobotModel, Mount]:
    """The robot with its legs held, and how it is held."""
    robot = make_robot(name, (), Mount())
    if not robot.floating:
        return robot, Mount()
    there = [role for role in HELD if role in robot.roles]
    held = [robot.joint_names[i] for role in there for i in robot.roles.joints(role)]
    angles = robot.posture_joints(legs or robot.task_space.start or STAND)
    mount = Mount(locked={j: angles.get(j, 0.0) for j in held})
    return make_robot(name, (), mount), mount


def _rest(robot: RobotModel, q: np.ndarray, length: float) -> DenseTrajectory:
    """A robot that rests at q (nq,) for some time [s], its joints against gravity."""
    still = np.zeros((2, robot.num_velocities))
    motion = unforced(robot, np.array([0.0, length]), np.tile(q, (2, 1)), still)
    motion.tau[:] = -Configuration(robot, q).gravity_forces[robot.base_velocities :]
    return motion
