"""HumanMotion: a person over time, in meters with z up, by parts of the body."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from backbeat.behaviors.retargeting.axes import find_unit, find_up, leg_length, z_up
from backbeat.behaviors.retargeting.human_feet import FootMotion, find_foot
from backbeat.behaviors.retargeting.skeleton import SkeletonMotion
from backbeat.behaviors.retargeting.skeleton_map import (
    MIDDLE,
    PELVIS,
    SIDES,
    SkeletonMap,
    find_map,
)
from backbeat.behaviors.retargeting.smoothing import (
    mean_rotation,
    nearest_rotations,
    resampled,
    unit,
    upright,
    yaw,
)
from backbeat.models.common.errors import BackbeatError

# Samples a second of what is kept.
RATE = 50.0
# Parts of which rotations are needed.
TURNED = (
    *MIDDLE,
    *(f"{s} {p}" for s in SIDES for p in ("ankle", "wrist")),
)
# Joints of people do not move faster [m/s].
JUMP = 15.0
# How upright a skeleton at rest has to be for its axes to be taken from there.
UPRIGHT = 0.9
# Toes are so far ahead of ankles at least, in legs.
SHORT = 0.06
# Share of samples in which a person counts as upright, where it is not.
BEST = 0.1


@dataclass(frozen=True)
class HumanMotion:
    """A person over time; the start is at the origin and faces along x.

    Attributes:
        t: (n,) times [s].
        hips: (n, 3) middle of the hips [m], its height that over level ankles.
        turns: (n, 3, 3) axes of "pelvis", "trunk" and "head": x ahead, z up.
        feet: what each foot does, by side.
        arms: (n, 3) directions of "upper arm", "forearm" and "hand", by side.
        half_hip: from the middle of the hips to one side [m].
        leg: from hip to ankle [m].
        said: what was read: skeleton, axis that points up, unit, rate.
        notes: sentences on what was found besides.
    """

    t: np.ndarray
    hips: np.ndarray
    turns: Mapping[str, np.ndarray]
    feet: Mapping[str, FootMotion]
    arms: Mapping[str, Mapping[str, np.ndarray]]
    half_hip: float
    leg: float
    said: str
    notes: tuple[str, ...]


def read_human(
    motion: SkeletonMotion, where: str, own: SkeletonMap | None = None
) -> HumanMotion:
    """The person whose skeleton moves.

    Args:
        motion: the motion.
        where: names the file in errors.
        own: a user's map; None for those that ship.

    Raises:
        BackbeatError: the skeleton is unknown, its unit or its axes are ambiguous, or
            it does not stand.
    """
    used, parts = find_map(motion.names, where, own)
    if not any(not turns for _, turns in motion.joints[0].channels):
        raise BackbeatError(
            f"{where}: the root {motion.names[0]} has no channels for its place, so "
            "that nothing says where the person goes"
        )
    scale, unit_said = find_unit(motion, parts, used, where)
    up, up_said = find_up(motion, parts, used, where)
    X = z_up(up)
    motion, jump_said = _without_jump(motion, parts, scale)
    t, p, R = _sampled(motion, parts, scale, X)
    leg = scale * leg_length(motion, parts)
    _check_feet(p, leg, where)
    axes = _part_axes(motion, parts, p, R, X)
    feet = {side: _foot(p, R, t, leg, side, where) for side in SIDES}
    floor = np.mean([foot.level for foot in feet.values()])
    hips = 0.5 * (p["left hip"] + p["right hip"]) - [0.0, 0.0, floor]
    wide = np.linalg.norm(p["left hip"] - p["right hip"], axis=1)
    name = used.name or "your map"
    said = (
        f"skeleton of {name}, {up_said}, {unit_said}, "
        f"{1 / motion.dt:.4g} frames a second"
    )
    return HumanMotion(
        t=t,
        hips=hips,
        turns=axes,
        feet=feet,
        arms={side: _arm(motion, parts, p, R, X, side) for side in SIDES},
        half_hip=0.5 * float(np.median(wide)),
        leg=leg,
        said=said,
        notes=jump_said,
    )


def _foot(
    p: Mapping[str, np.ndarray],
    R: Mapping[str, np.ndarray],
    t: np.ndarray,
    leg: float,
    side: str,
    where: str,
) -> FootMotion:
    ankle, toe = p[f"{side} ankle"], p[f"{side} toe"]
    dt, said = float(t[1] - t[0]), f"{where}: the {side} foot"
    return find_foot(ankle, toe, R[f"{side} ankle"], dt, leg, said)


def _without_jump(
    motion: SkeletonMotion, parts: Mapping[str, int], scale: float
) -> tuple[SkeletonMotion, tuple[str, ...]]:
    """The motion without a first frame in a pose of its own, such as with arms out."""
    start = replace(motion, values=motion.values[:3])
    places, _ = start.poses(tuple(parts.values()), ())
    steps = scale * np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1)
    if steps[0] < JUMP * motion.dt or steps[0] < 3 * steps[1]:
        return motion, ()
    said = (
        f"the first frame is {steps[0]:.2f} m away from the second one and is left out"
    )
    return replace(motion, values=motion.values[1:]), (said,)


def _sampled(
    motion: SkeletonMotion, parts: Mapping[str, int], scale: float, X: np.ndarray
) -> tuple[np.ndarray, dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Times, places [m] and rotations by part, smoothed and at an even rate.

    The first place of the pelvis is over the origin, and it faces along x.
    """
    names = [*parts]
    places, turns = motion.poses(
        tuple(parts[n] for n in names), tuple(parts[n] for n in TURNED)
    )
    length = motion.dt * (len(places) - 1)
    t = np.arange(int(length * RATE + 1e-6) + 1) / RATE
    p = scale * resampled(places, motion.dt, t) @ X.T
    R = X @ resampled(turns, motion.dt, t)
    across = p[:1, names.index("left hip")] - p[:1, names.index("right hip")]
    back = upright(across)[0].T
    start = p[0, names.index(PELVIS)] * [1.0, 1.0, 0.0]
    p = (p - start) @ back.T
    rotations = {n: nearest_rotations(back @ R[:, i]) for i, n in enumerate(TURNED)}
    return t, {n: p[:, i] for i, n in enumerate(names)}, rotations


