"""Weights files: YAML with the numbers of the controllers, for a purpose each."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backbeat.behaviors.motion.objectives import MotionWeights
from backbeat.models.common.errors import BackbeatError, located, unknown_name
from backbeat.models.common.outside_file import is_file
from backbeat.models.common.schema import key
from backbeat.models.common.yaml_file import load_yaml
from backbeat.mpc.weights.changes import RecoveryChanges, WeightChanges
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.optimization.terms.changes import given
from backbeat.optimization.terms.documents import yaml_lines

FOLDER = Path(__file__).parent


@dataclass
class WeightsFile(WeightChanges):
    """What a weights file has; what it leaves out is as it ships."""

    summary: str = key("")
    """One sentence about what they are for."""
    recovery: RecoveryChanges = key(RecoveryChanges)  # type: ignore[valid-type]
    """When and how to step."""


def shipped_weights() -> list[str]:
    """Names of the weights files that come with Backbeat."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def load_weights(name: str | Path) -> dict[str, Any]:
    """What a weights file gives, by section and key, checked.

    Args:
        name: path of a YAML file, or the name of one that ships.

    Raises:
        BackbeatError: there is none, it cannot be read, or its values make no sense.
    """
    path = Path(name)
    if not is_file(path) and path.suffix not in (".yaml", ".yml"):
        if str(name) not in shipped_weights():
            raise unknown_name("weights file", name, shipped_weights())
        path = FOLDER / f"{name}.yaml"
    with located(file=path):
        told = given(load_yaml(WeightsFile, path))
        told.pop("summary", None)
        # Which terms are the user's own is known with their file.
        of_ours = {name: told[name] for name in told if name != "own"}
        ControllerWeights().changed(of_ours, str(path))
        MotionWeights().changed(told.get("trajectory", {})).check(str(path))
    return told


def trajectory_weights(name: str | Path) -> dict[str, float]:
    """The weights of trajectories that a file has, by key, as builds take them.

    Raises:
        BackbeatError: as `load_weights`, or it has none.
    """
    told: dict[str, float] = load_weights(name).get("trajectory", {})
    if not told:
        raise BackbeatError(
            f"{name} has no section trajectory, the only one that a build takes; the "
            "others are of controllers: `backbeat track NAME --weights FILE.yaml`"
        )
    return told


def weights_text(weights: ControllerWeights, summary: str) -> str:
    """A weights file with all numbers, each under its unit and what it is."""
    lines = [f"summary: {summary}"]
    for section, numbers in vars(weights).items():
        lines += [f"{section}:", *yaml_lines(numbers)]
    return "\n".join(lines) + "\n"
