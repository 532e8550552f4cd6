"""Tried options: changes with which a score without a motion could be built.

Hands that are found for all hits are a promise of sticking alone; the optimizer may
still find no motion. What most often stands in its way is that hits of a played take
are early and late by some milliseconds, so that one stroke has far less time than the
next, and what always helps is to play less. Both are tried on the whole score, as they
would be built, and only what is found and verified is offered.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.motion.authored import Attempt
from backbeat.behaviors.music.files.score_reader import NOTES, load_score
from backbeat.behaviors.music.notation.score import DROPPED, MOVED, Remark
from backbeat.behaviors.music.notation.score_description import Adaptation
from backbeat.behaviors.music.playing.offers import MOST_MOVED, command, moved_by
from backbeat.models.common.errors import BackbeatError

# Steps of a whole note that hits are moved to: sixteenths, and their triplets.
GRIDS = (16, 24)


def tried_options(
    specification: DrummingSpecification, path: str | Path, attempt: Attempt
) -> str:
    """The end of a sentence that says what builds a score, from trying it.

    Args:
        specification: drumming for which no motion was found.
        path: the file that was to be built.
        attempt: as it would be built; called for two options at most.
    """
    path = Path(path)
    tried: list[str] = []
    for option, adaptation in _options(specification, path.parent):
        try:
            made = attempt(replace(specification, adapt=adaptation))
        except BackbeatError:
            tried.append(option)
            continue
        if path.suffix.lower() in NOTES:
            how = f"`{command(adaptation, str(path))}` builds it"
        else:
            how = f"with 'adapt: {{{option}}}' in {path} it is built"
        return f"; {how}{_effect(made)}"
    if not tried:
        return ""
    return f"; {' and '.join(tried)} did not help, so leave some of it out"


def _options(
    specification: DrummingSpecification, folder: Path
) -> Iterator[tuple[str, Adaptation]]:
    """What may help and is not chosen yet, the least change first."""
    known = specification.adapt
    grid = None if known.grid else _nearest_grid(specification, folder)
    if grid is not None:
        yield f"grid: {grid}", replace(known, grid=grid)
    if known.unplayable != "refuse":
        return
    members = kit_members(specification.drum_kit(folder))
    # What the author has given to a hand is not left out.
    if not all(h.hand for h in specification.load(folder, members).hits):
        yield "unplayable: drop", replace(known, unplayable="drop")


def _nearest_grid(specification: DrummingSpecification, folder: Path) -> int | None:
    """The grid that moves hits least; None where it moves none, or too far."""
    members = kit_members(specification.drum_kit(folder))
    found: list[tuple[int, int]] = []
    for grid in GRIDS:
        adaptation = replace(specification.adapt, grid=grid)
        path = specification.score_path(folder)
        try:
            score = load_score(path, members, given=adaptation)
        except BackbeatError:
            continue  # Hits of one hand fall together on it.
        most = moved_by(score.remarks)
        if 0 < most <= MOST_MOVED:
            found.append((most, grid))
    return min(found)[1] if found else None


def _effect(made: Behavior) -> str:
    """What an option did, in words."""
    remarks: Sequence[str] = made.provenance["remarks"]  # type: ignore[assignment]
    said = [r for r in remarks if isinstance(r, Remark) and r.code in (DROPPED, MOVED)]
    return f" ({'; '.join(said)})" if said else ""
