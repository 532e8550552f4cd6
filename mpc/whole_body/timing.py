"""Times at which a whole-body tick samples, and at which its command acts."""

from dataclasses import dataclass

from backbeat.models.actuation.servo_margin import SERVO_STEP, Sampling


@dataclass(frozen=True)
class TickTiming:
    """Times of a whole-body controller.

    Attributes:
        period: time between ticks [s].
        latency: from a motion to the servo's torque against it [s]: delay of the
            sensors and lag of the motors. It bounds the servo's gains.
        lead: how much earlier the behavior's accelerations are commanded than its
            motion [s]: the lag of the motors.
        step: time between samples of the servo [s].
    """

    period: float = 0.002
    latency: float = 0.0
    lead: float = 0.0
    step: float = SERVO_STEP

    @property
    def sampling(self) -> Sampling:
        """When samples of the servo are taken, and when they act."""
        late = round((self.latency - self.lead) / self.step)
        return Sampling(self.step, late, self.lead)
