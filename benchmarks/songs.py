"""How long a long song takes to build, and whether its cost is linear in its length.

    python -m benchmarks.songs

The song is the shipped one over and over. Each build is from nothing, with
verification, in one process a core; then a part of the longest is changed and it is
built again.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.specification.kinds import SHIPPED_FOLDER
from backbeat.models.common.processes.pool import cores
from benchmarks.played_songs import save_song

LENGTHS = (60.0, 120.0, 180.0)
SCORE = SHIPPED_FOLDER / "scores" / "outstanding.yaml"


def write_song(
    folder: Path, seconds: float, softer: int = -1, bpm: float = 0.0
) -> Path:
    """Writes a specification and its score of at least that many seconds.

    Args:
        folder: where to.
        seconds: length [s].
        softer: number of a part whose accents are taken away.
        bpm: tempo; 0 for that of the shipped song.
    """
    score = yaml.safe_load(SCORE.read_text())
    score["bpm"] = bpm or score["bpm"]
    parts: list[dict[str, Any]] = []
    beats, wanted = 0.0, seconds * score["bpm"] / 60
    # Whole rounds of the shipped song, which ends at rest.
    while beats < wanted or len(parts) % len(score["parts"]):
        part = dict(score["parts"][len(parts) % len(score["parts"])])
        steps = len(part.get("left", "").replace("|", " ").split())
        played = part.get("repeat", 1) * steps / score["steps_per_beat"]
        beats += part.get("hold", played)
        part["name"] = f"{part['name']} {len(parts)}"
        if len(parts) == softer:
            part["left"] = part["left"].replace("!", "")
        parts.append(part)
    return save_song("song", {**score, "parts": parts}, folder)


def built_in(path: Path, library: Path) -> tuple[float, float]:
    """Seconds that a build takes, and the length of what is built [s]."""
    started = time.perf_counter()
    behavior = build(path, Library(library), processes=cores())
    return time.perf_counter() - started, behavior.duration


def main() -> None:
    """Prints the table."""
    print(f"{cores()} cores\n\n| song [s] | build [s] | per minute [s] |")
    print("|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for seconds in LENGTHS:
            library = folder / f"library-{seconds:g}"
            path = write_song(folder, seconds)
            took, length = built_in(path, library)
            print(
                f"| {length:.0f} | {took:.1f} | {60 * took / length:.1f} |", flush=True
            )
        part = 11
        took, _ = built_in(write_song(folder, LENGTHS[-1], softer=part), library)
        print(f"\nAfter a change in part {part} of the longest: {took:.1f} s.")


if __name__ == "__main__":
    main()
