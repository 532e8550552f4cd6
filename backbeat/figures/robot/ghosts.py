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
SIDE = Camera((3.6, 3.6, 1.5), (0.0, 0.0, 0.9), 460, 520)
TAKE = COLORS[0]
# How much of a picture the take's color has where only the take is, and where both are.
ALONE, OVER = 0.75, 0.25
# Changes nearer to each other than this are in one picture [s]; pictures in a row.
NEAR, ACROSS = 0.1, 2
# What has a picture of its largest change: ends of names of parts; limbs have the rest.
KINDS = ("foot", "hand", "root", "root turn", "")


def ghost_figure(robot: RobotModel, changes: TakeChanges) -> Figure:
    """Pictures at the largest changes: the behavior as it is, the take in blue.

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
        rows = -(-len(chosen) // ACROSS)
        size = ACROSS * camera.width / INCH, rows * (camera.height + 40) / INCH
        figure = Figure(size, layout="constrained")
        grid = figure.subplots(rows, ACROSS, squeeze=False).ravel()
        for axes in grid[len(chosen) :]:
            axes.set_axis_off()
        for axes, change in zip(grid, chosen, strict=False):
            k = int(np.abs(t - change.time).argmin())
            show(axes, ghosts(scene, changes.q_take[k], changes.q[k], camera))
            part = f"{change.what} ({change.joint})" if change.joint else change.what
            axes.set_title(f"{part}: {_shown(change)}, at {t[k]:.2f} s")
        figure.suptitle("The take in blue, the behavior as it is")
        return figure


def ghosts(
    scene: OffscreenScene, q_take: np.ndarray, q: np.ndarray, camera: Camera
) -> np.ndarray:
    """(height, width, 3) picture, 0 to 255, of a robot at two configurations.

    Args:
        scene: that of the robot.
        q_take: (nq,) the one that is drawn in blue.
        q: (nq,) the other one; between them is the middle of the picture.
        camera: from where it is taken.
    """
    rows = np.stack([q_take, q])
    rows[:, 4:6] -= rows[:, 4:6].mean(axis=0)
    take, made = (scene.photograph(row, camera).astype(float) for row in rows)
    is_take, is_made = (scene.silhouette(row, camera) for row in rows)
    # Light and shade of the take stay in its color.
    color = np.array(to_rgb(TAKE)) * (0.35 * 255.0 + 0.65 * take.mean(2)[:, :, None])
    share = is_take * (ALONE + is_made * (OVER - ALONE))
    return np.asarray((share * color + (1 - share) * made).round(), np.uint8)


def _chosen(largest: Sequence[LargestChange]) -> list[LargestChange]:
    """The largest change of each kind of part, none at nearly one time."""
    left, chosen = list(largest), list[LargestChange]()
    for kind in KINDS:
        found = [change for change in left if change.what.endswith(kind)]
        left = [change for change in left if change not in found]
        worst = max(found, key=lambda c: c.value, default=None)
        if worst and all(abs(worst.time - c.time) > NEAR for c in chosen):
            chosen.append(worst)
    return chosen


def _shown(change: LargestChange) -> str:
    digits = 0 if change.unit == "mm" else 1
    return f"{change.value:.{digits}f} {change.unit}"


def _camera(robot: RobotModel) -> Camera:
    size = robot.leg_length / LEG or 1.0
    x, y, z = (size * p for p in SIDE.eye)
    return replace(SIDE, eye=(x, y, z), target=(0.0, 0.0, size * SIDE.target[2]))
