"""TaskChanges: what an event may change in a run in task space."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.task_space.settings import TASK_SETTINGS

# How far a target may be moved along an axis [m], and the most of other numbers.
MOST = {
    "noise_angle": 1.0,
    "noise_rate": 10.0,
    "period": 0.1,
    "pelvis_amplitude": 0.5,
    "pelvis_rate": 50.0,
}
FARTHEST_TARGET = 2.0


@dataclass(kw_only=True)
class TaskChanges:
    """New values of settings in task space; what is not given stays as it is."""

    # Where the target glides, from where it would be, in world axes [m].
    target: list[float] | None = None
    # Standard deviations of sampled angles [rad] and rates [rad/s]; state: sampled.
    noise_angle: float | None = None
    noise_rate: float | None = None
    # Time between samples that the controller acts on [s].
    period: float | None = None
    # Whether the hand is sensed, and what of the law is switched on.
    hand_sensing: bool | None = None
    task: bool | None = None
    gravity_compensation: bool | None = None
    # A sway of the pelvis [m, rad/s], and whether its acceleration is fed forward.
    pelvis_amplitude: float | None = None
    pelvis_rate: float | None = None
    pelvis_feedforward: bool | None = None

    def check_task(self) -> None:
        """Raises BackbeatError where the numbers make no sense."""
        for name, most in MOST.items():
            value = getattr(self, name)
            if value is not None and not 0 <= value <= most:
                raise BackbeatError(
                    f"scenario: {name} of an event is {value}; it must be from 0 to "
                    f"{most:g}"
                )
        if self.target is not None:
            at = np.array(self.target)
            if at.shape != (3,) or not (np.abs(at) <= FARTHEST_TARGET).all():
                raise BackbeatError(
                    "scenario: target of an event is x, y, z within "
                    f"{FARTHEST_TARGET:g} m"
                )

    def task_values(self) -> dict[str, Any]:
        """What changes, as fields of `TaskSettings`."""
        given = {n: getattr(self, n) for n in TASK_SETTINGS}
        told = {n: value for n, value in given.items() if value is not None}
        if self.target is not None:
            told["target"] = tuple(self.target)
        return told


# Those of a base that sways, and those that no other run has.
OF_BASE = ("pelvis_amplitude", "pelvis_rate", "pelvis_feedforward")
OF_TASK_SPACE = tuple(field.name for field in fields(TaskChanges))
# All those that a run in task space has.
IN_TASK_SPACE = (*OF_TASK_SPACE, "posture", "noise_scale")
TASK_SWITCHES = ("hand_sensing", "task", "gravity_compensation", "pelvis_feedforward")
