"""Planted feet: when the feet of a recording stand, and where.

A recording knows joints, and may know the floating base; contacts it does not know.
A sole that is as low as the ground stands, unless its author says otherwise, and while
it stands it has one place: in the middle of where the recording has it.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix

from behaviors.runs import runs, without_short
from behaviors.step import FEET
from models.configuration import Configuration
from models.errors import BackbeatError
from models.robot import RobotModel

# A sole that gets higher than this above the ground has left it, and has been off it
# since it was higher than that [m].
LIFTED, OFF = 0.025, 0.007
# Share of samples at which some sole is below the ground that is taken for it.
LOWEST = 0.05
# Shorter times on the ground or in the air are noise [s].
BRIEF = 0.12
# Feet that slide farther while they stand were not standing [m].
MOST_SLIDE = 0.15
# Time in which the weight passes to a foot that has landed [s].
PASSING = 0.1
# Landing and leaving, in which a foot rolls, and does not slide [s].
ROLLING = 0.1
# The least that a foot on the ground counts.
LEAST = 1e-3

Interval = tuple[float, float]


@dataclass(frozen=True)
class FootPath:
    """What one foot does.

    Attributes:
        planted: when it stands [s].
        places: (k, 3) where it stands then: x, y [m] and heading [rad].
        slides: (k,) how far the recording has it from there, at most [m].
        rises: (k - 1,) how high it gets in between [m].
    """

    planted: tuple[Interval, ...]
    places: np.ndarray
    slides: np.ndarray
    rises: np.ndarray


@dataclass(frozen=True)
class PlantedMotion:
    """A recorded motion of the whole body whose feet have places.

    Attributes:
        t: (n,) times [s].
        q: (n, nq) configurations, the ground at height zero.
        com: (n, 3) center of mass [m].
        feet: by "left" and "right".
    """

    t: np.ndarray
    q: np.ndarray
    com: np.ndarray
    feet: Mapping[str, FootPath]


@dataclass(frozen=True)
class _Soles:
    """Soles of a motion: (n, 3, 3) and (n, 3) poses by foot, and the body's center."""

    R: Mapping[str, np.ndarray]
    p: Mapping[str, np.ndarray]
    com: np.ndarray

    def heading(self, foot: str) -> np.ndarray:
        """(n,) where it points."""
        R = self.R[foot]
        return np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0]))


def plant_feet(
    robot: RobotModel,
    t: np.ndarray,
    q: np.ndarray,
    has_base: bool,
    declared: Mapping[str, Sequence[Interval]] | None,
    where: str,
) -> PlantedMotion:
    """Finds when and where the feet of a motion stand.

    Args:
        robot: whose motion it is.
        t: (n,) times, evenly spaced [s].
        q: (n, nq) configurations.
        has_base: whether they have the base; it follows from the feet otherwise.
        declared: when each foot stands [s]; None to find out.
        where: names the recording in errors.

    Raises:
        BackbeatError: a foot slides while it stands, or none stands.
    """
    soles = _soles(robot, q)
    if declared is None:
        heights = _heights(soles) if has_base else _relative_heights(soles)
        on = {foot: _lasting(t, ~_lifted(z)) for foot, z in heights.items()}
    else:
        on = {foot: _during(t, declared[foot]) for foot in FEET}
    _check_support(t, on, where)
    if has_base:
        level = np.concatenate([soles.p[f][on[f], 2] for f in FEET])
        q = q.copy()
        q[:, 6] -= np.median(level)
    else:
        q = _carried(robot, t, q, soles, on)
    soles = _soles(robot, q)
    feet = {f: _path(t, soles, f, on[f], where) for f in FEET}
    return PlantedMotion(t, q, soles.com, feet)


def _soles(robot: RobotModel, q: np.ndarray) -> _Soles:
    state, n = Configuration(robot, q[0]), len(q)
    R = {f: np.zeros((n, 3, 3)) for f in FEET}
    p, com = {f: np.zeros((n, 3)) for f in FEET}, np.zeros((n, 3))
    for i in range(n):
        state.update(q[i])
        com[i] = state.center_of_mass
        for foot, name in FEET.items():
            X_WC = state.pose(name)
            R[foot][i], p[foot][i] = X_WC.rotation().matrix(), X_WC.translation()
    return _Soles(R, p, com)


def _heights(soles: _Soles) -> dict[str, np.ndarray]:
    """Height of each foot above the ground."""
    ground = np.quantile(np.minimum(*(soles.p[f][:, 2] for f in FEET)), LOWEST)
    return {f: soles.p[f][:, 2] - ground for f in FEET}


def _relative_heights(soles: _Soles) -> dict[str, np.ndarray]:
    """Height of each foot above the other one, seen from soles that are level."""
    apart = soles.p["left"] - soles.p["right"]
    up = 0.5 * (soles.R["left"][:, :, 2] + soles.R["right"][:, :, 2])
    left = np.einsum("ni,ni->n", up, apart)
    return {"left": left, "right": -left}


def _lifted(height: np.ndarray) -> np.ndarray:
    """Whether a foot has left the ground."""
    off = height > OFF
    for a, b in runs(off):
        off[a:b] = height[a:b].max() > LIFTED
    return off


def _lasting(t: np.ndarray, flags: np.ndarray) -> np.ndarray:
    """Flags without what lasts too short, first in the air and then on the ground."""
    for value in (False, True):
        flags = without_short(flags, value, lambda a, b: t[b - 1] - t[a] < BRIEF)
    return flags


def _during(t: np.ndarray, intervals: Sequence[Interval]) -> np.ndarray:
    near = 0.5 * (t[1] - t[0])
    on = [(t >= a - near) & (t <= b + near) for a, b in intervals]
    return np.any(on, axis=0) if on else np.zeros(len(t), bool)


