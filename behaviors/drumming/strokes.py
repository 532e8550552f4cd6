"""Strokes: motions of a stick around a hit, as tasks of a trajectory problem.

A stroke comes down at the speed that its velocity asks for, is at the head on the
beat and goes up again; between two strokes the tip is raised, higher for a louder
one. Louder strokes start higher and hit faster in drummers, too (Dahl, "Playing the
Accent: Comparing Striking Velocity and Timing in an Ostinato Rhythm Performed by
Four Drummers", 2004).
"""

from dataclasses import dataclass, replace

import numpy as np
from pydrake.math import RigidTransform

from backbeat.behaviors.motion.knot_grid import SPACING, KnotGrid
from backbeat.behaviors.music.notation.score import Hit
from backbeat.models.common.schema import key
from backbeat.optimization.problem.tasks import FrameTask
from backbeat.optimization.problem.trajectory_problem import Task

# The velocity, as in MIDI, of a stroke with the stated speed and apex.
PLAIN = 90
# Share of them that the softest stroke has.
SOFTEST = 0.4
# Knots this near belong to the approach and to the rebound [s].
NEAR = 0.6 * SPACING
# Most height of a tip between two hits, as a share of speed and time between them:
# that of a parabola from head to head.
STEEPEST = 0.25
# Heights of an approach where it begins and where it goes on, as shares of those of the
# parabola.
FALLING, FALLING_ON = (1.0, 1.03), (0.97, 1.1)
# Weight of the height before a hit, and of that between two hits of one drum.
PROFILE, WAIT = 3e4, 3e3
# Planned speed of a stick after a hit, as a multiple of what the head gives back: more
# than one, or the tip would touch twice. Most of it as a share of the speed before:
# with more, the arm would not catch up before the next hit. Share of the way up that is
# planned from it.
LIFTED, MOST_REBOUND, RISING = 1.4, 0.65, 0.8
# Least mean speed up from a head to the next knot, as a multiple of the rebound: with
# less, the tip of a stroke without a shape would linger in the head.
LEAST_RISE = 1.2
# Share of a way, or of so much of it [s], beside a hit in which the tip of a stroke
# without a shape stays above the head.
CLEAR, LONGEST_CLEAR = 0.45, 0.4
# Ways longer than this stay up [s]; after and before this much of them [s], and with
# time to come down to a lower head at this speed [m/s].
LONG_WAY, RISE, FALL, FALL_SPEED = 0.9, 0.3, 0.25, 1.0
# Tips that come to rest: t seconds before, their height above the head is a t^2 + b t^3
# [m/s^2, m/s^3] times a factor of at least and at most this, over a time [s] or a share
# of the way.
LANDING, LANDING_TIME, LANDING_SHARE = (1.0, 2.0), 0.22, 0.4
LANDING_SHAPE = (0.7, 1.5)
# Weight of a tip's place beside a rest: hands that rush off would push the feet.
STILL = 2e4


@dataclass
class Stroke:
    """How a drum is struck, by a hit of the usual loudness."""

    apex: float = key(0.13, "m", ge=0.02, le=0.4)
    """Highest point between two hits, above the higher head."""
    speed: float = key(1.5, "m/s", ge=0.2, le=3.0)
    """Speed of the tip along the normal at the head."""
    slope: float = key(0.25, "rad", ge=0, le=1)
    """Minimum slope of the stick down to the head at a hit."""
    shaped: bool = key(True)
    """Whether a stroke has heights between hits and a rebound like those of drummers;
    without, the path of the tips between hits is free, which allows faster playing."""

    def at_size(self, scale: float) -> "Stroke":
        """The same in the same time, of so many times the height and speed."""
        if scale == 1.0:
            return self
        return replace(self, apex=scale * self.apex, speed=scale * self.speed)

    def strike_speed(self, velocity: float) -> float:
        """Speed at the head for a velocity as in MIDI [m/s]."""
        return self.speed * loudness(velocity)

    @property
    def fall_time(self) -> float:
        """Time from the apex to the head on a parabola [s]."""
        return 2 * self.apex / self.speed

    def falling(self, velocity: float, t: float) -> float:
        """Height above the head t seconds before a hit, on that parabola [m]."""
        return self.strike_speed(velocity) * t * (1 - 0.5 * t / self.fall_time)

    def rising(
        self, velocities: tuple[float, float], t: float, rise: float, rebound: float
    ) -> float:
        """Height t seconds after a hit [m].

        The stick bounces back by itself, with a share `rebound` of its speed, and is
        raised from there evenly, to the height from which the next hit falls.

        Args:
            velocities: of the hit and of the next one, as in MIDI.
            t: time since the hit [s].
            rise: time of the way up [s].
            rebound: share of the speed that the stick keeps.
        """
        velocity, following = velocities
        speed = rebound * self.strike_speed(velocity)
        apex = min(self.apex, STEEPEST * 2 * rise * self.speed) * loudness(following)
        gain = max(0.0, apex - speed * rise) / rise**2
        return speed * t + gain * t**2


