"""ModelMismatch: differences of the simulated world from the model.

The controllers have no input from it. Random values depend on the scenario's seed
alone, and each kind of mismatch has a stream of its own, so that one more leaves the
others unchanged (domain randomization).
"""

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from backbeat.models.common.errors import BackbeatError

# Most ticks that are lost at once: ten seconds of them are a controller that is gone.
MOST_BURST = 5000
# What a random joint is called, for it may be any.
ANY_JOINT = "any"


class Stream(IntEnum):
    """Streams of random numbers; the order is part of every result."""

    HEIGHT, TILT, SLOPE, FRICTION, DRUM, MASS, JOINT, PLAN, PUSH = range(9)
    CENTER_OF_MASS, TICK = 9, 10


def random_stream(seed: int, stream: Stream, number: int = 0) -> np.random.Generator:
    """Random numbers for one purpose in a run.

    Args:
        seed: seed of the scenario.
        stream: the purpose.
        number: which of many draws, where they have to stay independent.
    """
    return np.random.default_rng([seed, int(stream), number])


def either_way(random: np.random.Generator, most: float) -> float:
    """A number that is drawn from -most to most; a zero may have a sign."""
    return float(random.uniform(-most, most + 0.0))


@dataclass
class ModelMismatch:
    """Differences of the simulated world from the model; by default none."""

    # Height of the ground under each foothold, drawn from -this to this [m].
    step_height: float = 0.0
    # Tilt of the ground under each foothold, in a direction drawn for each [deg].
    tilt_deg: float = 0.0
    # Slope of all the ground, in a drawn direction, about the place of the start [deg].
    slope_deg: float = 0.0
    # Friction of soles on footholds, drawn from lowest to highest; [] leaves it.
    patch_friction: list[float] = field(default_factory=list)
    # Share of the footholds that have it.
    patch_share: float = 1.0
    # How far a drum stands from its place, in a drawn horizontal direction [m].
    drum_shift: float = 0.0
    # Which; "" draws one of those that are played.
    drum: str = ""
    # All masses of the robot times this,
    mass_scale: float = 1.0
    # and each of them besides by a share drawn from -this to this.
    mass_spread: float = 0.0
    # Inertia of every link about its center of mass times this, its mass aside.
    inertia_scale: float = 1.0
    # How far the center of mass of every link is off, in a direction drawn [m].
    com_shift: float = 0.0
    # Viscous damping of all joints times this.
    damping_scale: float = 1.0
    # A joint, one drawn from a group of joints, or from "any"; "" is none.
    weak_joint: str = ""
    # What that joint has of its effort limit.
    weak_share: float = 0.6
    # Time from when a plan is made until it takes effect [s].
    plan_delay: float = 0.0
    # Probability of a plan to get lost.
    plan_loss: float = 0.0
    # Share of the whole-body ticks that are lost: the command in force goes on,
    tick_loss: float = 0.0
    # and how many ticks in a row are lost at once.
    tick_burst: int = 1

    def check(self) -> "ModelMismatch":
        """Returns the error when its values make sense.

        Raises:
            BackbeatError: they do not.
        """
        for name, most in _MOST.items():
            value = getattr(self, name)
            if not 0 <= value <= most:
                raise BackbeatError(
                    f"scenario: world.{name} is {value}; it must be from 0 to {most}"
                )
        for name in ("mass_scale", "inertia_scale", "weak_share"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value > 0):
                raise BackbeatError(
                    f"scenario: world.{name} is {value}; it must be > 0"
                )
        if not 1 <= self.tick_burst <= MOST_BURST:
            raise BackbeatError(
                f"scenario: world.tick_burst is {self.tick_burst}; it must be from 1 "
                f"to {MOST_BURST}"
            )
        if self.patch_friction:
            ends = np.array(self.patch_friction)
            if len(ends) != 2 or not (ends > 0).all() or not ends[0] <= ends[1] < 10:
                raise BackbeatError(
                    "scenario: world.patch_friction needs the lowest and the highest "
                    f"friction, for instance [0.2, 0.3]; not {self.patch_friction}"
                )
        return self


# Upper limits of the values.
_MOST = {
    "step_height": 0.3,
    "tilt_deg": 30.0,
    "slope_deg": 30.0,
    "patch_share": 1.0,
    "drum_shift": 1.0,
    "mass_spread": 0.9,
    "com_shift": 0.5,
    "damping_scale": 1000.0,
    "plan_delay": 1.0,
    "plan_loss": 1.0,
    "tick_loss": 1.0,
}
