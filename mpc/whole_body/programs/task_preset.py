"""TaskPreset: named weights and gains of a whole-body program made of tasks.

A preset is a YAML file beside this module. Stiffnesses are in 1/s^2, dampings in 1/s;
one number holds for all axes, three are along x, y and z.
"""

from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.yaml_file import load_yaml

FOLDER = Path(__file__).parents[1] / "presets"


@dataclass
class TaskGains:
    """Weight of a task, and the gains of its desired value."""

    # On its squared error; 0 leaves the task out.
    weight: float = 0.0
    # Of an error of rotation, and of place or joint angle.
    angular: list[float] = field(default_factory=lambda: [0.0])
    linear: list[float] = field(default_factory=lambda: [0.0])
    # Empty for critical damping.
    angular_damping: list[float] = field(default_factory=list)
    linear_damping: list[float] = field(default_factory=list)

    def rotation(self) -> tuple[np.ndarray, np.ndarray]:
        """(3,) stiffness and damping of rotations."""
        return _axes(self.angular, self.angular_damping)

    def translation(self) -> tuple[np.ndarray, np.ndarray]:
        """(3,) stiffness and damping of places, or of joints."""
        return _axes(self.linear, self.linear_damping)


@dataclass
class TaskPreset:
    """Weights and gains by task."""

    summary: str = ""
    stance: TaskGains = field(default_factory=TaskGains)
    swing: TaskGains = field(default_factory=TaskGains)
    momentum: TaskGains = field(default_factory=TaskGains)
    pelvis: TaskGains = field(default_factory=TaskGains)
    joints: TaskGains = field(default_factory=TaskGains)
    # On the difference of contact wrenches from the plan's [1/weights^2].
    sharing: float = 1.0


def _axes(
    stiffness: list[float], damping: list[float]
) -> tuple[np.ndarray, np.ndarray]:
    kp = np.broadcast_to(np.asarray(stiffness, float), 3)
    if not damping:
        return kp, 2 * np.sqrt(kp)
    return kp, np.broadcast_to(np.asarray(damping, float), 3)


def preset_names() -> list[str]:
    """Presets that there are."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def load_preset(name: str) -> TaskPreset:
    """The preset of a name.

    Raises:
        BackbeatError: there is none, or its numbers make no sense.
    """
    if name not in preset_names():
        raise unknown_name("preset of tasks", name, preset_names())
    preset = load_yaml(TaskPreset, FOLDER / f"{name}.yaml")
    for task in ("stance", "swing", "momentum", "pelvis", "joints"):
        gains: TaskGains = getattr(preset, task)
        lists = (gains.angular, gains.linear)
        dampings = (gains.angular_damping, gains.linear_damping)
        sized = all(len(x) in (1, 3) for x in lists)
        sized &= all(len(x) in (0, 1, 3) for x in dampings)
        numbers = [gains.weight, *chain(*lists, *dampings)]
        if not sized or not all(np.isfinite(x) and x >= 0 for x in numbers):
            raise BackbeatError(
                f"preset {name}: {task} needs a weight and gains >= 0, one for all "
                "axes or three"
            )
    if not preset.sharing > 0:
        raise BackbeatError(f"preset {name}: sharing must be > 0")
    return preset
