"""Takes: windows of four seconds of what people do, spoiled as recordings are."""

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from backbeat.behaviors.footsteps.step import FEET
from backbeat.behaviors.posture.stance import start_configuration
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from tests.behaviors.human_motion import (
    SECONDS,
    SIDE,
    Contact,
    HumanMotion,
    Style,
    foot_path,
    gait,
    pose,
    still,
)

GRAVITY = 9.81
LEG = 0.85


class Walk(NamedTuple):
    """A gait: speeds [m/s, rad/s], time of a step and of both feet [s]; of Atlas."""

    ahead: tuple[float, float] = (0.0, 0.0)
    left: tuple[float, float] = (0.0, 0.0)
    turn: tuple[float, float] = (0.0, 0.0)
    step: tuple[float, float] = (0.55, 0.65)
    double: tuple[float, float] = (0.1, 0.15)
    style: Style = Style()
    width: float = 0.22


ROLLS = Style(heel=0.4, toe=0.45)
SOFT = Style(heel=0.2, toe=0.3, toe_time=0.15)
# What is ordinary, with ranges from which every take draws.
WALKS = {
    "walk": Walk((0.5, 0.8), style=ROLLS),
    "slow walk": Walk((0.25, 0.4), step=(0.7, 0.9), double=(0.18, 0.26), style=SOFT),
    "brisk walk": Walk((0.85, 1.0), step=(0.45, 0.5), double=(0.06, 0.1), style=ROLLS),
    # As retargeting leaves it: no foot on the ground at a change of feet, and no fall.
    "walk with gaps": Walk(
        (0.6, 0.8), step=(0.5, 0.6), double=(-0.12, -0.02), style=ROLLS
    ),
    "walk in a curve": Walk((0.45, 0.7), turn=(0.2, 0.4), style=ROLLS),
    "walk back": Walk((-0.4, -0.25), style=Style(toe=0.15, toe_time=0.1)),
    "side steps": Walk(left=(0.15, 0.25), style=Style(toe=0.1), width=0.3),
    "turn on the spot": Walk(turn=(0.25, 0.4), style=Style(toe=0.15), width=0.28),
    "march": Walk(step=(0.5, 0.6), style=Style(toe=0.35, clearance=0.1)),
    "shuffle": Walk(
        (0.2, 0.35),
        step=(0.45, 0.6),
        style=Style(clearance=0.02, height=0.93, bob=0.0),
        width=0.25,
    ),
    "strut": Walk(
        (0.4, 0.6), step=(0.6, 0.7), style=Style(0.3, 0.5, clearance=0.1, sway=0.05)
    ),
}
RUNS = {
    "run": Walk(
        (1.0, 1.3),
        step=(0.33, 0.36),
        double=(-0.15, -0.08),
        style=Style(toe=0.5, toe_time=0.1, clearance=0.12, height=0.93, sway=0.02),
        width=0.2,
    )
}


def take(
    robot: RobotModel,
    kind: str,
    seed: int,
    rate: float = 60.0,
    spoiled: float = 1.0,
    with_base: bool = True,
) -> HumanMotion:
    """A window of motion.

    Args:
        robot: who moves.
        kind: of `KINDS`.
        seed: of what is drawn.
        rate: samples a second.
        spoiled: share of noise, floating and sliding.
        with_base: whether the base is recorded.
    """
    rng = np.random.default_rng([seed, sum(map(ord, kind))])
    t = np.arange(0.0, SECONDS, 1 / rate)
    return KINDS[kind](robot, kind, t, rng, spoiled, with_base)


def _made(
    robot: RobotModel,
    kind: str,
    t: np.ndarray,
    contacts: dict[str, list[Contact]],
    style: Style,
    pelvis: np.ndarray,
    rng: np.random.Generator,
    spoiled: float,
    with_base: bool,
    com_height: np.ndarray | None = None,
    beat: float = 1.0,
) -> HumanMotion:
    """Feet and pelvis as a recording."""
    leg = start_configuration(robot, "stand")[6]
    half = robot.contacts["l_foot"].half_length
    for row in contacts.values():
        for c in row:
            c.level += spoiled * rng.uniform(0.0, 0.012) * leg / LEG
            c.slide = spoiled * rng.uniform(-0.012, 0.012, 2) * leg / LEG
    feet = {
        f: foot_path(row, style, half, style.clearance * leg, t)
        for f, row in contacts.items()
    }
    arms = style.arms * np.sin(np.pi * t / beat)
    q = pose(robot, t, feet, pelvis, arms, com_height)
    q = _spoiled(robot, q, rng, spoiled)
    columns = [t, *q.T[7:]]
    names = ["t", *robot.joint_names]
    if with_base:
        columns += [*q.T[4:7], *q.T[:4]]
        names += [f"base.{a}" for a in ("x", "y", "z", "qw", "qx", "qy", "qz")]
    frame = pd.DataFrame(np.stack(columns, axis=1), columns=names)
    edges = {
        f: np.array(
            [
                (max(c.start, t[0]), min(c.end, t[-1]))
                for c in row
                if c.end > t[0] and c.start < t[-1]
            ]
        )
        for f, row in contacts.items()
    }
    return HumanMotion(kind, frame, edges, _flights(contacts, t))


