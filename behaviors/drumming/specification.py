"""DrummingSpecification: the specification of a drummed motion, and its plans."""

from dataclasses import dataclass, replace
from pathlib import Path

from backbeat.behaviors.drumming.keys import DrummingKeys
from backbeat.behaviors.drumming.problem import DrummingProblem
from backbeat.behaviors.motion.plan import MotionPlan
from backbeat.behaviors.music.notation.player import NO_HINTS, Hints
from backbeat.behaviors.music.notation.score import Score
from backbeat.models.common.schema import check_values


@dataclass
class DrummingSpecification(DrummingKeys):
    """Schema of `kind: drumming`."""

    def written_score(self, folder: str | Path) -> Score:
        """The score at the tempo that it is written in, with hands for all hits."""
        folder = Path(folder)
        return DrummingProblem(replace(self, tempo_scale=1.0), folder).score

    def plan(self, folder: str | Path) -> MotionPlan:
        """Compiles score and strokes into a trajectory problem.

        Args:
            folder: where the specification was found.

        Raises:
            BackbeatError: the score or a value makes no sense.
        """
        return self.plan_with_hints(folder, NO_HINTS)

    def plan_with_hints(self, folder: str | Path, hints: Hints) -> MotionPlan:
        """The same as it is played where hints are followed."""
        folder = Path(folder)
        check_values(self, self.name)
        return DrummingProblem(self, folder, hints).plan()
