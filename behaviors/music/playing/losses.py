"""Losses: why hits have no hand, with the numbers that say so."""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from backbeat.behaviors.music.notation.left_out import LeftOut
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.music.notation.score import HANDS, Hit
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.behaviors.music.notation.transfers import Rests

# Causes for which hits are left out.
TOO_FAST, BEYOND_REACH = "too fast for two hands", "beyond the reach of both hands"
BESIDE = "of flams, drags, buzzes and rolls where the other stick plays elsewhere"
NO_MOTION = "where the optimizer found no motion"


class Passage(Protocol):
    """What is to be played when, and by which hands.

    Attributes:
        hits: in order of time.
        times: of the hits [s].
        tempo: of the score.
        player: whose hands they are.
        rests: what keeps hands from hits.
        out_of_reach: pairs of hand and member that it does not reach.
    """

    hits: Sequence[Hit]
    times: list[float]
    tempo: Tempo
    player: HandModel
    rests: Rests
    out_of_reach: set[tuple[str, str]]


class Losses:
    """Hits that a choice of hands leaves out."""

    def __init__(self, passage: Passage, choice: Mapping[int, str]) -> None:
        """Takes a choice: by hit its hand, or "" for one that is left out."""
        self.passage = passage
        self.dropped = sorted(i for i, hand in choice.items() if not hand)
        self.stops = {
            hand: [
                (passage.times[i], passage.hits[i].member)
                for i, chosen in sorted(choice.items())
                if chosen == hand
            ]
            for hand in HANDS
        }

    def left_out(self) -> list[LeftOut]:
        """Every hit with its place, cause and proof, in order of time."""
        return [self._left_out(i) for i in self.dropped]

    def _left_out(self, i: int) -> LeftOut:
        passage, hit = self.passage, self.passage.hits[i]
        known = passage.player.hints.dropped
        if (hit.beat, hit.member) in known:
            proof = known[hit.beat, hit.member]
            return LeftOut.of(hit, passage.tempo, NO_MOTION, proof)
        if hit.is_grace:
            return LeftOut.of(hit, passage.tempo, BESIDE)
        if all((hand, hit.member) in passage.out_of_reach for hand in HANDS):
            return LeftOut.of(hit, passage.tempo, BEYOND_REACH)
        return LeftOut.of(hit, passage.tempo, TOO_FAST, self.proof(i))

    def proof(self, i: int) -> str:
        """Why neither hand that plays the rest can play a hit too, in numbers."""
        return "; ".join(f"{h} hand: {self._proof(i, h)}" for h in HANDS)

    def _proof(self, i: int, hand: str) -> str:
        """Why a hand that plays the rest cannot play a hit too, in numbers."""
        passage, hit, time = self.passage, self.passage.hits[i], self.passage.times[i]
        if (hand, hit.member) in passage.out_of_reach:
            return "does not reach it"
        rest = passage.rests.at(hand, hit.beat)
        if rest is not None:
            return f"rests in {rest.name!r}"
        stops, travel = self.stops[hand], passage.player.travel
        at = bisect_left(stops, (time, ""))
        beside = stops[max(0, at - 1) : at + 2]
        shares = [(abs(t - time) / travel(m, hit.member), t, m) for t, m in beside]
        share, other, member = min(shares, default=(math.inf, 0.0, ""))
        if share >= 1.0:
            return "would strike across the other, or keep it from its hits"
        places, gap = passage.player.places, abs(other - time)
        if gap == 0.0:
            return f"strikes the {member} at that time"
        way = float(np.linalg.norm(places[member] - places[hit.member]))
        least = travel(member, hit.member)
        told = f"{1e3 * gap:.0f} ms from its hit of the {member}"
        if way == 0.0:
            row = " in a row" if gap >= passage.player.pair else ""
            least = least if row else passage.player.pair
            return f"{told}, of {1e3 * least:.0f} ms that it takes{row}"
        return (
            f"{told}, {way:.2f} m away: {way / gap:.1f} m/s in the mean, of "
            f"{way / least:.1f} that it makes"
        )
