"""Whether any two moves that validation calls compatible build together.

    python -m benchmarks.pairs [--count 200] [--seed 0] [--defaults] [--output FILE]

Pairs are drawn at random, at once or one after the other, with values of their
parameters drawn from the whole of their ranges, or with `--defaults` as they are. Each
is a short dance: what validation refuses is drawn again, the others are solved and
verified. Results are lines of JSON, and a call that was stopped goes on from them.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from backbeat.behaviors.building.build import Reports, solve
from backbeat.behaviors.dance.authoring import Choreography
from backbeat.behaviors.dance.rules import findings
from backbeat.behaviors.dance.vocabulary.move import Move
from backbeat.behaviors.dance.vocabulary.move_file import shipped_moves
from backbeat.models.common.errors import BackbeatError

# Beats before the first move and after the last one.
BEFORE, AFTER = 2.0, 4.0
# What leads into a squat and out of it.
INTO, OUT = "sink", "rise"


def drawn_pairs(
    seed: int, defaults: bool = False
) -> Iterator[tuple[str, Choreography]]:
    """Compatible pairs without end, each with a title; the same for the same seed."""
    rng, moves = np.random.default_rng([2026, seed]), shipped_moves()
    seen: set[str] = set()
    while True:
        names = [str(n) for n in rng.choice(sorted(moves), 2)]
        at_once = bool(rng.integers(2))
        first, second = (moves[n] for n in names)
        values = [{} if defaults else _drawn_values(rng, m) for m in (first, second)]
        title = f"{first.name} {'with' if at_once else 'then'} {second.name}"
        if title in seen:
            continue
        dance = _dance(first, second, at_once, values)
        if not any(f.fails for f in findings(dance.dance, moves)):
            seen.add(title)
            yield title, dance


def _drawn_values(rng: np.random.Generator, move: Move) -> dict[str, float]:
    """Anything in the ranges; of lengths none that only makes a dance longer."""
    found = {}
    for name, p in move.parameters.items():
        most = p.default if p.unit == "beats" else p.most
        found[name] = round(float(rng.uniform(p.least, most)), 3)
    return found


def _dance(
    first: Move, second: Move, at_once: bool, values: list[dict[str, float]]
) -> Choreography:
    """The pair with what leads into its states and out of them."""
    dance = Choreography("pair", beats=64)
    start = BEFORE
    if "stand" not in (first.entry or ("stand",)):
        dance.legs(INTO, start)
        start += 2.0
    ends: list[float] = []
    for move, given in zip((first, second), values, strict=True):
        at = start if at_once or not ends else ends[0]
        beats = move.usual_beats(move.defaults() | given)
        dance.add(move.track, move.name, at, beats=beats, values=given)
        ends.append(at + beats)
    end = max(ends)
    last = [m.exit for m in (first, second) if m.exit]
    if last and last[-1] == "squat":
        dance.legs(OUT, end)
        end += 2.0
    dance.dance.beats = end + AFTER
    return dance


def built(dance: Choreography) -> str:
    """Why a dance does not build, or ""."""
    quiet = Reports(lambda share, what: None, lambda entry: None)
    try:
        solve(dance.dance, dance.text(), Path(), "", quiet)
    except BackbeatError as error:
        return str(error)
    return ""


def main(
    count: Annotated[int, typer.Option(min=1, help="Pairs to build.")] = 200,
    seed: Annotated[int, typer.Option(help="They are drawn with.")] = 0,
    defaults: Annotated[
        bool, typer.Option("--defaults", help="Leave parameters as they are.")
    ] = False,
    output: Annotated[Path, typer.Option(help="Lines of JSON.")] = Path(
        "out/pairs.jsonl"
    ),
) -> None:
    """Builds the pairs and says which did not."""
    output.parent.mkdir(parents=True, exist_ok=True)
    known = {}
    if output.exists():
        rows = map(json.loads, output.read_text().splitlines())
        known = {row["dance"]: row for row in rows}
    failures = []
    pairs = drawn_pairs(seed, defaults)
    for k in range(count):
        title, dance = next(pairs)
        row = known.get(dance.text())
        if row is None:
            started = time.perf_counter()
            row = {"pair": title, "dance": dance.text(), "why": built(dance)}
            row["seconds"] = round(time.perf_counter() - started, 2)
            with output.open("a") as file:
                file.write(json.dumps(row) + "\n")
        if row["why"]:
            failures.append(row)
        print(f"{k + 1}/{count} {title}: {row['why'] or 'built'}", flush=True)
    good = count - len(failures)
    print(f"\n{good} of {count} pairs build ({100 * good / count:.1f} %)")
    for row in failures:
        print(f"- {row['pair']}: {row['why']}")


if __name__ == "__main__":
    typer.run(main)