def _check_support(t: np.ndarray, on: Mapping[str, np.ndarray], where: str) -> None:
    """Refuses flights, and ends on one foot."""
    for a, b in runs(~(on["left"] | on["right"])):
        raise BackbeatError(
            f"{where}: no foot stands from {t[a]:.2f} to {t[b - 1]:.2f} s; a recording "
            "may step but not jump, so say under 'planted' when each foot stands, or "
            "take another part with 'start' and 'end'"
        )
    for i, when in ((0, "start"), (-1, "end")):
        for foot in FEET:
            if not on[foot][i]:
                raise BackbeatError(
                    f"{where}: the {foot} foot is in the air at the {when}, "
                    f"{t[i]:.2f} s; choose a {when} with both feet on the ground"
                )


def _carried(
    robot: RobotModel,
    t: np.ndarray,
    q: np.ndarray,
    soles: _Soles,
    on: Mapping[str, np.ndarray],
) -> np.ndarray:
    """Configurations with the base where the feet that stand carry it.

    Every foot stays level where it lands; two feet that do not agree on where the base
    is have it between them.
    """
    firm = {f: _firm(t, flags) for f, flags in on.items()}
    q, share = q.copy(), _shares(t, firm)
    X_BW, places = _pose(q[0]).inverse(), dict[str, RigidTransform]()
    for i in range(len(t)):
        X_BC = {
            f: X_BW @ RigidTransform(RotationMatrix(soles.R[f][i]), soles.p[f][i])
            for f in FEET
        }
        if i == 0:
            places["left"] = _level(RigidTransform(soles.p["left"][0]))
        # Where none is firm, those count that were so last.
        stay = {f: X for f, X in places.items() if firm[f][i]} or places
        base = _between(
            [(X @ X_BC[f].inverse(), max(share[f][i], LEAST)) for f, X in stay.items()]
        )
        places = stay
        for foot in FEET:
            if firm[foot][i] and foot not in places:
                places[foot] = _level(base @ X_BC[foot])
        q[i, :4] = base.rotation().ToQuaternion().wxyz()
        q[i, 4:7] = base.translation()
    return q


def _firm(t: np.ndarray, on: np.ndarray) -> np.ndarray:
    """Whether a foot stands and neither lands nor leaves."""
    firm = np.zeros(len(t), bool)
    for a, b in runs(on):
        firm[slice(*_inner(t, a, b))] = True
    return firm


def _inner(t: np.ndarray, a: int, b: int) -> tuple[int, int]:
    """A row of samples on the ground without landing and leaving."""
    rolling, middle = round(ROLLING / (t[1] - t[0])), (a + b) // 2
    first = a if a == 0 else min(a + rolling, middle)
    last = b if b == len(t) else max(b - rolling, middle + 1)
    return first, last


def _shares(t: np.ndarray, on: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """How much each foot counts: it grows after landing and falls before leaving."""
    width = max(1, round(PASSING / (t[1] - t[0])))
    kernel = np.ones(2 * width + 1) / (2 * width + 1)
    shares = {}
    for foot, flags in on.items():
        padded = np.pad(flags.astype(float), width, mode="edge")
        mean = np.convolve(padded, kernel, mode="valid")
        # Half of it at the landing: from nothing there to all of it.
        shares[foot] = np.where(flags, np.clip(2 * mean - 1, LEAST, 1.0), 0.0)
    return shares


def _between(poses: Sequence[tuple[RigidTransform, float]]) -> RigidTransform:
    """The weighted mean of poses that are close to each other."""
    total = sum(w for _, w in poses)
    first = poses[0][0].rotation().ToQuaternion().wxyz()
    mean, p = np.zeros(4), np.zeros(3)
    for X, w in poses:
        wxyz = X.rotation().ToQuaternion().wxyz()
        mean += w / total * (wxyz if wxyz @ first >= 0 else -wxyz)
        p += w / total * X.translation()
    return RigidTransform(Quaternion(mean / np.linalg.norm(mean)), p)


def _level(X: RigidTransform) -> RigidTransform:
    """A sole's pose, flat on the ground."""
    R = X.rotation().matrix()
    turn = RollPitchYaw(0.0, 0.0, float(np.arctan2(R[1, 0], R[0, 0])))
    x, y, _ = X.translation()
    return RigidTransform(turn, [x, y, 0.0])


def _pose(q: np.ndarray) -> RigidTransform:
    return RigidTransform(Quaternion(q[:4] / np.linalg.norm(q[:4])), q[4:7])


def _path(
    t: np.ndarray, soles: _Soles, foot: str, on: np.ndarray, where: str
) -> FootPath:
    """Where a foot stands, and how far it was from there."""
    p, heading = soles.p[foot], soles.heading(foot)
    stances = runs(on)
    places, slides = [], []
    for a, b in stances:
        first, last = _inner(t, a, b)
        place = np.r_[np.median(p[first:last, :2], axis=0), 0.0]
        away = np.linalg.norm(p[first:last] - place, axis=1)
        if away.max() > MOST_SLIDE:
            when = t[first + int(away.argmax())]
            raise BackbeatError(
                f"{where}: the {foot} foot stands from {t[a]:.2f} to {t[b - 1]:.2f} s, "
                f"and gets {away.max():.2f} m away at {when:.2f} s; say under "
                "'planted' when it stands"
            )
        places.append(np.r_[place[:2], np.median(heading[first:last])])
        slides.append(away.max())
    rises = [p[b:c, 2].max() for (_, b), (c, _) in itertools.pairwise(stances)]
    return FootPath(
        tuple((float(t[a]), float(t[b - 1])) for a, b in stances),
        np.array(places),
        np.array(slides),
        np.array(rises),
    )
