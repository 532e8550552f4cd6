"""Concatenation: motions in a row as one, and checks at their junctions."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from backbeat.models.dynamics.rotations import box_minus
from backbeat.models.robot.model import RobotModel
from backbeat.optimization.problem.dense_trajectory import DenseTrajectory
from backbeat.optimization.verification.certificate import Check

# What two motions may differ by where they meet. A servo does not notice these; a
# redistribution of the same total between the feet is no motion at all.
JUNCTION_BOUNDS = {
    "junction_pose": 1e-4,  # rad or m
    "junction_speed": 1e-3,  # rad/s or m/s
    "junction_acceleration": 0.5,  # of base and standing limbs [rad/s^2 or m/s^2]
    "junction_support": 1e-4,  # m, of a patch that stands
    "junction_load": 0.1,  # weights on a patch, of the same total
}
# What a motion has a row of for each of its times.
COLUMNS = ("q", "v", "vdot", "wrench", "standing", "R_WC", "p_WC", "tau", "edge")
# Times this near to each other are the same [s].
SAME_TIME = 1e-6


def cut(motion: DenseTrajectory, time: float) -> DenseTrajectory:
    """A motion up to its last sample at a time."""
    last = int(np.searchsorted(motion.t, time + SAME_TIME, side="right")) - 1
    return rows(motion, np.arange(last + 1))


def hold(motion: DenseTrajectory, seconds: float) -> DenseTrajectory:
    """Staying at the end of a motion, which rests."""
    return replace(rows(motion, np.array([-1, -1])), t=np.array([0.0, seconds]))


def rows(motion: DenseTrajectory, index: np.ndarray | slice) -> DenseTrajectory:
    """Some samples of a motion, at the times that they have."""
    chosen = {name: getattr(motion, name)[index] for name in ("t", *COLUMNS)}
    return replace(motion, **chosen)


def with_contacts(motion: DenseTrajectory, contacts: Sequence[str]) -> DenseTrajectory:
    """A motion with columns for contacts that it does not use as well."""
    M, C = len(motion.t), len(contacts)
    wrench, standing = np.zeros((M, C, 6)), np.zeros((M, C), bool)
    edge = np.zeros((M, C), np.int8)
    R_WC, p_WC = np.tile(np.eye(3), (M, C, 1, 1)), np.zeros((M, C, 3))
    at = [list(contacts).index(name) for name in motion.contacts]
    wrench[:, at], standing[:, at] = motion.wrench, motion.standing
    edge[:, at] = motion.edge
    R_WC[:, at], p_WC[:, at] = motion.R_WC, motion.p_WC
    return replace(
        motion,
        wrench=wrench,
        standing=standing,
        R_WC=R_WC,
        p_WC=p_WC,
        contacts=tuple(contacts),
        edge=edge,
    )


def concatenate(motions: Iterable[DenseTrajectory]) -> DenseTrajectory:
    """Motions in a row; where two meet, the instant is on the grid for both."""
    motions = list(motions)
    contacts = tuple(dict.fromkeys(n for m in motions for n in m.contacts))
    motions = [with_contacts(m, contacts) for m in motions]
    starts = np.r_[0.0, np.cumsum([m.t[-1] for m in motions])]
    t = np.concatenate([s + m.t for s, m in zip(starts, motions, strict=False)])
    joined = {n: np.concatenate([getattr(m, n) for m in motions]) for n in COLUMNS}
    make_continuous(joined["q"], joined["tau"].shape[1])
    return DenseTrajectory(t=t, contacts=contacts, **joined)


def make_continuous(q: np.ndarray, joints: int) -> None:
    """Takes of two quaternions that mean the same the continuous one, in place.

    Args:
        q: (M, nq) configurations.
        joints: how many joints they have; those of a base that is held are all.
    """
    if q.shape[1] > joints:
        turned = (q[1:, :4] * q[:-1, :4]).sum(axis=1) < 0
        q[1:, :4] *= np.cumprod(np.where(turned, -1.0, 1.0))[:, None]


def junction_checks(
    robot: RobotModel, motions: Sequence[DenseTrajectory]
) -> list[Check]:
    """How well motions meet: the worst of each check of JUNCTION_BOUNDS.

    A motion that rests at its ends has them on its grid twice, at rest and on the
    move; what counts is the jump from one to the other across the seam.
    """
    worst = {name: (0.0, 0.0, "") for name in JUNCTION_BOUNDS}
    names = [*["base"] * robot.base_velocities, *robot.joint_names]
    carries = np.zeros(len(names), bool)
    carries[: robot.base_velocities] = True
    carries[robot.base_velocities + robot.leg_joints] = True
    time = 0.0

    def see(name: str, values: np.ndarray, where: Sequence[str]) -> None:
        i = int(np.argmax(values)) if len(values) else -1
        if i >= 0 and not values[i] <= worst[name][0]:
            worst[name] = (float(values[i]), time, where[i])

    for a, b in itertools.pairwise(motions):
        time += float(a.t[-1])
        d = np.zeros(robot.num_velocities)
        box_minus(b.q[0], a.q[-1], robot.floating, d)
        see("junction_pose", np.abs(d), names)
        end, start = -1 - _is_twice(a, -1), _is_twice(b, 0)
        see("junction_speed", np.abs(b.v[start] - a.v[end]), names)
        jump = np.abs(b.vdot[start] - a.vdot[end])
        see("junction_acceleration", np.where(carries, jump, 0.0), names)
        apart, load = _support(robot, a, b)
        see("junction_support", apart, robot.soles)
        see("junction_load", load, robot.soles)
    return [Check(n, v, JUNCTION_BOUNDS[n], t, w) for n, (v, t, w) in worst.items()]


def _is_twice(motion: DenseTrajectory, end: int) -> int:
    """One where the robot rests and moves at the first or last instant, else zero."""
    beside = 1 if end == 0 else -2
    is_twice = len(motion.t) > 2 and motion.t[end] == motion.t[beside]
    return int(is_twice and not motion.v[end].any())


def _support(
    robot: RobotModel, a: DenseTrajectory, b: DenseTrajectory
) -> tuple[np.ndarray, np.ndarray]:
    """Distance [m] and change of load [weights] of each sole; NaN if one is up."""
    apart, load = np.zeros(len(robot.soles)), np.zeros(len(robot.soles))
    for i, name in enumerate(robot.soles):
        c, d = a.contacts.index(name), b.contacts.index(name)
        if not (a.standing[-1, c] and b.standing[0, d]):
            apart[i] = np.nan
            continue
        corners = robot.contacts[name].corners()
        places = [
            corners @ m.R_WC[k, n].T + m.p_WC[k, n]
            for m, k, n in ((a, -1, c), (b, 0, d))
        ]
        apart[i] = np.linalg.norm(places[1] - places[0], axis=1).max()
        load[i] = abs(b.wrench[0, d, 5] - a.wrench[-1, c, 5]) / robot.weight
    return apart, load
