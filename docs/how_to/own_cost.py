"""A cost of your own in each of the three programs.

A term is a field of a class that inherits from the weights of a program: its weight,
the unit of its rows, its name, its formula and the rows. Matrices, explanations, run
files and the weight at other sizes of robots follow from it. Here they are the angular
momentum about the vertical axis in the predictive program, a level head in the
whole-body program, and a level head in the trajectory of a bow, each for three
weights; the controllers' are pushed. From the root of the checkout:

    .venv/bin/python docs/how_to/own_cost.py

The command line takes the terms of the same file:

    backbeat build bow --with docs/how_to/own_cost.py
    backbeat track stand --with docs/how_to/own_cost.py --push 0.2,10,0,0
    backbeat explain out/stand.run.parquet --at 0.4 --with docs/how_to/own_cost.py
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.specification.kinds import (
    find_specification,
    read_specification,
)
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.analysis.metrics import run_metrics
from backbeat.mpc.analysis.run_explanation import explain_run
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.plans.weights import PredictiveWeights
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.mpc.whole_body.programs.own_tasks import Instant
from backbeat.mpc.whole_body.programs.tasks import STANCE_GAINS, WholeBodyGains
from backbeat.optimization.diagnosis.costs import costs_by_name
from backbeat.optimization.interior_point.solver import InteriorPoint
from backbeat.optimization.problem.weights import TrajectoryWeights
from backbeat.optimization.terms.declared import On, Term, cost
from backbeat.optimization.transcription.transcribe import Transcription

TURNING, LEVEL, HEAD = "angular momentum about the vertical", "level head", "head"


@dataclass(frozen=True)
class Turning(PredictiveWeights):
    """The predictive program with one term more."""

    turning: float = cost(
        100.0, Term(TURNING, "dk about z", "m^2/s", lambda z: z.momentum[2:])
    )


def level_head(z: Instant) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """J, b and the desired angular acceleration of the head about x and y [rad/s^2]."""
    frame = z.robot.parts[HEAD].frame
    J, b = z.state.jacobian(frame)[:2], z.state.bias_acceleration(frame)[:2]
    x, y, _ = z.state.rotation(frame)[:, 2]
    return J, b, 100.0 * np.array([y, -x]) - 20.0 * J @ z.state.v


@dataclass(frozen=True)
class LevelHead(WholeBodyGains):
    """The whole-body program with one term more."""

    level: float = cost(
        1.0, Term(LEVEL, "w' - desired", "rad/s^2", level_head, On.INSTANT)
    )


@dataclass(frozen=True)
class LevelMotion(TrajectoryWeights):
    """The trajectory problem with one term more."""

    level: float = cost(
        100.0,
        Term(LEVEL, "z axis, x and y", "rad", lambda z: z.axis(HEAD)[:2], On.KNOT),
    )


def run(
    behavior: Behavior, weights: ControllerWeights, impulse: float
) -> SimulationRun:
    """Follows the behavior while the left hand is pushed forward at 0.2 s [N s]."""
    hand = behavior.robot_model.parts["left hand"].frame
    scenario = Scenario.of(
        behavior=behavior.name,
        lead_in=0.1,
        duration=1.0,
        pushes=[Push(0.2, 0.1, [impulse, 0.0, 0.0], hand)],
    )
    return run_scenario(scenario, behavior, weights)


def with_terms(turning: float, level: float) -> ControllerWeights:
    """The weights that ship, with both terms of the controllers."""
    stance = LevelHead(**{**vars(STANCE_GAINS), "level": level})
    return ControllerWeights(Turning(turning=turning), LevelHead(level=level), stance)


def tilt(behavior: Behavior, q: np.ndarray) -> float:
    """Largest angle of the head's axis from the vertical, over configurations [rad]."""
    robot = behavior.robot_model
    frame = robot.parts[HEAD].frame
    ups = [Configuration(robot, row).rotation(frame)[2, 2] for row in q]
    return float(np.arccos(np.clip(min(ups), -1.0, 1.0)))


def table(
    behavior: Behavior, weights: Sequence[float], impulses: Sequence[float]
) -> pd.DataFrame:
    """A row for each weight and push: what the terms do, and what they cost."""
    rows = []
    for weight in weights:
        for impulse in impulses:
            made = run(behavior, with_terms(weight, 0.01 * weight), impulse)
            planned = np.concatenate([p.deviation[1:, 8] for p in made.plans])
            states = made.x[:, : behavior.robot_model.num_positions]
            told = explain_run(made, 0.4)
            of_head = (
                [t for t in told.tick.tasks if t.name == LEVEL] if told.tick else []
            )
            missed = [float(np.abs(t.error).max()) for t in of_head]
            rows.append(
                {
                    "weight": weight,
                    "push [N s]": impulse,
                    "turning [m²/s]": np.sqrt(np.mean(planned**2)),
                    "its cost at 0.4 s": told.plan.costs[TURNING],
                    "tilt of the head [rad]": tilt(behavior, states[::10]),
                    "off its desired [rad/s²]": max(missed, default=np.nan),
                    "center of mass [mm]": run_metrics(made)["com_error_mm"]["max"],
                }
            )
    return pd.DataFrame(rows)


def motions(name: str, weights: Sequence[float]) -> pd.DataFrame:
    """A row for each weight on the level head of a trajectory."""
    path = find_specification(name)
    problem, rows = read_specification(path)[0].plan(path.parent).problem, []
    for weight in weights:
        own = LevelMotion(**{**vars(problem.weights), "level": weight})
        solution = InteriorPoint(Transcription(replace(problem, weights=own))).solve()
        frame = problem.robot.parts[HEAD].frame
        ups = [
            Configuration(problem.robot, q).rotation(frame)[2, 2] for q in solution.q
        ]
        rows.append(
            {
                "weight": weight,
                "tilt of the head [rad]": float(np.arccos(min(1.0, *ups))),
                **costs_by_name(solution),
            }
        )
    return pd.DataFrame(rows)


def main() -> None:
    """Builds the behavior, prints the tables and draws the first."""
    parser = argparse.ArgumentParser(description="Costs of your own.")
    parser.add_argument("--library", type=Path, default=Path("library"))
    parser.add_argument("--output", type=Path, default=Path("turning.png"))
    told = parser.parse_args()
    made = table(build("stand", Library(told.library)), (0, 100, 1000), (10, 20))
    print(made.to_string(index=False, float_format="{:.3g}".format))
    of_bow = motions("bow", (0, 100, 1000))
    print(of_bow.T.to_string(header=False, float_format="{:.3g}".format))
    names = ["turning [m²/s]", "tilt of the head [rad]"]
    axes = made.pivot_table(names, "weight", "push [N s]").plot(
        marker="o", subplots=True
    )
    axes[0].figure.savefig(told.output)
    print(told.output)


if __name__ == "__main__":
    main()
