"""TaskSpaceScenario: one run of a hand that follows a target, as typed YAML."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.schema import check_values
from backbeat.models.common.yaml_file import load_yaml
from backbeat.models.world.scene import CONTACT_MODELS, CONTINUOUS
from backbeat.mpc.scenario.base_motion import BaseMotion
from backbeat.mpc.scenario.target_motion import TargetMotion
from backbeat.mpc.scenario.task_sensing import TaskNoise
from backbeat.mpc.task_space.law import LIMITS, TaskSpaceSettings


@dataclass
class TaskSpaceScenario:
    """A robot, what its hand follows, and what stands in the way.

    Every field has a default; YAML only overrides.
    """

    # Robot, and the frame that is its hand; "" for what its YAML says (`task_space`).
    robot: str = "ur10"
    hand: str = ""
    # Posture at the start, "" for that of its YAML, and the desired one below the
    # hand, "" for that at the start.
    start: str = ""
    posture: str = ""
    # Posture whose legs it has; "" for that at the start, or `ready` on welded feet.
    legs: str = ""
    # Time simulated [s], plant step [s] and Drake's contact approximation.
    duration: float = 4.0
    time_step: float = 0.001
    contact_model: str = "lagged"
    # Time between samples, the only inputs of the controller [s], and their delay [s].
    period: float = 0.001
    delay: float = 0.0
    noise: TaskNoise = field(default_factory=TaskNoise)
    # Whether the hand is sensed besides the joints.
    hand_sensing: bool = False
    # What the controller does, and the motors can: a share of the effort limits.
    control: TaskSpaceSettings = field(default_factory=TaskSpaceSettings)
    effort_share: float = 1.0
    target: TargetMotion = field(default_factory=TargetMotion)
    # What the pelvis does; only for a robot whose base is free.
    base: BaseMotion = field(default_factory=BaseMotion)
    # Masses of the simulated robot, which the controller's model does not have: a
    # factor.
    mass_scale: float = 1.0
    seed: int = 0

    def check(self) -> None:
        """Checks what the schema cannot.

        Raises:
            BackbeatError: a value makes no sense.
        """
        models = (*CONTACT_MODELS, CONTINUOUS)
        if self.contact_model not in models:
            raise unknown_name("contact model", self.contact_model, models)
        if self.control.limits not in LIMITS:
            raise unknown_name("way at limits", self.control.limits, LIMITS)
        positive = {
            "duration": self.duration,
            "time_step": self.time_step,
            "period": self.period,
            "effort_share": self.effort_share,
            "mass_scale": self.mass_scale,
        }
        for name, value in positive.items():
            if not (np.isfinite(value) and value > 0.0):
                raise BackbeatError(f"{name} has to be positive, not {value}")
        noise = (self.noise.angle, self.noise.rate, self.noise.hand)
        if not (
            np.isfinite([self.delay, *noise]).all() and min(self.delay, *noise) >= 0
        ):
            raise BackbeatError("a delay has to be 0 or more, and so has noise")
        for name, whole, part in (
            ("period", self.period, self.time_step),
            ("delay", self.delay, self.period),
        ):
            if abs(whole / part - round(whole / part)) > 1e-6:
                other = "time_step" if name == "period" else "period"
                raise BackbeatError(
                    f"{name} has to be a multiple of {other}: {whole:g} s is none of "
                    f"{part:g} s"
                )
        check_values(self, "the scenario")
        self.base.check()


def load_task_space_scenario(path: str | Path) -> TaskSpaceScenario:
    """Reads and checks a scenario.

    Raises:
        BackbeatError: the file does not fit, or a value makes no sense.
    """
    scenario = load_yaml(TaskSpaceScenario, path)
    scenario.check()
    return scenario
