"""`python -m benchmarks.eighths`: eighths on the hi-hat with a backbeat, slow to fast.

Which hand plays what is left to the sticking. Each tempo is built standing and played
in closed loop with several seeds, without and with Coulomb friction in the joints: the
state is estimated from noisy and late sensors, motors lag by 5 ms.
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.mpc.analysis.drumming.hits import run_hits
from benchmarks.measurement import markdown, write_results
from benchmarks.played_songs import play_on_sensors, save_song

TEMPOS, FRICTIONS = (60, 98, 130, 160), (0.0, 0.03)
REST = {"left": "snare", "right": "floor_tom"}
# Two bars: plain eighths with a backbeat, and one with accents and ghost notes.
BARS = "HH|x-x-x-x-x-x-x-x-|X-x-g-x-X-x-g-x-|\nSN|----o-------o---|----O-------O---|\n"


@dataclass(frozen=True)
class EighthsRow:
    """One run.

    Attributes:
        bpm: tempo.
        friction: Coulomb friction of the joints, as a share of their effort limits.
        seed: of the noise.
        planned, made, extra: hits.
        mean_ms, sd_ms, worst_ms: of the absolute errors; of the errors; the largest.
        offset_mm: farthest that a hit was from where it was aimed.
        fell: whether the robot fell.
    """

    bpm: float
    friction: float
    seed: int
    planned: int
    made: int
    extra: int
    mean_ms: float
    sd_ms: float
    worst_ms: float
    offset_mm: float
    fell: bool


def write_song(bpm: float, folder: Path) -> Path:
    """Writes score and specification of a tempo."""
    score = {
        "title": f"Eighths on the hi-hat with a backbeat, {bpm:g} BPM",
        "bpm": bpm,
        "beats_per_bar": 4,
        "steps_per_beat": 2,
        "parts": [
            {"name": "ready", "hold": 6, "rest": REST},
            {"name": "groove", "repeat": 2, "tab": BARS},
            {"name": "end", "hold": 6, "rest": REST},
        ],
    }
    return save_song(f"eighths-{bpm:g}", score, folder)


def play(behavior: Behavior, bpm: float, friction: float, seed: int) -> EighthsRow:
    """Plays a motion once."""
    run = play_on_sensors(behavior, friction, seed)
    report = run_hits(run)
    assert report is not None
    found = report.metrics()
    return EighthsRow(
        bpm,
        friction,
        seed,
        int(found["planned"]),
        int(found["made"]),
        int(found["extra"]),
        found["timing_mean_ms"],
        found["timing_sd_ms"],
        found["timing_max_ms"],
        found["position_max_mm"],
        run.fell,
    )


def table(rows: Sequence[EighthsRow]) -> str:
    """The worst of all seeds, a tempo and friction a line."""
    frame = pd.DataFrame([asdict(r) for r in rows])
    groups = frame.groupby(["bpm", "friction"])
    worst = groups.agg(
        runs=("seed", "size"),
        fell=("fell", "sum"),
        planned=("planned", "sum"),
        made=("made", "sum"),
        extra=("extra", "sum"),
        mean_ms=("mean_ms", "max"),
        sd_ms=("sd_ms", "max"),
        worst_ms=("worst_ms", "max"),
        offset_mm=("offset_mm", "max"),
    )
    lines = worst.reset_index()
    texts = [[f"{v:.4g}" for v in line] for line in lines.itertuples(index=False)]
    return markdown(list(lines), texts)


def main(
    folder: Annotated[Path, typer.Option(help="Folder of songs and motions.")] = Path(
        "out/eighths"
    ),
    out: Annotated[Path, typer.Option("--json", help="Where the numbers go.")] = Path(
        "out/eighths.json"
    ),
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each.")] = 10,
    tempos: Annotated[str, typer.Option(help="Some only, such as 60,98.")] = "",
) -> None:
    """Plays all tempos; takes 25 minutes with ten seeds."""
    library, rows = Library(folder / "library"), list[EighthsRow]()
    chosen = [float(bpm) for bpm in tempos.split(",")] if tempos else TEMPOS
    for bpm in chosen:
        behavior = build(write_song(bpm, folder), library)
        for friction in FRICTIONS:
            for seed in range(seeds):
                rows.append(play(behavior, bpm, friction, seed))
                print(rows[-1], file=sys.stderr, flush=True)
                write_results(out, rows=[asdict(r) for r in rows])
    print(table(rows))
    print("\nThe worst run of each line; made and extra are sums of all runs.")


if __name__ == "__main__":
    typer.run(main)
