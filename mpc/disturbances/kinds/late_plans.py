"""LatePlans: plans that take effect late, or never."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from backbeat.models.common.schema import key
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.disturbances.draws import Stream, random_stream


@dataclass
class LatePlans(Disturbance):
    """Plans on their way to the whole-body controller."""

    name: ClassVar[str] = "late plans"
    card: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "plans late and lost": {"world.plan_delay": 0.01, "world.plan_loss": 0.1}
    }

    plan_delay: float = key(0.0, "s", ge=0, le=1.0)
    """Time from when a plan is made until it takes effect [s], unknown to the
    controllers."""
    plan_loss: float = key(0.0, ge=0, le=1.0)
    """Probability that a plan is lost."""

    def delay_of_plans(self) -> float:
        """Time that they take [s]."""
        return self.plan_delay

    def loses_plan(self, number: int, seed: int) -> bool:
        """Each is lost or not by the seed and its number alone."""
        if self.plan_loss == 0:
            return False
        draw = random_stream(seed, Stream.PLAN, number).uniform()
        return bool(draw < self.plan_loss)
