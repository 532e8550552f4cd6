"""What may be done to a hand after its target, as pages offer and send it."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from backbeat.models.common.errors import BackbeatError
from backbeat.stage.web.commands import Reader, nothing, number, one_of, switch
from backbeat.stage.web.panel import Slider, Toggle

# How far a target goes from where the hand begins, along each axis [m]: by sliders, and
# by keys and when it is dragged, which is beyond what a hand can reach.
FARTHEST, FARTHEST_DRAGGED = 0.3, 0.8
# Folder of the target in Meshcat's tree.
TARGET = "/target"
PELVIS = "pelvis"

SLIDERS = {
    "sensing": (
        Slider(
            "noise_angle",
            "angle noise",
            "mrad",
            0.0,
            0.02,
            0.001,
            "standard deviation of every sensed angle",
            scale=1e3,
        ),
        Slider(
            "noise_rate",
            "rate noise",
            "rad/s",
            0.0,
            0.2,
            0.01,
            "standard deviation of every sensed rate",
        ),
        Slider(
            "period",
            "sampling period",
            "ms",
            0.001,
            0.04,
            0.001,
            "time between samples, which are held",
            scale=1e3,
        ),
    ),
    PELVIS: (
        Slider(
            "pelvis_amplitude",
            "up and down",
            "m",
            0.0,
            0.1,
            0.01,
            "how far the pelvis is moved",
        ),
        Slider(
            "pelvis_rate",
            "rate",
            "rad/s",
            0.5,
            6.0,
            0.5,
            "of the pelvis' sway",
        ),
    ),
}
TOGGLES = (
    Toggle("gravity_compensation", "gravity", "make up for gravity (1)"),
    Toggle("posture", "posture", "come back to the posture, below the task (2)"),
    Toggle("task", "task", "follow the target with the hand (3)"),
    Toggle("hand_sensing", "sense hand", "sense where the hand is, or model it (4)"),
    Toggle("pelvis_feedforward", "feedforward", "know how the pelvis accelerates (5)"),
)


def task_offers(has_pelvis: bool, hand_start: Sequence[float]) -> dict[str, Any]:
    """What the page builds its panel from.

    Args:
        has_pelvis: whether the robot's pelvis moves.
        hand_start: (3,) where the hand begins, world axes [m].
    """
    return {
        "farthest": FARTHEST,
        "drag": {
            "path": TARGET,
            "start": [float(x) for x in hand_start],
            "farthest": FARTHEST_DRAGGED,
        },
        "toggles": [
            asdict(t) for t in TOGGLES if has_pelvis or not t.name.startswith(PELVIS)
        ],
        "sliders": {
            title: [asdict(s) for s in rows]
            for title, rows in SLIDERS.items()
            if has_pelvis or title != PELVIS
        },
    }


def _target(value: Any) -> tuple[float, ...]:
    if not isinstance(value, list) or len(value) != 3:
        raise BackbeatError("x, y and z")
    read = number(-FARTHEST_DRAGGED, FARTHEST_DRAGGED)
    return tuple(read(x) for x in value)


_READERS: dict[str, Reader] = {
    "target": _target,
    **{s.name: number(s.low, s.high) for rows in SLIDERS.values() for s in rows},
    **{toggle.name: switch for toggle in TOGGLES},
}


def task_setting(value: Any) -> tuple[str, Any]:
    """Reads {"name": SETTING, "to": VALUE}, the value within its slider's range."""
    if not isinstance(value, dict) or set(value) != {"name", "to"}:
        raise BackbeatError("an object with name and to")
    name = one_of(_READERS)(value["name"])
    return name, _READERS[name](value["to"])


TASK_COMMANDS: dict[str, Reader] = {
    "set": task_setting,
    "play": switch,
    "reset": nothing,
}
