"""How long a dance of a minute takes to build, and what a changed parameter costs then.

    python -m benchmarks.dances

The dances are the three shipped ones with their first moves once more at the end. Each
is built from nothing, with verification, in one process; then one value of one move
after the other is made a tenth smaller in a process that is warm, as `backbeat build
NAME --watch` is, and the time runs from the save to the verified motion. Processor
seconds stand beside those of the clock, for a machine may have more to do.
"""

import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from backbeat.behaviors.building.build import build
from backbeat.behaviors.building.incremental_build import IncrementalBuild
from backbeat.behaviors.dance.authoring import Choreography
from backbeat.behaviors.dance.choreography import DanceSpecification
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.specification.kinds import SHIPPED_FOLDER, read_specification
from backbeat.models.common.errors import BackbeatError

RECIPES = ("sway-and-bounce", "steps-and-turns", "arms-and-jumps")
SECONDS = 60.0
# Moves that begin before this beat come again, and last until that one at most.
AGAIN, UNTIL = 13.0, 18.0

COLUMNS = ["dance", "length", "full build", "changes", "preview", "median", "90 %"]
COLUMNS += ["slowest", "which was"]


class Took(NamedTuple):
    """Seconds of the clock and of the processor."""

    wall: float
    cpu: float


class Clock:
    """Measures from when it is made."""

    def __init__(self) -> None:
        """Starts."""
        self._began = time.perf_counter(), time.process_time()

    def took(self) -> Took:
        """Since the start."""
        wall, cpu = self._began
        return Took(time.perf_counter() - wall, time.process_time() - cpu)


def a_minute_of(recipe: str) -> DanceSpecification:
    """A shipped dance, with some of its moves once more until a minute is full."""
    dance, _ = read_specification(SHIPPED_FOLDER / f"{recipe}.yaml")
    assert isinstance(dance, DanceSpecification)
    shift = dance.beats - 2.0
    for rows in dance.tracks.values():
        for row in list(rows):
            start = row.start(dance.meter_map())
            if start < AGAIN:
                beats = None if row.beats is None else min(row.beats, UNTIL - start)
                again = replace(row, at=start + shift, bar=0.0, beats=beats)
                rows.append(again)
    dance.beats = float(np.ceil(SECONDS * dance.bpm / 60))
    return dance


def text_of(dance: DanceSpecification) -> str:
    """A dance as its file."""
    choreography = Choreography(dance.name, dance.beats)
    choreography.dance = dance
    return choreography.text()


def changes(dance: DanceSpecification) -> Iterator[tuple[str, DanceSpecification]]:
    """The dance with one value of one move a tenth smaller, for each that is written.

    Gives what was changed, and the dance.
    """
    for track, rows in dance.tracks.items():
        for i, row in enumerate(rows):
            for name, value in row.values.items():
                if name == "cycle":
                    continue
                values = {**row.values, name: 0.9 * value}
                other = [*rows[:i], replace(row, values=values), *rows[i + 1 :]]
                what = f"{name} of {row.move} at {row.start(dance.meter_map()):g}"
                yield what, replace(dance, tracks={**dance.tracks, track: other})


class Measured(NamedTuple):
    """What one recipe costs.

    Attributes:
        seconds: its length [s].
        full: a build from nothing.
        shown: from a save to what a preview is drawn from.
        changed: from each save to the verified motion.
        slowest: what took the longest of them.
        refused: how many had no motion.
    """

    seconds: float
    full: Took
    shown: list[Took]
    changed: list[Took]
    slowest: str
    refused: int


def measure(recipe: str, folder: Path, most: int = 1000) -> Measured:
    """Builds a recipe and changes it, so many times at most."""
    dance, path = a_minute_of(recipe), folder / f"{recipe}.yaml"
    path.write_text(text_of(dance))
    clock = Clock()
    behavior = build(path, Library(folder / "library"))
    full = clock.took()
    incremental = IncrementalBuild(path, Library(folder / "library"))
    incremental.perform(incremental.read(), _quiet)
    incremental.prepare(_quiet)
    shown, changed, names, refused = [], list[Took](), [], 0
    for what, other in list(changes(dance))[:most]:
        path.write_text(text_of(other))
        clock = Clock()
        try:
            draft = incremental.read()
            incremental.changed(draft)
            shown.append(clock.took())
            incremental.perform(draft, _quiet)
        except BackbeatError as error:
            print(f"{recipe}, {what}: {error}", flush=True)
            refused += 1
            continue
        changed.append(clock.took())
        names.append(what)
        path.write_text(text_of(dance))
        incremental.perform(incremental.read(), _quiet)
    slowest = names[int(np.argmax([took.cpu for took in changed]))]
    return Measured(behavior.duration, full, shown, changed, slowest, refused)


def _quiet(share: float, what: str) -> None:
    """Hears nothing."""


def main() -> None:
    """Prints the table."""
    print("Seconds of the clock, and in brackets of the processor.\n")
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", flush=True)
    with tempfile.TemporaryDirectory() as place:
        for recipe in RECIPES:
            folder = Path(place) / recipe
            folder.mkdir()
            found = measure(recipe, folder)
            cells = [recipe, f"{found.seconds:.1f}", _both([found.full], 50)]
            cells += [str(len(found.changed)), _both(found.shown, 50)]
            cells += [_both(found.changed, share) for share in (50, 90, 100)]
            print(f"| {' | '.join([*cells, found.slowest])} |", flush=True)


def _both(took: list[Took], share: float) -> str:
    """A percentile of both clocks."""
    wall, cpu = np.percentile(np.array(took), share, axis=0)
    return f"{wall:.2f} ({cpu:.2f})"


if __name__ == "__main__":
    main()
