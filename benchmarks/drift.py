"""`python -m benchmarks.drift`: whether ten minutes of drumming drift from the beat.

The shipped song over and over, built in windows and played whole in closed loop: the
state is estimated from noisy and late sensors, motors lag by 5 ms. The drift is the
slope of the hits' errors over their times, by least squares, times the length of the
song; hits are compared with the absolute times of the score, and no offset is removed.
"""

import json
import tempfile
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.models.common.processes.pool import cores
from backbeat.mpc.analysis.drumming.hits import run_hits
from benchmarks.played_songs import play_on_sensors
from benchmarks.songs import write_song

# Eighteen rounds of the song at this tempo [BPM] are ten minutes, the most a score may
# last.
LENGTH, TEMPO = 600.0, 99.0


class Drift(NamedTuple):
    """A line through errors of hits.

    Attributes:
        drift_ms: its slope times the length [ms].
        deviation_ms: standard deviation of that, as the errors' scatter has it [ms].
    """

    drift_ms: float
    deviation_ms: float


def drift(time: np.ndarray, error: np.ndarray, length: float) -> Drift:
    """How far errors wander over a length of time.

    Args:
        time: (n,) times of the hits, n > 2 [s].
        error: (n,) how late they were [s].
        length: [s].
    """
    (slope, offset), squares = np.polyfit(time, error, 1), len(time) - 2
    left = error - slope * time - offset
    spread = np.sqrt((left @ left) / squares / ((time - time.mean()) ** 2).sum())
    return Drift(1e3 * length * float(slope), 1e3 * length * float(spread))


def main(
    seconds: Annotated[float, typer.Option(help="Least length of the song.")] = LENGTH,
    friction: Annotated[float, typer.Option(help="Of joints, as of limits.")] = 0.0,
) -> None:
    """Builds and plays the song; ten minutes take half an hour."""
    with tempfile.TemporaryDirectory() as place:
        path = write_song(Path(place), seconds, bpm=TEMPO)
        behavior = build(path, Library(Path(place) / "library"), processes=cores())
    run = play_on_sensors(behavior, friction)
    report = run_hits(run)
    assert report is not None
    made = report.table[report.table["made"]]
    length = behavior.duration
    wander = drift(made["time"].to_numpy(), made["error"].to_numpy(), length)
    found = wander._asdict() | report.metrics() | {"fell": run.fell, "seconds": length}
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    typer.run(main)
