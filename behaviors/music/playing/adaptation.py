"""Adaptation: notes as they were played become what a kit and two hands can play.

Tempos are multiplied, hits that are too soft are left out, and hits are moved to a
grid, in this order. Whatever is changed is said.
"""

from collections.abc import Sequence
from dataclasses import fields, replace

from backbeat.behaviors.music.notation.score import MOVED, Hit, Remark, Score, counted
from backbeat.behaviors.music.notation.score_description import Adaptation
from backbeat.behaviors.music.notation.tempo import Tempo
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import check_values

# Most steps of a whole note that may be asked for.
FINEST_GRID = 192


def check_adaptation(wanted: Adaptation, where: str) -> None:
    """Refuses values that make no sense.

    Raises:
        BackbeatError: says what a value may be.
    """
    check_values(wanted, where)
    if not (wanted.grid == 0 or 4 <= wanted.grid <= FINEST_GRID):
        raise BackbeatError(
            f"{where}: grid is {wanted.grid}; it is steps of a whole note, 4 to "
            f"{FINEST_GRID}, such as 16, or 0 for none",
            path=("grid",),
        )


def over(first: Adaptation, second: Adaptation) -> Adaptation:
    """Two sets of choices as one, in which what the first one chooses goes first."""
    usual, both = Adaptation(), Adaptation()
    for field in fields(Adaptation):
        a, b = getattr(first, field.name), getattr(second, field.name)
        setattr(both, field.name, a if a != getattr(usual, field.name) else b)
    both.map = [*second.map, *first.map]
    both.mapping = {**second.mapping, **first.mapping}
    return both


def adapted(score: Score, wanted: Adaptation, where: str) -> Score:
    """The score at another tempo, without what is too soft, and on a grid.

    Args:
        score: as it was written or played.
        wanted: what to do with it.
        where: name of the score in errors.

    Raises:
        BackbeatError: a value makes no sense, or nothing is left to play.
    """
    check_adaptation(wanted, where)
    remarks = []
    if wanted.tempo_factor != 1.0:
        if score.backing:
            raise BackbeatError(
                f"{where}: tempo_factor is {wanted.tempo_factor:g}, and the recording "
                "of backing keeps its tempo; leave one of them out",
                path=("tempo_factor",),
            )
        score = replace(score, tempo=_faster(score.tempo, wanted.tempo_factor, where))
        remarks.append(f"all tempos multiplied by {wanted.tempo_factor:g}")
    hits = [h for h in score.hits if h.velocity >= wanted.least_velocity]
    softer = len(score.hits) - len(hits)
    if softer and not hits:
        raise BackbeatError(
            f"{where}: no hit is as loud as a least_velocity of "
            f"{wanted.least_velocity}; the loudest has "
            f"{max(h.velocity for h in score.hits)}",
            path=("least_velocity",),
        )
    if softer:
        remarks.append(f"{counted(softer)} softer than {wanted.least_velocity} dropped")
    if wanted.grid:
        before = hits
        hits = on_grid(hits, wanted.grid, score.lead_in, score.beats)
        remarks.append(_moved(before, hits, score.tempo, wanted.grid))
    return replace(score, hits=tuple(hits), remarks=(*score.remarks, *remarks))


def on_grid(hits: Sequence[Hit], grid: int, start: float, end: float) -> list[Hit]:
    """Hits on the nearest of so many steps of a whole note.

    Args:
        hits: in order of time.
        grid: steps of a whole note.
        start: beat at which steps are counted from.
        end: beat before which all hits are.
    """
    moved = []
    for hit in hits:
        beat = start + round((hit.beat - start) * grid / 4) * 4 / grid
        moved.append(replace(hit, beat=beat if 0 <= beat < end else hit.beat))
    return moved


def _moved(
    before: Sequence[Hit], after: Sequence[Hit], tempo: Tempo, grid: int
) -> Remark:
    """How far hits were moved."""
    shifts = [
        abs(tempo.time(b.beat) - tempo.time(a.beat))
        for a, b in zip(before, after, strict=True)
    ]
    most = 1e3 * max(shifts, default=0.0)
    said = f"hits moved to a grid of 1/{grid} notes, by up to {most:.0f} ms"
    return Remark(said, MOVED, round(most))


def _faster(tempo: Tempo, factor: float, where: str) -> Tempo:
    """A tempo map with all tempos multiplied."""
    changes = [
        replace(
            c,
            bpm=c.bpm * factor,
            end_bpm=None if c.end_bpm is None else c.end_bpm * factor,
        )
        for c in tempo.changes
    ]
    try:
        return replace(tempo, bpm=tempo.bpm * factor, changes=tuple(changes))
    except BackbeatError as error:
        raise error.reworded(
            f"{where}: with a tempo_factor of {factor:g}, {error}"
        ) from None
