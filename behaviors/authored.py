"""What specifications of every kind have, and what a motion should be good at."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from behaviors.behavior import BEAT_PRIORITY, check_beat_priority
from behaviors.motion_plan import MotionPlan
from models.errors import BackbeatError
from optimization.trajectory_problem import Weights


@dataclass
class Objectives:
    """What a motion should be good at; each value says how much it counts."""

    # Cost per second on the squares of joint torques, in shares of their limits.
    effort: float = 0.0
    # Factor on the costs of velocities and accelerations.
    smoothness: float = 1.0
    # Factor on the pull to the nominal posture.
    posture: float = 1.0
    # Cost of a second, for what may choose its time.
    time: float = 1.0

    def weights(self, usual: Weights) -> Weights:
        """The weights of a kind of motion as these objectives have them."""
        return replace(
            usual,
            effort=usual.effort + self.effort,
            velocity=usual.velocity * self.smoothness,
            acceleration=usual.acceleration * self.smoothness,
            posture=usual.posture * self.posture,
        )

    def check(self, name: str) -> None:
        """Refuses values that would leave the optimizer without a best motion.

        Raises:
            BackbeatError: a negative or infinite one, or no smoothness or posture.
        """
        values = vars(self)
        if not all(np.isfinite(v) and v >= 0 for v in values.values()):
            raise BackbeatError(f"{name}: objectives are numbers >= 0, not {values}")
        if min(self.smoothness, self.posture) == 0:
            raise BackbeatError(
                f"{name}: the objectives smoothness and posture must be above 0, or no "
                "motion would be the best"
            )


@dataclass
class Authored:
    """The keys that every kind of file has.

    Attributes:
        kind: which kind.
        name: name in the library.
        summary: one sentence for people.
        robot: robot name or path of its YAML, which may start at the specification.
        equipment: what the robot carries.
        beat_priority: how much the beat counts against balance when the motion is
            tracked: 0 saves the balance first, 1 holds the beat at any price.
    """

    kind: str = ""
    name: str = ""
    summary: str = ""
    robot: str = "atlas"
    equipment: list[str] = field(default_factory=list)
    beat_priority: float = BEAT_PRIORITY

    def check_keys(self) -> None:
        """Refuses values of these keys that make no sense.

        Raises:
            BackbeatError: a priority that is not between 0 and 1.
        """
        check_beat_priority(self.name, self.beat_priority)


@dataclass
class Specification(Authored, ABC):
    """A single motion.

    Attributes:
        objectives: what the motion should be good at.
    """

    objectives: Objectives = field(default_factory=Objectives)

    def sources(self, folder: Path) -> list[Path]:
        """Files besides the specification, found from its folder."""
        return []

    @abstractmethod
    def plan(self, folder: Path) -> MotionPlan:
        """Compiles the specification, found in a folder, into a problem.

        Raises:
            BackbeatError: it makes no sense, and why.
        """
