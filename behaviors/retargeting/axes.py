"""Axes and unit of a skeleton's motion, told from the person in it.

A person is upright most of the time, and legs have a known share of a body's height.
Nothing in a BVH file says either.
"""

from collections.abc import Mapping

import numpy as np

from backbeat.behaviors.retargeting.skeleton import SkeletonMotion
from backbeat.behaviors.retargeting.skeleton_map import (
    AXES,
    HEAD,
    SIDES,
    SkeletonMap,
)
from backbeat.models.common.errors import BackbeatError

# Share of the height of a person that lies between hip and ankle (Winter,
# "Biomechanics and Motor Control of Human Movement", 2009, chapter 4).
LEG_SHARE = 0.491
# Units of length in motion capture: meters of each, by name. The CMU database counts in
# inches over 0.45.
UNITS = {
    "meters": 1.0,
    "centimeters": 0.01,
    "millimeters": 0.001,
    "inches": 0.0254,
    "the units of the CMU database": 0.0254 / 0.45,
}
# Heights of people that are usual, and that are possible [m].
USUAL, POSSIBLE = (1.2, 2.2), (0.6, 3.0)
# Least part along an axis of the direction from feet to head, of one.
UPRIGHT = 0.8
# Frames that are looked at.
LOOKED_AT = 400


def find_unit(
    motion: SkeletonMotion, parts: Mapping[str, int], own: SkeletonMap, where: str
) -> tuple[float, str]:
    """Meters of a unit of length, and a sentence on it.

    Args:
        motion: the motion.
        parts: indices of joints by part.
        own: its map.
        where: names the file in errors.

    Raises:
        BackbeatError: no unit makes a person of the skeleton, or two do.
    """
    height = leg_length(motion, parts) / LEG_SHARE
    if own.unit is not None:
        return own.unit, f"a unit is {own.unit:g} m, as the map has it"
    for least, most in (USUAL, POSSIBLE):
        fits = {n: u for n, u in UNITS.items() if least <= u * height <= most}
        if len(fits) == 1:
            ((name, unit),) = fits.items()
            return unit, f"in {name}, which makes a person of {unit * height:.2f} m"
        if fits:
            readings = " or ".join(
                f"{unit * height:.2f} m in {name}" for name, unit in fits.items()
            )
            raise BackbeatError(
                f"{where}: the person could be {readings}",
                hint="write unit: METERS OF A UNIT into a map and name it with "
                "--skeleton FILE",
            )
    raise BackbeatError(
        f"{where}: its legs are {height * LEG_SHARE:.3g} long, which is a person's in "
        f"none of {', '.join(UNITS)}",
        hint="write unit: METERS OF A UNIT into a map and name it with --skeleton FILE",
    )


def leg_length(motion: SkeletonMotion, parts: Mapping[str, int]) -> float:
    """From hip to ankle along the bones, in the file's unit."""
    return float(
        np.mean(
            [
                bone(motion, parts[f"{side} {part}"], parts[f"{side} {above}"])
                for side in SIDES
                for part, above in (("knee", "hip"), ("ankle", "knee"))
            ]
        )
        * 2
    )


def bone(motion: SkeletonMotion, joint: int, above: int) -> float:
    """From a joint to one above it at rest, in the file's unit."""
    rest = motion.rest()
    return float(np.linalg.norm(rest[joint] - rest[above]))


def find_up(
    motion: SkeletonMotion, parts: Mapping[str, int], own: SkeletonMap, where: str
) -> tuple[int, str]:
    """Index of the axis that points up, and a sentence on it.

    Args:
        motion: the motion.
        parts: indices of joints by part.
        own: its map.
        where: names the file in errors.

    Raises:
        BackbeatError: the person is not upright along an axis most of the time.
    """
    if own.up:
        return AXES.index(own.up), f"{own.up} up, as the map has it"
    every = max(1, len(motion.values) // LOOKED_AT)
    some = SkeletonMotion(motion.joints, motion.dt, motion.values[::every])
    wanted = (parts[HEAD], parts["left ankle"], parts["right ankle"])
    places, _ = some.poses(wanted, ())
    rise = places[:, 0] - 0.5 * (places[:, 1] + places[:, 2])
    length = np.linalg.norm(rise, axis=1, keepdims=True)
    along = np.median(rise / np.maximum(length, 1e-9), axis=0)
    order = np.argsort(-np.abs(along))
    best = int(order[0])
    if along[best] >= UPRIGHT:
        return best, f"{AXES[best]} up"
    readings = " or ".join(
        f"{AXES[i]} with the head {'up' if along[i] > 0 else 'down'}"
        for i in map(int, order[:2])
    )
    raise BackbeatError(
        f"{where}: the person is not upright most of the time, so that the axis that "
        f"points up could be {readings}",
        hint="write up: y or up: z into a map and name it with --skeleton FILE",
    )


def z_up(up: int) -> np.ndarray:
    """(3, 3) rotation of the file's axes to such with z up."""
    # A cyclic change of the axes is a rotation.
    return np.roll(np.eye(3), up - 2, axis=1)
