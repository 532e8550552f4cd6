"""Tempo scale: the same score, faster where it is played.

From the first hit after a rest to the last before the next, the tempo is multiplied.
Rests and the ways to and from them keep the time they have, for how fast a pattern can
be played says nothing about how fast hands come down to rest.
"""

import itertools
import math
from dataclasses import replace

from backbeat.behaviors.music.notation.score import Score
from backbeat.behaviors.music.notation.tempo import (
    LEAST_BPM,
    MOST_BPM,
    Tempo,
    TempoChange,
)
from backbeat.models.common.errors import BackbeatError


def played_spans(score: Score) -> list[tuple[float, float]]:
    """First and last beat of hits between two rests, where there are two or more."""
    ends = [0.0, *(h.beat for h in score.holds), math.inf]
    spans = []
    for start, end in itertools.pairwise(ends):
        beats = [h.beat for h in score.hits if start <= h.beat < end]
        if beats and beats[-1] > beats[0]:
            spans.append((beats[0], beats[-1]))
    return spans


def with_tempo_scale(score: Score, factor: float) -> Score:
    """The score with a multiple of its tempo where it is played.

    Raises:
        BackbeatError: the factor is no number above zero, or leads to no tempo.
    """
    if factor == 1.0:
        return score
    if not 0.0 < factor < math.inf:
        raise BackbeatError(
            f"a tempo_scale of {factor:g} is not above 0", path=("tempo_scale",)
        )
    spans, tempo = played_spans(score), score.tempo
    least, most = tempo_scale_range(score)
    if not least <= factor <= most:
        raise BackbeatError(
            f"a tempo_scale of {factor:g} leads to a tempo that is not {LEAST_BPM:g} "
            f"to {MOST_BPM:g} beats per minute; it may be {least:.3g} to {most:.3g}",
            path=("tempo_scale",),
        )
    cuts = {0.0, *(b for span in spans for b in span)}
    for change in tempo.changes:
        cuts |= {change.beat}
        if change.end_bpm is not None:
            cuts |= {change.beat + change.beats}
    points = [*sorted(cuts), math.inf]
    changes = []
    for a, b in itertools.pairwise(points):
        faster = factor if any(s <= a < e for s, e in spans) else 1.0
        bpm, end = tempo.bpm_at(a) * faster, _end(tempo, a, b) * faster
        if math.isinf(b) or math.isclose(bpm, end, rel_tol=1e-12):
            changes.append(TempoChange(a, bpm))
        else:
            changes.append(TempoChange(a, bpm, end, b - a))
    bpm = tempo.bpm * (factor if tempo.is_constant else 1.0)
    quick = Tempo(bpm, tempo.meter, tuple(changes))
    return replace(score, tempo=quick)


def tempo_scale_range(score: Score) -> tuple[float, float]:
    """Least and most tempo_scale with which every tempo is one that scores may have."""
    tempos = _played_tempos(score)
    return LEAST_BPM / min(tempos), MOST_BPM / max(tempos)


def fastest_bpm(score: Score) -> float:
    """The highest tempo at which hits are played [beats/min]."""
    return max(_played_tempos(score))


def _played_tempos(score: Score) -> list[float]:
    """The tempos between the first hit and the last, where they change."""
    spans, tempo = played_spans(score), score.tempo
    found = []
    for start, end in spans:
        switches = [b for c in tempo.changes for b in (c.beat, c.beat + c.beats)]
        inside = [b for b in switches if start < b < end]
        # A tempo is highest where it changes, on either side.
        found += [tempo.bpm_at(b) for b in (start, *inside)]
        found += [tempo.bpm_at(math.nextafter(b, 0.0)) for b in (*inside, end)]
    if not found:
        raise BackbeatError(
            "the score has no two hits without a rest between them, so it has no "
            "tempo to raise"
        )
    return found


def _end(tempo: Tempo, start: float, end: float) -> float:
    """Tempo at the end of a stretch in which it moves evenly, from the left."""
    if math.isinf(end):
        return tempo.bpm_at(start)
    return 2.0 * tempo.bpm_at(0.5 * (start + end)) - tempo.bpm_at(start)
