"""TaskSpaceTask: a hand that follows a target, of a robot that does nothing else."""

from dataclasses import dataclass, fields
from typing import Any

from backbeat.models.common.schema import key
from backbeat.mpc.scenario.base_motion import BaseMotion
from backbeat.mpc.scenario.target_motion import TargetMotion
from backbeat.mpc.task_space.law import TaskSpaceSettings

# Length of a run for which none is given [s].
DURATION = 4.0


@dataclass
class TaskSpaceTask:
    """What the hand follows, by which law, and how the base moves.

    An arm is bolted to the ground. A robot with legs has them held and its pelvis
    moved; or its feet are welded to the ground, and its legs move the pelvis.
    """

    hand: str = key("")
    """Frame that follows the target; empty for that of the robot's YAML."""
    start: str = key("")
    """Posture at the start; empty for that of the robot's YAML."""
    posture: str = key("")
    """Desired posture below the hand; empty for that at the start."""
    legs: str = key("")
    """Posture of held legs; empty for that at the start, or `ready` where feet are
    welded."""
    target: TargetMotion = key(TargetMotion)
    """Target that the hand follows, see above."""
    control: TaskSpaceSettings = key(TaskSpaceSettings)
    """Gains and switches of the control law, see below."""
    hand_sensing: bool = key(False)
    """Whether the hand is sensed besides the joints."""
    effort_share: float = key(1.0, gt=0)
    """Effort of the motors, as a share of their limits."""
    base: BaseMotion = key(BaseMotion)
    """Motion of the pelvis of a robot with legs, see below."""

    def check(self) -> None:
        """Raises BackbeatError where the numbers make no sense."""
        self.base.check()


# Keys at the top of a file that earlier versions had for task space alone, and those
# that have another name now.
_OWN = tuple(field.name for field in fields(TaskSpaceTask))
_OTHER = ("period", "delay", "noise", "mass_scale")
EARLIER_KEYS = frozenset({*_OWN, *_OTHER})
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
