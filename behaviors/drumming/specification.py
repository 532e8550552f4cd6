"""DrummingSpecification: the specification of a drummed motion, and its plans."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.drumming.keys import DrummingKeys
from backbeat.behaviors.drumming.problem import DrummingProblem
from backbeat.behaviors.motion.authored import Attempt
from backbeat.behaviors.motion.plan import MotionPlan
from backbeat.behaviors.music.files.tab_file import unread_lines
from backbeat.behaviors.music.notation.player import NO_HINTS, Hints
from backbeat.behaviors.music.notation.score import Score
from backbeat.models.common.schema import check_values


@dataclass
class DrummingSpecification(DrummingKeys):
    """Schema of `kind: drumming`."""

    sized_by: ClassVar[str] = "reach"
    has_score: ClassVar[bool] = True
    needs_equipment: ClassVar[bool] = True

    def tempo(self, folder: str | Path) -> float:
        """As of `Specification`."""
        return float(self._notes(folder).tempo.bpm) * self.tempo_scale

    def num_beats(self, folder: str | Path) -> float:
        """As of `Specification`."""
        return self._notes(folder).beats

    def _notes(self, folder: str | Path) -> Score:
        """Its score, without hands."""
        return self.load(folder, kit_members(self.drum_kit(folder)))

    def unread_lines(self, folder: str | Path) -> list[tuple[Path, int, str]]:
        """As of `Specification`: lines of a tablature."""
        if not self.score:
            return []
        file = self.score_path(Path(folder))
        return [(file, line, sentence) for line, sentence in unread_lines(file)]

    def offer(self, path: str | Path, attempt: Attempt) -> str:
        """As of `Specification`: another grid, or fewer hits."""
        from backbeat.behaviors.drumming.tempo.tried_options import tried_options

        return tried_options(self, path, attempt)

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
