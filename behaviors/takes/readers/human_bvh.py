"""BVH of a person, as the motion of a robot that does the same."""

from dataclasses import replace
from pathlib import Path

from backbeat.behaviors.retargeting.bvh import parse_bvh
from backbeat.behaviors.retargeting.human import RATE, read_human
from backbeat.behaviors.retargeting.retarget import retarget_skeleton
from backbeat.behaviors.retargeting.skeleton import SkeletonMotion
from backbeat.behaviors.retargeting.skeleton_map import SkeletonMap, find_map, load_map
from backbeat.behaviors.takes.take import Conventions, MotionFile
from backbeat.behaviors.takes.timing import check_rate
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel

FORMAT = "bvh"
# Meters of units of length, as a user names them.
LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001}


def read_human_bvh(
    raw: bytes, path: str | Path, robot: RobotModel, told: Conventions
) -> MotionFile:
    """Reads a person's motion and retargets it.

    Args:
        raw: the file.
        path: names it in errors.
        robot: whose motion it becomes.
        told: what the user says: a map of the skeleton, unit of length, axis that
            points up, rate.

    Raises:
        BackbeatError: what is wrong with it.
    """
    for key in ("unit", "quaternion", "ignore"):
        if getattr(told, key):
            raise BackbeatError(
                f"{path}: BVH has angles in degrees, no quaternions and no columns to "
                f"ignore; leave out {key}"
            )
    path = Path(path)
    motion = parse_bvh(raw, path)
    if told.rate is not None:
        motion = replace(motion, dt=1 / check_rate(told.rate, path))
    own = load_map(told.skeleton) if told.skeleton else None
    used, _ = find_map(motion.names, str(path), own)
    used = replace(
        used,
        unit=LENGTHS[told.length] if told.length else used.unit,
        up=told.up or used.up,
    )
    return retargeted(motion, path, robot, FORMAT, used)


def retargeted(
    motion: SkeletonMotion,
    path: str | Path,
    robot: RobotModel,
    form: str,
    used: SkeletonMap,
) -> MotionFile:
    """A skeleton's motion as that of a robot.

    Args:
        motion: of the skeleton.
        path: names the file.
        robot: whose motion it becomes.
        form: format of the file.
        used: which joints are which parts.

    Raises:
        BackbeatError: the skeleton is unknown or does not stand.
    """
    human = read_human(motion, str(path), used)
    take = retarget_skeleton(human, robot)
    return MotionFile(
        format=form,
        layout=f"{human.said}, retargeted",
        t=take.t,
        timing=f"{RATE:g} samples/s",
        joints=robot.joint_names,
        q=take.q[:, robot.base_positions :],
        place=take.q[:, 4:7],
        turn=take.q[:, :4],
        unit="radians",
        length="m",
        quaternion="wxyz",
        up="z",
        notes=tuple(f"{Path(path).name}: {note}" for note in take.notes),
        converted=True,
    )
