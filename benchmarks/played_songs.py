"""Songs of benchmarks: written to files, and played on what a robot can know."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from backbeat.behaviors.library.behavior import Behavior
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.run import SimulationRun
from backbeat.mpc.simulation.simulate import run_scenario

# Lag of the motors [s].
LAG = 0.005


def save_song(
    name: str, score: Mapping[str, Any], folder: Path, seat: str = "none"
) -> Path:
    """Writes a score, and beside it a specification that has it played.

    Args:
        name: of both.
        score: as in a YAML file.
        folder: where to.
        seat: "none" or "chair".

    Returns:
        The specification's path.
    """
    (folder / "scores").mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(dict(score), sort_keys=False)
    (folder / "scores" / f"{name}.yaml").write_text(text)
    song = {"kind": "drumming", "name": name, "score": name, "seat": seat}
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(song, sort_keys=False))
    return path


def play_on_sensors(
    behavior: Behavior, joint_friction: float = 0.0, seed: int = 0
) -> SimulationRun:
    """Plays a motion whole: noisy and late sensors, an estimator, motors with a lag.

    Args:
        behavior: what to play.
        joint_friction: Coulomb friction, as a share of effort limits.
        seed: of the noise.
    """
    scenario = Scenario.of(
        behavior.name,
        state="estimated",
        actuator_lag=LAG,
        joint_friction=joint_friction,
        seed=seed,
    )
    return run_scenario(scenario, behavior)
