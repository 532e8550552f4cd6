"""Sticking: which hand plays what, by dynamic programming.

A state is where each hand struck last, and when. Every hit goes to one of the hands,
and the sequence of choices with the least cost is found exactly (Bellman, "Dynamic
Programming", 1957). The costs are the time ratio (least time of a hand's path over the
time there is, squared, so that hands alternate by themselves), reaching over to the
other side, and crossing hands. A way that takes longer than there is time for cannot be
chosen. What the author has given to a hand stays there, and is not judged.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby, product
from operator import itemgetter
from typing import NamedTuple

from backbeat.behaviors.music.notation.left_out import LeftOut
from backbeat.behaviors.music.notation.player import HandModel
from backbeat.behaviors.music.notation.score import HANDS, Hit, Hold, counted
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.behaviors.music.notation.transfers import Rests
from backbeat.behaviors.music.playing.losses import Losses
from backbeat.models.common.errors import BackbeatError

# Costs of the time ratio, of a meter aside and of a meter of crossing: one hand plays
# up to 4.4 strokes a second on its side alone, beyond that both share them.
TIME_RATIO, OTHER_SIDE, CROSSING = 24.0, 12.0, 12.0
# What lies in the middle between the hands, to each side [m].
MIDDLE = 0.1
# Hands that strike within this time of each other [s] stand crossed by at most this
# width [m]; within the longer time crossing costs.
TOGETHER, MOST_CROSSING, NEAR = 0.1, 0.1, 0.5
# What was longer ago does not matter any more [s].
MEMORY = 1.5
# What leaving out a hit costs, besides its velocity: more than any other choice; and a
# stroke of an ornament, of which others stay.
DROP, LEAVE_OUT = 1e4, 200.0
# What a pair of strokes in less time than those of a row costs: more than any choice
# that does without.
PAIR = 500.0
# Seconds before and after a hit in which a slower tempo is looked for, and the most
# that a passage is slowed down.
PASSAGE, SLOWEST = 2.0, 8.0
# States kept from moment to moment: all there are in music that two hands can play, and
# the cheapest in noise; fewer where so many hits cannot be played, in all.
MOST_STATES, MOST_WORK = 100, 500_000
# What may be done about a refusal.
DROP_INSTEAD = "set unplayable: drop"


class UnplayableError(BackbeatError):
    """Two hands cannot play what is written."""

    JOINT = ", or "


class _Stop(NamedTuple):
    """Where a hand was last, whether the author had sent it there, and how it came.

    Its time is when it was there; of the second stroke of a pair, when it would have
    been there in a row.
    """

    time: float = -math.inf
    member: str = ""
    fixed: bool = True
    is_second: bool = False


@dataclass(frozen=True)
class _Moment:
    """Hits of one moment, or the start of a hold."""

    time: float
    hits: tuple[int, ...] = ()
    hold: Hold | None = None


_State = tuple[_Stop, _Stop]
# By hit: its hand, or "" for a hit that is left out.
_Choice = dict[int, str]


def find_hands(
    hits: Sequence[Hit],
    holds: Sequence[Hold],
    tempo: Tempo,
    player: HandModel,
    unplayable: str,
    where: str,
) -> tuple[list[Hit], list[LeftOut]]:
    """Gives every open hit a hand.

    Args:
        hits: in order of time.
        holds: in which hands rest.
        tempo: of the score.
        player: whose hands they are.
        unplayable: "refuse" or "drop" what two hands cannot play.
        where: name of the score in errors.

    Returns:
        Hits with hands, and those that are left out.

    Raises:
        UnplayableError: two hands cannot play a passage; says bar and beat, and
            what they could.
    """
    if all(h.hand for h in hits):
        return list(hits), []
    problem = _Sticking(hits, holds, tempo, player)
    choice = problem.solve()
    if choice is None:
        if unplayable == "refuse":
            raise UnplayableError(f"{where}: {problem.refusal()}", hint=DROP_INSTEAD)
        choice = problem.solve(may_drop=True)
        assert choice is not None  # leaving out everything is possible
    left_out = Losses(problem, choice).left_out()
    return [replace(hits[i], hand=h) for i, h in sorted(choice.items()) if h], left_out


class _Sticking:
    """One passage for two hands."""

    def __init__(
        self,
        hits: Sequence[Hit],
        holds: Sequence[Hold],
        tempo: Tempo,
        player: HandModel,
    ) -> None:
        self.hits, self.holds, self.tempo, self.player = hits, holds, tempo, player
        self.rests = Rests(holds)
        self.side = {
            m: {"left": max(0.0, -p[1] - MIDDLE), "right": max(0.0, p[1] - MIDDLE)}
            for m, p in player.places.items()
        }
        # Time of the first hit for which no choice is left.
        self.stuck_at = math.inf
        self.travel = cache(player.travel)
        self.can_reach = cache(player.can_reach)
        self.out_of_reach: set[tuple[str, str]] = set()
        self.times = [tempo.time(h.beat) for h in hits]
        self.moments = self._moments()

    def _moments(self) -> list[_Moment]:
        together = groupby(range(len(self.hits)), key=lambda i: self.times[i])
        moments = [_Moment(time, tuple(group)) for time, group in together]
        moments += [
            _Moment(self.tempo.time(h.contact_start), (), h) for h in self.holds
        ]
        return sorted(moments, key=lambda m: (m.time, m.hold is None))

    def solve(self, may_drop: bool = False) -> _Choice | None:
        """The best choice with drums within reach; None if there is no choice."""
        while True:
            choice = self._cheapest(self.moments, 1.0, may_drop)
            if choice is None:
                return None
            used = {
                (hand, self.hits[i].member)
                for i, hand in choice.items()
                if hand and not self.hits[i].hand
            }
            beyond = {pair for pair in used if not self.can_reach(*pair)}
            if not beyond:
                return choice
            self.out_of_reach |= beyond

    def _cheapest(
        self, moments: Sequence[_Moment], slower: float, may_drop: bool = False
    ) -> _Choice | None:
        """The best choice for some moments, played so many times slower."""
        layer: dict[_State, float] = {(_Stop(), _Stop()): 0.0}
        steps: list[dict[_State, tuple[_State, _Choice]]] = []
        most = min(MOST_STATES, MOST_WORK // max(1, len(moments)))
        for moment in moments:
            time = slower * moment.time
            ahead: dict[_State, float] = {}
            step: dict[_State, tuple[_State, _Choice]] = {}
            options = self._options(moment, may_drop)
            for state, cost in layer.items():
                state_now = _forget(state, time)
                for option in options:
                    found = self._play(state_now, moment, time, option)
                    if found is None:
                        continue
                    after, price = found
                    if cost + price < ahead.get(after, math.inf):
                        ahead[after] = cost + price
                        step[after] = (state, option)
            if not ahead:
                self.stuck_at = moment.time
                return None
            if len(ahead) > most:
                ahead = dict(sorted(ahead.items(), key=itemgetter(1))[:most])
            layer = ahead
            steps.append(step)
        choice: _Choice = {}
        state = min(layer, key=lambda s: layer[s])
        for step in reversed(steps):
            state, option = step[state]
            choice |= option
        return choice

    def _options(self, moment: _Moment, may_drop: bool) -> list[_Choice]:
        """Ways to share the hits of a moment between the hands."""
        choices: list[list[str]] = []
        for i in moment.hits:
            hit = self.hits[i]
            hands = [hit.hand] if hit.hand else [h for h in HANDS if self._may(h, hit)]
            may_go = (may_drop or hit.is_grace) and not hit.hand
            choices.append([*hands, ""] if may_go else hands)
        if may_drop and len(choices) > 4:
            # So many at once are noise; the loudest two are enough to choose from.
            loudest = sorted(moment.hits, key=lambda i: -self.hits[i].velocity)[:2]
            pairs = zip(moment.hits, choices, strict=True)
            choices = [c if i in loudest else [c[-1]] for i, c in pairs]
        if sum("" not in hands for hands in choices) > len(HANDS):
            return []
        found = []
        for given in product(*choices):
            used = [h for h in given if h]
            if len(set(used)) == len(used):
                found.append(dict(zip(moment.hits, given, strict=True)))
        return found

    def _may(self, hand: str, hit: Hit) -> bool:
        """Whether a hand is free for a hit, and gets at its drum."""
        if (hand, hit.member) in self.out_of_reach:
            return False
        if (hit.beat, hit.member) in self.player.hints.dropped:
            return False
        return self.rests.at(hand, hit.beat) is None

    def _play(
        self, state: _State, moment: _Moment, time: float, option: _Choice
    ) -> tuple[_State, float] | None:
        """Where hands are after a moment and what it costs; None if it cannot be."""
        hands, price = {"left": state[0], "right": state[1]}, 0.0
        if moment.hold is not None:
            end = time + self.tempo.time(moment.hold.contact_end) - moment.time
            for hand, member in moment.hold.rest.items():
                hands[hand] = _Stop(end, member)
            return (hands["left"], hands["right"]), 0.0
        for i, hand in option.items():
            hit = self.hits[i]
            if not hand:
                price += hit.velocity + (LEAVE_OUT if hit.is_grace else DROP)
                continue
            last = hands[hand]
            stop = _Stop(time, hit.member, bool(hit.hand))
            time_ratio = self._time_ratio(last, stop)
            if time_ratio is None:
                return None
            if time_ratio > 1.0:
                row = last.time + self.player.repeat
                stop, price = stop._replace(time=row, is_second=True), price + PAIR
            hands[hand] = stop
            price += (
                TIME_RATIO * time_ratio**2 + OTHER_SIDE * self.side[hit.member][hand]
            )
            price += self.player.hints.prices.get((hit.beat, hit.member, hand), 0.0)
        crossing = self._crossing(hands["left"], hands["right"])
        if crossing is None:
            return None
        return (hands["left"], hands["right"]), price + crossing

    def _time_ratio(self, last: _Stop, stop: _Stop) -> float | None:
        """Least time over the time there is; None when that is too little."""
        if not last.member:
            return 0.0
        least, gap = self.travel(last.member, stop.member), stop.time - last.time
        if gap >= least - 1e-9:
            return least / gap
        if last.fixed and stop.fixed:
            return 1.0
        is_pair = last.member == stop.member and not last.is_second
        return least / gap if is_pair and gap >= self.player.pair - 1e-9 else None

    def _crossing(self, left: _Stop, right: _Stop) -> float | None:
        """What it costs that the right hand is left of the left; None if too much."""
        apart = abs(left.time - right.time)
        if not (left.member and right.member and apart < NEAR):
            return 0.0
        places = self.player.places
        width = float(places[right.member][1] - places[left.member][1])
        if width <= 0:
            return 0.0
        if (
            apart < TOGETHER
            and width > MOST_CROSSING
            and not (left.fixed and right.fixed)
        ):
            return None
        return CROSSING * width

    def refusal(self) -> str:
        """Why a passage is refused, and what would be playable."""
        time = self.stuck_at
        passage = [m for m in self.moments if abs(m.time - time) <= PASSAGE]
        choice = self._cheapest(passage, 1.0, may_drop=True) or {}
        left = (i for i, hand in sorted(choice.items()) if not hand)
        dropped = [i for i in left if not self.hits[i].is_grace]
        at_once = [i for m in passage if m.time == time for i in m.hits]
        first = dropped[0] if dropped else at_once[0]
        hit = self.hits[first]
        said = f"two hands cannot play the {hit.member} in {self._place(first)}"
        if all((hand, hit.member) in self.out_of_reach for hand in HANDS):
            said = f"no hand gets at the {hit.member} in {self._place(first)}"
        else:
            said += f" ({Losses(self, choice).proof(first)})" if dropped else ""
            slower = self._slower(passage)
            if slower is not None:
                bpm = math.floor(self.tempo.bpm_at(hit.beat) / slower)
                said += f"; the travel of hands alone takes {bpm} BPM"
        rest = len(dropped) - 1
        others = f" and {counted(rest)} within {PASSAGE:g} s of it" if rest > 0 else ""
        return f"{said}; leave it{others} out"

    def _place(self, i: int) -> str:
        return self.tempo.in_words(self.hits[i].beat, 3)

    def _slower(self, passage: Sequence[_Moment]) -> float | None:
        """How many times slower a passage could be played."""
        low, high = 1.0, SLOWEST
        if self._cheapest(passage, high) is None:
            return None
        while high > 1.01 * low:
            middle = math.sqrt(low * high)
            if self._cheapest(passage, middle) is None:
                low = middle
            else:
                high = middle
        return high


def _forget(state: _State, time: float) -> _State:
    """States that differ only in what is long ago become one."""
    left, right = state
    if time - left.time >= MEMORY:
        left = left._replace(time=-math.inf)
    if time - right.time >= MEMORY:
        right = right._replace(time=-math.inf)
    return left, right
