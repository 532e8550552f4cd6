"""What may be done to a hand after its target, as pages offer and send it."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from backbeat.stage.web.panel import FARTHEST_DRAGGED, Slider, Toggle

# How far sliders move a target from where the hand begins, along each axis [m].
FARTHEST = 0.3
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
    Toggle("gravity_compensation", "gravity", "compensate gravity (1)"),
    Toggle("posture", "posture", "return to the posture, at lower priority (2)"),
    Toggle("task", "task", "follow the target with the hand (3)"),
    Toggle(
        "hand_sensing",
        "sense hand",
        "measure the hand, or compute it from the model (4)",
    ),
    Toggle(
        "pelvis_feedforward", "feedforward", "use the acceleration of the pelvis (5)"
    ),
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
