"""Retry strategy: what is changed where no motion was found.

Where all knots are as they should be and what is between them is not, knots get closer
together (mesh refinement: Betts, "Practical Methods for Optimal Control and Estimation
Using Nonlinear Programming", 2010, chapter 4). Where that is not enough, hands change.

Feet that slip between knots get friction to spare at them: no other hand helps a foot.

Sticking models the travel of hands only. Where the optimizer could not move them,
the hits about that moment get a price in the hand that was in trouble, so that the
other one takes them if it can, and may be moved by some milliseconds. When that did not
help, and the author lets go of what cannot be played, hands are as they were and the
hit at the place is left out, and named as any that is dropped. Strokes of ornaments, of
which others stay, are left out so too.
"""

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from backbeat.behaviors.music.notation.player import Hints
from backbeat.behaviors.music.notation.score import HANDS, Hit, Score
from backbeat.optimization.interior_point.solution import Violation

# Troubles nearer to each other are one [s]; less than this share of the worst is a
# consequence of it.
ONE, SHARE = 0.4, 0.5
# Hits about a trouble that get a price [s], and how much.
ABOUT, PRICE = 0.25, 20.0
# How often knots get closer about a place, and how far that reaches [s].
CLOSER, REACH = 2, 0.06
# Names of joints, links, frames and equipment of the arm of each of HANDS.
Arms = Mapping[str, Collection[str]]
# How often feet get more friction to spare.
FIRMEST = 2
# Times that a score is stuck anew before it counts as not playable.
ROUNDS = 12


def places_of(violations: Sequence[Violation]) -> list[Violation]:
    """The worst of troubles that are close together, in order of time."""
    most = max((t.amount for t in violations), default=0.0)
    found: list[list[Violation]] = []
    chosen = (t for t in violations if t.amount >= SHARE * most)
    for violation in sorted(chosen, key=lambda t: t.time):
        if found and violation.time - found[-1][-1].time < ONE:
            found[-1].append(violation)
        else:
            found.append([violation])
    return [max(group, key=lambda t: t.amount) for group in found]


def hand_of(violation: Violation, arms: Arms) -> str:
    """The hand of a violation; empty when it is of neither."""
    for thing in violation.name.things:
        for hand, names in arms.items():
            if thing.name in names:
                return hand
    return ""


def next_hints(
    hints: Hints,
    score: Score,
    violations: Sequence[Violation],
    arms: Arms,
    may_drop: bool,
) -> Hints | None:
    """The hints of the next attempt; None when nothing is left to try.

    Args:
        hints: those of the last attempt.
        score: that was tried, with hands.
        violations: what no motion was found for.
        arms: names of the parts of each arm, by hand.
        may_drop: whether hits may be left out.
    """
    finer, left = _closer(hints.finer, score, violations)
    if hints.firmer < FIRMEST and any(_is_slip(v) for v in violations):
        hints = replace(hints, firmer=hints.firmer + 1)
        left = [v for v in left if not _is_slip(v)]
        if not left:
            return replace(hints, finer=finer)
    if finer != hints.finer and not left:
        return replace(hints, finer=finer)
    if hints.fallback is not None:
        return hints.fallback
    prices, dropped, may_move = dict(hints.prices), dict(hints.dropped), hints.eased
    for place in places_of(left):
        near = _hits_about(place, score, arms)
        may_go = [h for h in near if may_drop or h.is_grace]
        dropped |= {(h.beat, h.member): _proof(place) for h in may_go[:1]}
        may_move |= {h.beat for h in near}
        for hit in near:
            key = (hit.beat, hit.member, hit.hand)
            prices[key] = prices.get(key, 0.0) + PRICE
    if prices == hints.prices:
        return None
    hints = replace(hints, finer=finer, eased=may_move)
    is_less = dropped.keys() != hints.dropped.keys()
    fallback = replace(hints, dropped=dropped) if is_less else None
    return replace(hints, prices=prices, fallback=fallback)


def _is_slip(violation: Violation) -> bool:
    """Whether a contact has too little friction between knots."""
    return violation.is_between and violation.name.kind == "friction"


def _proof(place: Violation) -> str:
    """What kept the optimizer from a motion with a hit."""
    where = "between knots" if place.is_between else "at knots"
    return f"{place.name} is beyond its bound {where} at {place.time:.2f} s"


def _hits_about(place: Violation, score: Score, arms: Arms) -> list[Hit]:
    """Hits of the hand in trouble, nearest first: those about it, one at least."""

    def away(hit: Hit) -> float:
        return abs(score.tempo.time(hit.beat) - place.time)

    hands = [h for h in HANDS if h == hand_of(place, arms)] or list(HANDS)
    hits = sorted((h for h in score.hits if h.hand in hands), key=away)
    return list(itertools.takewhile(lambda h: away(h) <= ABOUT, hits)) or hits[:1]


def _closer(
    finer: tuple[frozenset[float], ...], score: Score, violations: Sequence[Violation]
) -> tuple[tuple[frozenset[float], ...], list[Violation]]:
    """Where knots are closer from now on, and the troubles that this is nothing for."""
    time = score.tempo.time
    known = [[time(beat) for beat in sorted(beats)] for beats in finer]
    beats, left = set(), []
    for violation in violations:
        near = sum(
            any(abs(t - violation.time) < REACH for t in times) for times in known
        )
        if violation.is_between and near < CLOSER:
            beats.add(score.tempo.beat(violation.time))
        else:
            left.append(violation)
    return (*finer, frozenset(beats)) if beats else finer, left
