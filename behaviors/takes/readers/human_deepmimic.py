"""Frames of DeepMimic's person, as the motion of a skeleton.

Its y axis points up, x ahead and z to the right; all bones are straight down or up
where angles are zero. A frame has the duration, place and quaternion of the root, then
quaternions (w first) of joints of three axes and angles of knees and elbows, which turn
about z. Source of sizes and order
    Peng, Abbeel, Levine, van de Panne, "DeepMimic: Example-Guided Deep Reinforcement
    Learning of Physics-Based Character Skills", 2018.
"""

from pathlib import Path

import numpy as np

from backbeat.behaviors.retargeting.skeleton import SkeletonJoint, SkeletonMotion
from backbeat.behaviors.retargeting.skeleton_map import SideMap, SkeletonMap
from backbeat.models.common.errors import BackbeatError

# Joints with their parents and places in these [m]; left ones mirror the right ones.
_TRUNK = (
    ("root", "", (0.0, 0.0, 0.0)),
    ("chest", "root", (0.0, 0.236151, 0.0)),
    ("neck", "chest", (0.0, 0.223894, 0.0)),
)
_LIMBS = (
    ("hip", "root", (0.0, 0.0, 0.084887)),
    ("knee", "hip", (0.0, -0.421546, 0.0)),
    ("ankle", "knee", (0.0, -0.40987, 0.0)),
    ("toe", "ankle", (0.1335, -0.045, 0.0)),
    ("shoulder", "chest", (-0.02405, 0.2435, 0.18311)),
    ("elbow", "shoulder", (0.0, -0.274788, 0.0)),
    ("wrist", "elbow", (0.0, -0.258947, 0.0)),
)
_SIDES = {"right": 1.0, "left": -1.0}
# Joints in the order of a frame, after the root's place; those of one angle.
ORDER = (
    *("root", "chest", "neck", "right hip", "right knee", "right ankle"),
    *("right shoulder", "right elbow", "left hip", "left knee", "left ankle"),
    *("left shoulder", "left elbow"),
)
HINGES = tuple(name for name in ORDER if name.endswith((" knee", " elbow")))
# Numbers of a frame: duration, place, and four or one of each joint.
NUMBERS = 4 + sum(1 if name in HINGES else 4 for name in ORDER)
# Which joints are which parts of a body.
MAP = SkeletonMap(
    name="DeepMimic",
    pelvis="root",
    trunk="chest",
    head="neck",
    left=SideMap(**{name: f"left {name}" for name, _, _ in _LIMBS}),
    right=SideMap(**{name: f"right {name}" for name, _, _ in _LIMBS}),
    unit=1.0,
    up="y",
)
# Order of the angles that the quaternions become.
EULER = "ZXY"
# How far from 1 a quaternion's length may be.
LENGTH = 0.01


def human_frames(values: np.ndarray, dt: float, path: str | Path) -> SkeletonMotion:
    """The motion of DeepMimic's person.

    Args:
        values: (n, 44) frames.
        dt: time between them [s].
        path: names the file in errors.

    Raises:
        BackbeatError: a quaternion is none.
    """
    columns, at = {"root place": values[:, 1:4]}, 4
    for name in ORDER:
        wide = 1 if name in HINGES else 4
        part, at = values[:, at : at + wide], at + wide
        columns[name] = np.degrees(part) if wide == 1 else _angles(part, name, path)
    joints, used = [], [columns["root place"]]
    names = [name for name, _, _ in _bones()]
    for name, parent, offset in _bones():
        turns = [(axis, True) for axis in EULER] if name in columns else []
        if name in HINGES:
            turns = [("Z", True)]
        places = [(axis, False) for axis in "XYZ"] if not parent else []
        above = names.index(parent) if parent else -1
        channels = (*places, *turns)
        joints.append(SkeletonJoint(name, above, np.array(offset), channels))
        if name in columns:
            used.append(columns[name])
    return SkeletonMotion(tuple(joints), dt, np.hstack(used))


def _bones() -> list[tuple[str, str, tuple[float, float, float]]]:
    """Joints of the whole skeleton, parents first."""
    found = [*_TRUNK]
    for side, sign in _SIDES.items():
        for name, parent, (x, y, z) in _LIMBS:
            above = parent if parent in ("root", "chest") else f"{side} {parent}"
            found.append((f"{side} {name}", above, (x, y, sign * z)))
    return found


def _angles(quaternions: np.ndarray, name: str, path: str | Path) -> np.ndarray:
    """(n, 3) angles of (n, 4) quaternions, w first [degrees]."""
    from scipy.spatial.transform import Rotation

    lengths = np.linalg.norm(quaternions, axis=1)
    bad = np.flatnonzero(np.abs(lengths - 1.0) > LENGTH)
    if len(bad):
        raise BackbeatError(
            f"{path}: the quaternion of the {name} in frame {bad[0]} has the length "
            f"{lengths[bad[0]]:.3g}, not 1"
        )
    turns = Rotation.from_quat(quaternions, scalar_first=True)
    # At a right angle of the second axis one of the others is as good as zero.
    return np.asarray(turns.as_euler(EULER, degrees=True, suppress_warnings=True))
