"""Schema: the meaning of the numbers of a message, from a robot model.

Numbers travel without names. Their order is agreed on once, by name: the client
sends the names of the entries of its vectors, and the controller permutes them to its
own order, or refuses with the differences.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backbeat.models.robot.model import RobotModel
from backbeat.models.state.names import position_names, velocity_names

# Raised when messages change.
VERSION = 1
# Blocks of a command, each with a number for every joint, and their units.
COMMAND = {
    "effort": "N m",
    "position": "rad",
    "velocity": "rad/s",
    "stiffness": "N m/rad",
    "damping": "N m s/rad",
    "coming": "rad/s",
    "integral": "N m/rad/s",
    "feedforward": "1",
    "effort_feedback": "1",
}


@dataclass(frozen=True)
class Schema:
    """The order of numbers in messages, and whose they are.

    Attributes:
        version: of the messages.
        robot: name of the robot.
        model: fingerprint of its joints, limits, masses and inertias, whatever their
            order.
        positions, velocities: names of the entries of q and v.
        soles: whose normal forces are sent.
        joints: names of the joints in every block of a command.
        command: names of the blocks.
    """

    version: int
    robot: str
    model: str
    positions: tuple[str, ...]
    velocities: tuple[str, ...]
    soles: tuple[str, ...]
    joints: tuple[str, ...]
    command: tuple[str, ...] = tuple(COMMAND)


def make_schema(robot: RobotModel) -> Schema:
    """The schema of a robot."""
    return Schema(
        VERSION,
        robot.name,
        model_fingerprint(robot),
        tuple(position_names(robot)),
        tuple(velocity_names(robot)),
        robot.soles,
        robot.joint_names,
    )


def model_fingerprint(robot: RobotModel) -> str:
    """SHA-256 of what moves how under which torque, joint by joint in order of names.

    Numbers count to nine digits, for the last ones depend on the order of summation.
    """
    tree, names = robot.tree, robot.joint_names
    sha = hashlib.sha256()

    def add(name: str, *values: np.ndarray) -> None:
        numbers = np.concatenate([np.ravel(np.asarray(x, float)) for x in values])
        # Adding zero makes a negative zero positive.
        text = " ".join(f"{x + 0.0:.9g}" for x in np.round(numbers, 9))
        sha.update(f"{name} {text}\n".encode())

    fixed = np.zeros(0) if tree.floating else np.r_[tree.R_WB.ravel(), tree.p_WB]
    add("base", tree.mass[0], tree.p_BoBcm[0], tree.I_BBcm[0], fixed)
    for j in sorted(range(len(names)), key=lambda i: names[i]):
        parent = int(tree.parent[j])
        sha.update((names[parent - 1] if parent else "base").encode())
        add(names[j], tree.R_PJ[j], tree.p_PJ[j], tree.axis[j])
        add("body", tree.mass[j + 1], tree.p_BoBcm[j + 1], tree.I_BBcm[j + 1])
        limits = (robot.position_lower[j], robot.position_upper[j])
        add("limits", *limits, robot.effort_limits[j], robot.damping[j])
        motor = (tree.rotor[j], robot.motors.stall[j], robot.motors.slope[j])
        if any(motor):
            add("motor", *motor)
    pairs = robot.motors.pairs
    for p, joints in enumerate(pairs.joints):
        line = pairs.effort[p], pairs.stall[p], pairs.slope[p]
        add(" ".join(names[j] for j in joints), pairs.torque[p], *line)
    return sha.hexdigest()


def differences(mine: Schema, theirs: Schema) -> list[str]:
    """Why two ends do not understand each other, in words; empty when they do.

    Args:
        mine: of the controller.
        theirs: of the client; the order of its names is free.
    """
    if theirs.version != mine.version:
        return [f"messages have version {theirs.version}, here {mine.version}"]
    found = []
    if theirs.robot != mine.robot:
        found.append(f"the robot is {theirs.robot!r}, here {mine.robot!r}")
    for what in ("joints", "positions", "velocities", "soles", "command"):
        found += _named(what, getattr(mine, what), getattr(theirs, what))
    if not found and theirs.model != mine.model:
        found.append(
            f"the robot {mine.robot} has other masses, limits or lengths "
            f"({theirs.model[:12]}, here {mine.model[:12]})"
        )
    return found


def _named(what: str, mine: Sequence[str], theirs: Sequence[str]) -> list[str]:
    found = []
    for sentence, a, b in (
        ("{} {} are unknown here", theirs, mine),
        ("{} {} are missing", mine, theirs),
    ):
        extra = [name for name in a if name not in b]
        if extra:
            more = f" and {len(extra) - 3} more" if len(extra) > 3 else ""
            found.append(sentence.format(what, ", ".join(extra[:3]) + more))
    if not found and len(theirs) != len(mine):
        found.append(f"{what} are named twice")
    return found


def order(mine: Sequence[str], theirs: Sequence[str]) -> np.ndarray | None:
    """Indices with mine = theirs[indices]; None when both have the same order."""
    if tuple(mine) == tuple(theirs):
        return None
    return np.array([list(theirs).index(name) for name in mine])
