"""Changes of weights: the numbers that a file or a scenario gives, by section and key.

Schemas follow from what is declared: every number of `PredictiveWeights`,
`WholeBodyGains` and `Recovery` has its key, and those that are left out stay.
"""

from dataclasses import dataclass

from backbeat.behaviors.motion.objectives import TrajectoryChanges
from backbeat.models.common.schema import key
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.recovery import Recovery
from backbeat.mpc.whole_body.programs.tasks import WholeBodyGains
from backbeat.optimization.terms.changes import changes_of

PredictiveChanges = changes_of(PredictiveWeights, "PredictiveChanges", __name__)
GainChanges = changes_of(WholeBodyGains, "GainChanges", __name__)
RecoveryChanges = changes_of(Recovery, "RecoveryChanges", __name__)


@dataclass
class WeightChanges:
    """Weights and gains that are not those that ship."""

    predictive: PredictiveChanges = key(PredictiveChanges)  # type: ignore[valid-type]
    """Of the predictive program."""
    whole_body: GainChanges = key(GainChanges)  # type: ignore[valid-type]
    """Of the whole-body program."""
    stance: GainChanges = key(GainChanges)  # type: ignore[valid-type]
    """Of the whole-body program in stance without steps."""
    trajectory: TrajectoryChanges = key(TrajectoryChanges)  # type: ignore[valid-type]
    """Of [the trajectory](weights.md#trajectory), which `backbeat build` and sweeps
    take; a run cannot change what is built."""
    own: dict[str, float] = key(dict)
    """Of [terms of your own](weights.md#a-term-of-your-own), which the command line
    names."""