def _flights(contacts: dict[str, list[Contact]], t: np.ndarray) -> list:
    fine = np.arange(t[0], t[-1], 1e-3)
    on = np.zeros(len(fine), bool)
    for row in contacts.values():
        for c in row:
            on |= (fine >= c.start) & (fine <= c.end)
    edges = np.flatnonzero(np.diff(np.r_[False, ~on, False].astype(int)))
    return [(fine[a], fine[b - 1]) for a, b in edges.reshape(-1, 2)]


def _spoiled(
    robot: RobotModel, q: np.ndarray, rng: np.random.Generator, spoiled: float
) -> np.ndarray:
    """Noise of 1 to 5 mm and up to half a degree, and all of it up to 2 cm too high."""
    leg = q[:, 6].max() / LEG
    place = spoiled * rng.uniform(0.001, 0.005) * leg
    angle = spoiled * np.radians(rng.uniform(0.1, 0.5))
    q = q.copy()
    q[:, 4:7] += rng.normal(0, place, (len(q), 3)) + [0, 0, spoiled * 0.02 * leg]
    q[:, 7:] += rng.normal(0, angle, q[:, 7:].shape)
    q[:, 1:4] += rng.normal(0, 0.5 * angle, (len(q), 3))
    q[:, :4] /= np.linalg.norm(q[:, :4], axis=1)[:, None]
    return q


def _walk(robot, kind, t, rng, spoiled, with_base, rests=False) -> HumanMotion:
    w = (WALKS | RUNS).get(kind, WALKS["walk"])
    leg = start_configuration(robot, "stand")[6]
    size, pace = leg / LEG, np.sqrt(leg / LEG)
    sign = rng.choice([-1.0, 1.0])
    vx, vy, om = (rng.uniform(*r) for r in (w.ahead, w.left, w.turn))
    vx, vy, om = vx * pace, sign * vy * pace, sign * om / pace
    step, double = rng.uniform(*w.step) * pace, rng.uniform(*w.double)
    double *= pace if double > 0 else 1.0
    first = -2 * step - rng.uniform(0, 2 * step)
    count = int((9.0 - first) / step)
    fine = np.arange(-3.0, 9.0, 0.01)
    go = np.ones(len(fine))
    if rests:
        first = 0.7 - step
        count = int((3.2 - first) / step)
        end = first + (count - 1) * step + 0.1
        go = np.clip(np.minimum(fine - 0.6, end - fine) / 0.4, 0, 1)
    yaw = np.cumsum(om * go) * 0.01
    x = np.cumsum(go * (vx * np.cos(yaw) - vy * np.sin(yaw))) * 0.01
    y = np.cumsum(go * (vx * np.sin(yaw) + vy * np.cos(yaw))) * 0.01

    def path(at):
        return np.array([np.interp(at, fine, v) for v in (x, y, yaw)])

    contacts = gait(path, step, double, w.width * size, first, count, rng)
    if rests:
        for row in contacts.values():
            row[0].start, row[-1].end = -99.0, 99.0
        side = 0.5 * w.width * size
        contacts["right"][0].place = np.array([0.0, -side, 0.0])
    if kind == "stairs":
        for k, c in enumerate(
            sorted(itertools.chain(*contacts.values()), key=lambda c: c.start)
        ):
            c.level = RISE * k
    s = w.style
    middle = first + 0.5 * (step + double)
    swing = np.cos(np.pi * (t - middle) / step)
    ramp = np.interp(t, fine, go)
    at = np.stack([path(v) for v in t])
    off = s.sway * leg * swing * ramp
    bob = s.bob * leg * np.cos(2 * np.pi * (t - middle) / step) * ramp
    pelvis = np.stack(
        [
            at[:, 0] - off * np.sin(at[:, 2]),
            at[:, 1] + off * np.cos(at[:, 2]),
            s.height * leg - s.bob * leg + bob,
            0.03 * swing,
            s.lean + 0.01 * bob / leg,
            at[:, 2] + 0.08 * np.sin(np.pi * (t - middle) / step),
        ],
        axis=1,
    )
    if kind == "stairs":
        pelvis[:, 2] += RISE * (t - first - 0.3 * step) / step
    com = None
    if kind in RUNS:
        com = _bouncing(robot, t, first, step, -double, s.height)
    return _made(
        robot, kind, t, contacts, s, pelvis, rng, spoiled, with_base, com, step
    )


