"""Savings: what a live simulation does without where a machine is too slow for it.

Measured is how fast it is against the clock. Where that is less than what is asked for,
it saves as much as promises to do, in a fixed order; where there has been room for a
while, it takes the last saving back, and waits longer the next time if that was too
much. None of them changes what a simulation is but longer steps, which begin it anew.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

# Below this share of the speed asked for, it is too slow; from that share on, and busy
# for less than ROOM of the time, there is room for more.
SLOW, ENOUGH, ROOM = 0.93, 0.98, 0.7
# Seconds of room before a saving is taken back, at first and at most; when it has to be
# made again so soon, that was too much.
CALM, MOST_CALM, SOON = 5, 80, 10
# With less of a processor than this while it works, others have the rest.
OWN = 0.75
# Steps of the plant, usual and saved [s].
STEP, LONG_STEP = 0.001, 0.002


class Saving(StrEnum):
    """What can be saved, in the order in which it is."""

    PLANNER = "planner"
    PICTURES = "pictures"
    WATCH = "watch"
    STEPS = "steps"


# About which share of a loop's time each takes: groove and a drummed song, one core.
GAINS = {
    Saving.PLANNER: 0.12,
    Saving.PICTURES: 0.10,
    Saving.WATCH: 0.15,
    Saving.STEPS: 0.25,
}
# What is done without, and what is done instead.
WITHOUT = {
    Saving.PLANNER: "plans in the process of the simulation",
    Saving.PICTURES: "30 pictures a second",
    Saving.WATCH: "detection of unknown forces",
    Saving.STEPS: "steps of 1 ms",
}
INSTEAD = {
    Saving.PLANNER: "plans in a process of their own",
    Saving.PICTURES: "15 pictures a second",
    Saving.WATCH: "no detection of unknown forces",
    Saving.STEPS: "steps of 2 ms",
}
# How savings are chosen: by the measurements, or by hand none or all of them.
AUTOMATIC, FULL, LEAST = "auto", "full", "least"
DETAILS = AUTOMATIC, FULL, LEAST


def _and(things: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(things[:-1]), things[-1]]))


class Measured(NamedTuple):
    """A second of a live simulation.

    Attributes:
        rate: simulated seconds a second of the clock.
        asked: the same, as asked for.
        busy: share of the time in which it worked.
        processor: processor seconds a second in which it worked.
    """

    rate: float
    asked: float
    busy: float
    processor: float

    @property
    def kept(self) -> float:
        """Share of the speed that is asked for."""
        return self.rate / self.asked


class Savings:
    """What is saved at present.

    Attributes:
        taken: the savings, in their order.
        latest: what was measured last; None before.
    """

    def __init__(self, possible: Sequence[Saving], detail: str = AUTOMATIC) -> None:
        """Saves nothing yet, or all if the least is asked for.

        Args:
            possible: what this machine has something of.
            detail: how they are chosen, one of `DETAILS`.
        """
        self._possible = [saving for saving in Saving if saving in possible]
        self._calm, self._patience = 0, CALM
        self._since_back: int | None = None
        self.latest: Measured | None = None
        self.taken: tuple[Saving, ...] = ()
        self.choose(detail)

    @property
    def detail(self) -> str:
        """How they are chosen, one of `DETAILS`."""
        return self._detail

    def choose(self, detail: str) -> None:
        """Leaves the choice to the measurements, or takes all of it or the least."""
        self._detail = detail
        self._calm, self._patience, self._since_back = 0, CALM, None
        if detail != AUTOMATIC:
            self.taken = tuple(self._possible) if detail == LEAST else ()

    def begin(self) -> None:
        """Forgets the last measurement: what goes on now was not measured yet."""
        self.latest = None

    def note(self, measured: Measured) -> bool:
        """Takes notice of a second; whether something else is saved from now on."""
        self.latest, before = measured, self.taken
        if self._detail != AUTOMATIC:
            return False
        if self._since_back is not None:
            self._since_back += 1
        has_room = measured.kept >= ENOUGH and measured.busy <= ROOM
        self._calm = self._calm + 1 if has_room else 0
        if measured.kept < SLOW:
            self._save(measured.kept)
        elif self._calm >= self._patience:
            self._take_back()
        return self.taken != before

    def _save(self, kept: float) -> None:
        """Saves as much as promises the speed; all where that is not enough."""
        for saving in self._possible:
            if kept >= 1.0:
                break
            if saving not in self.taken:
                self.taken += (saving,)
                kept /= 1.0 - GAINS[saving]
        if self._since_back is not None and self._since_back <= SOON:
            self._patience = min(2 * self._patience, MOST_CALM)
            self._since_back = None

    def _take_back(self) -> None:
        """Takes back what costs something to look at; steps wait for a new start."""
        self._calm = 0
        back = [s for s in self.taken if s in (Saving.PICTURES, Saving.WATCH)]
        if back:
            self.taken = tuple(s for s in self.taken if s is not back[-1])
            self._since_back = 0

    def in_words(self, begun_with: float) -> str:
        """What is saved, why, and what helps; "" where nothing needs to be said.

        Args:
            begun_with: step of the simulation as it was begun [s].
        """
        now = self.latest
        waits = Saving.STEPS in self.taken and begun_with < LONG_STEP
        made = [s for s in self.taken if not (waits and s is Saving.STEPS)]
        if now is None:
            return f"with {_and([INSTEAD[s] for s in made])}" if made else ""
        if not self.taken and now.kept >= SLOW:
            return ""
        pace = f"{now.rate:.2f} ×"
        if now.kept >= SLOW:
            return f"{pace}, by {_and([INSTEAD[s] for s in made])}" if made else ""
        # Where they are made is no loss.
        without = [s for s in made if s is not Saving.PLANNER]
        causes = [WITHOUT[s] for s in without] or ["full detail"]
        off = ""
        if without:
            off = ", which are off" if len(without) > 1 else ", which is off"
        said = f"{pace}: this machine is too slow for {_and(causes)}{off}"
        if now.processor < OWN:
            said = (
                f"{pace}: other programs leave {now.processor:.0%} of a processor to "
                f"this one, too little for {_and(causes)}{off}"
            )
        return f"{said}; try {self._remedy(now, waits)}"

    def _remedy(self, now: Measured, waits: bool) -> str:
        """What a viewer can do about it."""
        if waits:
            return "reset, which restarts in steps of 2 ms"
        if now.processor < OWN:
            return "closing them"
        if self._detail == FULL:
            return "detail: automatic"
        slower = max(0.05 * int(now.rate / 0.05), 0.05)
        return f"speed {slower:g}, which this machine can keep"
