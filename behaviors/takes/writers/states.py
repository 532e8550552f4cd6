"""States of a motion that is written out: joints, bodies, contacts, at any rate."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial.transform import Rotation

from backbeat.behaviors.takes.joint_orders import body_frames, body_names
from backbeat.behaviors.takes.timing import check_rate
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.models.state.names import position_names, velocity_names

WRENCH = ("tx", "ty", "tz", "fx", "fy", "fz")
PLANNED = [f"planned.com.{a}" for a in "xyz"]
# A patch touches from this force on, in runs, which do not say it [N].
TOUCHING = 1.0


@dataclass(frozen=True)
class BodyStates:
    """Bodies over time, in the world: the base, then what each joint moves.

    Attributes:
        place: (n, B, 3) of their origins [m].
        turn: (n, B, 4) quaternions, w first, continuous.
        velocity: (n, B, 3) of their origins [m/s].
        spin: (n, B, 3) angular velocities [rad/s].
        center_velocity: (n, B, 3) of their centers of mass [m/s].
    """

    place: np.ndarray
    turn: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray
    center_velocity: np.ndarray


@dataclass(frozen=True)
class MotionStates:
    """A behavior or run as it is written.

    Attributes:
        robot: whose motion it is.
        name: of the behavior or run.
        t: (n,) times [s].
        rate: samples a second; None where they are as they were stored.
        q: (n, nq) configurations, base first: quaternion wxyz, place.
        v: (n, nv) velocities, base first: angular, linear, in the world.
        tau: (n, nj) joint torques [N m].
        contacts: names of contacts.
        touches: (n, C) whether each one carries.
        wrench: (n, C, 6) moment about the contact's origin and force, in the world
            [N m, N].
        story: what is stored beside the samples, as plain data.
        planned_center: (n, 3) the center of mass as a run's plan has it [m], or None.
    """

    robot: RobotModel
    name: str
    t: np.ndarray
    rate: float | None
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    contacts: tuple[str, ...]
    touches: np.ndarray
    wrench: np.ndarray
    story: Mapping[str, Any]
    planned_center: np.ndarray | None = None

    @property
    def joints(self) -> np.ndarray:
        """(n, nj) joint angles [rad]."""
        return self.q[:, self.robot.base_positions :]

    @property
    def joint_velocities(self) -> np.ndarray:
        """(n, nj) joint velocities [rad/s]."""
        return self.v[:, self.robot.base_velocities :]

    @cached_property
    def bodies(self) -> BodyStates:
        """States of all bodies."""
        robot, frames = self.robot, body_frames(self.robot)
        state, n, B = Configuration(robot, self.q[0]), len(self.t), len(frames)
        R, p = np.zeros((n, B, 3, 3)), np.zeros((n, B, 3))
        V, moved = np.zeros((n, B, 6)), np.zeros((n, B, 3))
        for i in range(n):
            state.update(self.q[i], self.v[i])
            for b, frame in enumerate(frames):
                X = state.pose(frame)
                R[i, b], p[i, b] = X.rotation().matrix(), X.translation()
                V[i, b] = state.velocity(frame)
        arms = np.einsum("nbij,bj->nbi", R, robot.tree.p_BoBcm)
        moved = V[:, :, 3:] + np.cross(V[:, :, :3], arms)
        turn = Rotation.from_matrix(R.reshape(-1, 3, 3)).as_quat(scalar_first=True)
        turn = turn.reshape(n, B, 4)
        flips = np.where((turn[1:] * turn[:-1]).sum(axis=2) < 0, -1.0, 1.0)
        turn[1:] *= np.cumprod(flips, axis=0)[:, :, None]
        return BodyStates(p, turn, V[:, :, 3:], V[:, :, :3], moved)

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the bodies, in joint order."""
        return body_names(self.robot)

    @cached_property
    def contact_places(self) -> np.ndarray:
        """(n, C, 3) places of contacts [m]."""
        return _places(self.robot, self.q, self.contacts)[0]

    @cached_property
    def center_of_mass(self) -> np.ndarray:
        """(n, 3) center of mass [m]."""
        state = Configuration(self.robot, self.q[0])
        return np.array([state.update(q).center_of_mass for q in self.q])


def motion_states(
    frame: pd.DataFrame,
    story: Mapping[str, Any],
    robot: RobotModel,
    name: str,
    rate: float | None,
) -> MotionStates:
    """States of a table of a behavior or run.

    Args:
        frame: columns as behaviors and runs are stored.
        story: what is stored beside them.
        robot: whose motion it is.
        name: of the motion.
        rate: samples a second; None for the samples that there are.

    Raises:
        BackbeatError: no rate of motions, or the run went beyond all numbers.
    """
    t = frame["t"].to_numpy(float)
    q, v = (
        frame[position_names(robot)].to_numpy(),
        frame[velocity_names(robot)].to_numpy(),
    )
    tau = frame[[f"tau.{n}" for n in robot.joint_names]].to_numpy()
    finite = np.isfinite(np.hstack([q, v, tau])).all(axis=1)
    if not finite.all():
        at = t[int(np.argmin(finite))]
        raise BackbeatError(
            f"{name}: from {at:g} s on its states are no finite numbers, as after a "
            "fall beyond all bounds; there is no motion to write"
        )
    contacts = tuple(n for n in robot.contacts if f"{n}.fz" in frame.columns)
    wrench, touches = _wrenches(frame, robot, q, contacts)
    rows, share = _samples(t, rate, name)
    times = t[rows] + share * (t[np.minimum(rows + 1, len(t) - 1)] - t[rows])
    at = _Between(t, rows, share)
    has_plan = set(PLANNED) <= set(frame.columns)
    has_plan = has_plan and bool(np.isfinite(frame[PLANNED].to_numpy(float)).all())
    return MotionStates(
        robot=robot,
        name=name,
        t=np.arange(len(rows)) / rate if rate else times,
        rate=rate,
        q=at.curve(q, _rates(robot, q, v), robot.floating),
        v=at.line(v),
        tau=at.line(tau),
        contacts=contacts,
        touches=touches[rows],
        wrench=at.line(wrench),
        story=story,
        planned_center=at.line(frame[PLANNED].to_numpy(float)) if has_plan else None,
    )


