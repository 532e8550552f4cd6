"""`python -m benchmarks.prepared`: what behaviors cost before a show, and during it.

A behavior is built once: its program is solved, and the motion filled in and verified.
In the show a plan is made every 20 ms and a tick every millisecond. The table has both
for behaviors that ship, and how many steps of the show one solve takes as long as.
"""

import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from benchmarks.measurement import machine, one_core, write_results
from benchmarks.online import replayed

# The reference behaviors, and the shortest one that takes steps.
NAMES = ("walk-2", "walk-6", "march", "stand", "groove", "outstanding-standing")
# How many steps of the show the optimization of its motion should be worth at least.
GOAL = 100.0


@dataclass(frozen=True)
class Prepared:
    """A line of the table.

    Attributes:
        behavior: its name.
        duration: its length [s].
        solve, build: processor time of the optimization, and of all of the build [s].
        plan: median processor time of a plan in closed loop [s].
        tick: median time of a tick, on the clock [s].
        plans, ticks: how many of them the whole behavior takes.
    """

    behavior: str
    duration: float
    solve: float
    build: float
    plan: float
    tick: float
    plans: int
    ticks: int

    @property
    def show(self) -> float:
        """Time of all plans and ticks [s]."""
        return self.plans * self.plan + self.ticks * self.tick


def built(name: str, folder: Path) -> tuple[Behavior, float, float]:
    """A behavior, and the processor seconds of its optimization and of its build."""
    behavior = build(name, Library(folder), force=True)
    solve, whole = (behavior.provenance[k] for k in ("solve_cpu_s", "build_cpu_s"))
    assert isinstance(solve, float)
    assert isinstance(whole, float)
    return behavior, solve, whole


def measure(names: tuple[str, ...] = NAMES) -> list[Prepared]:
    """Builds behaviors, each once before to compile, and runs them in closed loop."""
    found = []
    with one_core(), tempfile.TemporaryDirectory() as folder:
        for name in names:
            built(name, Path(folder))
            behavior, solve, whole = built(name, Path(folder))
            run = run_scenario(Scenario.of(behavior=name), behavior)
            plans = replayed(run)
            found.append(
                Prepared(
                    name,
                    behavior.duration,
                    solve,
                    whole,
                    float(np.median(plans)),
                    1e-3 * float(np.median(run.tick_ms)),
                    len(plans),
                    len(run.tick_ms),
                )
            )
    return found


def table(rows: list[Prepared]) -> str:
    """The rows in Markdown, and on what they were measured."""
    lines = [
        "| behavior | length [s] | solve [s] | build [s] | plan [ms] | tick [ms] | "
        "solve to plan | build to plan | solve to tick | the show [s] |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for r in rows:
        lines.append(
            f"| {r.behavior} | {r.duration:.1f} | {r.solve:.2f} | {r.build:.2f} | "
            f"{1e3 * r.plan:.2f} | {1e3 * r.tick:.3f} | {r.solve / r.plan:.0f} | "
            f"{r.build / r.plan:.0f} | {r.solve / r.tick:.0f} | {r.show:.1f} |"
        )
    found = machine()
    return (
        "\n".join(lines) + f"\n\nA solve should be worth {GOAL:g} steps of the show. "
        "One core; processor times, of ticks the clock's; the show is all plans and "
        f"ticks together. {found['processor']}, load {found['load']:.1f}, Python "
        f"{found['python']}, Drake {found['drake']}."
    )


def main(
    out: Annotated[Path, typer.Option("--json", help="Where the numbers go.")] = Path(
        "out/prepared.json"
    ),
) -> None:
    """Times builds of behaviors, and plans and ticks of their shows."""
    rows = measure()
    print(table(rows))
    write_results(out, rows=[asdict(row) for row in rows])


if __name__ == "__main__":
    typer.run(main)
