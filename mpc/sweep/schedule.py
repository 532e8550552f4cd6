"""Schedule: which run of a sweep comes next, given what is known.

It holds outcomes only, from which a sweep that was stopped is resumed.
"""

from dataclasses import dataclass, field

from backbeat.mpc.sweep.cells import Sweep
from backbeat.mpc.sweep.margin import bracket
from backbeat.mpc.sweep.success_rate import PASSES, Verdict, judge_runs


@dataclass(frozen=True)
class SweepRun:
    """One run of a sweep.

    Attributes:
        cell: index of its cell.
        level: value of the searched field, None without a search.
        seed: its seed.
    """

    cell: int
    level: float | None
    seed: int


@dataclass
class Trial:
    """The runs of a cell at a level.

    Attributes:
        outcomes: success by seed, of runs that have ended.
        begun: seeds whose runs have begun.
    """

    outcomes: dict[int, bool] = field(default_factory=dict)
    begun: set[int] = field(default_factory=set)


class Schedule:
    """Deals out the runs of a sweep.

    Attributes:
        sweep: the sweep.
        trials: what is known, by cell and level.
        lost: cells that were left alone, one of whose runs could not be had.
    """

    def __init__(self, sweep: Sweep) -> None:
        """Begins a sweep of which nothing is known."""
        self.sweep = sweep
        self.trials: dict[tuple[int, float | None], Trial] = {}
        self.lost: set[int] = set()
        self._levels: dict[int, float | None] = {}
        self._open = set(range(len(sweep.cells)))
        for cell in range(len(sweep.cells)):
            self._advance(cell)

    def verdict(self, cell: int, level: float | None) -> Verdict:
        """What the runs of a cell at a level say."""
        sweep, settings = self.sweep, self.sweep.settings
        trial = self.trials.get((cell, level), Trial())
        outcomes = []
        for seed in sweep.seeds:
            if seed not in trial.outcomes:
                break
            outcomes.append(trial.outcomes[seed])
        required = settings.search.success if settings.search else None
        return judge_runs(outcomes, settings.seeds, settings.sequential, required)

    def next_run(self) -> SweepRun | None:
        """The run to begin next; None when nothing can begin before another ends.

        The cell with the fewest runs under way comes first, so that few of them are
        in vain when it stops early.
        """
        best: tuple[int, int] | None = None
        for cell in sorted(self._open):
            trial = self._trial(cell)
            if len(trial.begun) < self.sweep.settings.seeds:
                busy = len(trial.begun) - len(trial.outcomes)
                if best is None or busy < best[0]:
                    best = busy, cell
        if best is None:
            return None
        cell = best[1]
        trial = self._trial(cell)
        seed = next(s for s in self.sweep.seeds if s not in trial.begun)
        trial.begun.add(seed)
        return SweepRun(cell, self._levels[cell], seed)

    def record(self, run: SweepRun, success: bool) -> None:
        """Takes note of how a run ended."""
        trial = self.trials.setdefault((run.cell, run.level), Trial())
        trial.begun.add(run.seed)
        trial.outcomes[run.seed] = success
        if run.cell in self._open and self._levels[run.cell] == run.level:
            self._advance(run.cell)

    def give_up(self, run: SweepRun) -> None:
        """Leaves a cell alone, one of whose runs cannot be had."""
        self._open.discard(run.cell)
        self.lost.add(run.cell)

    def remaining(self) -> int:
        """How many runs may be needed yet, at most; levels to come not counted."""
        trials = [self._trial(cell) for cell in sorted(self._open)]
        return sum(self.sweep.settings.seeds - len(t.outcomes) for t in trials)

    def margin(self, cell: int) -> tuple[float | None, float | None]:
        """The largest level that passed and the least that failed.

        None for the first when none passed, for the other when none failed.
        """
        search = self.sweep.settings.search
        assert search is not None
        levels = search.levels()
        below, above = bracket(levels, self._passed(cell))
        return (
            levels[below] if below >= 0 else None,
            levels[above] if above < len(levels) else None,
        )

    def _trial(self, cell: int) -> Trial:
        return self.trials.setdefault((cell, self._levels[cell]), Trial())

    def _passed(self, cell: int) -> dict[float, bool]:
        """Levels of a cell that are decided."""
        found = {}
        for owner, level in self.trials:
            if owner == cell and level is not None:
                verdict = self.verdict(cell, level)
                if verdict.is_done:
                    found[level] = verdict.decision == PASSES
        return found

    def _advance(self, cell: int) -> None:
        """Moves a cell on to its next level, or closes it."""
        search = self.sweep.settings.search
        if search is None:
            self._levels[cell] = None
            if self.verdict(cell, None).is_done:
                self._open.discard(cell)
            return
        level = search.next_level(self._passed(cell))
        self._levels[cell] = level
        if level is None:
            self._open.discard(cell)
