"""What a behavior costs before the show, beside a step of the show."""

from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.robots import USUAL_ROBOT
from backbeat.behaviors.library.store import Library
from backbeat.figures.drawing.sources import Sources
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.runs.record import RunRecord, read_run
from backbeat.report.plots.style import COLORS, HEIGHT, STYLE, WIDTH

# Steps of the show that a behavior should be worth at least.
GOAL = 100.0
# Numbers on axes that are logarithmic.
ROUND = [n * 10**k for k in range(5) for n in (1, 2, 5)]


@dataclass(frozen=True)
class Cost:
    """What one behavior takes, all times in seconds.

    Attributes:
        behavior: its name.
        duration: its length.
        solve, build: processor time of the optimization, and of the whole build.
        plan: median processor time of a plan.
        tick: median time of a tick on the clock, too short to be interrupted often.
        plan_period, tick_period: time from one to the next.
    """

    behavior: str
    duration: float
    solve: float
    build: float
    plan: float
    tick: float
    plan_period: float
    tick_period: float

    @property
    def step(self) -> float:
        """A plan and the ticks until the next one [s]."""
        return self.plan + self.plan_period / self.tick_period * self.tick

    @property
    def solve_steps(self) -> float:
        """How many steps take as long as the optimization."""
        return self.solve / self.step

    @property
    def build_steps(self) -> float:
        """How many steps take as long as the whole build."""
        return self.build / self.step

    def per_second(self) -> tuple[float, float, float]:
        """Seconds for a second of motion: to optimize, to build, and in the show."""
        return (
            self.solve / self.duration,
            self.build / self.duration,
            self.step / self.plan_period,
        )


def cost(behavior: Behavior, record: RunRecord) -> Cost | None:
    """The cost of a behavior by its own file and that of a run of it.

    Returns:
        None where the file of the behavior does not say what it took to build.

    Raises:
        BackbeatError: the run is one of an earlier build, or of an earlier Backbeat.
    """
    solve, build = (behavior.provenance.get(k) for k in ("solve_cpu_s", "build_cpu_s"))
    if not isinstance(solve, float) or not isinstance(build, float):
        return None
    if record.story.get("behavior_key") != behavior.provenance.get("key"):
        raise BackbeatError(
            f"{record.source}: {record.name} has been built anew since this run; "
            f"`backbeat track {record.name}` runs it again"
        )
    times = [record.metrics.get(key, {}) for key in ("plan_cpu_ms", "tick_ms")]
    plan, tick = (found.get("median") for found in times)
    if plan is None or tick is None:
        raise BackbeatError(
            f"{record.source} does not tell the times of plans and ticks; `backbeat "
            f"track {record.name}` runs it again"
        )
    return Cost(
        behavior.name,
        behavior.duration,
        solve,
        build,
        1e-3 * plan,
        1e-3 * tick,
        record.scenario.timing.plan_period,
        record.scenario.timing.tick_period,
    )


def read_costs(library: str | Path, runs: str | Path) -> list[Cost]:
    """Costs of all behaviors of Atlas that have a run, the shortest first.

    Args:
        library: its folder.
        runs: folder with run files as `backbeat track` names them.

    Raises:
        BackbeatError: there are none, or as `cost`.
    """
    library = Path(library)
    runs = Path(runs)
    shelf, found = Library(library), []
    for stored in shelf.stored(USUAL_ROBOT):
        path = runs / f"{stored.name}.run.parquet"
        if path.is_file():
            found.append(cost(shelf.load(stored), read_run(path)))
    known = [c for c in found if c is not None]
    if not known:
        raise BackbeatError(
            f"no behavior of the library {library} says what its build took and has a "
            f"run in {runs}; `backbeat build NAME --force`, then `backbeat track NAME`"
        )
    return sorted(known, key=lambda c: c.duration)


def offline_online(sources: Sources) -> Figure:
    """Behaviors in steps of the show, and both per second of motion."""
    costs = read_costs(sources.library, sources.runs)
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 1.3 * HEIGHT), layout="constrained")
        left, right = figure.subplots(1, 2)
        _draw_steps(left, costs)
        _draw_seconds(right, costs)
        figure.suptitle("Offline: once a behavior. Online: every step of the show")
        return figure


def _draw_steps(axes: Axes, costs: list[Cost]) -> None:
    durations = [c.duration for c in costs]
    for label, color, steps in (
        ("whole build", COLORS[0], [c.build_steps for c in costs]),
        ("optimization alone", COLORS[1], [c.solve_steps for c in costs]),
    ):
        axes.loglog(durations, steps, "o", color=color, label=label)
    axes.axhline(GOAL, color=COLORS[6], ls="--", lw=1, label=f"goal, {GOAL:g}")
    # The limits that the points need, with a few round numbers on them.
    spans = axes.get_xlim(), axes.get_ylim()
    for axis, (low, high) in zip((axes.xaxis, axes.yaxis), spans, strict=True):
        numbers = [n for n in ROUND if low <= n <= high]
        axis.set_ticks(numbers, [str(n) for n in numbers])
        axis.set_ticks([], minor=True)
    axes.set(title="Worth this many steps of the show", xlabel="length [s]")
    axes.legend(loc="upper left")


def _draw_seconds(axes: Axes, costs: list[Cost]) -> None:
    at = np.arange(len(costs))
    seconds = np.array([c.per_second() for c in costs])
    for k, (label, color) in enumerate(
        (
            ("optimization", COLORS[1]),
            ("whole build", COLORS[0]),
            ("plans and ticks", COLORS[2]),
        )
    ):
        axes.barh(at + 0.27 * (k - 1), seconds[:, k], 0.25, color=color, label=label)
    names = [f"{c.behavior}, {c.duration:.0f} s" for c in costs]
    axes.set_yticks(at, names)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    axes.set(title="Seconds for a second of motion", xlabel="s")
    axes.legend(loc="upper center", bbox_to_anchor=(0.4, -0.15), ncols=3)
