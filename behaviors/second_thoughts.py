"""Second thoughts: what hands do otherwise where no motion was found.

Sticking knows hands by their travel only. Where the optimizer could not move them,
the hits about that moment get a price in the hand that was in trouble, so that the
other one takes them if it can. When that did not help, and the author lets go of what
cannot be played, the hit at the place is left out, and named as any that is dropped.
"""

import itertools
import re
from collections.abc import Sequence
from dataclasses import replace

from behaviors.music.player import Advice
from behaviors.music.score import HANDS, Score
from optimization.trajectory_solution import Trouble

# Troubles nearer to each other are one [s]; less than this share of the worst is a
# consequence of it.
ONE, SHARE = 0.4, 0.2
# Hits about a trouble that get a price [s], and how much.
ABOUT, PRICE = 0.25, 20.0
# Times that a score is stuck anew before it counts as not playable.
ROUNDS = 12


def places_of(troubles: Sequence[Trouble]) -> list[Trouble]:
    """The worst of troubles that are close together, in order of time."""
    most = max((t.amount for t in troubles), default=0.0)
    found: list[list[Trouble]] = []
    chosen = (t for t in troubles if t.amount >= SHARE * most)
    for trouble in sorted(chosen, key=lambda t: t.time):
        if found and trouble.time - found[-1][-1].time < ONE:
            found[-1].append(trouble)
        else:
            found.append([trouble])
    return [max(group, key=lambda t: t.amount) for group in found]


def hand_of(trouble: Trouble) -> str:
    """The hand that was in trouble; empty when its name tells of none."""
    side = re.search(r"\b([lr])_(arm|hand|stick|larm|ufarm|lfarm|wrist)", trouble.what)
    return {"l": "left", "r": "right"}[side.group(1)] if side else ""


def think_again(
    advice: Advice, score: Score, troubles: Sequence[Trouble], may_drop: bool
) -> Advice | None:
    """What to avoid besides; None when nothing is left to try.

    Args:
        advice: what was avoided already.
        score: that was tried, with hands.
        troubles: what no motion was found for.
        may_drop: whether hits may be left out.
    """
    prices, dropped = dict(advice.prices), set(advice.dropped)
    for place in places_of(troubles):
        hands = [h for h in HANDS if h == hand_of(place)] or list(HANDS)
        hits = [h for h in score.hits if h.hand in hands]
        if not hits:
            continue

        def away(beat: float, time: float = place.time) -> float:
            return abs(score.tempo.time(beat) - time)

        hits.sort(key=lambda h: away(h.beat))
        near = list(itertools.takewhile(lambda h: away(h.beat) <= ABOUT, hits))
        keys = [(h.beat, h.member, h.hand) for h in near or hits[:1]]
        if may_drop and any(key in prices for key in keys):
            dropped.add(keys[0][:2])
        for key in keys:
            prices[key] = prices.get(key, 0.0) + PRICE
    changed = replace(advice, prices=prices, dropped=frozenset(dropped))
    return changed if changed != advice else None
