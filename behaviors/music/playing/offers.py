"""Offers: options that would make an unplayable score playable.

Every option is tried on the whole of it, so that an offer is never a guess; of what
would do, the one that changes least goes first.
"""

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

from backbeat.behaviors.music.notation.score import (
    DROPPED,
    MOVED,
    Score,
    amounts,
    counted,
)
from backbeat.behaviors.music.notation.score_description import Adaptation
from backbeat.models.common.errors import BackbeatError

# Tempo factors, grids and loudnesses that are tried, the least change first.
FACTORS = (0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.4, 0.3)
GRIDS = (32, 24, 16, 12, 8)
LOUDNESSES = (20, 30, 40, 50, 60, 70, 80)
# How much a change counts: a tempo slower by a tenth as much as a tenth of all hits,
# and as a grid that moves hits by 25 ms.
GRID_COUNTS, MOST_MOVED = 0.1 / 25, 40
# A drop of more than this share is no way to play a take.
MOST_DROPPED = 0.5
# Hits that hands are found for, all tries together: a long song has fewer tries, and
# none beyond so many; the first is to leave out what cannot be played.
MOST_WORK = 6000
# How many offers are printed.
TOLD = 3
# Finds hands for all hits of an adaptation.
Try = Callable[[Adaptation], Score]


@dataclass(frozen=True)
class Offer:
    """An option that would do.

    Attributes:
        option: as it is written in a command.
        key: as it is written in a score.
        effect: what it does, in words.
        adaptation: choices with it.
        change: how much it changes, where 1 is everything.
    """

    option: str
    key: str
    effect: str
    adaptation: Adaptation
    change: float


def offers(score: Score, known: Adaptation, attempt: Try) -> list[Offer]:
    """What would do, with the least change first.

    Args:
        score: as it was read, before anything was done to it.
        known: choices with which two hands cannot play it.
        attempt: finds hands; raises BackbeatError where there are none.
    """
    left = max(1, MOST_WORK // max(1, len(score.hits)))

    def within(adaptation: Adaptation) -> Score:
        nonlocal left
        left -= 1
        if left < 0:
            raise BackbeatError("too long to try more")
        return attempt(adaptation)

    found: list[Offer] = []
    for kind in (_dropped, _slower, _gridded, _louder, _without):
        found += kind(score, known, within)
    return sorted(found, key=lambda offer: offer.change)


def in_words(found: list[Offer], where: str, is_notes: bool) -> str:
    """A sentence's end that offers what was found, and says how.

    What is tried is the travel of two hands: whether there is a motion, a build finds.

    Args:
        found: as of `offers`.
        where: path of the score.
        is_notes: whether it is a file that `backbeat build` takes with options.
    """
    if not found:
        return "no option makes it playable; leave some of it out"
    best, others = found[0], found[1:TOLD]
    first = f"`{command(best.adaptation, where)}`" if is_notes else best.key
    said = f"or, by the travel of hands, {first}, which {best.effect}"
    for offer in others:
        option = offer.option if is_notes else offer.key
        said += f"; or {option}, which {offer.effect}"
    return f"{said}; whether there is a motion, a build finds out"


def command(adaptation: Adaptation, where: str) -> str:
    """The command that builds a file with some choices."""
    return shlex.join(["backbeat", "build", where, *option_words(adaptation)])


def option_words(adaptation: Adaptation) -> list[str]:
    """Options of `backbeat build` for some choices, as words of a command line."""
    words, usual = list[str](), Adaptation()
    for word in adaptation.map:
        words += ["--map", word]
    mapped = {w.partition("=")[0] for w in adaptation.map}
    for piece, choice in adaptation.mapping.items():
        words += ["--map", f"{piece}={choice}"] * (piece not in mapped)
    for field in fields(Adaptation):
        value = getattr(adaptation, field.name)
        plain = field.name not in ("map", "mapping", "absent")
        if plain and value != getattr(usual, field.name):
            words += [f"--{field.name.replace('_', '-')}", f"{value}"]
    return words


def moved_by(remarks: Sequence[str]) -> int:
    """How far a grid moved hits at most [ms]; 0 where it moved none."""
    return max(amounts(remarks, MOVED), default=0)


def is_playable(attempt: Try, adaptation: Adaptation) -> Score | None:
    """The score with hands; None where two hands cannot play it."""
    try:
        return attempt(adaptation)
    except BackbeatError:
        return None


def _dropped(score: Score, known: Adaptation, attempt: Try) -> Iterator[Offer]:
    tried = replace(known, unplayable="drop")
    made = is_playable(attempt, tried)
    if made is None:
        return
    lost = sum(amounts(made.remarks, DROPPED))
    whole = len(made.hits) + lost
    if 0 < lost <= MOST_DROPPED * whole:
        text = f"leaves out {lost} of {counted(whole)}"
        option, key = "--unplayable drop", "unplayable: drop"
        yield Offer(option, key, text, tried, lost / whole)


def _slower(score: Score, known: Adaptation, attempt: Try) -> Iterator[Offer]:
    for factor in FACTORS:
        factor = round(factor * known.tempo_factor, 3)
        tried = replace(known, tempo_factor=factor)
        if is_playable(attempt, tried) is not None:
            text = f"plays all of it at {100 * factor:.0f} % of its tempo"
            option, key = f"--tempo-factor {factor:g}", f"tempo_factor: {factor:g}"
            yield Offer(option, key, text, tried, 1 - factor)
            return


def _gridded(score: Score, known: Adaptation, attempt: Try) -> Iterator[Offer]:
    if known.grid:
        return
    for grid in GRIDS:
        tried = replace(known, grid=grid)
        made = is_playable(attempt, tried)
        if made is not None:
            most = moved_by(made.remarks)
            if most > MOST_MOVED:
                return
            text, change = f"moves hits by up to {most} ms", GRID_COUNTS * most
            yield Offer(f"--grid {grid}", f"grid: {grid}", text, tried, change)
            return


def _louder(score: Score, known: Adaptation, attempt: Try) -> Iterator[Offer]:
    for least in LOUDNESSES:
        softer = sum(h.velocity < least for h in score.hits)
        if not softer or softer > MOST_DROPPED * len(score.hits):
            continue
        tried = replace(known, least_velocity=least)
        if is_playable(attempt, tried) is not None:
            text = f"leaves out the {counted(softer)} softer than that"
            option, key = f"--least-velocity {least}", f"least_velocity: {least}"
            yield Offer(option, key, text, tried, softer / len(score.hits))
            return


def _without(score: Score, known: Adaptation, attempt: Try) -> Iterator[Offer]:
    members = [h.member for h in score.hits]
    best: Offer | None = None
    for member in dict.fromkeys(members):
        share = members.count(member) / len(members)
        if share > MOST_DROPPED or (best is not None and share >= best.change):
            continue
        tried = replace(known, mapping={**known.mapping, member: "drop"})
        if is_playable(attempt, tried) is not None:
            text = f"leaves out the {member}, {counted(members.count(member))}"
            option, key = f"--map {member}=drop", f"mapping: {{{member}: drop}}"
            best = Offer(option, key, text, tried, share)
    if best is not None:
        yield best
