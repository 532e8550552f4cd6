"""A step: a phase in which some feet stand and the others move."""

from dataclasses import dataclass, field, replace

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

    # Feet that stand: both, left, right or none.
    feet: str = "both"
    # How long, in seconds or, with a tempo, in beats.
    time: float = 0.0
    beats: float = 0.0
    # How far the feet in the air get: forward, to the left [m], and turned left [rad].
    to: list[float] = field(default_factory=lambda: [0.0, 0.0])
    turn: float = 0.0
    # Of a jump in which feet do not go the same way, by foot: how far it gets: forward,
    # left [m], and turned left [rad].
    each: dict[str, list[float]] = field(default_factory=dict)
    # Places on the way, from where the foot left: forward, left, up [m].
    via: list[list[float]] = field(default_factory=list)
    # Height of the foot on the way [m].
    clearance: float = 0.05
    # How much lower the center of mass is at the end than at the start [m].
    lower: float = 0.0
    # Least and most time [s], where the step may choose; empty where it may not.
    between: list[float] = field(default_factory=list)

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
