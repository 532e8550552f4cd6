"""Sample: a few runs of each standard disturbance, against a standard."""

from dataclasses import dataclass

from backbeat.behaviors.library.robots import USUAL_ROBOT
from backbeat.mpc.sweep.card.robustness import Survival, pooled

# Seeds of a sample, and the share of its runs that has to survive.
SEEDS, STANDARD = 3, 0.95


@dataclass(frozen=True)
class Sample:
    """What a behavior survived of a few runs.

    Attributes:
        behavior: its name.
        robot: what its robot is called.
        disturbances: survival by standard disturbance.
    """

    behavior: str
    disturbances: tuple[Survival, ...]
    robot: str = USUAL_ROBOT

    @property
    def meets_standard(self) -> bool:
        """Whether enough of all runs survived, and strained no joint."""
        total = pooled(self.disturbances)
        return total.share >= STANDARD and not total.strained

    @property
    def headline(self) -> str:
        """The sample in a few words, with what was not always survived."""
        total = pooled(self.disturbances)
        words = f"{total.survived} of {total.runs} survive, {total.words}"
        words += total.strain_words
        lost = [s for s in self.disturbances if s.survived < s.runs]
        return "; ".join(
            [words, *(f"{s.what}: {s.survived} of {s.runs}" for s in lost)]
        )
