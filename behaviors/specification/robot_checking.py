"""Checking robots: what is wrong with a robot YAML, before anything is built for it."""

from pathlib import Path

from backbeat.behaviors.library.balance import (
    LEAST_BALANCE,
    balance_margin,
    support_polygon,
)
from backbeat.behaviors.posture.stance import start_configuration, support_poses
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.yaml_file import read_tree
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

# Posture that most behaviors start in, and roles that dances ask for.
STAND = "stand"
ASKED = ("waist", "left arm", "right arm", "left leg", "right leg")


def is_robot(text: str, path: str | Path) -> bool:
    """Whether a YAML describes a robot and no behavior.

    Raises:
        BackbeatError: it is no YAML.
    """
    keys = read_tree(text, Path(path).name)
    return "kind" not in keys and bool({"urdf", "like"} & set(keys))


def robot_faults(path: str | Path) -> tuple[list[str], list[str]]:
    """Sentences about what keeps a robot from behaviors, and about what is odd.

    Args:
        path: a robot YAML.

    Raises:
        BackbeatError: the robot cannot be loaded at all.
    """
    robot = RobotModel(path)
    faults: list[str] = []
    oddities: list[str] = []
    for name in robot.posture_names:
        try:
            robot.posture(name)
        except BackbeatError as error:
            faults.append(str(error))
    if not robot.floating:
        return faults, oddities
    try:
        feet = robot.feet
    except BackbeatError as error:
        oddities.append(str(error))
        return faults, oddities
    if STAND not in robot.posture_names:
        oddities.append(
            f"there is no posture {STAND!r}, in which most behaviors start; `backbeat "
            "adopt` finds one"
        )
    elif not faults:
        faults += _standing(robot)
    if missing := [role for role in ASKED if role not in robot.roles]:
        oddities.append(
            f"the roles {', '.join(missing)} have no joints: what asks for them is "
            "left out or refused"
        )
    limbs = {side: len(robot.contacts[name].limb) for side, name in feet.items()}
    if len(set(limbs.values())) > 1 or 0 in limbs.values():
        faults.append(
            f"the limbs of the soles have {limbs['left']} and {limbs['right']} joints; "
            "name under `limb` all joints from the base to each foot"
        )
    return faults, oddities


def _standing(robot: RobotModel) -> list[str]:
    """What is wrong with the posture that it stands in."""
    try:
        q = start_configuration(robot, STAND)
        poses = support_poses(robot, q)
    except BackbeatError as error:
        return [f"posture {STAND!r}: {error}"]
    center = Configuration(robot, q).center_of_mass[:2]
    margin = balance_margin(support_polygon(robot, poses), center)
    least = min(
        LEAST_BALANCE, 0.25 * min(2 * robot.contacts[n].half_length for n in poses)
    )
    if margin < least:
        return [
            f"posture {STAND!r}: the center of mass is {1e3 * margin:.0f} mm inside "
            f"the edge of the feet, and {1e3 * least:.0f} mm are kept"
        ]
    return []
