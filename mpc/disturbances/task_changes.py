"""TaskChanges: what an event may change in a run in task space."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import key
from backbeat.mpc.task_space.settings import TASK_SETTINGS

# How far a target may be moved along an axis [m].
FARTHEST_TARGET = 2.0


@dataclass(kw_only=True)
class TaskChanges:
    """New values of settings in task space; what is not given stays as it is."""

    target: list[float] | None = key(None, "m", length=3)
    """Displacement of the target from its own motion, along the world's axes; it glides
    there."""
    noise_angle: float | None = key(None, "rad", ge=0, le=1.0)
    """Standard deviation of sampled joint angles [rad]; with `state: sampled`."""
    noise_rate: float | None = key(None, "rad/s", ge=0, le=10.0)
    """The same of joint rates."""
    period: float | None = key(None, "s", ge=0, le=0.1)
    """Time between the samples that the controller acts on, `tick_period` or more."""
    hand_sensing: bool | None = key(None)
    """Whether the hand is sensed."""
    task: bool | None = key(None)
    """Whether the hand follows the target."""
    gravity_compensation: bool | None = key(None)
    """Whether the control law compensates gravity."""
    pelvis_amplitude: float | None = key(None, "m", ge=0, le=0.5)
    """Amplitude of a sway of the pelvis along the axes of `base`."""
    pelvis_rate: float | None = key(None, "rad/s", ge=0, le=50.0)
    """Its angular rate."""
    pelvis_feedforward: bool | None = key(None)
    """Whether the controller gets the acceleration of the pelvis."""

    def check_task(self) -> None:
        """Refuses a target that is too far away.

        Raises:
            BackbeatError: so it is.
        """
        if self.target is not None and np.abs(self.target).max() > FARTHEST_TARGET:
            raise BackbeatError(
                f"scenario: target of an event is x, y, z within {FARTHEST_TARGET:g} m"
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
