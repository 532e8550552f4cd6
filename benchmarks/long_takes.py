"""`python -m benchmarks.long_takes`: a take of minutes, repaired, and then edited.

Behaviors that ship, one after the other as a setlist, are written as a take with the
errors of recordings. It is imported and built as a user does, on two processes; then a
second of it is edited, several times, as `backbeat build --watch` follows a file: from
the save to the verified motion and its first picture.
"""

import contextlib
import io
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer

from backbeat.behaviors.building.build import build
from backbeat.behaviors.building.incremental_build import IncrementalBuild
from backbeat.behaviors.dance.recordings.description import RecordingDescription
from backbeat.behaviors.library.build_cost import processor_time
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.takes.writers.formats import WRITTEN
from backbeat.cli.author.new import write_new
from backbeat.cli.author.new_from_recording import recorded_dance_files
from backbeat.stage.sources.kinds import PlannedSource
from benchmarks.measurement import markdown, write_results
from benchmarks.spoiled_takes import truth_of
from benchmarks.spoiling import spoiled

# Behaviors of the setlist, in turn, until the take is long enough.
BEHAVIORS = (
    *("groove", "walk-6", "march", "posture-tour", "step-touch", "side-step"),
    *("quarter-turn", "sway-and-bounce", "toe-tap", "walk-2", "bow"),
)
# Size of an edit of the take [rad], and a joint whose name has this is edited.
SIZE, JOINTS = 0.1, {"arms": ("shoulder_pitch", "shx"), "legs": ("knee", "kny")}
# When the first edit is [s], how far apart they are, and how long each lasts.
FIRST, APART, LASTS = 25.0, 17.0, 1.0


def setlist(robot: str, rounds: int) -> str:
    """A setlist of the behaviors, several times over."""
    rows = "".join(f"  - {{behavior: {name}}}\n" for name in BEHAVIORS * rounds)
    head = "kind: setlist\nname: long\nsummary: A take of minutes.\n"
    return f"{head}robot: {robot}\nbehaviors:\n{rows}"


def whole(folder: Path, robot: str, seconds: float) -> dict[str, float]:
    """Makes the take, and imports and builds it: wall and processor time [s]."""
    own = Library(folder / "own")
    (folder / "long.yaml").write_text(setlist(robot, 1 + int(seconds // 150)))
    truth = truth_of(build(folder / "long.yaml", own), seconds)
    take = folder / "take.csv"
    take.write_bytes(WRITTEN["csv"].write(spoiled(truth, 1, has_times=True)))
    began, cpu = time.perf_counter(), processor_time()
    with contextlib.redirect_stdout(io.StringIO()):
        told = RecordingDescription()
        write_new(recorded_dance_files("mine", folder, take, told, robot))
    read = time.perf_counter()
    made = build(folder / "mine.yaml", Library(folder / "library"), processes=2)
    return {
        "seconds": made.duration,
        "import_s": read - began,
        "build_s": time.perf_counter() - read,
        "processor_s": processor_time() - cpu,
    }


def edit_move(folder: Path, k: int) -> None:
    """Adds a move of the arms to the dance."""
    path, at = folder / "mine.yaml", FIRST + APART * k
    text = path.read_text()
    text = text if "\n  arms:\n" in text else f"{text.rstrip()}\n  arms:\n"
    values = f"at: {at * 98 / 60:.2f}, beats: 2, values: {{lift: 0.2}}"
    path.write_text(f"{text}    - {{move: raise, {values}}}\n")


def edit_frames(folder: Path, k: int, part: str) -> None:
    """Bends a joint in a second of the take."""
    path, at = folder / "take.csv", FIRST + APART * k
    frame = pd.read_csv(path)
    joint = next(c for c in frame.columns if any(n in c for n in JOINTS[part]))
    inside = (frame["t"] > at) & (frame["t"] < at + LASTS)
    share = (frame.loc[inside, "t"] - at) / LASTS
    frame.loc[inside, joint] += SIZE * np.sin(np.pi * share) ** 2
    frame.to_csv(path, index=False, float_format="%.9g")


EDITS: dict[str, Callable[[Path, int], None]] = {
    "a move of the arms is added": edit_move,
    "frames of the take: an arm": lambda folder, k: edit_frames(folder, k, "arms"),
    "frames of the take: a leg": lambda folder, k: edit_frames(folder, k, "legs"),
}


def edits(folder: Path, count: int) -> list[dict[str, float | str]]:
    """Times from a save to the verified motion and its picture, by kind of edit."""
    incremental = IncrementalBuild(folder / "mine.yaml", Library(folder / "library"))

    def quiet(share: float, what: str) -> None:
        """Hears nothing."""

    incremental.perform(incremental.read(), quiet)
    incremental.prepare(quiet)
    rows: list[dict[str, float | str]] = []
    for what, edit in EDITS.items():
        found = []
        for k in range(count):
            edit(folder, k)
            began, cpu = time.perf_counter(), processor_time()
            draft = incremental.read()
            read = time.perf_counter()
            made = incremental.perform(draft, quiet)
            done = time.perf_counter()
            source = PlannedSource(made.behavior)
            source.frame_at(0.5 * (made.start + made.end))
            seen = time.perf_counter()
            found.append(
                {
                    "read": read - began,
                    "solve and verify": done - read,
                    "picture": seen - done,
                    "whole": seen - began,
                    "processor": processor_time() - cpu,
                    "knots": float(made.knots if made.knots is not None else -1),
                    "certified": float(made.behavior.certificate.passed),
                }
            )
            incremental.store(made.behavior)
            incremental.prepare(quiet)
        medians = {n: float(np.median([f[n] for f in found])) for n in found[0]}
        rows.append({"edit": what, **medians})
    return rows


def main(
    robot: Annotated[str, typer.Option(help="Robot of the take.")] = "g1",
    seconds: Annotated[float, typer.Option(help="Length of the take.")] = 120.0,
    count: Annotated[int, typer.Option(help="Edits of each kind; 0 for none.")] = 3,
    output: Annotated[Path, typer.Option(help="Results as JSON.")] = Path(
        "long-takes.json"
    ),
) -> None:
    """Repairs a take of minutes and edits it; prints times and memory."""
    with tempfile.TemporaryDirectory() as name:
        made = whole(Path(name), robot, seconds)
        memory = {
            who: resource.getrusage(which).ru_maxrss / 1024**2
            for who, which in (
                ("this process", resource.RUSAGE_SELF),
                ("a worker", resource.RUSAGE_CHILDREN),
            )
        }
        print(", ".join(f"{n} {x:.1f}" for n, x in made.items()))
        print(", ".join(f"memory of {n} {x:.2f} GiB" for n, x in memory.items()))
        rows = edits(Path(name), count) if count else []
    if rows:
        heads = list(rows[0])
        lines = [
            [x if isinstance(x, str) else f"{x:.2f}" for x in row.values()]
            for row in rows
        ]
        print(markdown(heads, lines, words=1))
    write_results(output, made=made, memory=memory, edits=rows)


if __name__ == "__main__":
    typer.run(main)
