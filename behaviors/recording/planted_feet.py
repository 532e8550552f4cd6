"""Planted feet: when the feet of a recording stand, and where.

A recording knows joints, and may know the floating base; contacts it does not know.
A foot stands while some part of its sole is on the ground, unless its author says
otherwise, and while it stands it has one place: in the middle of where the recording
has it, laid flat about the corner on which it is.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from backbeat.behaviors.footsteps.step import FEET
from backbeat.behaviors.library.runs import runs
from backbeat.behaviors.recording.base_order import put_right
from backbeat.behaviors.recording.carried_base import carried
from backbeat.behaviors.recording.contacts.foot_roll import FootRoll, find_foot_roll
from backbeat.behaviors.recording.flights.jumps import (
    Flight,
    check_jumps,
    declared_flights,
    exact,
    find_flights,
    inside,
    joined,
)
from backbeat.behaviors.recording.foot_contacts import (
    LEG,
    FootContacts,
    find_contacts,
    ground_under,
)
from backbeat.behaviors.recording.planted_base import leveled, planted_base
from backbeat.behaviors.recording.soles import (
    Soles,
    find_soles,
    leg_height,
    smoothed,
)
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.model import RobotModel

# Feet that slide farther while they stand were not standing [m].
MOST_SLIDE = 0.15
# Landing and leaving, in which a foot moves, and does not slide [s].
ROLLING = 0.1
# Longest that is left out where a foot is in the air at the start or end [s].
MOST_CUT = 1.0
# Ground this far from height zero, or this uneven, is worth a word [m]; and more than
# this, as shares of a leg, is no flat floor.
OFF_ZERO, UNEVEN, MOST_UNEVEN = 0.01, 0.01, 0.1

Interval = tuple[float, float]


@dataclass(frozen=True)
class FootPath:
    """What one foot does.

    Attributes:
        planted: when it stands [s].
        places: (k, 3) where it stands then: x, y [m] and heading [rad].
        slides: (k,) how far the recording has it from there, at most [m].
        paths: (m, 3) places of the sole in between, each from where it leaves to where
            it lands [m].
        tilt: of the sole, at most [rad].
        roll: how it rolls over heel and toe; None if it is to stay flat.
    """

    planted: tuple[Interval, ...]
    places: np.ndarray
    slides: np.ndarray
    paths: tuple[np.ndarray, ...]
    tilt: float
    roll: FootRoll | None = None


@dataclass(frozen=True)
class PlantedMotion:
    """A recorded motion of the whole body whose feet have places.

    Attributes:
        t: (n,) times [s].
        q: (n, nq) configurations, the ground at height zero.
        com: (n, 3) center of mass [m].
        feet: by "left" and "right".
        kept: samples of what was given that these are.
        jumps: when neither foot touches the ground.
        notes: sentences on what was put right.
    """

    t: np.ndarray
    q: np.ndarray
    com: np.ndarray
    feet: Mapping[str, FootPath]
    kept: slice
    jumps: tuple[Flight, ...] = ()
    notes: tuple[str, ...] = ()


def plant_feet(
    robot: RobotModel,
    t: np.ndarray,
    q: np.ndarray,
    has_base: bool,
    declared: Mapping[str, Sequence[Interval]] | None,
    where: str,
    spacing: float = 0.0,
) -> PlantedMotion:
    """Finds when and where the feet of a motion stand.

    Args:
        robot: whose motion it is.
        t: (n,) times, evenly spaced [s].
        q: (n, nq) configurations.
        has_base: whether they have the base; it follows from the feet otherwise.
        declared: when each foot stands [s]; None to find out.
        where: names the recording in errors and notes.
        spacing: time between the samples of the recording itself [s].

    Raises:
        BackbeatError: a foot slides while it stands, or none stands and the body does
            not jump from both feet to both.
    """
    dt, still, notes = float(t[1] - t[0]), q, list[str]()
    if has_base:
        q, notes = put_right(robot, dt, q, declared is None, where)
    else:
        q = carried(robot, dt, still)
    soles, kept = find_soles(robot, dt, q), slice(0, len(t))
    leg = leg_height(robot, soles, q[:, 6])
    if declared is None:
        q, found, jumps = _contacts(robot, t, q, leg, spacing if has_base else None)
        on, ground = found.on, found.ground
        kept = _standing_at_ends(t, found, jumps, where)
        check_jumps(jumps := inside(jumps, t[kept]), where)
        _check_support(t, on, kept, jumps, where)
        notes += [*_cut(t, kept, where), *_bridges(t, found, kept, where)]
    else:
        on = {foot: _during(t, declared[foot]) for foot in FEET}
        jumps = inside(declared_flights(declared), t) if has_base else []
        _check_support(t, on, kept, jumps, where)
        _check_ends(t, on, where)
        ground = ground_under(soles, on, np.zeros(len(t)))
    q = q[kept].copy()
    q[:, 6] -= ground[kept]
    t, on = t[kept], {f: flags[kept] for f, flags in on.items()}
    recorded = find_soles(robot, dt, q) if has_base else None
    if has_base:
        notes += _floor(ground[kept], leg, where)
        q = planted_base(robot, dt, q, on)
    else:
        q = carried(robot, dt, still[kept], on)
    soles = find_soles(robot, dt, q)
    feet = {f: _path(t, soles, recorded or soles, f, on[f], where) for f in FEET}
    for f, other in zip(FEET, reversed(FEET), strict=True):
        roll = find_foot_roll(t, soles, f, on[f], on[other], leg / LEG)
        stood = exact(feet[f].planted, jumps, dt)
        feet[f] = replace(feet[f], planted=stood, roll=roll)
    return PlantedMotion(t, q, soles.com, feet, kept, tuple(jumps), tuple(notes))


def _contacts(
    robot: RobotModel,
    t: np.ndarray,
    q: np.ndarray,
    leg: float,
    spacing: float | None,
) -> tuple[np.ndarray, FootContacts, list[Flight]]:
    """Configurations on a level base, if it was recorded, when feet stand, flights."""
    dt = float(t[1] - t[0])
    found = find_contacts(find_soles(robot, dt, q), leg, robot.gravity, spacing)
    if spacing is None:
        return q, found, []
    # On a level base it is clearer which feet are on the ground.
    q = leveled(robot, dt, q, found.on)
    found = find_contacts(find_soles(robot, dt, q), leg, robot.gravity, spacing)
    jumps = find_flights(robot, t, q, found)
    return q, replace(found, on=joined(t, found.on, jumps)), jumps


def _during(t: np.ndarray, intervals: Sequence[Interval]) -> np.ndarray:
    near = 0.5 * (t[1] - t[0])
    on = [(t >= a - near) & (t <= b + near) for a, b in intervals]
    return np.any(on, axis=0) if on else np.zeros(len(t), bool)


def _check_support(
    t: np.ndarray,
    on: Mapping[str, np.ndarray],
    kept: slice,
    jumps: Sequence[Flight],
    where: str,
) -> None:
    """Refuses times without a foot on the ground in which the body does not jump."""
    for a, b in _inside(runs(~(on["left"] | on["right"])), kept):
        if any(j.start <= t[b - 1] and j.end >= t[a] for j in jumps):
            continue
        raise BackbeatError(
            f"{where}: no foot stands from {t[a]:.2f} to {t[b - 1]:.2f} s, and the "
            "body does not fall as it would in the air; say under 'planted' when each "
            "foot stands, or take another part with 'start' and 'end'"
        )


def _inside(rows: Sequence[tuple[int, int]], kept: slice) -> Iterator[tuple[int, int]]:
    """Rows of samples that have some of those that are kept."""
    return ((a, b) for a, b in rows if a < kept.stop and b > kept.start)


def _check_ends(t: np.ndarray, on: Mapping[str, np.ndarray], where: str) -> None:
    """Refuses ends on one foot."""
    for i, when in ((0, "start"), (-1, "end")):
        for foot in FEET:
            if not on[foot][i]:
                raise BackbeatError(
                    f"{where}: the {foot} foot is in the air at the {when}, "
                    f"{t[i]:.2f} s; choose another {when}, with both on the ground"
                )


def _standing_at_ends(
    t: np.ndarray, found: FootContacts, jumps: Sequence[Flight], where: str
) -> slice:
    """What is between the first and the last time that both feet stand.

    Raises:
        BackbeatError: more than a little would be left out.
    """
    on, whole = found.on, slice(0, len(t))
    both = np.flatnonzero(on["left"] & on["right"])
    if not len(both):
        check_jumps(jumps, where)
        _check_support(t, on, whole, jumps, where)
        raise BackbeatError(
            f"{where}: there is no time at which both feet stand; a recording begins "
            "and ends with both feet on the ground"
        )
    first, last = int(both[0]), int(both[-1])
    if t[first] - t[0] > MOST_CUT or t[-1] - t[last] > MOST_CUT:
        check_jumps(jumps, where)
        _check_support(t, on, whole, jumps, where)
        _check_ends(t, on, where)
    if last - first < 4:
        raise BackbeatError(
            f"{where}: both feet stand at {t[first]:.2f} s and not again; take a "
            "longer part with 'start' and 'end'"
        )
    return slice(first, last + 1)


def _cut(t: np.ndarray, kept: slice, where: str) -> list[str]:
    """What was left out."""
    inside = t[kept]
    if len(inside) == len(t):
        return []
    return [
        f"{where}: it is taken from {inside[0]:.2f} to {inside[-1]:.2f} s, for a foot "
        "is in the air before or after that"
    ]


def _bridges(t: np.ndarray, found: FootContacts, kept: slice, where: str) -> list[str]:
    """Times at which no foot was found on the ground, and one is taken to stand."""
    told = [f"{t[a]:.2f} to {t[b - 1]:.2f}" for a, b in _inside(found.bridged, kept)]
    if not told:
        return []
    return [
        f"{where}: no foot touches the ground from {', '.join(told)} s, and the body "
        "does not fall as it would in the air; the foot that leaves is taken to stand "
        "until the other one does"
    ]


def _floor(ground: np.ndarray, leg: float, where: str) -> list[str]:
    """Where the ground was taken to be.

    Raises:
        BackbeatError: it is no flat floor.
    """
    low, middle, high = np.quantile(ground, [0.0, 0.5, 1.0])
    if high - low > MOST_UNEVEN * leg:
        raise BackbeatError(
            f"{where}: feet stand at heights from {low:.2f} to {high:.2f} m; a dance "
            "has a flat floor, so take another part with 'start' and 'end'"
        )
    notes = []
    if high - low > UNEVEN:
        notes.append(
            f"{where}: feet stand at heights from {1e3 * low:.0f} to "
            f"{1e3 * high:.0f} mm; each is put on the ground"
        )
    elif abs(middle) > OFF_ZERO:
        side = "above" if middle > 0 else "below"
        notes.append(
            f"{where}: the feet that stand are {1e3 * abs(middle):.0f} mm {side} "
            "height zero; they are put on the ground"
        )
    return notes


def _inner(t: np.ndarray, a: int, b: int) -> slice:
    """A row of samples on the ground without landing and leaving."""
    rolling, middle = round(ROLLING / (t[1] - t[0])), (a + b) // 2
    first = a if a == 0 else min(a + rolling, middle)
    last = b if b == len(t) else max(b - rolling, middle + 1)
    return slice(first, last)


def _path(
    t: np.ndarray, soles: Soles, recorded: Soles, foot: str, on: np.ndarray, where: str
) -> FootPath:
    """Where a foot stands, and how far it was from there as recorded."""
    flat, was, heading = soles.flat(foot), recorded.flat(foot), soles.heading(foot)
    p, stances = smoothed(soles.p[foot]), runs(on)
    places, slides = [], []
    for a, b in stances:
        firm = _inner(t, a, b)
        away = np.linalg.norm(
            was[firm] - np.r_[np.median(was[firm, :2], axis=0), 0.0], axis=1
        )
        if away.max() > MOST_SLIDE:
            when = t[firm.start + int(away.argmax())]
            raise BackbeatError(
                f"{where}: the {foot} foot stands from {t[a]:.2f} to {t[b - 1]:.2f} s, "
                f"and gets {away.max():.2f} m away at {when:.2f} s; say under "
                "'planted' when it stands"
            )
        place = np.median(flat[firm, :2], axis=0)
        places.append(np.r_[place, np.median(heading[firm])])
        slides.append(away.max())
    return FootPath(
        tuple((float(t[a]), float(t[b - 1])) for a, b in stances),
        np.array(places),
        np.array(slides),
        tuple(p[b - 1 : c + 1] for (_, b), (c, _) in itertools.pairwise(stances)),
        float(soles.tilt(foot).max()),
    )
