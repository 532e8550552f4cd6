"""A cost of your own in the predictive program.

A term is a field of a class that inherits from `PredictiveWeights`: its weight, the
unit of its rows, its name, its formula and the rows. Matrices, explanations, run files
and the weight at other sizes of robots follow from it. Here it is the angular momentum
about the vertical axis, for three weights and two pushes at the left hand. From the
root of the checkout:

    .venv/bin/python docs/own_cost.py
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.analysis.run_explanation import explain_run
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.scenario.parts.push import Push
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.optimization.terms.declared import Term, cost

TERM = "angular momentum about the vertical"


@dataclass(frozen=True)
class Turning(PredictiveWeights):
    """The predictive program with one term more."""

    turning: float = cost(
        100.0, Term(TERM, "dk about z", "m^2/s", lambda z: z.momentum[2:])
    )


def run(behavior: Behavior, weight: float, impulse: float) -> SimulationRun:
    """Follows the behavior while the left hand is pushed forward at 0.2 s [N s]."""
    hand = behavior.robot_model.parts["left hand"].frame
    scenario = Scenario.of(
        behavior=behavior.name,
        lead_in=0.1,
        duration=1.0,
        pushes=[Push(0.2, 0.1, [impulse, 0.0, 0.0], hand)],
    )
    return run_scenario(scenario, behavior, Turning(turning=weight))


def table(
    behavior: Behavior, weights: Sequence[float], impulses: Sequence[float]
) -> pd.DataFrame:
    """A row for each weight and push: what the term does, and what it costs."""
    rows = []
    for weight in weights:
        for impulse in impulses:
            made = run(behavior, weight, impulse)
            planned = np.concatenate([p.deviation[1:, 8] for p in made.plans])
            rows.append(
                {
                    "weight": weight,
                    "push [N s]": impulse,
                    "turning [m²/s]": np.sqrt(np.mean(planned**2)),
                    "its cost at 0.4 s": explain_run(made, 0.4).plan.costs[TERM],
                    "center of mass [mm]": run_metrics(made)["com_error_mm"]["max"],
                }
            )
    return pd.DataFrame(rows)


def main() -> None:
    """Builds the behavior, prints the table and draws it."""
    parser = argparse.ArgumentParser(description="Weights on the turning of Atlas.")
    parser.add_argument("--library", type=Path, default=Path("library"))
    parser.add_argument("--output", type=Path, default=Path("turning.png"))
    told = parser.parse_args()
    made = table(build("stand", Library(told.library)), (0, 100, 1000), (10, 20))
    print(made.to_string(index=False, float_format="{:.3g}".format))
    axes = made.pivot_table("turning [m²/s]", "weight", "push [N s]").plot(marker="o")
    axes.set_ylabel("turning [m²/s], RMS over all plans")
    axes.figure.savefig(told.output)
    print(told.output)


if __name__ == "__main__":
    main()
