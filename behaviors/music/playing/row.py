"""Songs in a row: several scores as one, each with its own tempo and meters."""

from collections.abc import Iterable
from dataclasses import replace

from backbeat.behaviors.music.notation.meter import MeterChange, MeterMap
from backbeat.behaviors.music.notation.score import Remark, Score, Section
from backbeat.behaviors.music.notation.tempo import Song, Tempo, TempoChange


def in_a_row(songs: Iterable[tuple[str, Score, float]]) -> Score:
    """The score of several, which follow each other; hands stay as they are.

    Every song begins with its own bar and tempo. A pause makes the hold longer that a
    song begins with. There is no backing: a recording goes with one song.

    Args:
        songs: name, score and pause before it [s] of each, at least one.
    """
    whole = Score(Tempo(120.0), (), (), 0.0, may_drop=True)
    changes: dict[float, TempoChange] = {}
    meters: dict[float, MeterChange] = {}
    named: list[Song] = []
    for name, score, pause in songs:
        start, bpm = whole.beats, score.tempo.bpm_at(0.0)
        more = pause * bpm / 60.0
        shift = start + more
        changes[start] = TempoChange(start, bpm)
        changes |= {
            c.beat + shift: replace(c, beat=c.beat + shift) for c in score.tempo.changes
        }
        first = score.tempo.meter.at(0.0)
        meters[start] = MeterChange(start, first)
        meters |= {m.beat: m for m in score.tempo.meter.moved(shift)}
        named.append(Song(start, shift, name, score.tempo.meter.lead_in))
        whole = _joined(whole, score, name, start, shift)
    tempo = Tempo(
        changes[0.0].bpm,
        MeterMap(meters[0.0].meter, tuple(meters[b] for b in sorted(meters) if b > 0)),
        tuple(changes[b] for b in sorted(changes)),
        songs=tuple(named),
    )
    return replace(whole, tempo=tempo)


def _joined(whole: Score, score: Score, name: str, start: float, shift: float) -> Score:
    """What there is so far with a score after it, whose beat zero is at `shift`."""
    holds = [replace(h, beat=h.beat + shift) for h in score.holds]
    if holds and holds[0].beat == shift:
        holds[0] = replace(holds[0], beat=start, beats=holds[0].beats + shift - start)
    remarks = [_of_song(remark, name) for remark in score.remarks]
    if score.backing:
        remarks.append(f"{name}: backing {score.backing} does not play in a row")
    beats = shift + score.beats
    return replace(
        whole,
        hits=(*whole.hits, *(replace(h, beat=h.beat + shift) for h in score.hits)),
        holds=(*whole.holds, *holds),
        beats=beats,
        sections=(*whole.sections, Section(name, start, beats - start)),
        remarks=(*whole.remarks, *remarks),
        left_out=(
            *whole.left_out,
            *(
                replace(lost, hit=replace(lost.hit, beat=lost.hit.beat + shift))
                for lost in score.left_out
            ),
        ),
        may_drop=whole.may_drop and score.may_drop,
        moves=(*whole.moves, *(replace(m, beat=m.beat + shift) for m in score.moves)),
        lead_in=whole.lead_in or score.lead_in,
    )


def _of_song(remark: str, name: str) -> str:
    """A remark with the name of its song."""
    said = f"{name}: {remark}"
    if isinstance(remark, Remark):
        return Remark(said, remark.code, remark.amount)
    return said
