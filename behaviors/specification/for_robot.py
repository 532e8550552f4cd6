"""A specification for another robot than the one that it was written for.

Lengths are shares of the leg's: how far the center of mass sways, steps go and the
pelvis drops. Angles stay. Joints are taken by role, see
`backbeat.behaviors.dance.fitted`; what a robot lacks is left out, and said.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from backbeat.behaviors.dance.choreography import DanceSpecification
from backbeat.behaviors.dance.fitted import Likes
from backbeat.behaviors.dance.vocabulary.move_file import vocabulary
from backbeat.behaviors.footsteps.specification import FootstepSpecification
from backbeat.behaviors.library.behavior import Mount, make_robot
from backbeat.behaviors.library.store import check_name
from backbeat.behaviors.motion.authored import Authored
from backbeat.behaviors.posture.specification import PostureSpecification
from backbeat.behaviors.posture.stance import start_configuration
from backbeat.behaviors.specification.kinds import find_specification, kind_of
from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import read_text
from backbeat.models.robot.description import find_description
from backbeat.models.robot.model import RobotModel

# Kinds that another robot can take.
KINDS = (
    DanceSpecification.kind,
    FootstepSpecification.kind,
    PostureSpecification.kind,
)
# Keys that name places or files of one robot alone.
_ITS_OWN = ("equipment", "recordings", "feet")
# Digits of a length [m].
_DIGITS = 4


class ForRobot(NamedTuple):
    """A specification for a robot.

    Attributes:
        name: of the behavior: that of the specification, and the robot's.
        text: the specification as YAML.
        notes: what was left out of it.
    """

    name: str
    text: str
    notes: tuple[str, ...]


def behavior_name(name: str, robot: str) -> str:
    """Name of a behavior that another robot takes."""
    return check_name(f"{name}-{robot.lower().replace('_', '-')}"[:64])


def leg_length(robot: RobotModel) -> float:
    """Length of a leg from its first joint to the sole, stretched [m].

    Raises:
        BackbeatError: the robot has not two soles.
    """
    contact = robot.contacts[robot.feet["left"]]
    limb = sorted(contact.limb.tolist(), key=lambda j: robot.tree.num_ancestors[j])
    steps = [float(np.linalg.norm(robot.tree.p_PJ[j])) for j in limb[1:]]
    return sum(steps) + float(np.linalg.norm(contact.frame.p_PF))


def for_robot(path: str | Path, robot: str | Path) -> ForRobot:
    """A specification as another robot takes it.

    Args:
        path: the specification.
        robot: name of a robot that ships, or path of a robot YAML.

    Raises:
        BackbeatError: it is of a kind, or has keys, that suit one robot alone.
    """
    path, description = Path(path), find_description(robot)
    text = read_text(path)
    kind = kind_of(text, path.name)
    if kind not in KINDS:
        raise BackbeatError(
            f"{path.name} is of kind {kind}, which suits the robot that it was written "
            f"for; --robot is for {', '.join(KINDS)}"
        )
    tree: dict[str, Any] = yaml.safe_load(text)
    if own := [key for key in _ITS_OWN if tree.get(key)]:
        raise BackbeatError(
            f"{path.name} has {own[0]}, which suits the robot that it was written for; "
            "--robot takes specifications without it"
        )
    if (path.parent / "moves").is_dir() and kind == DanceSpecification.kind:
        raise BackbeatError(
            f"{path.name} has moves of its own beside it; write `robot: {description}` "
            "into it instead"
        )
    model = make_robot(str(description.resolve()), (), Mount())
    usual = make_robot(str(tree.get("robot", Authored.robot)), (), Mount())
    share = leg_length(model) / leg_length(usual)
    notes: list[str] = []
    title = model.name.replace("_", " ").replace("-", " ").title()
    tree["summary"] = str(tree.get("summary", "")).replace("Atlas", title)
    tree["name"] = behavior_name(str(tree.get("name", path.stem)), model.name)
    tree["robot"] = str(description.resolve())
    if kind == DanceSpecification.kind:
        _scale_dance(tree, share)
    elif kind == FootstepSpecification.kind:
        _scale_steps(tree, share)
    else:
        q = start_configuration(model, str(tree.get("start", "stand")))
        notes += _fit_stations(tree, (usual, model), share, q)
    header = f"# {path.name} for {model.name}, lengths times {share:.3f}.\n"
    body = yaml.safe_dump(tree, sort_keys=False, default_flow_style=None)
    return ForRobot(tree["name"], header + body, tuple(notes))


def write_for_robot(name: str | Path, robot: str | Path, folder: str | Path) -> Path:
    """Writes a specification for a robot into a folder; returns where.

    Args:
        name: a specification that ships, or the path of one.
        robot: as of `for_robot`.
        folder: where to write.
    """
    made = for_robot(find_specification(name), robot)
    path = Path(folder) / f"{made.name}.yaml"
    header = "".join(f"# Left out: {note}.\n" for note in made.notes)
    raw = (header + made.text).encode()
    if not path.is_file() or path.read_bytes() != raw:
        with replacing(path) as file:
            file.write(raw)
    return path


def _scale_dance(tree: dict[str, Any], share: float) -> None:
    """Scales all values of moves that are lengths, with the usual ones written out."""
    moves = vocabulary(Path())
    for rows in (tree.get("tracks") or {}).values():
        for row in rows or ():
            move = moves.get(row.get("move", ""))
            if move is None:
                continue
            lengths = {n: p for n, p in move.parameters.items() if p.unit == "m"}
            values = dict(row.get("values") or {})
            for name, p in lengths.items():
                length = float(values.get(name, p.default)) * share
                values[name] = _rounded(min(max(length, p.least), p.most))
            if values:
                row["values"] = values


def _scale_steps(tree: dict[str, Any], share: float) -> None:
    """Scales where steps go and how high."""
    for step in tree.get("steps") or ():
        if "to" in step:
            step["to"] = [_rounded(float(x) * share) for x in step["to"]]
        if "clearance" in step:
            step["clearance"] = _rounded(float(step["clearance"]) * share)


def _fit_stations(
    tree: dict[str, Any],
    robots: tuple[RobotModel, RobotModel],
    share: float,
    q: np.ndarray,
) -> list[str]:
    """Fits heights of the pelvis and single joints of a posture tour; returns notes."""
    usual, model = robots
    notes = []
    start = str(tree.get("start", "stand"))
    before, likes = start_configuration(usual, start), Likes(model, q, usual.name)
    for number, station in enumerate(tree.get("stations") or (), 1):
        if pelvis := float(station.get("pelvis") or 0.0):
            drop = (float(before[6]) - pelvis) * share
            station["pelvis"] = _rounded(float(q[6]) - drop)
        for key in ("reach", "targets"):
            if station.pop(key, None):
                notes.append(f"{key} of station {number}, which suit another robot")
        angles, lost = _angles(station.get("angles") or {}, model, likes)
        notes += [f"{joint} of station {number}, which it lacks" for joint in lost]
        if angles:
            station["angles"] = angles
        else:
            station.pop("angles", None)
        if station.get("joints"):
            notes.append(f"joints of station {number}: all go there")
            station.pop("joints")
    return notes


def _angles(
    given: Mapping[str, float], robot: RobotModel, likes: Likes
) -> tuple[dict[str, float], list[str]]:
    """Angles of joints by role, and the joints that have no like."""
    found, lost = {}, []
    for joint, angle in given.items():
        if joint in robot.joint_names:
            found[joint] = float(angle)
            continue
        like = likes.of(joint)
        if like is None:
            lost.append(joint)
            continue
        j = robot.joint_index(like.joint)
        low, high = robot.position_lower[j], robot.position_upper[j]
        found[like.joint] = _rounded(np.clip(like.sign * angle, low, high))
    return found, lost


def _rounded(value: float) -> float:
    return round(float(value), _DIGITS)
