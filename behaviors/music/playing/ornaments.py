"""Ornaments of drummers as two sticks can play them.

A stick of ours does not bounce twice on its own. A flam stays what it is, a grace note
of the other stick before the stroke; of the two grace notes of a drag the later one
stays; a roll, strokes on one drum that follow faster than sticks alternate, becomes
alternating strokes at the fastest even rate. Motions of two hands were found and
verified for strokes on one drum down to 35 ms apart; hands are given 50 ms, twice what
a hand alone needs.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import replace

from backbeat.behaviors.music.notation.score import FEET, Hit, counted
from backbeat.behaviors.music.notation.tempo import Tempo

# Least time between alternating strokes on one drum [s]: half of that of one hand.
ALTERNATING = 0.05
# Hits of one drum nearer than this are a stroke with a grace note, or a roll [s].
FLAM = 0.045
# A grace note is softer than the stroke that it leads to, by this share at least.
GRACE = 0.75
# The other stick is free for a grace note if it strikes nothing else about it [s].
FREE = 0.06


def two_sticks(hits: Iterable[Hit], tempo: Tempo) -> tuple[list[Hit], list[str]]:
    """Hits with flams, drags and rolls as two sticks can play them.

    Hits that their author has given to a hand stay as they are.

    Args:
        hits: on members of a kit.
        tempo: of the score.

    Returns:
        Hits in order of time, and sentences on what was changed.
    """
    hits = sorted(hits, key=lambda h: h.beat)
    kept = [h for h in hits if h.hand]
    flams = graces = alone = before = after = 0
    others = [(tempo.time(h.beat), h.member) for h in hits if h.hand not in FEET]
    times = [time for time, _ in others]

    def _is_free(run: list[Hit]) -> bool:
        """Whether nothing else is struck about a stroke with grace notes."""
        first = bisect_left(times, tempo.time(run[0].beat) - FREE)
        last = bisect_right(times, tempo.time(run[-1].beat) + FREE)
        return all(name == run[0].member for _, name in others[first:last])

    for member in dict.fromkeys(h.member for h in hits if not h.hand):
        for run in _runs([h for h in hits if h.member == member and not h.hand], tempo):
            played = run
            if len(run) > 3 or (len(run) == 3 and not _is_grace(run)):
                played = _even(run, tempo)
                before, after = before + len(run), after + len(played)
            elif len(run) > 1 and _is_grace(run) and not _is_free(run):
                played, alone = run[-1:], alone + 1
            elif len(run) == 3:
                played, graces = run[1:], graces + 1
            elif len(run) == 2:
                flams += 1
            kept += played
    said = []
    if flams:
        said.append(f"flams played with both sticks: {flams}")
    if graces:
        said.append(f"drags played with one grace note, as flams: {graces}")
    if alone:
        said.append(
            f"flams and drags without their grace notes, for the other stick plays "
            f"elsewhere: {alone}"
        )
    if before:
        said.append(
            f"rolls of {counted(before)} played as {after} alternating strokes, "
            f"{1e3 * ALTERNATING:.0f} ms apart or more"
        )
    return sorted(kept, key=lambda h: h.beat), said


def _runs(hits: list[Hit], tempo: Tempo) -> list[list[Hit]]:
    """Hits of one drum in groups that are a stroke with grace notes, or a roll."""
    runs: list[list[Hit]] = []
    for hit in hits:
        last = runs[-1][-1] if runs else None
        if last is not None and 1e-6 < _gap(last, hit, tempo) < FLAM:
            runs[-1].append(hit)
        else:
            runs.append([hit])
    return runs


def _gap(a: Hit, b: Hit, tempo: Tempo) -> float:
    return tempo.time(b.beat) - tempo.time(a.beat)


def _is_grace(run: list[Hit]) -> bool:
    """Whether all but the last of a group lead to it."""
    return all(h.velocity <= GRACE * run[-1].velocity for h in run[:-1])


def _even(run: list[Hit], tempo: Tempo) -> list[Hit]:
    """A roll from its first stroke to its last, as fast as sticks alternate."""
    start, end = tempo.time(run[0].beat), tempo.time(run[-1].beat)
    strokes = max(1, int((end - start) / ALTERNATING + 1e-9))
    played = []
    for k in range(strokes + 1):
        time = start + (end - start) * k / strokes
        beat = run[0].beat if k == 0 else tempo.beat(time)
        near = min(run, key=lambda h: abs(tempo.time(h.beat) - time))
        played.append(replace(near, beat=run[-1].beat if k == strokes else beat))
    return played
