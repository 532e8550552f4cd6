"""Survival: how many runs survived a disturbance, and that of each engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from backbeat.behaviors.library.behavior import Behavior
from backbeat.mpc.scenario.parts.world import engine_title
from backbeat.mpc.sweep.success_rate import wilson


@dataclass(frozen=True)
class Survival:
    """How many runs survived something.

    Attributes:
        what: the disturbance, or the size of a push [N s].
        survived, runs: how many, of how many.
        first_fall_s: earliest time of a fall in any of them [s]; None without one.
        first_fall_beat: the beat in which that was, from 1; None without music too.
        strained: which joints were saturated or too fast in runs that survived, and in
            how many of them; "" for none.
    """

    what: str | float
    survived: int
    runs: int
    first_fall_s: float | None = None
    first_fall_beat: int | None = None
    strained: str = ""

    @property
    def share(self) -> float:
        """Of the runs, those that survived."""
        return self.survived / max(self.runs, 1)

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share that survives."""
        return wilson(self.survived, self.runs)

    @property
    def words(self) -> str:
        """The share with its interval."""
        low, high = self.interval
        return f"{self.share:.0%} ({low:.0%} to {high:.0%})"

    @property
    def strain_words(self) -> str:
        """What follows where joints were strained, which is no success."""
        return f"; overloaded joints: {self.strained}" if self.strained else ""


@dataclass(frozen=True)
class SurvivedIn:
    """What a behavior survives in one engine.

    Attributes:
        engine: its name.
        disturbances: survival by standard disturbance.
    """

    engine: str
    disturbances: tuple[Survival, ...]

    @property
    def title(self) -> str:
        """The engine's name as it is written."""
        return engine_title(self.engine)

    @property
    def pooled(self) -> Survival:
        """All standard disturbances together."""
        return pooled(self.disturbances)


def where(engines: Sequence[str]) -> str:
    """What figures are of, where they are the lowest of some engines."""
    titles = [engine_title(name) for name in engines]
    return (
        f"in {titles[0]} alone"
        if len(titles) == 1
        else "lower of " + " and ".join(titles)
    )


def strained_in(parts: Sequence[SurvivedIn]) -> str:
    """What follows where joints were strained, which is no success."""
    return "".join(
        f"{part.pooled.strain_words} in {part.title}"
        for part in parts
        if part.pooled.strained
    )


def survivals(
    behavior: Behavior, disturbances: Mapping[str, Any], engine: str
) -> tuple[Survival, ...]:
    """Survival by standard disturbance in one engine, from the summary of a sweep."""
    cells = [cell for cell in disturbances["cells"] if cell["engine"] == engine]
    return tuple(counted(cell["case"], cell, behavior) for cell in cells)


def engines_of(summary: Mapping[str, Any]) -> list[str]:
    """The engines that a sweep has runs in, in its order."""
    return list(dict.fromkeys(cell["engine"] for cell in summary["cells"]))


def pooled(disturbances: Sequence[Survival]) -> Survival:
    """All standard disturbances together."""
    falls = [
        (s.first_fall_s, s.first_fall_beat)
        for s in disturbances
        if s.first_fall_s is not None
    ]
    time, beat = min(falls, default=(None, None))
    return Survival(
        "all standard disturbances",
        sum(s.survived for s in disturbances),
        sum(s.runs for s in disturbances),
        first_fall_s=time,
        first_fall_beat=beat,
        strained="; ".join(
            f"{s.what}: {s.strained}" for s in disturbances if s.strained
        ),
    )


def counted(what: str | float, cell: Mapping[str, Any], behavior: Behavior) -> Survival:
    """What the runs of a cell survived, from its summary.

    Args:
        what: the disturbance, or the size of a push [N s].
        cell: see `backbeat.mpc.sweep.summary.cell_summary`.
        behavior: which has the beats.
    """
    time = cell["first_fall_s"]
    beat = None
    if time is not None:
        beats = behavior.beat_times(behavior.duration)
        if len(beats):
            beat = max(1, int(np.searchsorted(beats, time, side="right")))
    strained = ""
    if cell.get("strained"):
        joints = ", ".join(cell["strained_joints"])
        strained = f"{joints} (in {cell['strained']} of {cell['runs']} runs)"
    return Survival(what, cell["survived"], cell["runs"], time, beat, strained)


def controlled_by(controller: str) -> str:
    """What a headline adds of a controller of the user's own; "" for ours."""
    return f", controlled by {controller}" if controller else ""
