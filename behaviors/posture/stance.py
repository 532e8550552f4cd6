"""Standing still somewhere: where a motion starts, and on what."""

from collections.abc import Mapping, Sequence

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw

from backbeat.behaviors.posture.words import Wish
from backbeat.models.collision.making import make_self_collision_model
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.optimization.kinematics.inverse_kinematics import (
    IKTarget,
    InverseKinematics,
)

# Beyond what any robot reaches: places and heights [m], angles [rad].
FARTHEST = 10.0
# A sole that is tilted by more than this [rad], or further off the ground [m], lifts an
# edge by more than verification passes.
TILT, OFF_GROUND = 0.003, 1e-3


def start_configuration(robot: RobotModel, posture: str) -> np.ndarray:
    """(nq,) a named posture with the middle of the standing patches at the origin.

    Args:
        robot: the robot; a fixed base stays where it is.
        posture: name in the robot YAML.

    Raises:
        BackbeatError: no such posture, or a free robot without soles.
    """
    if not posture:
        raise BackbeatError(
            f"start names no posture; {robot.name} has {', '.join(robot.posture_names)}"
        )
    q = robot.posture(posture)
    if robot.floating:
        poses = support_poses(robot, q)
        if not poses:
            raise BackbeatError(
                f"{robot.name} has no contacts to stand on; describe its soles under "
                "`contacts` in its YAML, or say `fixed: true` there if its base is held"
            )
        middle = np.mean([X.translation() for X in poses.values()], axis=0)
        q[4:6] -= middle[:2]
    return q


def support_poses(
    robot: RobotModel, q: np.ndarray, names: Sequence[str] | None = None
) -> dict[str, RigidTransform]:
    """Poses X_WC of the patches at q, which lie flat on the ground z = 0.

    Args:
        robot: the robot.
        q: (nq,) configuration.
        names: patches; None for the soles.

    Raises:
        BackbeatError: a patch does not lie flat there.
    """
    configuration = Configuration(robot, q)
    if names is None:
        names = robot.soles
    poses = {}
    for name in names:
        X_WC = configuration.pose(name)
        z_W, height = X_WC.rotation().matrix()[:, 2], float(X_WC.translation()[2])
        tilt = float(np.arccos(np.clip(z_W[2], -1, 1)))
        if abs(height) > OFF_GROUND or tilt > TILT:
            raise BackbeatError(
                f"{name} is not flat on the ground in the start posture: height "
                f"{1e3 * height:.1f} mm, tilt {np.degrees(tilt):.2f} deg"
                + (_leveling_hint(configuration, name) if tilt > TILT else "")
            )
        poses[name] = X_WC
    return poses


def _leveling_hint(configuration: Configuration, name: str) -> str:
    """Which joint of a patch's limb would lay it flat, and at which angle."""
    robot = configuration.robot
    z_W = configuration.pose(name).rotation().matrix()[:, 2]
    # The rotation that takes z_W to the vertical, about a horizontal axis [rad].
    turn = np.cross(z_W, [0.0, 0.0, 1.0])
    limb = robot.contacts[name].limb
    axes = configuration.jacobian(name)[:3, robot.base_velocities + np.asarray(limb)]
    steps = axes.T @ turn / np.maximum((axes**2).sum(axis=0), 1e-9)
    left = np.linalg.norm(turn[:, None] - axes * steps, axis=0)
    if not len(limb) or left.min() > TILT:
        return ""
    # Of joints that do it equally well the last one moves least besides.
    best = int(np.flatnonzero(left < left.min() + 1e-4)[-1])
    joint = int(limb[best])
    angle = float(configuration.q[robot.base_positions + joint])
    return (
        f"; {robot.joint_names[joint]} at {angle + steps[best]:.4f} in place of "
        f"{angle:.4f} lays it flat"
    )


def placed_feet(
    robot: RobotModel,
    q: np.ndarray,
    feet: Mapping[str, RigidTransform],
    wishes: Sequence[Wish],
    where: str,
) -> np.ndarray:
    """(nq,) a standing configuration with feet moved over the ground as asked.

    Raises:
        BackbeatError: a word that is not about feet, or a stance out of reach.
    """
    targets = {n: IKTarget(X) for n, X in feet.items()}
    for wish in wishes:
        part = robot.parts.get(wish.part)
        if part is None or part.frame not in feet:
            known = [n for n, p in robot.parts.items() if p.frame in feet]
            raise unknown_name(f"foot in {where}", wish.part, known)
        flat = all(w.amount is not None and w.direction[2] == 0 for w in wish.shifts)
        if wish.place or wish.over or not flat or wish.turns not in ("", "rz"):
            raise BackbeatError(
                f"{where}: a foot stands forward, back, left, right, out or in by a "
                "length, or turned, on the ground"
            )
        X = feet[part.frame]
        p = X.translation()
        if wish.point is not None:
            p = np.r_[wish.point[:2], p[2]]
        for shift in wish.shifts:
            p = p + (shift.amount or 0.0) * shift.direction
        turn = RollPitchYaw(*wish.turn).ToRotationMatrix()
        targets[part.frame] = IKTarget(RigidTransform(turn @ X.rotation(), p))
    middle = np.mean([t.X_WG.translation() for t in targets.values()], axis=0)
    hips = Configuration(robot, q).pose(robot.base_name)
    shift = hips.translation() + np.r_[middle[:2], 0.0]
    targets[robot.base_name] = IKTarget(RigidTransform(shift), "rx ry rz x y")
    found = InverseKinematics(robot, make_self_collision_model(robot)).solve(q, targets)
    if not found.is_reached or found.clearance < -1e-3:
        raise BackbeatError(
            f"{where}: the robot cannot stand so; {found.worst} ends {found.away} away"
        )
    return found.q
