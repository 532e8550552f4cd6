"""ActuationSettings: motors, and friction and safety laws of the joints."""

from dataclasses import dataclass, replace

from backbeat.models.actuation.motors import (
    HYDRAULIC_FRICTION,
    HYDRAULIC_LAG,
    HYDRAULIC_RISE,
)
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.mpc.scenario.parts.amounts import check_amounts

ACTUATORS = ("ideal", "hydraulic")


@dataclass(frozen=True)
class ActuationSettings:
    """What is between a joint command and the torque at the joint."""

    # Motors: ideal, or hydraulic, which sets those of the three below that are zero.
    actuators: str = "ideal"
    # Time constant of the motors [s].
    actuator_lag: float = 0.0
    # Least time in which motors go from nothing to full effort [s].
    actuator_rise: float = 0.0
    # Coulomb friction of the joints, as a share of their effort limits.
    joint_friction: float = 0.0
    # Whether the safety controllers of the robot's URDF bound the efforts of joints.
    safety_law: bool = False

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
        if self.actuators not in ACTUATORS:
            raise unknown_name("kind of actuators", self.actuators, ACTUATORS)
        names = ("actuator_lag", "actuator_rise", "joint_friction")
        check_amounts({name: getattr(self, name) for name in names})
        if self.joint_friction >= 1:
            raise BackbeatError("scenario: joint_friction must be a share below 1")
        if is_continuous and self.joint_friction > 0:
            raise BackbeatError(
                "scenario: joint_friction is simulated in steps; in continuous time "
                "it must be 0"
            )
