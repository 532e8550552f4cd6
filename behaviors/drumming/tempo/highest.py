"""Highest tempo: how fast a pattern can be drummed, and what keeps it from faster.

The tempo of what is played is raised by factors until a motion is not found any more,
and the gap is halved.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.drumming.tempo.tries import Progress, TempoTries, Try
from backbeat.models.common.errors import BackbeatError
from backbeat.optimization.diagnosis.explanation import explain
from backbeat.optimization.diagnosis.limit_use import active_limits
from backbeat.optimization.interior_point.solution import TrajectorySolution

# Factor from one tempo to the next, and the gap at which the search ends.
GROWTH, CLOSE = 1.25, 1.03
# Limits of joints, of which one is named that binds.
JOINT_LIMITS = ("torque", "velocity", "position")


@dataclass(frozen=True)
class HighestTempo:
    """What was found.

    Attributes:
        best: the fastest that passed.
        tries: all of them, in order.
    """

    best: Try
    tries: tuple[Try, ...]

    @property
    def next(self) -> Try | None:
        """The slowest that is faster than the best; None when none was tried."""
        faster = [t for t in self.tries if t.tempo_scale > self.best.tempo_scale]
        return min(faster, key=lambda t: t.tempo_scale, default=None)

    @property
    def bpm(self) -> float:
        """The tempo where it is fastest [beats/min]."""
        return self.best.bpm

    def binding(self, patience: float = 30.0) -> str:
        """Which limit of which joint keeps it from being faster, in a sentence."""
        beyond = self.next
        if beyond is not None and not beyond.solution.is_solved:
            found = explain(beyond.solution, patience=patience)
            if found.relaxations:
                return f"{self._at(beyond)} would need {found.relaxations[0]}"
        used = most_used(self.best.solution)
        if beyond is None:
            return f"scores go no faster; {used}"
        return f"{self._at(beyond)}: {beyond.why}; {used}"

    def _at(self, beyond: Try) -> str:
        return f"{beyond.bpm:.4g} BPM"


def find_highest_tempo(
    specification: DrummingSpecification,
    folder: str | Path,
    progress: Progress | None = None,
    least_time: bool = False,
    start: Try | None = None,
    seen: Callable[[Try], None] | None = None,
) -> HighestTempo:
    """Finds the highest tempo of a drumming pattern by bisection.

    Args:
        specification: the pattern.
        folder: where it was found.
        progress: called as the search goes on.
        least_time: whether to find the fastest motion that makes the same hits
            within the limits of joints, whatever else it runs into.
        start: a motion of the pattern that passed, to go on from.
        seen: called with every try.

    Raises:
        BackbeatError: it cannot be played as it is written, or has no tempo to raise.
    """
    report = progress or (lambda share, what: None)
    pattern = TempoTries(specification, folder, report, least_time)
    bracket, tries, best = Bracket(pattern.most), list[Try](), start
    if start is not None:
        bracket.note(start)
    for tempo_scale in bracket.levels():
        found = pattern.attempt(tempo_scale, best)
        tries.append(found)
        if seen is not None:
            seen(found)
        bracket.note(found)
        if found.passed:
            best = found
    if best is None:
        raise BackbeatError(
            f"{specification.name}: cannot be played at {tries[0].bpm:.4g}"
            f" BPM as it is written: {tries[0].why}"
        )
    return HighestTempo(best, tuple(tries))


def most_used(solution: TrajectorySolution) -> str:
    """The joint limit that a motion uses most, and how much of it."""
    problem = solution.transcription.problem
    table = active_limits(solution)
    table = table[table["kind"].isin(JOINT_LIMITS)]
    if len(table):
        worst = table.iloc[0]
        return (
            f"the {worst['kind']} limit of {worst['what']} is used to the full from "
            f"{worst['from_s']:.2f} to {worst['to_s']:.2f} s"
        )
    shares = {"torque": problem.limits.torque, "velocity": problem.limits.velocity}
    rows, names = np.abs(solution.rows), solution.transcription.row_names()
    program, found = solution.transcription.program, []
    for i, name in enumerate(names):
        if name.kind not in shares:
            continue
        bound = np.maximum(np.abs(program.upper[:, i]), 1e-12)
        found.append((float((rows[:, i] / bound).max()), name.kind, name.what))
    share, kind, what = max(found)
    return f"nearest to its limit is the {kind} of {what}, at {100 * share:.0f} %"


class Bracket:
    """Factors of tempo between the fastest that passed and the slowest that did not."""

    def __init__(self, most: float) -> None:
        """Knows nothing so far; `most` is the highest factor that a score may have."""
        self.low, self.high, self.most = 0.0, np.inf, most

    def levels(self) -> Iterator[float]:
        """The next tempo, as long as there is one worth trying."""
        if self.low == 0.0:
            yield 1.0
        while 0.0 < self.low < self.most and self.high > CLOSE * self.low:
            if np.isinf(self.high):
                yield min(self.most, GROWTH * self.low)
            else:
                yield float(np.sqrt(self.low * self.high))

    def note(self, found: Try) -> None:
        """Remembers which side of the limit a tempo is on."""
        if found.passed:
            self.low = max(self.low, found.tempo_scale)
        else:
            self.high = min(self.high, found.tempo_scale)
