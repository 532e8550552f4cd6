"""Settings of plans that may change in a run: switches, beat priority and tempo."""

from dataclasses import dataclass, field, replace

import numpy as np

from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.walking.walk import Velocity
from backbeat.optimization.terms.changes import changed, of_section

# Range of the factor on the authored tempo.
TEMPO_RANGE = (0.7, 1.3)
# Duration of the linear ramp to a new tempo [s].
TEMPO_RAMP = 0.5


@dataclass(frozen=True)
class TempoRamp:
    """The requested tempo over time, as a factor on the authored one.

    The requested phase defines the beat; a plan may be late or early against it as it
    may be against the authored tempo.

    Attributes:
        since: start of the ramp, in time of the behavior [s].
        phase: requested phase of the behavior then [s].
        before, after: factor until then and a ramp later.
    """

    since: float = 0.0
    phase: float = 0.0
    before: float = 1.0
    after: float = 1.0

    def factor(self, t: float) -> float:
        """The requested factor at time t of the behavior [s]."""
        share = min(1.0, max(0.0, (t - self.since) / TEMPO_RAMP))
        return self.before + share * (self.after - self.before)

    def requested_phase(self, t: float) -> float:
        """Requested phase at time t, the integral of the factor [s]."""
        elapsed = t - self.since
        if elapsed <= 0 or self.before == self.after:
            return self.phase + self.before * elapsed
        ramp = min(elapsed, TEMPO_RAMP)
        gained = 0.5 * (self.after - self.before) * ramp**2 / TEMPO_RAMP
        rest = self.after * (elapsed - ramp)
        return self.phase + self.before * ramp + gained + rest

    def when(self, phase: float) -> float:
        """Time of the behavior at which a phase is requested [s]."""
        left, gain = phase - self.phase, 0.5 * (self.after - self.before) / TEMPO_RAMP
        if left <= 0 or gain == 0:
            return self.since + left / self.before
        ramped = 0.5 * (self.before + self.after) * TEMPO_RAMP
        if left > ramped:
            return self.since + TEMPO_RAMP + (left - ramped) / self.after
        root = np.sqrt(self.before**2 + 4 * gain * left)
        return float(self.since + 2 * left / (self.before + root))

    def changed(self, t: float, factor: float) -> "TempoRamp":
        """This tempo until t, and another factor from then on."""
        if self.before == self.after == factor:
            return self
        return TempoRamp(t, self.requested_phase(t), self.factor(t), factor)


@dataclass(frozen=True)
class PlanSettings:
    """Degrees of freedom of a plan, and its references.

    Attributes:
        timing: whether it may deviate from the requested tempo.
        forces: whether it may change contact forces.
        posture: whether it may lean and turn the body.
        steps: whether feet may land elsewhere, also in steps that the behavior does
            not make.
        beat_priority: weight of the beat against balance, 0 to 1.
        tempo: requested.
        drive: velocity at which the robot is commanded to walk; None for the behavior
            as it is.
        weights: of both controllers that are not those that the run began with, at a
            scale of one, by section and key.
    """

    timing: bool = True
    forces: bool = True
    posture: bool = True
    steps: bool = True
    beat_priority: float = 0.5
    tempo: TempoRamp = field(default_factory=TempoRamp)
    drive: Velocity | None = None
    weights: tuple[tuple[str, float], ...] = ()

    def adapt(self, weights: PredictiveWeights) -> PredictiveWeights:
        """Weights with the beat priority applied, and deviations switched off.

        Args:
            weights: with which the run began; at a scale of one if some have changed.
        """
        if self.weights:
            weights = changed(weights, of_section(self.weights, "predictive"))
        weights = weights.with_beat_priority(self.beat_priority)
        if not self.timing:
            weights = replace(weights, min_phase_rate=1.0, max_phase_rate=1.0)
        held = [n for n in ("forces", "posture") if not getattr(self, n)]
        weights = weights.held(held) if held else weights
        return weights if self.steps else weights.without_steps()
