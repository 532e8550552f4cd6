"""`python -m benchmarks.tempo`: highest tempo of single strokes, beside the least time.

The least time of a cycle of strokes is that of the same hits, at the same speeds of
the tips, without anything asked of the way between them, under the limits of joints:
torque, speed and stops. Both are found by bisection.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.drumming.tempo.highest import HighestTempo, find_highest_tempo
from backbeat.behaviors.drumming.tempo.tries import Try
from benchmarks.measurement import machine

SINGLES = " ".join(["3 -"] * 16)
OFFBEAT = " ".join(["- 3"] * 16)
CROSS = " ".join(["3 - - - 2 - - -"] * 4)
# Lines of hands by pattern, and steps from one stroke of a hand to its next.
PATTERNS = {
    "single strokes on the snare": ({"left": SINGLES, "right": OFFBEAT}, 2),
    "snare to crash and back, left hand": ({"left": CROSS}, 4),
}
STEPS_PER_BEAT = 8
SCORE = """\
bpm: 80
steps_per_beat: {steps}
parts:
  - {{name: ready, hold: 4, sway: 0, rest: {{left: snare, right: floor_tom}}}}
  - {{name: pattern, {lines}}}
  - {{name: silence, bars: 1}}
  - {{name: rest, hold: 4, sway: 0, rest: {{left: snare, right: floor_tom}}}}
"""


@dataclass(frozen=True)
class Row:
    """One line of the table; times from a hand's stroke to its next [s]."""

    pattern: str
    found: float
    least: float
    shaped: bool
    binding: str

    @property
    def share(self) -> float:
        """Highest tempo by that of the least time."""
        return self.least / self.found


def write_score(pattern: str, folder: Path) -> None:
    """Writes the score of a pattern."""
    lines, _ = PATTERNS[pattern]
    text = ", ".join(f'{hand}: "{line}"' for hand, line in lines.items())
    (folder / "scores").mkdir(exist_ok=True)
    path = folder / "scores" / "pattern.yaml"
    path.write_text(SCORE.format(steps=STEPS_PER_BEAT, lines=text))


def measure(pattern: str, folder: Path) -> Row:
    """Finds both tempos of a pattern."""
    write_score(pattern, folder)
    specification = DrummingSpecification(name="pattern", score="pattern")
    _, steps = PATTERNS[pattern]

    def seen(found: Try) -> None:
        outcome = found.why or "passed"
        print(f"{pattern}: {found.bpm:.1f} BPM: {outcome}", file=sys.stderr, flush=True)

    def cycle(tempo: HighestTempo) -> float:
        return 60.0 / tempo.bpm * steps / STEPS_PER_BEAT

    found = find_highest_tempo(specification, folder, seen=seen)
    least = find_highest_tempo(
        specification, folder, least_time=True, start=found.best, seen=seen
    )
    return Row(pattern, cycle(found), cycle(least), found.best.shaped, found.binding())


def main() -> None:
    """Prints the table; takes some ten minutes."""
    print("| pattern | stroke to stroke of a hand | least time | share | what binds |")
    print("|---|---:|---:|---:|---|")
    for pattern in PATTERNS:
        with TemporaryDirectory() as folder:
            row = measure(pattern, Path(folder))
        print(
            f"| {row.pattern} | {1e3 * row.found:.0f} ms ({1 / row.found:.1f} Hz) | "
            f"{1e3 * row.least:.0f} ms | {100 * row.share:.0f} % | {row.binding} |",
            flush=True,
        )
    found = machine()
    print(f"\n{found['processor']}, load {found['load']:.1f}.")


if __name__ == "__main__":
    typer.run(main)
