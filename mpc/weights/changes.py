"""Changes of weights: the numbers that a file or a scenario gives, by section and key.

Schemas follow from what is declared: every number of `PredictiveWeights`,
`WholeBodyGains` and `Recovery` has its key, and those that are left out stay.
"""

from dataclasses import dataclass, field

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

    # Of the predictive program.
    predictive: PredictiveChanges = field(default_factory=PredictiveChanges)  # type: ignore[valid-type]
    # Of the whole-body program, and of the same in stance without steps.
    whole_body: GainChanges = field(default_factory=GainChanges)  # type: ignore[valid-type]
    stance: GainChanges = field(default_factory=GainChanges)  # type: ignore[valid-type]
    # Of terms of a file of one's own, which the command line names.
    own: dict[str, float] = field(default_factory=dict)
