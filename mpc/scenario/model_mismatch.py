"""ModelMismatch: differences of the simulated world from the model.

The controllers have no input from it. Random values depend on the scenario's seed
alone.
"""

from dataclasses import dataclass

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import key

# Most ticks that are lost at once: ten seconds of them are a controller that is gone.
MOST_BURST = 5000
# What a random joint is called, for it may be any.
ANY_JOINT = "any"


@dataclass
class ModelMismatch:
    """Differences of the simulated world from the model; by default none."""

    step_height: float = key(0.0, "m", ge=0, le=0.3)
    """Height of the ground under each foothold, drawn between minus and plus this."""
    tilt_deg: float = key(0.0, "deg", ge=0, le=30.0)
    """Tilt of the ground under each foothold, in a direction drawn for each."""
    slope_deg: float = key(0.0, "deg", ge=0, le=30.0)
    """Slope of the whole ground, in a drawn direction, about the initial position."""
    patch_friction: list[float] = key(list)
    """Friction of soles on footholds, drawn between two values; [] leaves it
    unchanged."""
    patch_share: float = key(1.0, ge=0, le=1.0)
    """Share of the footholds that have it."""
    drum_shift: float = key(0.0, "m", ge=0, le=1.0)
    """Displacement of a drum, in a drawn horizontal direction."""
    drum: str = key("")
    """The displaced drum; `""` draws one of those that are played."""
    mass_scale: float = key(1.0, gt=0)
    """Factor on all masses of the robot."""
    mass_spread: float = key(0.0, ge=0, le=0.9)
    """Further change of each mass, by a share drawn between minus and plus this."""
    inertia_scale: float = key(1.0, gt=0)
    """Factor on the inertia of every link about its center of mass, at the same
    mass."""
    com_shift: float = key(0.0, "m", ge=0, le=0.5)
    """Displacement of the center of mass of every link, in a drawn direction."""
    damping_scale: float = key(1.0, ge=0, le=1000.0)
    """Factor on the viscous damping of all joints."""
    weak_joint: str = key("")
    """A joint with less effort, or one drawn from a group of joints, or from `any`;
    `""` is none."""
    weak_share: float = key(0.6, gt=0)
    """Share of its effort limit that this joint has."""
    plan_delay: float = key(0.0, "s", ge=0, le=1.0)
    """Time from when a plan is made until it takes effect [s], unknown to the
    controllers."""
    plan_loss: float = key(0.0, ge=0, le=1.0)
    """Probability that a plan is lost."""
    tick_loss: float = key(0.0, ge=0, le=1.0)
    """Share of the whole-body controller's ticks that are lost: nothing is computed,
    and the last command continues."""
    tick_burst: int = key(1, ge=1, le=MOST_BURST)
    """Number of successive ticks that are lost at once."""

    def check(self) -> None:
        """Raises a BackbeatError about friction without a lowest and a highest."""
        if self.patch_friction:
            ends = np.array(self.patch_friction)
            if len(ends) != 2 or not (ends > 0).all() or not ends[0] <= ends[1] < 10:
                raise BackbeatError(
                    "scenario: world.patch_friction needs the lowest and the highest "
                    f"friction, for instance [0.2, 0.3]; not {self.patch_friction}"
                )
