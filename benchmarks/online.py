"""`python -m benchmarks.online`: ticks, plans and runs of the online controller."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.cli.common.options import LIBRARY, LibraryFolder
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.analysis.drumming.hits import run_hits
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.core import PredictiveCore
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.predictive.recovery import Recovery
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.settings import first_settings
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.world.simulated_robot import LOG_PERIOD
from benchmarks.crocoddyl.closed_loop import run_loop
from benchmarks.crocoddyl.standing import CrocoddylStanding, StandingSettings
from benchmarks.environment import CacheFolder, make_environment
from benchmarks.measurement import machine, one_core, stopwatch, write_results
from benchmarks.tick import CASES, compare

DIFFERENCES = (
    "Both ticks are state to torque in closed loop with their own ideal dynamics: the "
    "same robot, feet, friction, torque limits and gains, and like weights. "
    "TSID has forces at the corners of the feet and bounds accelerations; Backbeat has "
    "wrenches of whole feet near the plan's, keeps limb joints off their stops, checks "
    "the residuals of every answer, and is called from Python, as TSID is.\n"
    "The two plans solve different problems. Crocoddyl's is one iteration on the whole "
    "robot, with its joints and torques, standing and pushed, N = 50, 1 s, friction a "
    "soft cost; Backbeat's is a whole solve for momentum, contact wrenches, timing and "
    "steps in deviations from a behavior, friction a hard limit; joints and torques "
    "are its tick's. All in processor time, our plans replayed from a run."
)
PUSHED, DRUMMED, STOOD = "march", "outstanding-standing", "stand"
PUSH = Push(2.1, 0.1, [0.0, 60.0, 0.0])
PLANNING_TIME = 0.02
# How often plans of ours and of others are timed in turns.
ROUNDS = 3
# Most that ticks, by case, and plans may take of those of others.
TICK_RATIOS = dict(zip((case.name for case in CASES), (0.25, 0.4), strict=True))
PLAN_RATIO = 0.12


@dataclass(frozen=True)
class OnlineRow:
    """One line of the table.

    Attributes:
        what: what was measured.
        value: the figure.
        unit: its unit; empty for a ratio.
        goal: what it should be.
        at_least: whether larger is better.
        details: what else was found.
    """

    what: str
    value: float
    unit: str
    goal: float
    at_least: bool = False
    details: str = ""

    @property
    def is_met(self) -> bool:
        """Whether the goal is met."""
        better = self.value >= self.goal if self.at_least else self.value <= self.goal
        return bool(better)


def tick_rows(cache: Path | None = None, rounds: int = 10) -> list[OnlineRow]:
    """Our tick against TSID's.

    Raises:
        BackbeatError: TSID is not to be had, or a program was not solved.
    """
    python, rows = make_environment(cache, "tsid"), []
    with one_core():
        for row in compare(python, rounds):
            ours, tsid = (1e6 * np.median(s) for s in (row.ours, row.tsid))
            details = f"ours {ours:.0f} us, TSID {tsid:.0f} us"
            name = f"tick, {row.case}"
            goal = TICK_RATIOS[row.case]
            rows.append(
                OnlineRow(f"{name}: to TSID", row.ratio, "", goal, False, details)
            )
            rows.append(OnlineRow(f"{name}: p99 to median", row.spread, "", 3.0))
    return rows


def replayed(run: SimulationRun) -> np.ndarray:
    """Processor times of plans [s], made once more from the states of a run.

    All that a plan takes counts, measuring and choosing steps too.
    """
    reference, scenario = Reference(run.behavior), run.scenario
    first = first_settings(scenario, run.behavior)
    program = PredictiveProgram(reference, first.plan.adapt(PredictiveWeights()))
    step = PredictiveCore(
        program, scenario.timing.plan_period, scenario.timing.lead_in, Recovery()
    )
    memory, seconds = step.start(), []
    every = round(scenario.timing.plan_period / LOG_PERIOD)
    for t, x in zip(
        run.t[::every] + scenario.timing.lead_in, run.x[::every], strict=True
    ):
        q, v = np.split(x, [reference.robot.num_positions])
        watch = stopwatch()
        memory = step(t, q, v, memory)
        seconds.append(watch())
    return np.array(seconds[1:])


def plan_rows(behavior: Behavior) -> list[OnlineRow]:
    """Wall times of plans while a stepping robot is pushed."""
    with one_core():
        run = run_scenario(_pushed(behavior), behavior)
    median, late = np.percentile(run.plan_ms, [50, 99])
    details = f"{len(run.plan_ms)} plans of {behavior.name}, pushed"
    return [
        OnlineRow("plan: median", float(median), "ms", 4.0, False, details),
        OnlineRow("plan: p99", float(late), "ms", 8.0, False, details),
    ]


@dataclass(frozen=True)
class PlanTimes:
    """Plans of a pushed behavior, beside iterations of Crocoddyl.

    Attributes:
        behavior: its name.
        ours, theirs: processor times [s].
        knots: least number of intervals of our horizons.
        ahead: how far the shortest of them looks ahead [s].
    """

    behavior: str
    ours: np.ndarray
    theirs: np.ndarray
    knots: int
    ahead: float

    @property
    def ratio(self) -> float:
        """Our median to theirs."""
        return float(np.median(self.ours) / np.median(self.theirs))


def plan_times(
    behaviors: Sequence[Behavior], cache: Path | None = None
) -> list[PlanTimes]:
    """Plans of pushed behaviors, and iterations of Crocoddyl on the last of them.

    Raises:
        BackbeatError: Crocoddyl is not to be had.
    """
    found, standing = [], behaviors[-1]
    with one_core(), CrocoddylStanding(make_environment(cache)) as tool:
        for behavior in behaviors:
            run = run_scenario(_pushed(behavior), behavior)
            ours, theirs = [], []
            # In turns: a machine that gets slower slows both.
            for _ in range(ROUNDS):
                tool.begin(standing, StandingSettings())
                loop = run_loop(tool, standing, _pushed(standing))
                theirs.append(1e-3 * loop.plan_ms)
                ours.append(replayed(run))
            seconds = np.concatenate(ours), np.concatenate(theirs)
            grids = [p.phases for p in run.plans if p.iterations]
            knots = min(len(grid) - 1 for grid in grids)
            ahead = min(float(grid[-1] - grid[0]) for grid in grids)
            found.append(PlanTimes(behavior.name, *seconds, knots, ahead))
    return found


def ratio_rows(
    behaviors: Sequence[Behavior], cache: Path | None = None
) -> list[OnlineRow]:
    """Plans of pushed behaviors against iterations of Crocoddyl on the last of them.

    Raises:
        BackbeatError: Crocoddyl is not to be had.
    """
    rows = []
    for row in plan_times(behaviors, cache):
        ours, theirs = (1e3 * float(np.median(s)) for s in (row.ours, row.theirs))
        what = f"plan, {row.behavior}: to Crocoddyl"
        details = (
            f"ours {ours:.1f} ms (N >= {row.knots}, >= {row.ahead:.2f} s), "
            f"Crocoddyl {theirs:.1f} ms (N = 50, 1 s)"
        )
        rows.append(OnlineRow(what, row.ratio, "", PLAN_RATIO, False, details))
    return rows


def _pushed(behavior: Behavior) -> Scenario:
    return Scenario.of(behavior=behavior.name, duration=6.0, pushes=[PUSH])


def run_rows(behavior: Behavior) -> list[OnlineRow]:
    """Real-time factors of whole runs, logging included, steps of 1 ms."""
    inside = Scenario.of(behavior=behavior.name, planning_time=PLANNING_TIME)
    outside = Scenario.of(
        behavior=behavior.name, planning_time=PLANNING_TIME, planner="process"
    )
    with one_core():
        one = run_scenario(inside, behavior)
    two = run_scenario(outside, behavior)
    rows = []
    for name, run, goal in (("one core", one, 1.2), ("two processes", two, 2.0)):
        factor = (run.t[-1] - run.t[0]) / run.wall_time
        hits = run_hits(run)
        found = hits.metrics() if hits is not None else {"made": 0, "planned": 0}
        details = f"{found['made']} of {found['planned']} hits"
        what = f"real-time factor, {name}"
        rows.append(OnlineRow(what, float(factor), "", goal, True, details))
    if one.x.tobytes() != two.x.tobytes():
        raise BackbeatError("planning in a second process changed the run")
    return rows


def measure(library: Path, cache: Path | None = None) -> list[OnlineRow]:
    """Measures everything; behaviors that the library lacks are built first."""
    shelf = Library(library)
    behaviors = [build(name, shelf) for name in (PUSHED, DRUMMED, STOOD)]
    pushed, drummed, stood = behaviors
    return [
        *tick_rows(cache),
        *plan_rows(pushed),
        *ratio_rows((pushed, stood), cache),
        *run_rows(drummed),
    ]


def print_table(
    rows: list[OnlineRow],
    title: str = "Online controller",
    differences: str = DIFFERENCES,
) -> None:
    """Prints rows, what they mean, and on what they were measured."""
    table = Table(title=title, caption_justify="left")
    found = machine()
    table.caption = f"{differences}\n{found['processor']}, load {found['load']:.1f}."
    for heading in ("what", "value", "goal", ""):
        table.add_column(heading)
    for row in rows:
        sign = ">=" if row.at_least else "<="
        color = "green" if row.is_met else "red"
        value = f"[{color}]{row.value:.3g} {row.unit}[/]"
        table.add_row(row.what, value, f"{sign} {row.goal:g}", row.details)
    Console(width=max(Console().width, 120)).print(table)


def main(
    library: LibraryFolder = LIBRARY,
    out: Annotated[Path, typer.Option("--json", help="Where the numbers go.")] = Path(
        "out/online.json"
    ),
    cache: CacheFolder = None,
) -> None:
    """Times ticks against TSID, plans, and whole runs."""
    try:
        rows = measure(library, cache)
    except BackbeatError as error:
        raise SystemExit(f"benchmarks: {error}") from None
    print_table(rows)
    found = [asdict(row) | {"is_met": row.is_met} for row in rows]
    write_results(out, differences=DIFFERENCES, rows=found)


if __name__ == "__main__":
    typer.run(main)
