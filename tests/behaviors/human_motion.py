"""Motions as people have them, for tests of recordings: heels strike and toes leave.

A motion is made of contacts: when each foot is on the ground, and where. Between them
the feet swing; while they last the sole rolls over its heel, lies flat, and rolls over
its toe. Joints follow from feet and pelvis by Newton's method. Then the motion is
spoiled as recordings are: soles float and slide, and every number has noise.

Lengths are in legs: heights of the pelvis of who stands. Times follow from them and
gravity, as those of a pendulum.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from backbeat.behaviors.posture.stance import start_configuration
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration

SECONDS = 4.0
SIDE = {"left": 1.0, "right": -1.0}
# How far a foot may be from where it should be: as near as joints let it get [m].
NEAR = 0.02


@dataclass
class Contact:
    """A foot on the ground: when [s], where (x, y [m], yaw [rad]), and its slide."""

    start: float
    end: float
    place: np.ndarray
    slide: np.ndarray = field(default_factory=lambda: np.zeros(2))
    level: float = 0.0


@dataclass
class Style:
    """How somebody moves: angles [rad], lengths in legs, shares of a contact."""

    heel: float = 0.0
    toe: float = 0.0
    heel_time: float = 0.09
    toe_time: float = 0.2
    clearance: float = 0.05
    height: float = 0.97
    bob: float = 0.02
    sway: float = 0.03
    lean: float = 0.05
    arms: float = 0.3


@dataclass
class HumanMotion:
    """A window of motion and what is true of it.

    Attributes:
        name: what somebody does.
        frame: as a recording has it.
        contacts: (k, 2) when each foot is on the ground, by foot [s].
        flights: when none is [s].
    """

    name: str
    frame: pd.DataFrame
    contacts: dict[str, np.ndarray]
    flights: list[tuple[float, float]]


def _smooth(u: np.ndarray) -> np.ndarray:
    u = np.clip(u, 0.0, 1.0)
    return u**3 * (10 - 15 * u + 6 * u**2)


def _in_contact(c: Contact, s: Style, half: float, t: float) -> np.ndarray:
    """Sole center, yaw and pitch of a foot on the ground."""
    length = c.end - c.start
    heel = min(s.heel_time, 0.35 * length)
    toe = min(s.toe_time, 0.45 * length)
    down = (
        1 - _smooth(np.array((t - c.start) / heel)) if s.heel and c.start > -50 else 0.0
    )
    up = max(0.0, (t - c.end + toe) / toe) ** 2 if c.end < 50 else 0.0
    pitch = s.toe * up - s.heel * down
    share = np.clip((t - c.start) / length, 0, 1) if length < 50 else 0.0
    x, y = c.place[:2] + share * c.slide
    # About the toe or about the heel.
    arm = half if pitch > 0 else -half
    way, z = arm * (1 - np.cos(pitch)), arm * np.sin(pitch)
    yaw = c.place[2]
    return np.array(
        [x + way * np.cos(yaw), y + way * np.sin(yaw), z + c.level, yaw, pitch]
    )


def foot_path(
    contacts: list[Contact], s: Style, half: float, clearance: float, t: np.ndarray
) -> np.ndarray:
    """(n, 5) sole center, yaw and pitch over time."""
    out, d = np.zeros((len(t), 5)), 1e-3
    for i, now in enumerate(t):
        k = max(0, sum(c.start <= now for c in contacts) - 1)
        c = contacts[k]
        if now <= c.end or k + 1 == len(contacts):
            out[i] = _in_contact(c, s, half, min(now, c.end))
            continue
        n = contacts[k + 1]
        a, b = _in_contact(c, s, half, c.end), _in_contact(n, s, half, n.start)
        T = n.start - c.end
        va = (a - _in_contact(c, s, half, c.end - d)) / d * T
        vb = (_in_contact(n, s, half, n.start + d) - b) / d * T
        u = (now - c.end) / T
        hermite = np.array(
            [
                2 * u**3 - 3 * u**2 + 1,
                u**3 - 2 * u**2 + u,
                3 * u**2 - 2 * u**3,
                u**3 - u**2,
            ]
        )
        out[i] = hermite @ np.array([a, va, b, vb])
        out[i, 2] += clearance * 16 * (u * (1 - u)) ** 2
        # No corner goes through the floor.
        floor = (1 - u) * c.level + u * n.level
        low = out[i, 2] - half * abs(np.sin(out[i, 4])) - floor
        least = 0.25 * clearance * np.sin(np.pi * u)
        out[i, 2] += max(0.0, least - low)
    return out


def _rotation(roll: float, pitch: float, yaw: float) -> np.ndarray:
    cr, sr, cp, sp = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch)
    cy, sy = np.cos(yaw), np.sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def _quaternion(R: np.ndarray) -> np.ndarray:
    from pydrake.math import RotationMatrix

    return RotationMatrix(R).ToQuaternion().wxyz()


def _reach(
    state: Configuration, q: np.ndarray, goals: dict[str, tuple[np.ndarray, np.ndarray]]
) -> float:
    """Moves the legs until the soles are where they should; how far they are then."""
    robot, worst = state.robot, 0.0
    lower, upper = robot.position_lower + 0.01, robot.position_upper - 0.01
    for _ in range(12):
        state.update(q)
        worst = 0.0
        for foot, (R, p) in goals.items():
            contact = robot.contacts[robot.feet[foot]]
            X = state.pose(robot.feet[foot])
            across = R @ X.rotation().matrix().T
            turn = 0.5 * np.array(
                [
                    across[2, 1] - across[1, 2],
                    across[0, 2] - across[2, 0],
                    across[1, 0] - across[0, 1],
                ]
            )
            miss = np.r_[turn, p - X.translation()]
            worst = max(worst, np.linalg.norm(miss[3:]))
            limb = np.asarray(contact.limb)
            J = state.jacobian(robot.feet[foot])[:, robot.base_velocities + limb]
            J[:3] *= 0.3
            miss[:3] *= 0.3
            step = J.T @ np.linalg.solve(J @ J.T + 1e-6 * np.eye(6), miss)
            at = robot.base_positions + limb
            q[at] = np.clip(q[at] + np.clip(step, -0.3, 0.3), lower[limb], upper[limb])
        if worst < 1e-4:
            break
    return worst


def pose(
    robot: RobotModel,
    t: np.ndarray,
    feet: dict[str, np.ndarray],
    pelvis: np.ndarray,
    arms: np.ndarray,
    com_height: np.ndarray | None = None,
) -> np.ndarray:
    """(n, nq) configurations with feet and pelvis (n, 6: place, roll, pitch, yaw).

    Args:
        robot: who moves.
        t: (n,) times [s].
        feet: (n, 5) paths.
        pelvis: (n, 6) path.
        arms: (n,) swing [rad].
        com_height: (n,) height of the center of mass, in place of the pelvis' [m].
    """
    q0 = start_configuration(robot, "stand")
    state, q, worst = Configuration(robot, q0), q0.copy(), 0.0
    names = list(robot.joint_names)
    out = np.zeros((len(t), len(q)))
    for i in range(len(t)):
        q[:4], q[4:7] = _quaternion(_rotation(*pelvis[i, 3:])), pelvis[i, :3]
        for side, sign in (("l", 1.0), ("r", -1.0)):
            for joint in (f"{side}_arm_ely", f"{side}_arm_shy"):
                if joint in names:
                    j = robot.base_positions + names.index(joint)
                    q[j] = q0[j] + sign * arms[i]
        goals = {
            f: (_rotation(0.0, x[i, 4], x[i, 3]), x[i, :3]) for f, x in feet.items()
        }
        worst = max(worst, _reach(state, q, goals))
        for _ in range(4 if com_height is not None else 0):
            q[6] += com_height[i] - state.update(q).center_of_mass[2]
            worst = max(0.0, _reach(state, q, goals))
        out[i] = q
    assert worst < NEAR, f"a foot is out of reach by {worst:.3f} m"
    return out


def gait(
    path: Callable[[float], np.ndarray],
    step: float,
    double: float,
    width: float,
    first: float,
    count: int,
    rng: np.random.Generator,
) -> dict[str, list[Contact]]:
    """Contacts of steps along a path (x, y, yaw over time), one foot after the other.

    Args:
        path: where the body is.
        step: time from one landing to the next [s].
        double: time of both feet on the ground; less than none is a flight [s].
        width: of the stance [m].
        first: when the left foot lands first [s].
        count: of landings.
        rng: for what is not regular.
    """
    feet: dict[str, list[Contact]] = {"left": [], "right": []}
    for k in range(count):
        foot = ("left", "right")[k % 2]
        start = first + k * step + rng.normal(0, 0.01)
        end = first + (k + 1) * step + double + rng.normal(0, 0.01)
        x, y, yaw = path(0.5 * (start + end))
        side = 0.5 * width * SIDE[foot]
        place = np.array([x - side * np.sin(yaw), y + side * np.cos(yaw), yaw])
        feet[foot].append(Contact(start, end, place))
    return feet


def still(width: float) -> dict[str, list[Contact]]:
    """Both feet stay."""
    return {
        f: [Contact(-99.0, 99.0, np.array([0.0, 0.5 * width * s, 0.0]))]
        for f, s in SIDE.items()
    }
