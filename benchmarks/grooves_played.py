"""`python -m benchmarks.grooves_played`: grooves or dense songs, built and played.

The twenty grooves, or with --dense the ten dense songs.

Each is built standing and played whole in closed loop: the state is estimated from
noisy and late sensors, motors lag by 5 ms. A hit that was asked for and is not there
within 15 ms of the time that is written is missed, whether it was dropped, refused with
the whole groove, or late; a contact that nobody asked for, and a hit beyond 15 ms, is a
false one. Kick and pedal are no business of two hands, and are listed apart.
"""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import typer

from backbeat.behaviors.building.build import build
from backbeat.behaviors.drumming.drummer import kit_members
from backbeat.behaviors.drumming.specification import DrummingSpecification
from backbeat.behaviors.library.build_cost import processor_time
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.music.notation.percussion import ROWS
from backbeat.behaviors.specification.kinds import read_any
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.drumming.hits import run_hits
from benchmarks.dense_songs import SONGS, make_dense_song
from benchmarks.grooves import FEET, SEEDS, Groove, make_groove
from benchmarks.measurement import markdown, write_results
from benchmarks.played_songs import LAG, play_on_sensors, save_song

PEDALS = tuple(ROWS[row] for row in FEET)
# Farthest that a hit may be from its time [s].
NEAR = 0.015


@dataclass
class GrooveRow:
    """One groove.

    Attributes:
        seed: of the groove.
        groove: what it is.
        seat: "none" or "chair".
        asked: hits of the hands as it was generated.
        feet: hits of kick and pedal, which nobody plays.
        planned: hits of the motion that was built.
        made: hits within `NEAR` of their time.
        false: hits beyond that, and contacts that nobody planned.
        errors_ms: of all hits that were matched, against the score [ms].
        why: why there is no motion; empty when there is.
        fell: whether the robot fell.
        seconds: of music.
        cpu_s: processor time of the build [s].
    """

    seed: int
    groove: str
    seat: str
    asked: int
    feet: int
    planned: int = 0
    made: int = 0
    false: int = 0
    errors_ms: list[float] = field(default_factory=list)
    why: str = ""
    fell: bool = False
    seconds: float = 0.0
    cpu_s: float = 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return f1([self])


def f1(rows: Sequence[GrooveRow]) -> float:
    """Pooled harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN)."""
    made = sum(r.made for r in rows)
    wrong = sum(r.false + r.asked - r.made for r in rows)
    return 2 * made / max(1, 2 * made + wrong)


def asked(groove: Groove) -> tuple[int, int]:
    """Hits of hands and of feet, as they stand in the score."""
    hands = feet = 0
    for part in groove.score.parts:
        steps = sum(hit.member in PEDALS for hit in part.hits)
        hands, feet = hands + len(part.hits) - steps, feet + steps
        for line in part.tab.splitlines():
            row, marks, _ = line.split("|")
            count = sum(mark != "-" for mark in marks)
            if row in FEET:
                feet += count
            else:
                hands += count
    return hands, feet


def write_song(groove: Groove, folder: Path, seat: str) -> Path:
    """Writes score and specification of a groove; what cannot be played is dropped."""
    score = asdict(groove.score) | {"unplayable": "drop"}
    kind = groove.score.title.split()[0].lower()
    return save_song(f"{kind}-{groove.seed}-{seat}", score, folder, seat)


def play(groove: Groove, folder: Path, seat: str = "none") -> GrooveRow:
    """Builds and plays a groove."""
    hands, feet = asked(groove)
    row = GrooveRow(groove.seed, groove.score.title, seat, hands, feet)
    path = write_song(groove, folder / "songs", seat)
    started = processor_time()
    try:
        behavior = build(path, Library(folder / "library"))
    except BackbeatError as error:
        row.why = str(error)
        return row
    finally:
        row.cpu_s = processor_time() - started
    run = play_on_sensors(behavior)
    report = run_hits(run)
    assert report is not None
    made = report.table[report.table["made"]]
    errors = made["error"].to_numpy() + _moved(path, made)
    near = int((np.abs(errors) <= NEAR).sum())
    row.planned, row.made = len(behavior.strikes()), near
    row.false = len(report.extra) + len(errors) - near
    row.errors_ms = (1e3 * errors).tolist()
    row.fell, row.seconds = run.fell, float(behavior.motion.t[-1])
    return row


