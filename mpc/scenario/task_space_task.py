"""TaskSpaceTask: a hand that follows a target, of a robot that does nothing else."""

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.scenario.base_motion import BaseMotion
from backbeat.mpc.scenario.target_motion import TargetMotion
from backbeat.mpc.task_space.law import TaskSpaceSettings

# Length of a run for which none is given [s].
DURATION = 4.0


@dataclass
class TaskSpaceTask:
    """What the hand follows, how, and what stands in the way.

    An arm is bolted to the ground. A robot with legs has them held and its pelvis
    moved; or its feet are welded to the ground, and its legs move the pelvis.
    """

    # Frame that is the hand; "" for what the robot's YAML says (`task_space`).
    hand: str = ""
    # Posture at the start, "" for that of its YAML, and the desired one below the
    # hand, "" for that at the start.
    start: str = ""
    posture: str = ""
    # Posture whose legs it has; "" for that at the start, or `ready` on welded feet.
    legs: str = ""
    # What the hand follows, from where it begins.
    target: TargetMotion = field(default_factory=TargetMotion)
    # Gains and switches of the law.
    control: TaskSpaceSettings = field(default_factory=TaskSpaceSettings)
    # Whether the hand is sensed besides the joints.
    hand_sensing: bool = False
    # What the motors can do, as a share of the effort limits; the law has the same.
    effort_share: float = 1.0
    # What the pelvis does; only for a robot whose base is free.
    base: BaseMotion = field(default_factory=BaseMotion)

    def check(self) -> None:
        """Raises BackbeatError where the numbers make no sense."""
        self.control.check()
        self.target.check()
        self.base.check()
        if not (np.isfinite(self.effort_share) and self.effort_share > 0.0):
            raise BackbeatError(
                f"scenario: task_space.effort_share is {self.effort_share}; it must be "
                "> 0"
            )


# Keys at the top of a file that earlier versions had for task space alone, and those
# that have another name now.
_OWN = tuple(field.name for field in fields(TaskSpaceTask))
_OTHER = ("period", "delay", "noise", "mass_scale")
EARLIER_KEYS = frozenset({*_OTHER, "robot", "duration", "time_step", "seed"})
_NOISE = {"angle": "position", "rate": "velocity", "hand": "hand"}


def is_earlier_form(tree: dict[Any, Any]) -> bool:
    """Whether a file has the keys of a scenario in task space at its top."""
    noise = tree.get("noise")
    names = {*tree, *(noise if isinstance(noise, dict) else ())}
    is_own = bool(names & {*_OWN, "period", "delay", "mass_scale", "angle", "rate"})
    return is_own and not tree.keys() & {"behavior", "task_space"}


def current_form(tree: dict[Any, Any]) -> dict[Any, Any]:
    """The same scenario as this version writes it.

    Args:
        tree: plain data for which `is_earlier_form`.
    """
    left = {k: v for k, v in tree.items() if k not in (*_OWN, *_OTHER)}
    found: dict[Any, Any] = {"robot": "ur10", "lead_in": 0.0, "lead_out": 0.0, **left}
    found.setdefault("duration", DURATION)
    found["tick_period"] = tree.get("period", 0.001)
    if "mass_scale" in tree:
        found["world"] = {"mass_scale": tree["mass_scale"]}
    noise = tree.get("noise") or {}
    if noise or "delay" in tree:
        none = {"position": 0.0, "velocity": 0.0}
        told = {_NOISE.get(k, k): v for k, v in noise.items()}
        found |= {"state": "sampled", "noise": none | told}
        found["sensing_delay"] = tree.get("delay", 0.0)
    found["task_space"] = {k: tree[k] for k in _OWN if k in tree}
    return found
