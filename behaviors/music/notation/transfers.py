"""Transfers of hands to and from the rests of holds, and hits that they exclude."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from backbeat.behaviors.music.notation.score import (
    LEAST_TRANSFER,
    LEAVE_BEATS,
    Hit,
    Hold,
)
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.models.common.errors import BackbeatError

# What both take at least where beats are short [s], and the most of a hold, as a share
# of it, that either takes from its rest.
LEAVE_TIME, ARRIVAL_TIME, MOST_SHARE = 0.6, 0.4, 0.4
# Beats that a rest takes at least.
LEAST_REST = 0.25


def with_transfers(
    holds: Sequence[Hold], hits: Sequence[Hit], tempo: Tempo
) -> tuple[Hold, ...]:
    """Holds with time for the transfers to and from their drums.

    Args:
        holds: in order of time.
        hits: in order of time; the hand of any of them may be open.
        tempo: of the score.
    """
    beats = [h.beat for h in hits]
    found = []
    for hold in holds:
        before = hits[: bisect_right(beats, hold.beat)]
        found.append(_with_transfers(hold, before, tempo.bpm_at(hold.beat) / 60))
    return tuple(found)


def _with_transfers(hold: Hold, before: Sequence[Hit], per_second: float) -> Hold:
    """A hold with time for its transfers, from hits up to it and beats a second."""
    most = MOST_SHARE * hold.beats
    leave = max(LEAVE_BEATS, min(LEAVE_TIME * per_second, most))
    way = max(LEAST_TRANSFER, ARRIVAL_TIME * per_second)
    hands = ("", *hold.rest)
    last = next((h.beat for h in reversed(before) if h.hand in hands), -math.inf)
    come = max(0.0, last + way - hold.beat)
    # After a hit so close to it that the hold would be over, there is no rest.
    come = come if come <= min(most, hold.beats - leave - LEAST_REST) else 0.0
    return replace(hold, come_beats=come, leave_beats=leave)


class Rests:
    """Finds the hold that keeps a hand from a hit, among holds in order of time."""

    def __init__(self, holds: Sequence[Hold]) -> None:
        self.holds = holds
        self._starts = [h.beat for h in holds]

    def at(self, hand: str, beat: float) -> Hold | None:
        """The hold in which, or too near to which, a hand would have to hit."""
        # Holds are longer than a transfer: none but these two can be near.
        last = bisect_right(self._starts, beat + LEAST_TRANSFER)
        for hold in self.holds[max(0, last - 2) : last]:
            if hold.is_busy(hand, beat):
                return hold
        return None


def check_transfers(
    hits: Sequence[Hit], holds: Sequence[Hold], tempo: Tempo, where: str
) -> None:
    """Refuses hits of a hand that rests or has no time to come from its rest.

    Raises:
        BackbeatError: such a hit, with its bar and beat.
    """
    rests = Rests(holds)
    for hit in hits:
        hold = rests.at(hit.hand, hit.beat)
        if hold is not None:
            raise BackbeatError(
                f"{where}: the {hit.hand} hand rests in {hold.name!r} and has no "
                f"time for the {hit.member} in {tempo.in_words(hit.beat)}; leave "
                f"{LEAST_TRANSFER:g} beats before a hold and 1 beat inside its end",
                subject=hold.name,
            )
