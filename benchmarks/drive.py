"""Driving: random commands, and pushes, on sensors; what falls and what speed is held.

python -m benchmarks.drive --robot g1 --engine mujoco --seeds 20 --push 0.35
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.specification.kinds import Variant
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario

NAME = "step-in-place"
# Largest commands [m/s, m/s, rad/s], and the time between two, and between pushes [s].
MOST, EVERY = np.array([0.5, 0.3, 0.5]), 5.0


def scenario_of(
    behavior: Behavior, engine: str, seed: int, change: float, duration: float
) -> Scenario:
    """Random commands, and pushes that change the speed by so much [m/s]."""
    rng = np.random.default_rng(seed)
    times = np.arange(0.5, duration - 1.0, EVERY)
    drive = [[float(t), *rng.uniform(-MOST, MOST).tolist()] for t in times]
    pushes, size = [], change * behavior.robot_model.total_mass
    for t in np.arange(EVERY, duration - 1.0, EVERY) if change else ():
        angle = rng.uniform(0, 2 * np.pi)
        impulse = [size * np.cos(angle), size * np.sin(angle), 0.0]
        pushes.append(Push(float(t), 0.1, impulse))
    return Scenario.of(
        NAME,
        drive=drive,
        pushes=pushes,
        duration=duration,
        state="estimated",
        engine=engine,
        seed=seed,
    )


def main() -> None:
    """Runs all seeds, and prints a line for each and one for all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robot", default="atlas")
    parser.add_argument("--engine", default="mujoco", choices=("drake", "mujoco"))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--push", type=float, default=0.0)
    parser.add_argument("--duration", type=float, default=60.0)
    parser.add_argument("--library", type=Path, default=Path("out/drive"))
    told = parser.parse_args()
    variant = Variant(robot=told.robot)
    behavior = build(NAME, Library(told.library), variant=variant)
    stood, pairs = 0, []
    for seed in range(told.first, told.first + told.seeds):
        scenario = scenario_of(behavior, told.engine, seed, told.push, told.duration)
        metrics = run_metrics(run_scenario(scenario, behavior))
        drive: Any = metrics["drive"]
        line = {"seed": seed, "fell_at_s": metrics["fell_at_s"]}
        line |= {n: drive[n] for n in ("steps", "share_held")}
        print(json.dumps(line), flush=True)
        stood += not metrics["fell"]
        pairs += [
            (c["held"], c["achieved"]) for c in drive["commands"] if c["achieved"]
        ]
    held, achieved = np.array(pairs).swapaxes(0, 1)
    share = (held * achieved).sum(0) / (held**2).sum(0)
    print(f"{stood} of {told.seeds} without a fall; speed held {share.round(3)}")


if __name__ == "__main__":
    main()
