"""`python -m benchmarks.pushes`: who stands harder pushes, Crocoddyl's MPC or ours."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.cli.common.options import LIBRARY, LibraryFolder
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.survival import RECOVERY, survived
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.sweep.margin import MarginSearch, bracket
from benchmarks.crocoddyl.closed_loop import run_loop
from benchmarks.crocoddyl.standing import CrocoddylStanding, StandingSettings
from benchmarks.environment import CacheFolder, make_environment
from benchmarks.measurement import machine, markdown, write_results

BEHAVIOR = "stand"
DIRECTIONS: dict[str, tuple[float, float]] = {
    "+x": (1, 0),
    "-x": (-1, 0),
    "+y": (0, 1),
    "-y": (0, -1),
    "+x+y": (1, 1),
    "+x-y": (1, -1),
    "-x+y": (-1, 1),
    "-x-y": (-1, -1),
}
# Impulses that are tried [N s].
SEARCH = MarginSearch(low=10.0, high=300.0, step=10.0)
PUSH_TIME, PUSH_LENGTH = 0.2, 0.1
# Time between Crocoddyl's plans when its own time is not charged [s], and between
# ours; how late ours are where that counts [s].
PERIODS = (0.02, 0.01)
LATE = 0.01
# Tuned for Crocoddyl's plans at once, and for late ones, which want softer gains.
AT_ONCE = StandingSettings()
DELAYED = StandingSettings(effort=1000.0)

Run = Callable[[Scenario], SimulationRun]


@dataclass(frozen=True)
class PushRow:
    """One line of the table.

    Attributes:
        who: the controller.
        rate: plans a second of simulated time.
        limits: largest impulse survived by direction [N s]; 0 for none.
        median, late: time of a plan [ms], late the 99th percentile.
        plans: how many there were.
    """

    who: str
    rate: float
    limits: Mapping[str, float]
    median: float
    late: float
    plans: int


def scenario_of(
    direction: tuple[float, float], impulse: float, period: float = PERIODS[0]
) -> Scenario:
    """A push at the pelvis, and as long after it as it takes to be judged."""
    x, y = impulse * np.array(direction) / np.linalg.norm(direction)
    push = Push(PUSH_TIME, PUSH_LENGTH, [float(x), float(y), 0.0])
    # A sample of the log lies at the instant of judgement.
    duration = PUSH_TIME + PUSH_LENGTH + RECOVERY + 0.02
    return Scenario.of(BEHAVIOR, duration=duration, pushes=[push], plan_period=period)


def limit(holds: Callable[[float], bool], search: MarginSearch = SEARCH) -> float:
    """The largest impulse that is survived, by bisection; 0 when none is."""
    passed: dict[float, bool] = {}
    while (level := search.next_level(passed)) is not None:
        passed[level] = holds(level)
    below, _ = bracket(search.levels(), passed)
    return search.levels()[below] if below >= 0 else 0.0


def measure_row(
    who: str, behavior: Behavior, run: Run, period: float, search: MarginSearch
) -> PushRow:
    """Searches for the limit in every direction."""
    reference, limits, times = Reference(behavior), {}, []

    def holds(direction: tuple[float, float], impulse: float) -> bool:
        found = run(scenario_of(direction, impulse, period))
        times.append(found.plan_ms)
        return bool(survived(found, reference))

    for name, direction in DIRECTIONS.items():
        limits[name] = limit(partial(holds, direction), search)
        print(f"{who}: {name} {limits[name]:.0f} N s", file=sys.stderr, flush=True)
    every = np.concatenate(times)
    median, late = np.percentile(every, [50, 99])
    return PushRow(who, 1 / period, limits, float(median), float(late), len(every))


def crocoddyl_rows(
    behavior: Behavior, python: Path, search: MarginSearch = SEARCH
) -> list[PushRow]:
    """Crocoddyl as if its iterations took no time, and with the time that they take."""
    rows = []

    def add(who: str, period: float, delay: float) -> PushRow:
        def run(scenario: Scenario) -> SimulationRun:
            with CrocoddylStanding(python) as tool:
                tool.begin(behavior, DELAYED if delay else AT_ONCE)
                return run_loop(tool, behavior, scenario, delay)

        rows.append(measure_row(who, behavior, run, period, search))
        return rows[-1]

    for period in PERIODS:
        add("Crocoddyl, its time not charged", period, 0.0)
    # In whole steps of the plant; it begins anew when it is done.
    needed = float(np.ceil(rows[0].median)) * 1e-3
    add(f"Crocoddyl, {1e3 * needed:.0f} ms charged", needed, needed)
    return rows


def our_rows(behavior: Behavior, search: MarginSearch = SEARCH) -> list[PushRow]:
    """Backbeat without steps, the same with late plans, and with steps."""

    def row(who: str, steps: bool, planning_time: float) -> PushRow:
        def run(scenario: Scenario) -> SimulationRun:
            changed = scenario.changed(steps=steps, planning_time=planning_time)
            return run_scenario(changed, behavior)

        return measure_row(who, behavior, run, PERIODS[0], search)

    return [
        row("Backbeat, no steps, its time not charged", False, 0.0),
        row(f"Backbeat, no steps, {1e3 * LATE:.0f} ms charged", False, LATE),
        row("Backbeat, with steps, its time not charged", True, 0.0),
    ]


def table(rows: list[PushRow], search: MarginSearch = SEARCH) -> str:
    """The rows in Markdown, and what they mean."""
    heads = ["", *DIRECTIONS, "plan, median [ms]", "p99 [ms]", "plans a second"]
    lines: list[list[str]] = []
    for row in rows:
        limits = [_limit(row.limits[name], search) for name in DIRECTIONS]
        times = [f"{row.median:.1f}", f"{row.late:.1f}", f"{row.rate:.0f}"]
        lines.append([row.who, *limits, *times])
    text = markdown(heads, lines, 1)
    found = machine()
    return (
        f"{text}\n\nLargest impulse survived [N s], at the pelvis for "
        f"{PUSH_LENGTH:g} s, in steps of {search.step:g}, judged {RECOVERY:g} s "
        "later; one run each, true state, exact model, steps of 1 ms. By bisection: "
        "what is survived by chance above a push that is not does not count. Crocoddyl "
        "(3.2.1, full model, N = 50, 1 s, one iteration a plan, Riccati gains at 1 "
        "kHz) never steps, holds friction by a soft cost, and takes its feet for "
        "glued. Backbeat plans centroidal motion over 1.3 s and has a whole-body "
        "program at 500 Hz below, whose limits are hard; its times are wall time, "
        f"Crocoddyl's processor time. {found['processor']}, load {found['load']:.1f}."
    )


def _limit(impulse: float, search: MarginSearch) -> str:
    if impulse >= search.levels()[-1]:
        return f">= {impulse:.0f}"
    return f"{impulse:.0f}" if impulse else f"< {search.low:.0f}"


def measure(
    library: Path, cache: Path | None = None, search: MarginSearch = SEARCH
) -> list[PushRow]:
    """Measures everything; takes 50 minutes on a busy machine.

    Raises:
        BackbeatError: Crocoddyl is not to be had.
    """
    shelf, python = Library(library), make_environment(cache)
    behavior = build(BEHAVIOR, shelf)
    return [*crocoddyl_rows(behavior, python, search), *our_rows(behavior, search)]


def main(
    library: LibraryFolder = LIBRARY,
    out: Annotated[Path, typer.Option("--json", help="Where the numbers go.")] = Path(
        "out/pushes.json"
    ),
    cache: CacheFolder = None,
    step: Annotated[float, typer.Option(help="Between impulses tried [N s].")] = 10.0,
) -> None:
    """Searches for the hardest push that is survived, by direction."""
    search = replace(SEARCH, low=step, step=step)
    try:
        rows = measure(library, cache, search)
    except BackbeatError as error:
        raise SystemExit(f"benchmarks: {error}") from None
    print(table(rows, search))
    settings = {"at once": asdict(AT_ONCE), "delayed": asdict(DELAYED)}
    write_results(out, crocoddyl=settings, rows=[asdict(row) for row in rows])


if __name__ == "__main__":
    typer.run(main)
