"""Sample: a few runs of each standard disturbance, against a standard."""

from dataclasses import dataclass

from backbeat.behaviors.library.robots import USUAL_ROBOT
from backbeat.mpc.sweep.card.survivals import SurvivedIn, controlled_by, strained_in

# Seeds of a sample, and the share of its runs that has to survive.
SEEDS, STANDARD = 3, 0.95


@dataclass(frozen=True)
class Sample:
    """What a behavior survived of a few runs.

    Attributes:
        behavior: its name.
        engines: what is survived in each engine, all of the same disturbances.
        robot: what its robot is called.
        missing: why there are no runs in one of our engines; "" where there are.
        controller: what took the place of our controllers; "" for these.
    """

    behavior: str
    engines: tuple[SurvivedIn, ...]
    robot: str = USUAL_ROBOT
    missing: str = ""
    controller: str = ""

    @property
    def meets_standard(self) -> bool:
        """Whether enough of the runs survived in each engine, and strained no joint."""
        totals = [engine.pooled for engine in self.engines]
        return all(t.share >= STANDARD and not t.strained for t in totals)

    @property
    def headline(self) -> str:
        """The sample in a few words, with what was not always survived."""
        words = []
        for engine in self.engines:
            total = engine.pooled
            lost = [s for s in engine.disturbances if s.survived < s.runs]
            words += [
                f"{total.survived} of {total.runs} survive in {engine.title}, "
                f"{total.words}",
                *(f"{s.what}: {s.survived} of {s.runs}" for s in lost),
            ]
        return (
            "; ".join(words)
            + strained_in(self.engines)
            + controlled_by(self.controller)
        )
