"""RuleFinding: where a take has to be cut, by time and body, and what remains of it.

The take is settled first: its base is level with the feet, and the feet that stand are
on the floor. What is near the floor then and is no foot has to be cut, and so has a
body that lies or tumbles, that has no foot on the floor and does not jump, or that
flies from one foot. Parts between begin and end where the robot could stand.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import scipy

from backbeat.behaviors.cuts.body_heights import BodyHeights, both, find_heights
from backbeat.behaviors.cuts.take_parts import Interval, TakeObstacle, TakeParts
from backbeat.behaviors.footsteps.step import FEET
from backbeat.behaviors.library.balance import balance_margin
from backbeat.behaviors.library.runs import runs, without_short
from backbeat.behaviors.motion.concatenation import make_continuous
from backbeat.behaviors.recording.flights.jumps import Flight, find_flights
from backbeat.behaviors.recording.foot_contacts import (
    BRIDGED,
    LEG,
    FootContacts,
    find_contacts,
)
from backbeat.behaviors.recording.planted_base import leveled
from backbeat.behaviors.recording.soles import Soles, find_soles
from backbeat.behaviors.recording.take_file import configurations
from backbeat.behaviors.takes.take import Take
from backbeat.models.robot.model import RobotModel

# Samples a second that are looked at for feet, and of these every so many for bodies.
RATE, EVERY = 50.0, 2
# Height at which a part of the body is on the floor, of a robot with legs of `LEG`, and
# the same where no sole is flat enough on the floor to carry it [m].
NEAR, CARRIES = 0.02, 0.06
# Tilt of soles that carry [rad].
CARRYING = 0.6
# Shorter times on the floor are noise, and shorter ones off it are none [s].
BRIEF, APART = 0.1, 0.6
# Cosine of the tilt of the base beyond which a body lies: 72 degrees.
LIES = 0.31
# Where a robot can stand: speed of its center of mass, of a robot with legs of `LEG`
# [m/s], tilt of its soles [rad], and how far inside them it is [m].
SLOW, FLAT, INSIDE = 0.3, 0.2, 0.01
# Shorter parts are of no use, and shorter takes have nothing to cut [s].
LEAST, SHORTEST = 1.0, 0.4


def find_parts(
    take: Take,
    robot: RobotModel,
    start: float | None = None,
    end: float | None = None,
    where: str = "the take",
) -> TakeParts:
    """Cuts a take, or a part of it, at what a robot on its feet cannot do.

    What was found last is kept: a take is cut when it is imported, and looked at again
    when the dance that it became is read.

    Args:
        take: the take; one without a base, or of a robot without legs, is whole.
        robot: whose motion it is.
        start, end: the part to look at [s]; None for the ends of the take.
        where: names the take in errors.

    Raises:
        BackbeatError: the take does not have this part.
    """
    part = take.part(start, end, where)
    first = float(part.t[0] if start is None else start)
    last = float(part.t[-1] if end is None else end)
    return _cut(take, robot, first, last)


@lru_cache(maxsize=4)
def _cut(take: Take, robot: RobotModel, first: float, last: float) -> TakeParts:
    """Cuts what a take has from one time to another [s]."""
    part = take.part(first, last, "the take")
    walks = np.isin([robot.joint_index(n) for n in take.joints], robot.leg_joints).any()
    short = part.t[-1] - part.t[0] < SHORTEST
    if part.base is None or short or not walks or len(robot.soles) != len(FEET):
        return TakeParts(first, last, (), ((first, last),))
    seen = _Settled(robot, part)
    flights = find_flights(robot, seen.t, seen.q, seen.found)
    jumps = tuple((f.start, f.end) for f in flights if f.is_jump)
    obstacles = sorted(_obstacles(seen, flights), key=lambda o: (o.start, o.end))
    if not obstacles:
        return TakeParts(first, last, (), ((first, last),), jumps)
    parts = [
        found
        for a, b in _between(obstacles, first, last)
        if (found := seen.standing(a, b)) is not None
    ]
    return TakeParts(first, last, tuple(obstacles), tuple(parts), jumps)


class _Settled:
    """A take whose base is level with the feet that stand, on the floor.

    Attributes:
        t: (n,) times [s].
        q: (n, nq) configurations.
        soles: where its feet are.
        found: which of them stand.
        scale: of lengths.
    """

    def __init__(self, robot: RobotModel, take: Take) -> None:
        """Settles a take with a base."""
        self.robot, q = robot, configurations(take, robot)
        make_continuous(q, robot.num_joints)
        n = max(4, round((take.t[-1] - take.t[0]) * RATE) + 1)
        self.t = np.linspace(take.t[0], take.t[-1], n)
        q = scipy.interpolate.PchipInterpolator(take.t, q, axis=0)(self.t)
        q[:, :4] /= np.maximum(np.linalg.norm(q[:, :4], axis=1), 1e-9)[:, None]
        self.dt = float(self.t[1] - self.t[0])
        self.scale = robot.leg_length / LEG
        gravity, apart = robot.gravity, float(np.median(np.diff(take.t)))

        def contacts(q: np.ndarray) -> tuple[Soles, FootContacts]:
            soles = find_soles(robot, self.dt, q)
            return soles, find_contacts(soles, robot.leg_length, gravity, apart)

        q = leveled(robot, self.dt, q, contacts(q)[1].on)
        self.soles, self.found = contacts(q)
        self.q = q.copy()
        self.q[:, 6] -= self.found.ground

    def heights(self) -> BodyHeights:
        """How far parts of the body are above the floor, of every so many samples."""
        return find_heights(self.robot, self.q[::EVERY])

    def carried(self) -> np.ndarray:
        """(n,) whether a sole is flat enough on the floor to carry the robot."""
        flat = [
            (self.soles.R[f][:, 2, 2] > np.cos(CARRYING))
            & (self.soles.lowest(f) - self.found.ground < CARRIES * self.scale)
            for f in FEET
        ]
        return np.asarray(flat[0] | flat[1])

    def standing(self, a: float, b: float) -> Interval | None:
        """The part from one time to another at whose ends the robot can stand."""
        inside = np.flatnonzero((self.t >= a) & (self.t <= b)).tolist()
        low = next((i for i in inside if self._stands(i)), None)
        high = next((i for i in inside[::-1] if self._stands(i)), None)
        if low is None or high is None or self.t[high] - self.t[low] < LEAST:
            return None
        return float(self.t[low]), float(self.t[high])

    def _stands(self, i: int) -> bool:
        """Whether both feet carry the robot, flat, and it is nearly at rest."""
        soles, on = self.soles, self.found.on
        if not all(on[f][i] and soles.R[f][i, 2, 2] > np.cos(FLAT) for f in FEET):
            return False
        rows = slice(max(0, i - 2), i + 3)
        speed = np.linalg.norm(np.ptp(soles.com[rows], axis=0)) / (
            self.dt * (len(soles.com[rows]) - 1)
        )
        if speed > SLOW * np.sqrt(self.scale):
            return False
        corners = np.vstack([soles.corners[f][i, :, :2] for f in FEET])
        try:
            edges = np.asarray(scipy.spatial.ConvexHull(corners).equations)
        except scipy.spatial.QhullError:
            return False
        return balance_margin(edges, soles.com[i, :2]) > INSIDE


def _between(
    obstacles: Sequence[TakeObstacle], first: float, last: float
) -> Iterator[Interval]:
    """What is before, between and after obstacles."""
    at = first
    for o in obstacles:
        if o.start > at:
            yield at, o.start
        at = max(at, o.end)
    if last > at:
        yield at, last


def _obstacles(seen: _Settled, flights: Sequence[Flight]) -> Iterator[TakeObstacle]:
    """What a robot on its feet cannot do, in no order."""
    heights, t = seen.heights(), seen.t[::EVERY]
    carried = seen.carried()
    low = np.where(carried[::EVERY], NEAR, CARRIES)[: len(t)] * seen.scale
    near = heights.height < low[:, None]
    lasting = np.zeros_like(near)
    for k, column in enumerate(near.T):
        lasting[:, k] = _lasting(column, t)
    any_near = np.asarray(lasting.any(axis=1))
    for a, b in runs(_joined(any_near, t)):
        there = [
            w for w, x in zip(heights.words, lasting.T, strict=True) if x[a:b].any()
        ]
        side = heights.lies[a:b]
        words = tuple(_lying(w, side[any_near[a:b]]) for w in there)
        said = list(both(list(words)))
        what = ", ".join(said[:-1]) + (" and " if said[1:] else "") + said[-1]
        yield _obstacle(f"{what} on the floor", t, a, b, words)
    floor = any_near.repeat(EVERY)[: len(seen.t)]
    tilted = (1 - 2 * (seen.q[:, 1] ** 2 + seen.q[:, 2] ** 2) < LIES) & ~carried
    for a, b in runs(_joined(_lasting(tilted, seen.t), seen.t)):
        if not floor[a:b].any():
            yield _obstacle("the body lies or tumbles", seen.t, a, b)
    yield from _in_the_air(seen, flights, floor | tilted)


def _in_the_air(
    seen: _Settled, flights: Sequence[Flight], known: np.ndarray
) -> Iterator[TakeObstacle]:
    """Flights that are no jumps, and times without a foot on the floor."""
    found, t = seen.found, seen.t
    air = ~(found.on["left"] | found.on["right"])
    for flight in flights:
        rows = (t >= flight.start) & (t <= flight.end)
        air &= ~rows
        edge = flight.start <= t[0] + seen.dt or flight.end >= t[-1] - seen.dt
        if not flight.is_jump and not edge and not known[rows].any():
            what = flight.sentence().split(" from ")[-1]
            yield TakeObstacle(
                f"a leap from {what}", flight.start, flight.end, flight.leaves
            )
    for a, b in runs(air):
        if (b - a) * seen.dt > BRIDGED + 2 * seen.dt and not known[a:b].any():
            yield _obstacle("no foot on the floor and no fall", t, a, b)


def _lying(word: str, side: np.ndarray) -> str:
    """A trunk on the floor is a back or a chest."""
    if word != "trunk" or not side.any():
        return word
    return "back" if side.mean() > 0 else "chest"


def _lasting(flags: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Flags without short runs; also at the ends."""
    out = flags.copy()
    for a, b in runs(flags):
        if t[b - 1] - t[a] < BRIEF:
            out[a:b] = False
    return out


def _joined(flags: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Flags with short gaps between them filled."""
    return without_short(flags, False, lambda a, b: t[b - 1] - t[a] < APART)


def _obstacle(
    what: str, t: np.ndarray, a: int, b: int, bodies: tuple[str, ...] = ()
) -> TakeObstacle:
    return TakeObstacle(what, float(t[a]), float(t[min(b, len(t) - 1)]), bodies)
