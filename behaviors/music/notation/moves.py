"""Moves: explicit Gotos of a hand, and where it waits before and after them.

A move leads a hand to a drum, above it or to a place, in the beats that its part takes.
Until it begins the hand holds: above the drum that it struck, or where it was sent.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from backbeat.behaviors.music.notation.score import (
    HANDS,
    LEAST_TRANSFER,
    LEAVE_BEATS,
    HandMove,
    HandTarget,
    Hit,
    Hold,
)
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.models.common.errors import BackbeatError

# Beats in which a hand gets from a drum to where it waits above it, at most.
RISE_BEATS = 1.0


def arrivals(moves: Sequence[HandMove]) -> list[Hit]:
    """Moves without a hit as if they ended with one, for those that look for hits."""
    silent = [m for m in moves if not m.velocity]
    return [Hit(m.end, m.member, m.hand, 1) for m in silent]


def spared(
    hits: Sequence[Hit], moves: Sequence[HandMove], tempo: Tempo, where: str
) -> list[Hit]:
    """Hits during a move, or right after one, given to the hand that is not moved.

    Raises:
        BackbeatError: it is a hit of the hand that was, or both were.
    """
    found = []
    for hit in hits:
        busy = {m.hand for m in moves if m.beat < hit.beat < _free_from(m)}
        if hit.hand in busy or len(busy) == len(HANDS):
            hands = f"the {hit.hand} hand has" if hit.hand else "both hands have"
            raise BackbeatError(
                f"{where}: {hands} been sent elsewhere, which leaves no time for the "
                f"{hit.member} in {tempo.in_words(hit.beat)}; leave {LEAST_TRANSFER:g} "
                "beats after its goto, or let that end with a hit (velocity: 90)"
            )
        free = next((h for h in HANDS if h not in busy), "")
        found.append(replace(hit, hand=free) if busy and not hit.hand else hit)
    return found


def _free_from(move: HandMove) -> float:
    """The beat from which a hand that was sent may hit again."""
    return move.end if move.velocity else move.end + LEAST_TRANSFER


def find_targets(
    moves: Sequence[HandMove], hits: Sequence[Hit], holds: Sequence[Hold], beats: float
) -> tuple[HandTarget, ...]:
    """Where hands are without a hit, and how long they stay there.

    Args:
        moves: explicit Gotos.
        hits: with hands.
        holds: with their ways.
        beats: length of the score.
    """
    targets: list[HandTarget] = []
    for hand in HANDS:
        mine = [m for m in moves if m.hand == hand]
        if mine:
            targets += _of_hand(hand, mine, hits, holds, beats)
    return tuple(sorted(targets, key=lambda t: (t.beat, t.hand)))


def _of_hand(
    hand: str,
    moves: Sequence[HandMove],
    hits: Sequence[Hit],
    holds: Sequence[Hold],
    beats: float,
) -> list[HandTarget]:
    # (arrival, departure, drum or "", move that ends there) in order.
    stops: list[tuple[float, float, str, HandMove | None]] = []
    stops += [(h.beat, h.beat, h.member, None) for h in hits if h.hand == hand]
    stops += [
        (h.contact_start, h.contact_end, h.rest[hand], None)
        for h in holds
        if hand in h.rest
    ]
    stops += [(m.end, m.end, m.member, m) for m in moves if not m.velocity]
    stops.sort(key=lambda s: s[:2])
    starts = {m.end: m.beat for m in moves}
    last = (beats, beats, "", None)
    targets = []
    for (arrival, left, member, move), (after, *_) in pairwise([*stops, last]):
        # When it goes on: with the next move, or in time for what comes then.
        until = starts.get(after, after - LEAVE_BEATS if after < beats else beats)
        if move is not None:
            stay = max(0.0, until - arrival)
            targets.append(HandTarget(hand, arrival, stay, move.member, move.place))
        elif after in starts and until - left >= LEAST_TRANSFER:
            rise = min(RISE_BEATS, 0.5 * (until - left))
            targets.append(HandTarget(hand, left + rise, until - left - rise, member))
    return targets
