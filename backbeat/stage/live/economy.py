"""Economy: measures a live simulation, and has it save what a machine cannot afford."""

import time

from backbeat.models.common.processes.pool import cores
from backbeat.stage.live.history import SimulationHistory
from backbeat.stage.live.show import FRAME, SUBFRAMES
from backbeat.stage.web.savings import (
    AUTOMATIC,
    LONG_STEP,
    STEP,
    Measured,
    Saving,
    Savings,
)

# Over so long one measurement goes [s]; a new planner is not measured while it starts.
WINDOW = 1.0


class Economy:
    """What is measured of a live simulation, and what it saves.

    Attributes:
        savings: what is saved, and why.
        sentence: what to say about it; "" for nothing.
    """

    def __init__(self, detail: str = AUTOMATIC) -> None:
        """Begins without a measurement.

        Args:
            detail: how savings are chosen, one of `savings.DETAILS`.
        """
        possible = [s for s in Saving if s is not Saving.PLANNER or cores() >= 2]
        self.savings, self.sentence = Savings(possible, detail), ""
        self._news: str | None = None
        self._is_owed = True
        self._since: tuple[float, float, float] | None = None
        self._busy = 0.0

    @property
    def frame(self) -> float:
        """Time between two pictures [s]."""
        return 2 * FRAME if Saving.PICTURES in self.savings.taken else FRAME

    @property
    def time_step(self) -> float:
        """Step of the plant of the next simulation [s]."""
        return LONG_STEP if Saving.STEPS in self.savings.taken else STEP

    def begin(self, source: SimulationHistory) -> None:
        """Has a simulation save what is saved, from now on."""
        self.savings.begin()
        self._apply(source)
        self._say(source)

    def choose(self, detail: str, source: SimulationHistory | None) -> None:
        """Changes how savings are chosen; see `Savings.choose`."""
        self.savings.choose(detail)
        if source is not None:
            self.begin(source)

    def news(self) -> str | None:
        """What has come of the last change, once; None for nothing new."""
        news, self._news = self._news, None
        return news

    def pause(self) -> None:
        """Forgets a measurement under way: what goes on is not to be measured."""
        self._since = None

    def note(self, source: SimulationHistory, asked: float, worked: float) -> bool:
        """Takes notice of a frame; whether something else is to be saved: see `begin`.

        Args:
            source: the simulation, which follows the clock.
            asked: simulated seconds a second of the clock that are asked for.
            worked: time of the clock that the frame took, pauses apart [s].
        """
        now = time.perf_counter(), time.process_time(), source.reach
        if self._since is None or source.live.waits_for_planner:
            self._since, self._busy = now, 0.0
            return False
        self._busy += worked
        wall, spent, simulated = (b - a for a, b in zip(self._since, now, strict=True))
        if wall < WINDOW:
            return False
        self._since = None
        busy = min(self._busy / wall, 1.0)
        processor = spent / max(self._busy, 1e-6)
        measured = Measured(simulated / wall, asked, busy, min(processor, 1.0))
        has_changed = self.savings.note(measured)
        self._say(source)
        if has_changed:
            # What comes of it is measured next.
            self._is_owed = True
        elif self._is_owed:
            self._news, self._is_owed = self.sentence or None, False
        return has_changed

    def _say(self, source: SimulationHistory) -> None:
        self.sentence = self.savings.in_words(source.live.time_step)

    def _apply(self, source: SimulationHistory) -> None:
        source.frame = self.frame
        source.between = SUBFRAMES // 2 if self.frame > FRAME else SUBFRAMES
        source.live.save(self.savings.taken)
        self.pause()
