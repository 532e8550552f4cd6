"""A step: a phase in which some feet stand and the others move."""

from dataclasses import dataclass, replace

from backbeat.models.common.schema import key

# Feet, and those that stand, by the words of a step.
FEET = ("left", "right")
STANDING = {"both": ("left", "right"), "left": ("left",), "right": ("right",)}
STANDING["none"] = ()
IN_WORDS = {
    "both": "both feet",
    "left": "left foot",
    "right": "right foot",
    "none": "in the air",
}


@dataclass
class Step:
    """A phase: which feet stand, and where the others go."""

    feet: str = key("both", choices=tuple(STANDING))
    """Feet that stand: both, left, right or none."""
    time: float = key(0.0, "s")
    """Duration."""
    beats: float = key(0.0)
    """Duration in beats, with a tempo; used instead of `time`."""
    to: list[float] = key([0.0, 0.0], "m", length=2)
    """Displacement of the feet in the air from where they left the ground, forward and
    to the left in the direction of the feet then."""
    turn: float = key(0.0, "rad")
    """Rotation of the feet in the air to the left."""
    each: dict[str, list[float]] = key(dict)
    """Of a jump in which the feet do not go the same way, by foot: forward, left [m]
    and rotation to the left [rad], as in `{left: [0, 0.1, 0], right: [0, -0.1, 0]}`."""
    via: list[list[float]] = key(list, "m")
    """Intermediate positions, from where the foot left the ground: forward, left,
    up."""
    clearance: float = key(0.05, "m")
    """Height of the foot during the step."""
    lower: float = key(0.0, "m")
    """By how much the center of mass is lower at the end than at the start."""
    between: list[float] = key(list, "s")
    """Minimum and maximum duration [s], where the optimizer may choose it; empty for a
    fixed duration."""

    def way(self, foot: str) -> tuple[float, float, float]:
        """How far a foot in the air gets: forward, left [m], and turned left [rad]."""
        if foot in self.each:
            x, y, turn = self.each[foot]
            return x, y, turn
        return self.to[0], self.to[1], self.turn

    def scaled(self, scale: float, time: float = 1.0) -> "Step":
        """The same step with all lengths, and seconds, so much longer."""
        if scale == 1.0:
            return self
        return replace(
            self,
            time=time * self.time,
            between=[time * x for x in self.between],
            to=[scale * x for x in self.to],
            each={
                foot: [scale * x, scale * y, turn]
                for foot, (x, y, turn) in self.each.items()
            },
            via=[[scale * x for x in place] for place in self.via],
            clearance=scale * self.clearance,
            lower=scale * self.lower,
        )
