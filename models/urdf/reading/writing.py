"""Numbers and poses as a URDF has them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from lxml import etree

# Cosine of a pitch from which roll and yaw turn about one axis.
_LOCKED = 1e-9


def set_pose(joint: Any, position: Sequence[float], rpy: Sequence[float]) -> None:
    """Gives an element an <origin>."""
    etree.SubElement(
        joint,
        "origin",
        xyz=" ".join(map(written, position)),
        rpy=" ".join(map(written, rpy)),
    )


def written(value: float) -> str:
    """A number in as few digits as give it back exactly."""
    return repr(float(value)).removesuffix(".0")


def roll_pitch_yaw(R: np.ndarray) -> tuple[float, float, float]:
    """Angles of a rotation R = Rz(yaw) Ry(pitch) Rx(roll), (3, 3) [rad].

    Where roll and yaw turn about one axis, yaw is all of the turn.
    """
    across = float(np.hypot(R[0, 0], R[1, 0]))
    pitch = float(np.arctan2(-R[2, 0], across))
    if across < _LOCKED:
        return 0.0, pitch, float(np.arctan2(-R[0, 1], R[1, 1]))
    roll = float(np.arctan2(R[2, 1], R[2, 2]))
    return roll, pitch, float(np.arctan2(R[1, 0], R[0, 0]))
