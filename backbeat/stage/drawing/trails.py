"""Stick-tip trails, colored by speed: ribbons in a recording, rods when live."""

from typing import Any

import numpy as np

from backbeat.stage.frames.frame import PlaybackSource, frame_times
from backbeat.stage.frames.keyframes import Track, thinned

# Folder in Meshcat's tree.
TRAILS = "/stick trails"
# Samples a second; a stroke's tip turns round within a few milliseconds.
SAMPLE_RATE = 200.0
# Speed that gets the hottest color, when no stick is faster [m/s].
LEAST_FASTEST = 1.0


def tip_names(source: PlaybackSource) -> list[str]:
    """Point contacts that the robot carries: the tips of its sticks."""
    return list(source.behavior.robot_model.tips)


def ribbons(source: PlaybackSource) -> tuple[list[dict[str, Any]], float]:
    """Path of every stick tip over a source, as the overlay draws it.

    Returns:
        For each tip its path in Meshcat's tree, times [s], points [m] in a row
        and speeds [m/s]; and the speed that gets the hottest color.
    """
    names = tip_names(source)
    if not names:
        return [], LEAST_FASTEST
    times = frame_times(source, SAMPLE_RATE)
    points = np.zeros((len(times), len(names), 3))
    for i, t in enumerate(times):
        state = source.frame_at(t).state
        points[i] = [state.pose(name).translation() for name in names]
    speeds = np.linalg.norm(np.gradient(points, times, axis=0), axis=2)
    found = []
    for k, name in enumerate(names):
        every = Track(name, "position", np.arange(len(times)), points[:, k])
        kept = thinned(every, times).frames
        found.append(
            {
                "path": f"{TRAILS}/{name}",
                "times": np.round(times[kept], 4).tolist(),
                "points": np.round(points[kept, k], 4).ravel().tolist(),
                "speeds": np.round(speeds[kept, k], 2).tolist(),
            }
        )
    fastest = float(np.percentile(speeds, 98))
    return found, max(round(fastest, 1), LEAST_FASTEST)
