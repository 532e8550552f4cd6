"""`python -m benchmarks.peers`: one table of ratios to TSID, PlaCo and Crocoddyl."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.store import Library
from backbeat.cli.common.options import LIBRARY, LibraryFolder
from backbeat.models.common.errors import BackbeatError
from benchmarks import offline, online, standing_peers, tick
from benchmarks.environment import TOOLS, CacheFolder, make_environment
from benchmarks.measurement import machine, one_core, write_results


@dataclass(frozen=True)
class Ratio:
    """A line of the table.

    Attributes:
        what: what was done.
        peer: who does it too.
        ratio: our median to theirs.
        ours, theirs: medians [ms].
        spread: our 99th percentile to our median; None where there is none.
        goal: largest ratio that is good enough; None without one.
    """

    what: str
    peer: str
    ratio: float
    ours: float
    theirs: float
    spread: float | None = None
    goal: float | None = None


def timed(
    what: str,
    peer: str,
    ours: np.ndarray,
    theirs: np.ndarray,
    goal: float | None = None,
) -> Ratio:
    """A line from times [s] of the same kind of step."""
    median, late = 1e3 * np.percentile(ours, [50, 99])
    other = 1e3 * float(np.median(theirs))
    spread = float(late / median)
    return Ratio(what, peer, float(median / other), float(median), other, spread, goal)


def tick_ratios(cache: Path | None = None, rounds: int = 10) -> list[Ratio]:
    """Ticks of the whole body beside TSID's."""
    return [
        timed(
            f"whole-body tick, {row.case}",
            "TSID",
            row.ours,
            row.tsid,
            online.TICK_RATIOS[row.case],
        )
        for row in tick.compare(make_environment(cache, "tsid"), rounds)
    ]


def level_ratios(cache: Path | None = None) -> list[Ratio]:
    """Ticks of task space, with strict levels beside weights."""
    found = []
    for bounded in (False, True):
        rows = {row.way: row for row in standing_peers.compare(bounded, cache)}
        peers = [rows[name] for name in standing_peers.TOOLS]
        cases = {"Backbeat": "torque limits" if bounded else "no limits"}
        if bounded:
            cases[standing_peers.AT_LIMITS] = "a joint at its torque limit"
        for way, case in cases.items():
            what, ours = f"task-space tick, {case}", rows[way].seconds
            found += [timed(what, peer.way, ours, peer.seconds) for peer in peers]
    return found


def plan_ratios(library: Path, cache: Path | None = None) -> list[Ratio]:
    """Plans beside iterations of Crocoddyl's MPC."""
    names = (online.PUSHED, online.STOOD)
    behaviors = [build(name, Library(library)) for name in names]
    return [
        timed(
            f"plan, {row.behavior} pushed, {row.knots} intervals, {row.ahead:.2f} s",
            "Crocoddyl",
            row.ours,
            row.theirs,
            online.PLAN_RATIO,
        )
        for row in online.plan_times(behaviors, cache)
    ]


def motion_ratios(repetitions: int, cache: Path | None = None) -> list[Ratio]:
    """Whole optimizations beside Crocoddyl's, from nothing to their end."""
    return [
        Ratio(
            f"optimization, {row.problem}",
            "Crocoddyl",
            row.value,
            1e3 * row.backbeat.seconds,
            1e3 * row.crocoddyl.seconds,
            None,
            row.goal,
        )
        for row in offline.measure(repetitions, cache)
        if row.backbeat is not None and row.crocoddyl is not None
    ]


def table(ratios: list[Ratio]) -> str:
    """The ratios in Markdown, with versions, and on what they were measured."""
    lines = [
        "| what | beside | ratio | goal | ours [ms] | theirs [ms] | p99 to median |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for row in ratios:
        goal = "" if row.goal is None else f"<= {row.goal:g}"
        spread = "" if row.spread is None else f"{row.spread:.2f}"
        times = f"{row.ours:.3g} | {row.theirs:.3g} | {spread}"
        lines.append(
            f"| {row.what} | {row.peer} | {row.ratio:.3g} | {goal} | {times} |"
        )
    found = machine()
    return (
        "\n".join(lines) + f"\n\nMedians on one core of {found['processor']}, load "
        f"{found['load']:.1f}; Python {found['python']}, Drake {found['drake']}; "
        f"{', '.join(map(version, TOOLS))}. Problems differ: "
        f"{online.DIFFERENCES}"
    )


def version(tool: str) -> str:
    """A tool with the version that its environment has."""
    path = Path(__file__).parent / tool / "requirements.txt"
    return next(
        line for line in path.read_text().splitlines() if line.startswith(f"{tool}==")
    )


def measure(
    library: Path, cache: Path | None = None, repetitions: int = 5
) -> list[Ratio]:
    """Everything; takes ten minutes, and the environments before.

    Raises:
        BackbeatError: a tool is not to be had.
    """
    plans = plan_ratios(library, cache)
    with one_core():
        return [
            *tick_ratios(cache, 2 * repetitions),
            *plans,
            *level_ratios(cache),
            *motion_ratios(repetitions, cache),
        ]


def main(
    library: LibraryFolder = LIBRARY,
    out: Annotated[Path, typer.Option("--json", help="Where the numbers go.")] = Path(
        "out/peers.json"
    ),
    cache: CacheFolder = None,
    repetitions: Annotated[int, typer.Option(min=1)] = 5,
) -> None:
    """Times ticks, plans and optimizations beside those of other tools."""
    try:
        ratios = measure(library, cache, repetitions)
    except BackbeatError as error:
        raise SystemExit(f"benchmarks: {error}") from None
    print(table(ratios))
    write_results(
        out,
        rows=[asdict(row) for row in ratios],
        versions=[version(tool) for tool in TOOLS],
    )


if __name__ == "__main__":
    typer.run(main)