def loudness(velocity: float) -> float:
    """Factor on speed and apex for a velocity as in MIDI, 1 for a plain stroke."""
    return SOFTEST + (1 - SOFTEST) * velocity / PLAIN


def planned_rebound(restitution: float) -> float:
    """Share of its speed with which a stick is planned to leave a head.

    Args:
        restitution: share that a free stick has after a drop on that head.
    """
    return min(MOST_REBOUND, LIFTED * restitution)


@dataclass(frozen=True)
class PlannedHit:
    """One hit of one hand, with what is beside it.

    Attributes:
        hit: the hit.
        gaps: time since the hand was last at a drum, and until it is again [s].
        tip: frame of the tip.
        X_WT: where the tip is at the hit, in axes of the head.
        rebound: share of its speed that the stick keeps.
        stroke: how it is struck.
        grid: the knots.
        stick_length: from grip to tip [m]; 0 for a foot.
        following: velocity of the hand's next hit, as in MIDI.
    """

    hit: Hit
    gaps: tuple[float, float]
    tip: str
    X_WT: RigidTransform
    rebound: float
    stroke: Stroke
    grid: KnotGrid
    stick_length: float = 0.0
    following: float = PLAIN

    @property
    def knot(self) -> int:
        """Knot of the hit."""
        return self.grid.knot(self.hit.beat)

    @property
    def beside(self) -> tuple[int, int]:
        """Knots that the approach starts at, and that the rebound ends at."""
        last = self.grid.before(self.knot, min(NEAR, self.gaps[0] / 10))
        return last, self.grid.after(self.knot, min(NEAR, self.gaps[1] / 10))

    def falling(self, knot: int) -> float:
        """Height of the tip above the head at a knot before the hit [m]."""
        t = self.grid.times
        return self.stroke.falling(self.hit.velocity, t[self.knot] - t[knot])

    def rising(self, knot: int) -> float:
        """Height of the tip above the head at a knot after the hit [m]."""
        since = float(self.grid.times[knot]) - self.time
        velocities = self.hit.velocity, self.following
        return self.stroke.rising(velocities, since, self.rise, self.rebound)

    @property
    def time(self) -> float:
        """Time of the hit [s]."""
        return float(self.grid.times[self.knot])

    @property
    def rise(self) -> float:
        """Time of the way up [s]."""
        return min(self.stroke.fall_time, 0.5 * self.gaps[1])


def strike(planned: PlannedHit) -> list[Task]:
    """At the head on the knot, fast before, straight up and down."""
    k, (last, first) = planned.knot, planned.beside
    tip, X_WT = planned.tip, planned.X_WT
    beside = np.r_[last:k, k + 1 : first + 1]
    sideways = 0.8 * SPACING
    grip = planned.stick_length * np.sin(planned.stroke.slope)
    return [
        FrameTask(tip, np.array([k]), X_WT, "x y z"),
        *(fall(planned, i, i == last) for i in range(last, k)),
        FrameTask(tip, beside, X_WT, "x y", lower=-sideways, upper=sideways),
        FrameTask(f"{tip[0]}_stick", np.arange(last, first + 1), X_WT, "z", lower=grip),
    ]


def fall(planned: PlannedHit, knot: int, is_first: bool) -> Task:
    """The height before a hit; a tip that is lower there would come in slowly."""
    down, tip, X_WT = planned.falling(knot), planned.tip, planned.X_WT
    low, high = FALLING if is_first else FALLING_ON
    return FrameTask(
        tip, np.array([knot]), X_WT, "z", lower=low * down, upper=high * down
    )


def swing(planned: PlannedHit) -> list[Task]:
    """The rebound, and heights of the tip from its way down to its way up."""
    grid, tip, X_WT = planned.grid, planned.tip, planned.X_WT
    t, (last, first) = grid.times, planned.beside
    fall = min(planned.stroke.fall_time, 0.5 * planned.gaps[0])
    tasks: list[Task] = []
    # The knots beside a hit decide its speeds: the curves go through them all.
    for i in range(planned.knot + 1, first + 1):
        up = planned.rising(i)
        tasks.append(
            FrameTask(tip, np.array([i]), X_WT, "z", lower=up, upper=1.03 * up)
        )
    before = grid.within(planned.time - fall, t[last] - 1e-3)
    after = grid.within(t[first] + 1e-3, planned.time + RISING * planned.rise)
    heights = {i: planned.falling(i) for i in before}
    heights |= {i: planned.rising(i) for i in after}
    for i, height in heights.items():
        X = X_WT @ RigidTransform([0.0, 0.0, height])
        tasks.append(FrameTask(tip, np.array([i]), X, "z", weight=PROFILE))
    return tasks


