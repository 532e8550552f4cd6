"""SensingSettings: what the controllers read of the robot's state."""

from dataclasses import dataclass

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.schema import key
from backbeat.models.sensing.sensors import SensorNoise

STATES = ("true", "estimated", "sampled")


@dataclass(frozen=True)
class SensingSettings:
    """Where the controllers have the state from, and how far off it is."""

    state: str | bool = key("true")
    """What the controllers read: the `true` state, one `estimated` from sensors, or the
    one `sampled` by encoders, with the true pose of the base."""
    noise: SensorNoise = key(SensorNoise)
    """Errors of the sensors, see below."""
    sensing_delay: float = key(0.002, "s", ge=0)
    """Delay of the sensor samples."""

    def __post_init__(self) -> None:
        # A bare `true` in YAML is a truth value, and arrives as True or "True".
        object.__setattr__(self, "state", str(self.state).lower())

    @property
    def is_estimated(self) -> bool:
        """Whether the controllers read an estimate, and not the true state."""
        return self.state == "estimated"

    @property
    def is_sensed(self) -> bool:
        """Whether sensors are between the true state and the controllers."""
        return self.state != "true"

    @property
    def delay(self) -> float:
        """From a motion to when the controllers read of it [s]."""
        return self.sensing_delay if self.is_sensed else 0.0

    def check(self, sensor_period: float, is_continuous: bool) -> None:
        """Checks its values.

        Args:
            sensor_period: time between samples [s].
            is_continuous: whether the plant has no steps.

        Raises:
            BackbeatError: they make no sense.
        """
        if self.state not in STATES:
            raise unknown_name("state", self.state, STATES)
        if is_continuous and self.is_estimated and self.sensing_delay == 0:
            raise BackbeatError(
                "scenario: in continuous time what is sensed must come late; give a "
                f"sensing_delay of {sensor_period} s or more"
            )
        samples = self.sensing_delay / sensor_period
        if self.is_sensed and abs(samples - round(samples)) > 1e-6:
            raise BackbeatError(
                f"scenario: sensing_delay must be a multiple of the sensors' period "
                f"({sensor_period} s)"
            )