class _Between:
    """Values between samples: to the left of each instant, and its share of the way."""

    def __init__(self, t: np.ndarray, rows: np.ndarray, share: np.ndarray) -> None:
        self._low, self._high = rows, np.minimum(rows + 1, len(t) - 1)
        self._s, self._h = share, t[self._high] - t[self._low]

    def line(self, values: np.ndarray) -> np.ndarray:
        """On the line between two samples."""
        a, b = values[self._low], values[self._high]
        s = self._s.reshape(-1, *[1] * (values.ndim - 1))
        return np.asarray(a + s * (b - a))

    def curve(self, q: np.ndarray, rates: np.ndarray, turned: bool) -> np.ndarray:
        """On the cubic with the values and rates of two samples."""
        s, h = self._s[:, None], self._h[:, None]
        a, b = q[self._low], q[self._high]
        u, w = h * rates[self._low], h * rates[self._high]
        x = a + s * (u + s * ((3 * (b - a) - 2 * u - w) + s * (2 * (a - b) + u + w)))
        if turned:
            x[:, :4] /= np.linalg.norm(x[:, :4], axis=1)[:, None]
        return np.asarray(np.where(s == 0, a, x))


def _samples(
    t: np.ndarray, rate: float | None, name: str
) -> tuple[np.ndarray, np.ndarray]:
    """The sample at or before each instant that is written, and the share beyond it.

    Where a contact begins or ends a motion has two samples; the later one counts, which
    has the state behind it.
    """
    if rate is None:
        last = np.r_[np.diff(t) > 0, True]
        rows = np.flatnonzero(last)
        return rows, np.zeros(len(rows))
    check_rate(rate, name)
    times = t[0] + np.arange(int((t[-1] - t[0]) * rate + 1e-6) + 1) / rate
    # A sample that is there within rounding is taken as it is.
    rows = np.clip(np.searchsorted(t, times + 1e-9, "right") - 1, 0, len(t) - 1)
    apart = t[np.minimum(rows + 1, len(t) - 1)] - t[rows]
    since = np.where(np.abs(times - t[rows]) < 1e-9, 0.0, times - t[rows])
    return rows, np.clip(since / np.where(apart > 0, apart, 1.0), 0.0, 1.0)


def _rates(robot: RobotModel, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(n, nq) time derivatives of configurations."""
    if not robot.floating:
        return v
    w, x, y, z = q[:, :4].T
    a, b, c = v[:, :3].T
    turning = [-a * x - b * y - c * z, a * w + b * z - c * y]
    turning += [b * w + c * x - a * z, c * w + a * y - b * x]
    return np.hstack([0.5 * np.stack(turning, axis=1), v[:, 3:6], v[:, 6:]])


def _wrenches(
    frame: pd.DataFrame, robot: RobotModel, q: np.ndarray, contacts: tuple[str, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """(n, C, 6) wrenches at contacts in the world, and (n, C) whether they carry.

    Behaviors have them in axes of the contact, runs in the world about its origin.
    """
    n, C = len(frame), len(contacts)
    wrench, touches = np.zeros((n, C, 6)), np.zeros((n, C), bool)
    p, R = _places(robot, q, contacts)
    for c, name in enumerate(contacts):
        w = frame[[f"{name}.{a}" for a in WRENCH]].to_numpy(float)
        if f"{name}.standing" in frame.columns:
            touches[:, c] = frame[f"{name}.standing"]
            w = np.einsum("nij,nkj->nki", R[:, c], w.reshape(n, 2, 3)).reshape(n, 6)
        else:
            w = np.hstack([w[:, :3] - np.cross(p[:, c], w[:, 3:]), w[:, 3:]])
            touches[:, c] = np.linalg.norm(w[:, 3:], axis=1) > TOUCHING
        wrench[:, c] = w
    return wrench, touches


def _places(
    robot: RobotModel, q: np.ndarray, contacts: tuple[str, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """(n, C, 3) places [m] and (n, C, 3, 3) rotations of contacts."""
    state, n, C = Configuration(robot, q[0]), len(q), len(contacts)
    p, R = np.zeros((n, C, 3)), np.zeros((n, C, 3, 3))
    for i in range(n):
        state.update(q[i])
        for c, name in enumerate(contacts):
            X = state.pose(name)
            p[i, c], R[i, c] = X.translation(), X.rotation().matrix()
    return p, R
