"""Moves: what a body part does over some beats, as data.

A move adds offsets to channels: `com.x`, `com.y`, `com.z` in meters, `pelvis.rx`,
`pelvis.ry`, `pelvis.rz` in radians, or joints in radians, by the turn that they are as
in `left shoulder roll` (see `backbeat.models.robot.roles`) or by name; or it takes
steps. Its parameters have a range, a default and a unit, so that a choreography can be
checked before anything is solved.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from backbeat.behaviors.dance.vocabulary.expression import Expression
from backbeat.behaviors.footsteps.step_rolls import StepRoll
from backbeat.models.common.errors import BackbeatError, unknown_name

# Offsets by channel over an array of beats since the move began.
Offsets = dict[str, np.ndarray]
TRACKS = ("legs", "body", "arms", "head")
# What the legs can be in between moves, and what the center of mass has then [m].
STATES: dict[str, dict[str, float]] = {"stand": {}, "squat": {"com.z": -0.12}}
# Channels of both sides, for which the right one mirrors the left one: by the turn that
# a joint is, and by name.
BOTH_TURNS, BOTH = "both ", "both_"
# Feet as markers name them.
FOOT_WORDS = ("left foot", "right foot")
# Channels that are no joints, of which some are lengths.
LENGTHS = tuple(f"com.{a}" for a in "xyz")
TASK_CHANNELS = LENGTHS + tuple(f"pelvis.r{a}" for a in "xyz")


@dataclass(frozen=True)
class Parameter:
    """A number that a move takes.

    Attributes:
        least, default, most: range and default.
        unit: unit for people.
    """

    least: float
    default: float
    most: float
    unit: str


@dataclass(frozen=True)
class Curve:
    """A channel over a cycle, at rest at every key.

    Attributes:
        at: (n,) shares of the cycle, increasing.
        values: what it has there.
    """

    at: tuple[float, ...]
    values: tuple[Expression, ...]


@dataclass(frozen=True)
class MoveStep:
    """A time at which not all feet stand.

    Attributes:
        start, end: when, in shares of the cycle.
        feet: which foot stands: left, right or none.
        to: how far the others get: forward, to the left [m].
        turn: how far they turn to the left [rad].
        clearance: height on the way [m].
        via: places on the way, from where the foot left [m].
        roll: how the foot rolls over heel and toe, in shares of the cycle; None if it
            stays flat.
        each: of a jump in which feet do not go the same way, by foot: forward, to the
            left [m], and turned to the left [rad].
    """

    start: float
    end: float
    feet: str
    to: tuple[Expression, Expression]
    turn: Expression
    clearance: Expression
    via: tuple[tuple[Expression, Expression, Expression], ...] = ()
    roll: StepRoll | None = None
    each: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Marker:
    """The instant of a move that belongs on a beat.

    Attributes:
        at: when, in shares of the cycle.
        what: what a person sees.
        channel: whose extreme it is, or the foot that lands.
        extreme: "most", "least" or "lands".
    """

    at: float
    what: str
    channel: str
    extreme: str


@dataclass(frozen=True)
class Move:
    """A named move.

    Attributes:
        name: name in choreographies.
        track: "legs", "body", "arms" or "head".
        summary: one line for people.
        parameters: by name.
        length: beats of a cycle, or of the whole of a move that does not repeat.
        repeats: whether it goes on, cycle after cycle, for as long as it is given.
        curves: offsets by channel.
        steps: steps of a cycle in order.
        marker: what belongs on the beat.
        entry: states of the legs in which it can start; every one if empty.
        exit: state in which it leaves them; "" for that in which it began.
        hold: where it waits when it is given more beats than it has, in shares of its
            length; None if it cannot.
        knot_spacing: most time between knots for its steps [s]; 0 for what is usual.
        apart: what is added to channels, at most, where hands carry something that
            would touch otherwise.
        shares: factors on the costs of channels, of those that have others than one.
        body_steps: whether its channels say where the body is while its feet step.
    """

    name: str
    track: str
    summary: str
    parameters: Mapping[str, Parameter]
    length: Expression
    repeats: bool
    curves: Mapping[str, Curve]
    steps: tuple[MoveStep, ...] = ()
    marker: Marker | None = None
    entry: tuple[str, ...] = field(default=())
    exit: str = ""
    hold: float | None = None
    knot_spacing: float = 0.0
    apart: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    body_steps: bool = False

    def values(self, given: Mapping[str, float], where: str) -> dict[str, float]:
        """Parameter values with defaults filled in.

        Raises:
            BackbeatError: an unknown parameter or one out of its range.
        """
        for name, value in given.items():
            if name not in self.parameters:
                raise unknown_name(
                    f"parameter of {self.name} in {where}", name, self.parameters
                )
            p = self.parameters[name]
            if not p.least <= value <= p.most:
                raise BackbeatError(
                    f"{where}: {name} of {self.name} is {value:g} {p.unit}; it goes "
                    f"from {p.least:g} to {p.most:g}"
                )
        return self.defaults() | {n: float(v) for n, v in given.items()}

    def defaults(self) -> dict[str, float]:
        """The parameters' values when none is given."""
        return {n: p.default for n, p in self.parameters.items()}

    def usual_beats(self, values: Mapping[str, float]) -> float:
        """Beats that it takes when none are given."""
        length = self.length(values)
        return max(length, 4.0) if self.repeats and not self.steps else length

    def shape(
        self, since: np.ndarray, beats: float, values: Mapping[str, float]
    ) -> Offsets:
        """Offsets over beats since the start, of a move that is given some beats."""
        length = self.length(values)
        u = since / length
        if self.repeats:
            u = u % 1.0
        elif beats > length and self.hold is not None:
            # It goes there, waits, and goes on.
            wait, extra = self.hold * length, beats - length
            at = np.where(since < wait + extra, np.minimum(since, wait), since - extra)
            u = at / length
        return {n: self._channel(c, u, values) for n, c in self.curves.items()}

    def leads(self, since: np.ndarray, values: Mapping[str, float]) -> np.ndarray:
        """(n,) share of the body's place that is its own, beats after the start."""
        return np.zeros_like(since)

    def _channel(
        self, curve: Curve, u: np.ndarray, values: Mapping[str, float]
    ) -> np.ndarray:
        """A channel at shares u of the cycle: half a cosine from key to key."""
        at, keys = np.array(curve.at), np.array([v(values) for v in curve.values])
        if self.repeats:
            at = np.r_[at[-1] - 1.0, at, at[0] + 1.0]
            keys = np.r_[keys[-1], keys, keys[0]]
        elif len(at) == 1:
            return np.full_like(u, keys[0])
        i = np.clip(np.searchsorted(at, u, side="right") - 1, 0, len(at) - 2)
        way = np.clip((u - at[i]) / (at[i + 1] - at[i]), 0.0, 1.0)
        return np.asarray(
            keys[i] + 0.5 * (1 - np.cos(np.pi * way)) * (keys[i + 1] - keys[i])
        )
