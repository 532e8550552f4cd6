"""Where the links of a description are, and the center of mass: no Drake needed.

The pose of a child in its parent is the joint's origin, then the motion about or along
the axis, which is a vector of the joint's own frame; see the page "urdf/XML/joint" of
the ROS wiki. A rotation about an axis is Rodrigues' formula by scipy.
"""

from collections.abc import Mapping

import numpy as np
from scipy.spatial.transform import Rotation

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.urdf.reading.description import (
    SINGLE,
    WORLD,
    Description,
    Joint,
    Pose,
)


def transform(pose: Pose) -> np.ndarray:
    """(4, 4) homogeneous transform of a pose."""
    X = np.eye(4)
    X[:3, :3] = Rotation.from_euler("xyz", pose.rpy).as_matrix()
    X[:3, 3] = pose.xyz
    return X


def joint_motion(joint: Joint, q: float) -> np.ndarray:
    """(4, 4) motion of a joint of one position in its own frame.

    Raises:
        BackbeatError: a joint that has more than one position, or no axis.
    """
    X = np.eye(4)
    if joint.type == "fixed":
        return X
    length = np.linalg.norm(joint.axis)
    if joint.type in SINGLE and length == 0.0:
        raise BackbeatError(f"the axis of joint {joint.name!r} is zero")
    axis = np.array(joint.axis) / max(length, np.finfo(float).tiny)
    if joint.type in ("revolute", "continuous"):
        X[:3, :3] = Rotation.from_rotvec(q * axis).as_matrix()
    elif joint.type == "prismatic":
        X[:3, 3] = q * axis
    elif q != 0.0:
        raise BackbeatError(
            f"joint {joint.name!r} is {joint.type}; its position is no single number"
        )
    return X


def link_poses(
    description: Description, q: Mapping[str, float] | None = None
) -> dict[str, np.ndarray]:
    """(4, 4) pose of every link in the frame of its root.

    Args:
        description: a tree; links that hang on nothing of it are left out.
        q: joint positions by name [rad or m]; zero where not given. Joints that mimic
            another follow it.

    Raises:
        BackbeatError: an unknown joint.
    """
    given = dict(q or {})
    for name in given:
        if name not in description.joints:
            raise unknown_name("joint", name, description.joints)
    below: dict[str, list[Joint]] = {}
    for joint in description.joints.values():
        below.setdefault(joint.parent, []).append(joint)
    roots = description.roots()
    poses = {name: np.eye(4) for name in (*roots, WORLD) if name in (*roots, *below)}
    waiting = list(poses)
    for name in waiting:  # Grows while it is gone through.
        for joint in below.get(name, ()):
            if joint.child in poses:
                continue
            X = transform(joint.origin) @ joint_motion(joint, _position(joint, given))
            poses[joint.child] = poses[name] @ X
            waiting.append(joint.child)
    return poses


def _position(joint: Joint, given: Mapping[str, float]) -> float:
    if joint.mimic is not None and joint.name not in given:
        leader = given.get(joint.mimic.joint, 0.0)
        return joint.mimic.multiplier * leader + joint.mimic.offset
    return given.get(joint.name, 0.0)


def center_of_mass(
    description: Description, q: Mapping[str, float] | None = None
) -> tuple[float, np.ndarray]:
    """Mass [kg] and (3,) center of mass in the root's frame [m]."""
    mass, moment = 0.0, np.zeros(3)
    for name, X in link_poses(description, q).items():
        link = description.links.get(name)
        if link is None or link.inertial is None or not link.inertial.mass:
            continue
        center = X[:3, :3] @ link.inertial.origin.xyz + X[:3, 3]
        mass += link.inertial.mass
        moment += link.inertial.mass * center
    return mass, moment / mass if mass else moment