def clear(planned: PlannedHit) -> list[Task]:
    """A stroke without a shape: the tip is above the head beside the hit, no more."""
    grid, tip, X_WT, k = planned.grid, planned.tip, planned.X_WT, planned.knot
    t, (last, _) = grid.times, planned.beside
    strike_speed = planned.stroke.strike_speed(planned.hit.velocity)
    up = LEAST_RISE * planned.rebound * strike_speed * (t[k + 1] - t[k])
    since, until = (CLEAR * min(way, LONGEST_CLEAR) for way in planned.gaps)
    after = np.union1d(k + 1, grid.within(t[k] + 1e-3, t[k] + until))
    before = grid.within(t[k] - since, t[last] - 1e-3)
    return [
        FrameTask(tip, after, X_WT, "z", lower=up),
        FrameTask(tip, before, X_WT, "z", lower=planned.falling(last)),
    ]


def lift(
    tip: str,
    stops: tuple[float, float],
    heads: tuple[RigidTransform, RigidTransform],
    velocity: float,
    rests: bool,
    stroke: Stroke,
    grid: KnotGrid,
) -> Task:
    """Half way between two stops the tip is at its apex; on long paths it stays up.

    Args:
        tip: frame of the tip.
        stops: times of the two stops [s].
        heads: where the tip is at them.
        velocity: of the hit to come, as in MIDI.
        rests: whether the tip rests at one of the stops.
        stroke: how drums are struck.
        grid: the knots.
    """
    a, b = stops
    top = max(X.translation()[2] for X in heads)
    X = RigidTransform([0.0, 0.0, top])
    apex = stroke.apex * loudness(velocity)
    steepest = STEEPEST * stroke.strike_speed(velocity) * (b - a)
    if rests:
        steepest = LANDING[1] * (0.5 * (b - a)) ** 2
    apex = min(apex, steepest)
    drop = top - heads[1].translation()[2]
    knots = grid.within(a + RISE, b - FALL - drop / FALL_SPEED)
    if b - a > LONG_WAY and len(knots):
        return FrameTask(tip, knots, X, "z", lower=min(apex, 0.10))
    middle = np.array([grid.at(0.5 * (a + b))])
    return FrameTask(tip, middle, X, "z", lower=apex)


def wait(
    tip: str,
    times: tuple[float, float],
    X_WT: RigidTransform,
    velocity: float,
    stroke: Stroke,
    grid: KnotGrid,
) -> list[Task]:
    """Between two hits of one drum the tip is where the next one falls from.

    Args:
        tip: frame of the tip.
        times: of the two hits [s].
        X_WT: where the tip is at them.
        velocity: of the hit to come, as in MIDI.
        stroke: how drums are struck.
        grid: the knots.
    """
    a, b = times
    knots = grid.within(a + stroke.fall_time, b - stroke.fall_time)
    X = X_WT @ RigidTransform([0.0, 0.0, stroke.apex * loudness(velocity)])
    return [FrameTask(tip, knots, X, "z", weight=WAIT)] if len(knots) else []


def land(
    tip: str,
    times: tuple[float, float],
    gaps: tuple[float, float],
    X_WT: RigidTransform,
    stroke: Stroke,
    grid: KnotGrid,
) -> list[Task]:
    """A tip comes down on a head, and leaves it, at centimeters a second.

    Args:
        tip: frame of the tip.
        times: when it lies down and when it leaves [s].
        gaps: time since the hand was last at a drum, and until it is again [s].
        X_WT: where it rests.
        stroke: how drums are struck.
        grid: the knots.
    """
    tasks: list[Task] = []
    a, b = LANDING_SHAPE
    for time, way, side in zip(times, gaps, (-1, 1), strict=True):
        beside = min(LANDING_TIME, LANDING_SHARE * way)
        ends = sorted((time + side * 1e-3, time + side * beside))
        steep = float(np.clip(stroke.apex / (0.5 * way) ** 2, *LANDING))
        for k in grid.within(ends[0], ends[1]):
            if k < 2:  # the start is given
                continue
            t = abs(grid.times[k] - time)
            X = X_WT @ RigidTransform([0.0, 0.0, steep * (a + b * t) * t**2])
            tasks.append(FrameTask(tip, np.array([k]), X, "x y z", weight=STILL))
    return tasks
