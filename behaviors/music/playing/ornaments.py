"""Ornaments of drummers as two sticks can play them.

A stick of ours does not bounce twice on its own, so every stroke of an ornament is one
of two sticks that alternate. A flam is a grace note of the other stick before the
stroke. A drag is two of them, a buzz stroke and a roll are strokes on one drum; where
they are written closer than sticks alternate, they are spread. Motions of two hands
were found and verified for strokes on one drum down to 30 ms apart, and for rolls of
twenty strokes a second.

What belongs to an ornament besides its stroke may be left out where the other stick
plays elsewhere: sticking decides that.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from backbeat.behaviors.music.notation.score import (
    BUZZ,
    DRAG,
    FEET,
    FLAM,
    GRACE,
    Hit,
    counted,
)
from backbeat.behaviors.music.notation.tempo import Tempo

# Least time between alternating strokes on one drum [s]: half of that of one hand.
# Those of a buzz stroke are sixteen a second, of which a hand alone plays every other.
ALTERNATING, BUZZING, LEAST_BUZZ = 0.05, 1.0 / 16.0, 3
# Hits of one drum nearer than this are a stroke with a grace note, or a roll [s]; the
# lead of the grace note of a flam that is written as one [s].
NEAR, FLAM_LEAD = 0.045, 0.03
# A grace note is softer than the stroke that it leads to, by this share at least.
SOFTER = 0.75
# Velocity of strokes of a written ornament besides its own, as a share of it.
GRACE_SHARE = 0.55
# What is left out where the other stick plays elsewhere.
PLURALS = {FLAM: "flams", DRAG: "drags", BUZZ: "buzz strokes"}


def two_sticks(hits: Iterable[Hit], tempo: Tempo) -> tuple[list[Hit], list[str]]:
    """Hits with flams, drags, buzz strokes and rolls as two sticks can play them.

    Hits that their author has given to a hand stay as they are.

    Args:
        hits: on members of a kit.
        tempo: of the score.

    Returns:
        Hits in order of time, and sentences on what was changed.
    """
    hits = sorted(hits, key=lambda h: h.beat)
    kept = [replace(h, ornament="") for h in hits if h.hand]
    plain = Counter(h.ornament for h in hits if h.hand in FEET and h.ornament)
    found: Counter[str] = Counter()
    rolls = before = after = 0
    for hit in hits:
        if not hit.hand and hit.ornament:
            kept += _written(hit, tempo)
            found[hit.ornament] += 1
    open_hits = [h for h in hits if not (h.hand or h.ornament)]
    for member in dict.fromkeys(h.member for h in open_hits):
        for run in _runs([h for h in open_hits if h.member == member], tempo):
            played = run
            if len(run) > 3 or (len(run) == 3 and not _leads(run)):
                played = _even(run, tempo)
                rolls, before, after = rolls + 1, before + len(run), after + len(played)
            elif len(run) == 3:
                played = [*_graces(run, tempo, ALTERNATING), run[-1]]
                found[DRAG] += 1
            elif len(run) == 2:
                played = [_grace(run[0]) if _leads(run) else run[0], run[1]]
                found[FLAM] += 1
            kept += played
    said = [_told(kind, found[kind]) for kind in (FLAM, DRAG, BUZZ) if found[kind]]
    if rolls:
        said.append(
            f"rolls of {counted(before)} played as {after} alternating strokes, "
            f"{1e3 * ALTERNATING:.0f} ms apart or more"
        )
    said += [
        f"{PLURALS[kind]} of feet played as single strokes: {count}"
        for kind, count in sorted(plain.items())
    ]
    return sorted(kept, key=lambda h: h.beat), said


def _told(kind: str, count: int) -> str:
    """How an ornament is played, and how often."""
    how = {
        FLAM: "for both sticks",
        DRAG: f"as three alternating strokes, {1e3 * ALTERNATING:.0f} ms apart",
        BUZZ: f"as {1 / BUZZING:.0f} alternating strokes a second",
    }
    return f"{PLURALS[kind]} {how[kind]}: {count}"


def _written(hit: Hit, tempo: Tempo) -> list[Hit]:
    """Strokes of an ornament that is written as one."""
    stroke, softer = replace(hit, ornament="", beats=0.0), GRACE_SHARE * hit.velocity
    grace = _grace(replace(stroke, velocity=max(1, round(softer))))
    if hit.ornament == FLAM:
        return [*_graces([grace, stroke], tempo, FLAM_LEAD), stroke]
    if hit.ornament == DRAG:
        return [*_graces([grace, grace, stroke], tempo, ALTERNATING), stroke]
    start = tempo.time(hit.beat)
    length = tempo.time(hit.beat + hit.beats) - start
    strokes = max(LEAST_BUZZ, math.floor(length / BUZZING + 1e-6))
    times = [start + k * BUZZING for k in range(1, strokes)]
    return [stroke, *(replace(grace, beat=tempo.beat(t)) for t in times)]


def _graces(run: Sequence[Hit], tempo: Tempo, apart: float) -> list[Hit]:
    """All but the last of a group, so many seconds apart before it."""
    end, last = tempo.time(run[-1].beat), len(run) - 1
    return [
        replace(_grace(h), beat=tempo.beat(max(0.0, end - (last - k) * apart)))
        for k, h in enumerate(run[:-1])
    ]


def _grace(hit: Hit) -> Hit:
    """A hit that may be left out."""
    return replace(hit, ornament=GRACE)


def _runs(hits: list[Hit], tempo: Tempo) -> list[list[Hit]]:
    """Hits of one drum in groups that are a stroke with grace notes, or a roll."""
    runs: list[list[Hit]] = []
    for hit in hits:
        last = runs[-1][-1] if runs else None
        if last is not None and 1e-6 < _gap(last, hit, tempo) < NEAR:
            runs[-1].append(hit)
        else:
            runs.append([hit])
    return runs


def _gap(a: Hit, b: Hit, tempo: Tempo) -> float:
    return tempo.time(b.beat) - tempo.time(a.beat)


def _leads(run: list[Hit]) -> bool:
    """Whether all but the last of a group lead to it."""
    return all(h.velocity <= SOFTER * run[-1].velocity for h in run[:-1])


def _even(run: list[Hit], tempo: Tempo) -> list[Hit]:
    """A roll from its first stroke to its last, as fast as sticks alternate."""
    start, end = tempo.time(run[0].beat), tempo.time(run[-1].beat)
    strokes = max(1, int((end - start) / ALTERNATING + 1e-9))
    played = []
    for k in range(strokes + 1):
        time = start + (end - start) * k / strokes
        beat = run[0].beat if k == 0 else tempo.beat(time)
        near = min(run, key=lambda h: abs(tempo.time(h.beat) - time))
        stroke = replace(near, beat=run[-1].beat if k == strokes else beat)
        played.append(stroke if k in (0, strokes) else _grace(stroke))
    return played
