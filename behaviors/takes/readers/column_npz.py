"""NPZ with an array for each column, as `backbeat export --format npz` writes it."""

from pathlib import Path

import numpy as np

from backbeat.behaviors.takes.naming import PLACE, QUATERNION
from backbeat.behaviors.takes.readers.archive import array_names, numbers, read_arrays
from backbeat.behaviors.takes.take import Conventions, MotionFile
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel

FORMAT = "npz"


def read_column_npz(
    raw: bytes, path: str | Path, robot: RobotModel, told: Conventions
) -> MotionFile:
    """Reads the arrays t, q.NAME and q.base.x and so on.

    Args:
        raw: the file.
        path: names it in errors.
        robot: whose motion it is.
        told: what the user says; nothing of it is open here.

    Raises:
        BackbeatError: what is wrong with it.
    """
    known = set(array_names(raw, path))
    joints = [n for n in robot.joint_names if f"q.{n}" in known]
    if "t" not in known or not joints:
        raise BackbeatError(
            f"{path}: there is no array t, or none is a joint of {robot.name} as q.NAME"
        )
    base = [f"q.{n}" for n in (*PLACE, *QUATERNION)]
    wanted = ["t", *(f"q.{n}" for n in joints)]
    if known.issuperset(base):
        wanted += base
    arrays = {
        n: numbers(a, 1, n, path) for n, a in read_arrays(raw, wanted, path).items()
    }
    odd = [n for n, a in arrays.items() if len(a) != len(arrays["t"])]
    if odd:
        raise BackbeatError(f"{path}: {odd[0]} and t have different lengths")
    # Where a contact begins or ends a motion has two samples, of the same angles.
    once = np.r_[True, np.diff(arrays["t"]) != 0][: len(arrays["t"])]

    def columns(names: list[str]) -> np.ndarray:
        return np.stack([arrays[n][once] for n in names], axis=1)

    t = arrays["t"][once]
    rate = (len(t) - 1) / (t[-1] - t[0]) if len(t) > 1 and t[-1] > t[0] else 0.0
    return MotionFile(
        format=FORMAT,
        layout="NPZ with an array for each column",
        t=t,
        timing=f"{rate:.4g} samples/s by its array t",
        joints=tuple(joints),
        q=columns([f"q.{n}" for n in joints]),
        place=columns(base[:3]) if len(wanted) > len(joints) + 1 else None,
        turn=columns(base[3:]) if len(wanted) > len(joints) + 1 else None,
        unit="radians",
        length="m",
        quaternion="wxyz",
        up="z",
    )