def _part_axes(
    motion: SkeletonMotion,
    parts: Mapping[str, int],
    p: Mapping[str, np.ndarray],
    R: Mapping[str, np.ndarray],
    X: np.ndarray,
) -> dict[str, np.ndarray]:
    """(n, 3, 3) axes of pelvis, trunk and head.

    A skeleton that stands upright at rest has the axes of a person there. Another one
    is taken to have them, on the average, where its trunk is most upright.
    """
    rest = motion.rest() @ X.T
    at = {part: rest[i] for part, i in parts.items()}
    rises = [_rise(at, side) for side in SIDES]
    if min(rises) > UPRIGHT:
        G = upright((at["left hip"] - at["right hip"])[None])[0]
        return {part: R[part] @ X.T @ G for part in MIDDLE}
    hips = 0.5 * (p["left hip"] + p["right hip"])
    shoulders = 0.5 * (p["left shoulder"] + p["right shoulder"])
    z = unit(shoulders - hips)
    best = z[:, 2] >= np.quantile(z[:, 2], 1 - BEST)
    y = unit(p["left hip"] - p["right hip"] + p["left shoulder"] - p["right shoulder"])
    x = unit(np.cross(y, z))
    G = np.stack([x, np.cross(z, x), z], axis=2)[best]
    offsets = {
        part: mean_rotation(np.einsum("nji,njk->nik", R[part][best], G))
        for part in MIDDLE
    }
    return {part: R[part] @ offset for part, offset in offsets.items()}


def _rise(at: Mapping[str, np.ndarray], side: str) -> float:
    """How upright leg and trunk of a skeleton at rest are, of one."""
    middle = 0.5 * (at["left hip"] + at["right hip"])
    shoulders = 0.5 * (at["left shoulder"] + at["right shoulder"])
    leg = at[f"{side} hip"] - at[f"{side} ankle"]
    return float(min(unit(leg)[2], unit(shoulders - middle)[2]))


def _check_feet(p: Mapping[str, np.ndarray], leg: float, where: str) -> None:
    """Refuses feet without length, and those that point to the back of the hips."""
    left = p["left hip"] - p["right hip"]
    feet = [p[f"{s} toe"] - p[f"{s} ankle"] for s in SIDES]
    if min(np.median(np.linalg.norm(f[:, :2], axis=1)) for f in feet) < SHORT * leg:
        raise BackbeatError(
            f"{where}: the toes' joint is below the ankle, so that nothing says where "
            "a foot points",
            hint="name in a map a joint ahead of it, such as the end of the foot's "
            "last joint, 'LeftFoot end', and name that with --skeleton FILE",
        )
    ahead = feet[0] + feet[1]
    turn = left[:, 0] * ahead[:, 1] - left[:, 1] * ahead[:, 0]
    if np.median(turn) > 0:
        raise BackbeatError(
            f"{where}: the toes point to the back; left and right are exchanged in the "
            "file or in its map"
        )


def _arm(
    motion: SkeletonMotion,
    parts: Mapping[str, int],
    p: Mapping[str, np.ndarray],
    R: Mapping[str, np.ndarray],
    X: np.ndarray,
    side: str,
) -> dict[str, np.ndarray]:
    """(n, 3) directions of the parts of an arm."""
    shoulder, elbow, wrist = (p[f"{side} {n}"] for n in ("shoulder", "elbow", "wrist"))
    # With its own angles at zero a hand is in line with the forearm.
    offset = motion.joints[parts[f"{side} wrist"]].offset
    rest = offset / max(float(np.linalg.norm(offset)), 1e-9)
    return {
        "upper arm": unit(elbow - shoulder),
        "forearm": unit(wrist - elbow),
        "hand": R[f"{side} wrist"] @ rest,
    }


def heading(human: HumanMotion) -> np.ndarray:
    """(n,) where the pelvis faces [rad]."""
    return yaw(human.turns[PELVIS])