def _bouncing(robot, t, first, step, flight, height) -> np.ndarray:
    """Height of the center of mass of who runs: a parabola in every flight."""
    q0 = start_configuration(robot, "stand")
    level = height * Configuration(robot, q0).center_of_mass[2]
    u, stance, v0 = np.mod(t - first, step), step - flight, 0.5 * GRAVITY * flight
    s = u / stance
    down = level - v0 * stance * (s - s**2)
    air = u - stance
    return np.where(u < stance, down, level + v0 * air - 0.5 * GRAVITY * air**2)


def _stay(robot, kind, t, rng, spoiled, with_base) -> HumanMotion:
    """Both feet stay: crouches, sways, bows."""
    leg = start_configuration(robot, "stand")[6]
    contacts = still(0.24 * leg / LEG)
    slow = 2 * np.pi * rng.uniform(0.3, 0.6) * t
    pelvis = np.zeros((len(t), 6))
    pelvis[:, 2] = 0.97 * leg
    if kind == "crouch":
        pelvis[:, 2] -= rng.uniform(0.1, 0.2) * leg * (1 - np.cos(slow)) / 2
        pelvis[:, 4] = 0.3 * (1 - np.cos(slow)) / 2
    elif kind == "sway":
        pelvis[:, 1] = 0.06 * leg * np.sin(slow)
        pelvis[:, 3] = 0.08 * np.sin(slow)
    else:
        pelvis[:, 4] = 0.5 * (1 - np.cos(slow)) / 2
        pelvis[:, 0] = -0.06 * leg * (1 - np.cos(slow)) / 2
    return _made(robot, kind, t, contacts, Style(), pelvis, rng, spoiled, with_base)


def _jump(robot, kind, t, rng, spoiled, with_base) -> HumanMotion:
    """A jump from both feet to both, or the same path without leaving."""
    q0 = start_configuration(robot, "stand")
    leg, up = q0[6], Configuration(robot, q0).center_of_mass[2]
    flight = rng.uniform(0.18, 0.26)
    begin, v0 = rng.uniform(1.4, 1.8), 0.5 * GRAVITY * flight
    end = begin + flight
    push = 0.3
    low = 0.9 * up - 0.35 * v0 * push
    z = np.full(len(t), 0.9 * up)
    sink = (t > begin - push - 0.5) & (t <= begin - push)
    u = np.clip((t - begin + push + 0.5) / 0.5, 0, 1)
    smooth = 10 * u**3 - 15 * u**4 + 6 * u**5
    z = np.where(sink, 0.9 * up + (low - 0.9 * up) * smooth, z)
    s = np.clip((t - begin + push) / push, 0, 1)
    rise = low + (0.9 * up - low) * (3 * s**2 - 2 * s**3) + v0 * push * (s**3 - s**2)
    z = np.where((t > begin - push) & (t <= begin), rise, z)
    a = np.clip(t - begin, 0, flight)
    z = np.where((t > begin) & (t < end), 0.9 * up + v0 * a - 0.5 * GRAVITY * a**2, z)
    d = np.clip((t - end) / 0.6, 0, 1)
    z = np.where(t >= end, 0.9 * up - v0 * 0.6 * d * (1 - d) ** 2, z)
    places = still(0.24 * leg / LEG)
    contacts = {
        f: [
            Contact(-99.0, begin, row[0].place),
            Contact(end, 99.0, row[0].place),
        ]
        for f, row in places.items()
    }
    pelvis = np.zeros((len(t), 6))
    pelvis[:, 2] = 0.9 * leg
    # Who jumps takes the feet along.
    rise = 1.2 * v0**2 / (2 * GRAVITY) / leg
    style = Style(toe=0.4, toe_time=0.1, clearance=rise)
    return _made(robot, kind, t, contacts, style, pelvis, rng, spoiled, with_base, z)


def _rest(robot, kind, t, rng, spoiled, with_base) -> HumanMotion:
    return _walk(robot, kind, t, rng, spoiled, with_base, rests=True)


# Height of a stair [m].
RISE = 0.08
Make = Callable[..., HumanMotion]
ORDINARY: dict[str, Make] = {
    **dict.fromkeys(WALKS, _walk),
    "walk from rest": _rest,
    **dict.fromkeys(("crouch", "sway", "bow"), _stay),
}
FLYING: dict[str, Make] = {"run": _walk, "jump": _jump}
KINDS: dict[str, Make] = ORDINARY | FLYING | {"stairs": _walk}
assert set(SIDE) == set(FEET)
