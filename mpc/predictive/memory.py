"""PredictiveMemory: the state of the predictive controller between its plans."""

from dataclasses import dataclass, field

from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.safety.fail_safe import Safety


@dataclass(frozen=True)
class PredictiveMemory:
    """The state of the predictive controller.

    Attributes:
        plan: the plan in force.
        plans: plans made.
        safety: fail-safe mode and its counts.
        settings: of the latest plan.
    """

    plan: Plan
    plans: int = 0
    safety: Safety = field(default_factory=Safety)
    settings: PlanSettings | None = None

    @property
    def failures(self) -> int:
        """Solves that found no plan."""
        return self.safety.count

    def __deepcopy__(self, memo: object) -> "PredictiveMemory":
        """Values in a Context may be shared: this is immutable."""
        return self
