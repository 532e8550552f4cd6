"""Scale of a robot against the one that the controllers were tuned on.

Lengths of controllers go with the leg, times with the square root of its length over
gravity, and forces with the weight: motions of robots of one shape and of any size are
then alike (Froude's similarity; Alexander, Jayes, "A Dynamic Similarity Hypothesis for
the Gaits of Quadrupedal Mammals", 1983).
"""

from typing import NamedTuple

from backbeat.models.robot.link_frames import ALIKE
from backbeat.models.robot.model import RobotModel

# Leg [m] and mass [kg] of the robot that weights, gains and thresholds are stated for.
LEG, MASS = 0.9727, 175.3


class BodyScale(NamedTuple):
    """Ratios of a robot's sizes to those of the robot that controllers are stated for.

    Attributes:
        length: of legs; lengths are multiplied by it.
        weight: forces are multiplied by it.
    """

    length: float = 1.0
    weight: float = 1.0

    @property
    def time(self) -> float:
        """Ratio of times, for gravity is the same; of speeds too."""
        return float(self.length**0.5)


def body_scale(robot: RobotModel) -> BodyScale:
    """The scale of a robot; a robot without legs has that of the one with them."""
    return BodyScale(
        _ratio(robot.leg_length, LEG) if robot.leg_length else 1.0,
        _ratio(robot.total_mass, MASS) if robot.leg_length else 1.0,
    )


def _ratio(value: float, reference: float) -> float:
    ratio = value / reference
    return 1.0 if abs(ratio - 1.0) < ALIKE else ratio
