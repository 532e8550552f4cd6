"""Ghosts: the robot of a take and that of a behavior in one picture."""

from collections.abc import Sequence
from dataclasses import replace

import matplotlib as mpl
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from backbeat.behaviors.recording.take_changes import LargestChange, TakeChanges
from backbeat.figures.drawing.canvas import INCH, show
from backbeat.figures.drawing.picture import Camera, OffscreenScene
from backbeat.models.robot.model import RobotModel
from backbeat.mpc.reference.scale import LEG
from backbeat.report.plots.style import COLORS, STYLE

# Of a robot with the legs of Atlas; others are seen from as near as they are small.
SIDE = Camera((3.8, 3.8, 1.5), (0.0, 0.0, 0.9), 460, 560)
TAKE = COLORS[1]
# How much of a picture the take's color has where only the take is, and where both are.
ALONE, OVER = 0.6, 0.3
# A pixel that differs by more than this is not the floor's, 0 to 255.
DIFFERS = 12
# Changes nearer to each other than this are in one picture [s]; pictures at most.
NEAR, MOST = 0.1, 4
# Where a robot is that is not in the picture [m].
AWAY = 1e3


def ghost_figure(robot: RobotModel, changes: TakeChanges) -> Figure:
    """Pictures at the largest changes: the behavior as it is, the take in orange.

    Args:
        robot: whose motion both are.
        changes: from the take to the behavior.

    Raises:
        BackbeatError: this machine cannot render.
    """
    scene, chosen = OffscreenScene(robot), _chosen(changes.largest)
    camera = _camera(robot)
    t = changes.table["t"].to_numpy()
    with mpl.rc_context(STYLE):
        size = len(chosen) * camera.width / INCH, (camera.height + 50) / INCH
        figure = Figure(size, layout="constrained")
        grid = figure.subplots(1, len(chosen), squeeze=False)[0]
        for axes, change in zip(grid, chosen, strict=True):
            k = int(np.abs(t - change.time).argmin())
            show(axes, ghosts(scene, changes.q_take[k], changes.q[k], camera))
            part = f"{change.what} ({change.joint})" if change.joint else change.what
            axes.set_title(f"{part}\n{change.value:.0f} {change.unit}, {t[k]:.2f} s")
        figure.suptitle("The take in orange, the behavior as it is")
        return figure


def ghosts(
    scene: OffscreenScene, q_take: np.ndarray, q: np.ndarray, camera: Camera
) -> np.ndarray:
    """(height, width, 3) picture, 0 to 255, of a robot at two configurations.

    Args:
        scene: that of the robot.
        q_take: (nq,) the one that is drawn in orange.
        q: (nq,) the other one; between them is the middle of the picture.
        camera: from where it is taken.
    """
    rows, gone = np.stack([q_take, q]), q.copy()
    rows[:, 4:6] -= rows[:, 4:6].mean(axis=0)
    gone[4] += AWAY
    floor, take, made = (
        scene.photograph(row, camera).astype(float) for row in (gone, *rows)
    )
    is_take, is_made = (
        (np.abs(picture - floor).max(axis=2) > DIFFERS)[:, :, None]
        for picture in (take, made)
    )
    # Light and shade of the take stay in its color.
    color = np.array(to_rgb(TAKE)) * (0.35 * 255.0 + 0.65 * take.mean(2)[:, :, None])
    share = np.where(is_take, np.where(is_made, OVER, ALONE), 0.0)
    return np.asarray((share * color + (1 - share) * made).round(), np.uint8)


def _chosen(largest: Sequence[LargestChange]) -> list[LargestChange]:
    """Changes to show: the largest distances, then angles, none at nearly one time."""
    order = sorted(largest, key=lambda c: (c.unit != "mm", -c.value))
    chosen: list[LargestChange] = []
    for change in order:
        if all(abs(change.time - other.time) > NEAR for other in chosen):
            chosen.append(change)
    return chosen[:MOST]


def _camera(robot: RobotModel) -> Camera:
    size = robot.leg_length / LEG or 1.0
    x, y, z = (size * p for p in SIDE.eye)
    return replace(SIDE, eye=(x, y, z), target=(0.0, 0.0, size * SIDE.target[2]))
