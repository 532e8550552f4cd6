"""ActuationSettings: motors, and friction and safety laws of the joints."""

from dataclasses import dataclass, replace

from backbeat.models.actuation.motors import (
    HYDRAULIC_FRICTION,
    HYDRAULIC_LAG,
    HYDRAULIC_RISE,
)
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import key

ACTUATORS = ("ideal", "hydraulic")


@dataclass(frozen=True)
class ActuationSettings:
    """What is between a joint command and the torque at the joint."""

    actuators: str = key("ideal", choices=ACTUATORS)
    """[Motors](motors.md): `ideal`, or `hydraulic`, which sets those of the next
    three that are zero."""
    actuator_lag: float = key(0.0, "s", ge=0)
    """Time constant of the motors."""
    actuator_rise: float = key(0.0, "s", ge=0)
    """Minimum time in which motors go from zero to full effort."""
    joint_friction: float = key(0.0, ge=0, lt=1)
    """Coulomb friction of the joints, as a share of their effort limits."""
    safety_law: bool = key(False)
    """Whether the safety controllers of the robot's URDF bound the efforts of
    joints."""

    def completed(self) -> "ActuationSettings":
        """The same with the numbers of its kind of actuators where it has none."""
        if self.actuators != "hydraulic":
            return self
        return replace(
            self,
            actuator_lag=self.actuator_lag or HYDRAULIC_LAG,
            actuator_rise=self.actuator_rise or HYDRAULIC_RISE,
            joint_friction=self.joint_friction or HYDRAULIC_FRICTION,
        )

    def check(self, is_continuous: bool) -> None:
        """Checks its values.

        Args:
            is_continuous: whether the plant has no steps.

        Raises:
            BackbeatError: they make no sense.
        """
        if is_continuous and self.joint_friction > 0:
            raise BackbeatError(
                "scenario: joint_friction is simulated in steps; in continuous time "
                "it must be 0"
            )
