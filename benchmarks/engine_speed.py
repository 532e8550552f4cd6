"""How fast both engines run, as a Markdown table, and what bounds their ratio.

    python -m benchmarks.engine_speed

Runs with Drake's plant and with MuJoCo in turns, masses off by a tenth, in processor
time of the process that simulates by simulated time; the least of the rounds counts.
Sensors, motors, controllers and logs are the same systems with both, and take what is
left of a run with MuJoCo without the steps of its engine. The last column is the ratio
that an engine would have which took no time at all.
"""

import argparse
import time
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.mpc.analysis.drumming.hits import run_hits
from backbeat.mpc.disturbances.model_mismatch import model_mismatch
from backbeat.mpc.engines.engine_robot import EngineRobot
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.running_loop import RunningLoop
from backbeat.mpc.simulation.simulate import collect_run

ENGINES = ("drake", "mujoco")
SENSORS = {"state": "estimated", "actuator_lag": 0.005}
TWO = {"planner": "process", "planning_time": 0.02}
CASES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("outstanding-standing", "true state", {}),
    ("outstanding-standing", "true state, two processes", TWO),
    ("outstanding-standing", "sensors", SENSORS),
    ("outstanding-standing", "sensors, two processes", SENSORS | TWO),
    ("stand", "sensors", SENSORS),
)


class Cost(NamedTuple):
    """Processor time of a run by simulated time [1].

    Attributes:
        whole: of the process that simulates, building and metrics aside.
        steps: of it, the steps of an engine in the place of Drake's plant.
        wrong: hits that were missed, and extra ones.
    """

    whole: float
    steps: float
    wrong: int


def cost(behavior: Behavior, how: dict[str, Any], engine: str, end: float) -> Cost:
    """Runs a behavior to a time [s] in an engine."""
    name = behavior.name
    how = {**how, "world": model_mismatch(mass_scale=1.1)}
    scenario = Scenario.of(behavior=name, engine=engine, duration=end, **how)
    spent = [0.0]
    loop = RunningLoop(behavior, scenario, by_hand=False)
    with loop as running, threadpool_limits(1):
        body = running.loop.body
        if isinstance(body, EngineRobot):
            _time_steps(body, spent)
        started = time.process_time()
        while not running.is_over:
            running.advance(scenario.timing.plan_period)
        whole = time.process_time() - started
        length = scenario.timing.lead_in + running.end
        hits = run_hits(collect_run(running))
    told = {} if hits is None else hits.metrics()
    wrong = int(told.get("missed", 0) + told.get("extra", 0))
    return Cost(whole / length, spent[0] / length, wrong)


def _time_steps(body: EngineRobot, spent: list[float]) -> None:
    """Adds up the processor time of an engine's steps [s]."""
    engine = body.moving.engine
    step = engine.step

    def timed(*arguments: object) -> object:
        began = time.thread_time()
        after = step(*arguments)  # type: ignore[arg-type]
        spent[0] += time.thread_time() - began
        return after

    engine.step = timed  # type: ignore[assignment, method-assign]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    library = Library("library")
    print("| run | Drake | MuJoCo | of it steps | wrong hits | ratio | at most |")
    print("|---|---|---|---|---|---|---|")
    for name, on, how in CASES:
        behavior = build(name, library)
        found: dict[str, list[Cost]] = {engine: [] for engine in ENGINES}
        for _ in range(given.rounds):
            for engine in ENGINES:
                found[engine].append(cost(behavior, how, engine, given.seconds))
        drake, mujoco = (min(found[engine]) for engine in ENGINES)
        rest = mujoco.whole - mujoco.steps
        print(
            f"| {name}, {on} | {drake.whole:.3f} | {mujoco.whole:.3f} "
            f"| {mujoco.steps:.3f} | {drake.wrong}, {mujoco.wrong} "
            f"| {drake.whole / mujoco.whole:.2f} | {drake.whole / rest:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
