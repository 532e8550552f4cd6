"""`python -m benchmarks.costs`: our work by knots, horizon, tasks and joints."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.cli.common.options import LIBRARY, LibraryFolder
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.predictive.core import PredictiveCore
from backbeat.mpc.predictive.program import PredictiveProgram
from backbeat.mpc.predictive.recovery import Recovery
from backbeat.mpc.reference.trajectory import Reference
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.task_space.levels.task_space import TaskSpace
from backbeat.optimization.task_space.tasks.motion_tasks import (
    ContactTask,
    JointTask,
    MassCenterTask,
    PointTask,
)
from backbeat.optimization.transcription.transcribe import Transcription
from benchmarks.measurement import (
    fitted_exponent,
    machine,
    one_core,
    stopwatch,
    write_results,
)
from benchmarks.problems import squats
from benchmarks.task_space import chain

KNOTS = (41, 81, 161, 321)
HORIZONS = (13, 26, 39, 52)
STOOD = "stand"
JOINTS = (6, 12, 24, 48)
# Most that an exponent by knots may be.
EXPONENT = 1.1
PERIOD = 0.02


@dataclass(frozen=True)
class Cost:
    """A line of the table.

    Attributes:
        what, size: what was done, and how large it was.
        median, late: processor time [ms], late the 99th percentile.
        count: iterations of the solver; 0 where there is none.
    """

    what: str
    size: int
    median: float
    late: float
    count: int = 0


def timed(call: Callable[[], int], repetitions: int, what: str, size: int) -> Cost:
    """Times a call that gives its iterations; the first one does not count."""
    count, seconds = call(), []
    for _ in range(repetitions):
        watch = stopwatch()
        call()
        seconds.append(watch())
    median, late = 1e3 * np.percentile(seconds, [50, 99])
    return Cost(what, size, float(median), float(late), count)


def by_knots(knots: int, repetitions: int = 5) -> Cost:
    """A cold optimization of squats."""
    solver = InteriorPoint(Transcription(squats(knots)))
    what = "optimization, knots"
    return timed(lambda: len(solver.solve().log), repetitions, what, knots)


def by_horizon(behavior: Behavior, knots: int, repetitions: int = 100) -> Cost:
    """A plan at the start of a behavior, with measuring and steps."""
    weights = replace(PredictiveWeights(), knots=knots)
    program = PredictiveProgram(Reference(behavior), weights)
    step = PredictiveCore(program, PERIOD, 0.0, Recovery())
    memory, t = step.start(), 0.0
    q, v = behavior.motion.q[0], behavior.motion.v[0]

    def plan() -> int:
        nonlocal memory, t
        memory = step(t, q, v, memory)
        t += PERIOD
        return memory.plan.iterations

    return timed(plan, repetitions, "plan, intervals of its horizon", knots)


def by_tasks(tasks: int, repetitions: int = 200) -> Cost:
    """A tick of Atlas in task space, of so many of: balance, two hands, posture."""
    robot = RobotModel("atlas")
    space = TaskSpace(robot)
    for foot in robot.soles:
        space.add(ContactTask(robot, foot))
    hands = [PointTask(robot, f"{side}_hand") for side in "lr"]
    for level, task in enumerate([MassCenterTask(), *hands, JointTask(robot)][:tasks]):
        space.add(task, 1.0, level + 2)
    q, v = robot.posture("stand"), np.full(robot.num_velocities, 0.01)
    return timed(_tick(space, q, v), repetitions, "task space, levels", tasks)


def by_joints(joints: int, repetitions: int = 200) -> Cost:
    """A tick of an arm with so many joints, a point above its posture."""
    robot = chain(joints)
    space, rng = TaskSpace(robot), np.random.default_rng(joints)
    space.add(PointTask(robot, f"l{joints}"), 1.0, 2)
    space.add(JointTask(robot), 1.0, 3)
    q, v = 0.5 * rng.normal(size=joints), np.zeros(joints)
    return timed(_tick(space, q, v), repetitions, "task space, joints", joints)


def _tick(space: TaskSpace, q: np.ndarray, v: np.ndarray) -> Callable[[], int]:
    def tick() -> int:
        space.update(q, v)
        space.solve()
        return 0

    return tick


def measure(library: Path) -> list[Cost]:
    """Everything, on one core; takes two minutes."""
    stood = build(STOOD, Library(library))
    with one_core():
        return [
            *map(by_knots, KNOTS),
            *(by_horizon(stood, knots) for knots in HORIZONS),
            *map(by_tasks, (1, 2, 3, 4)),
            *map(by_joints, JOINTS),
        ]


def exponents(costs: list[Cost]) -> dict[str, float]:
    """Power of the size that the time of an iteration or call grows with."""
    found = {}
    for what in dict.fromkeys(cost.what for cost in costs):
        own = [cost for cost in costs if cost.what == what]
        times = [cost.median / max(cost.count, 1) for cost in own]
        if what.startswith("plan"):
            # Plans are asked for whole; their iterations hang on where the robot is.
            times = [cost.median for cost in own]
        found[what] = fitted_exponent([cost.size for cost in own], times)
    return found


def table(costs: list[Cost]) -> str:
    """The costs in Markdown, and on what they were measured."""
    lines = [
        "| what, by | size | median [ms] | p99 [ms] | iterations |",
        "|---|---:|---:|---:|---:|",
    ]
    for cost in costs:
        count = str(cost.count) if cost.count else ""
        numbers = f"{cost.median:.3g} | {cost.late:.3g} | {count}"
        lines.append(f"| {cost.what} | {cost.size} | {numbers} |")
    powers = [f"{what}: {power:.2f}" for what, power in exponents(costs).items()]
    found = machine()
    return (
        "\n".join(lines) + "\n\nExponents of the time of an iteration or call: "
        f"{'; '.join(powers)}. Processor times on {found['processor']}, load "
        f"{found['load']:.1f}, Python {found['python']}, Drake {found['drake']}."
    )


def main(
    library: LibraryFolder = LIBRARY,
    out: Annotated[Path, typer.Option("--json", help="Where the numbers go.")] = Path(
        "out/costs.json"
    ),
) -> None:
    """Times optimizations, plans and ticks by their size."""
    costs = measure(library)
    print(table(costs))
    write_results(
        out,
        rows=[asdict(cost) for cost in costs],
        exponents=exponents(costs),
    )


if __name__ == "__main__":
    typer.run(main)
