"""A motion in one small picture: the robot at a few times, from left to right."""

import io
from dataclasses import replace

import numpy as np
from PIL import Image

from backbeat.figures.drawing.picture import Camera, OffscreenScene
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.reference.scale import LEG

# Of a robot with the legs of Atlas; others are seen from as near as they are small.
VIEW = Camera((3.9, 2.2, 1.5), (0.0, 0.0, 0.9), 96, 144)
POSES = 5
QUALITY = 80


def motion_strip(scene: OffscreenScene, robot: RobotModel, q: np.ndarray) -> bytes:
    """A JPEG file with the poses of a motion beside each other.

    Args:
        scene: that of the robot.
        robot: whose motion it is.
        q: (n, nq) configurations, evenly in time; each pose is in the middle.

    Raises:
        BackbeatError: this machine cannot render.
    """
    camera = _camera(robot)
    rows = q[np.linspace(0, len(q) - 1, POSES).astype(int)].copy()
    if robot.floating:
        rows[:, 4:6] = 0.0
    strip = np.hstack([scene.photograph(row, camera) for row in rows])
    out = io.BytesIO()
    Image.fromarray(strip).save(out, "JPEG", quality=QUALITY, optimize=True)
    return out.getvalue()


def _camera(robot: RobotModel) -> Camera:
    size = robot.leg_length / LEG or 1.0
    x, y, z = (size * p for p in VIEW.eye)
    return replace(VIEW, eye=(x, y, z), target=(0.0, 0.0, size * VIEW.target[2]))