def _moved(path: Path, hits: pd.DataFrame) -> np.ndarray:
    """How much later than they are written hits were planned [s]."""
    specification, _ = read_any(path)
    assert isinstance(specification, DrummingSpecification)
    kit = specification.drum_kit(path.parent)
    score = specification.load(path.parent, kit_members(kit))
    times: dict[str, list[float]] = {}
    for hit in score.hits:
        times.setdefault(hit.member, []).append(score.tempo.time(hit.beat))
    found = []
    for time, member in zip(hits["time"], hits["member"], strict=True):
        written = np.array(times[member])
        found.append(time - written[np.abs(written - time).argmin()])
    return np.array(found)


def table(rows: Sequence[GrooveRow]) -> str:
    """The rows in Markdown, the pooled ones below."""
    heads = ["groove", "asked", "feet", "dropped", "made", "false", "F1"]
    heads += ["timing, mean [ms]", "SD [ms]", "processor [s]"]
    lines: list[list[str]] = []
    for r in rows:
        counts = [r.asked, r.feet, r.asked - r.planned, r.made, r.false]
        named = r.groove + (" (fell)" if r.fell else "") + (" *" if r.why else "")
        lines.append([named, *map(str, counts), f"{r.f1:.4f}", *_timing(r.errors_ms)])
        lines[-1].append(f"{r.cpu_s:.0f}")
    every = [e for r in rows for e in r.errors_ms]
    sums = [
        sum(values)
        for values in zip(
            *((r.asked, r.feet, r.asked - r.planned, r.made, r.false) for r in rows),
            strict=True,
        )
    ]
    lines.append(["all", *map(str, sums), f"{f1(rows):.4f}", *_timing(every)])
    lines[-1].append(f"{max((r.cpu_s for r in rows), default=0.0):.0f}")
    text = markdown(heads, lines, 1)
    refused = "".join(f"\n* {r.why}" for r in rows if r.why)
    return (
        f"{text}\n{refused}\n\nHits within {1e3 * NEAR:g} ms; state estimated from "
        f"sensors, motors lag {1e3 * LAG:g} ms, no friction in joints. Dropped and "
        "refused hits count as missed; kick and pedal (feet) are not asked of hands. "
        "Of all, the processor time is the longest."
    )


def _timing(errors_ms: Sequence[float]) -> list[str]:
    """Mean of the absolute errors, and standard deviation."""
    if not errors_ms:
        return ["-", "-"]
    return [f"{np.abs(errors_ms).mean():.2f}", f"{np.std(errors_ms):.2f}"]


def main(
    folder: Annotated[Path, typer.Option(help="Folder of songs and motions.")] = Path(
        "out/grooves"
    ),
    out: Annotated[Path, typer.Option("--json", help="Where the numbers go.")] = Path(
        "out/grooves.json"
    ),
    seat: Annotated[str, typer.Option(help="none or chair.")] = "none",
    seeds: Annotated[str, typer.Option(help="Some only, such as 0,7.")] = "",
    dense: Annotated[bool, typer.Option("--dense", help="The dense songs.")] = False,
) -> None:
    """Plays all grooves, or all dense songs; takes half an hour."""
    every = SONGS if dense else SEEDS
    chosen = [int(s) for s in seeds.split(",")] if seeds else list(every)
    rows: list[GrooveRow] = []
    for seed in chosen:
        made = make_dense_song(seed) if dense else make_groove(seed)
        rows.append(play(made, folder, seat))
        row = rows[-1]
        said = row.why or f"F1 {row.f1:.4f}, {row.made} of {row.asked}"
        print(f"{row.groove}: {said}", file=sys.stderr, flush=True)
        write_results(out, f1=f1(rows), rows=[asdict(r) for r in rows])
    print(table(rows))


if __name__ == "__main__":
    typer.run(main)
