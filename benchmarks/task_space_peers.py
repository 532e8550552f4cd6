"""Task-space control beside Drake's controllers, TSID and PlaCo, as Markdown tables.

python -m benchmarks.task_space_peers
"""

import numpy as np
import typer

from backbeat.models.common.errors import BackbeatError
from backbeat.models.world.scene import CONTINUOUS
from benchmarks.arm_peers import FollowRow, follow
from benchmarks.environment import CacheFolder
from benchmarks.measurement import machine, one_core
from benchmarks.standing_peers import LevelRow, compare

STEPPED = "lagged"
ARM_NOTE = """\
UR10 at 1 kHz: the hand on a circle of 0.2 m radius at 0.5 Hz, and all joints swaying by
0.2 rad at 0.5 Hz; RMS errors once settled. Stiffness and damping are 225 and 30 in all
of them. Drake's hand is told a place a period ahead, and its joints differences of
their places, which are the steps of the stepped plant; ours is told place, velocity and
acceleration now."""
TICK_NOTE = """\
Atlas on two feet, its center of mass swaying, hands in their places, a posture: state
to torque in closed loop with its own ideal dynamics. Backbeat has strict levels, which
TSID and PlaCo have not: theirs are one program with weights 1, 1e-3, 1e-6. They keep
contacts within friction cones with and without torque limits, Backbeat with limits
only. Both are C++, called from Python as ours is."""


def _cells(seconds: np.ndarray, first: np.ndarray) -> str:
    """Median, 99th percentile and ratio of medians to the first of the table."""
    median, late = 1e6 * np.percentile(seconds, [50, 99])
    return f"{median:.0f} | {late:.0f} | {median / (1e6 * np.median(first)):.2f}"


def arm_table(stepped: list[FollowRow], smooth: list[FollowRow]) -> str:
    """Table of the arm on both kinds of plants."""
    lines = [
        "| task | controller | error, plant in steps | error, continuous plant | "
        "median [us] | p99 [us] | to Backbeat |",
        "|---|---|---|---|---|---|---|",
    ]
    first: dict[str, np.ndarray] = {}
    for a, b in zip(stepped, smooth, strict=True):
        seconds = np.concatenate([a.seconds, b.seconds])
        cells = _cells(seconds, first.setdefault(a.task, seconds))
        errors = f"{a.error:.2g} {a.unit} | {b.error:.2g} {b.unit}"
        lines.append(f"| {a.task} | {a.way} | {errors} | {cells} |")
    return "\n".join(lines)


def tick_table(rows: list[LevelRow]) -> str:
    """Table of the ticks of Atlas."""
    lines = [
        "| three levels | tool | farthest of CoM [mm] | median [us] | p99 [us] | "
        "to Backbeat |",
        "|---|---|---|---|---|---|",
    ]
    first: dict[bool, np.ndarray] = {}
    for r in rows:
        limits = "torque limits" if r.bounded else "no torque limits"
        cells = _cells(r.seconds, first.setdefault(r.bounded, r.seconds))
        lines.append(f"| {limits} | {r.way} | {1e3 * r.com:.2f} | {cells} |")
    return "\n".join(lines)


def main(
    cache: CacheFolder = None,
) -> None:
    """Runs all of them on one core and prints processor times."""
    found = machine()
    try:
        with one_core():
            print(f"{arm_table(follow(STEPPED), follow(CONTINUOUS))}\n\n{ARM_NOTE}\n")
            rows = [*compare(False, cache), *compare(True, cache)]
            print(f"{tick_table(rows)}\n\n{TICK_NOTE}\n")
    except BackbeatError as error:
        raise SystemExit(f"benchmarks: {error}") from None
    print(f"Processor times on {found['processor']}, load {found['load']:.1f}.")


if __name__ == "__main__":
    typer.run(main)
