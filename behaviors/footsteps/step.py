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
    # Places on the way, from where the foot left: forward, left, up [m].
    via: list[list[float]] = field(default_factory=list)
    # Height of the foot on the way [m].
    clearance: float = 0.05
    # How much lower the center of mass is at the end than at the start [m].
    lower: float = 0.0
    # Least and most time [s], where the step may choose; empty where it may not.
    between: list[float] = field(default_factory=list)

    def scaled(self, scale: float, time: float = 1.0) -> "Step":
        """The same step with all lengths, and seconds, so much longer."""
        if scale == 1.0:
            return self
        return replace(
            self,
            time=time * self.time,
            between=[time * x for x in self.between],
            to=[scale * x for x in self.to],
            via=[[scale * x for x in place] for place in self.via],
            clearance=scale * self.clearance,
            lower=scale * self.lower,
        )
