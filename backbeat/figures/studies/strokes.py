"""Strokes: the parabola from drum to drum, and what a plan makes of it."""

from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from backbeat.behaviors.kinematic.segments import Segment, apex
from backbeat.behaviors.music.notation.score import HANDS
from backbeat.figures.drawing.canvas import drum_camera, picture_axes
from backbeat.figures.drawing.picture import OffscreenScene
from backbeat.figures.drawing.sources import Sources
from backbeat.report.plots.style import COLORS, STYLE, WIDTH

SAMPLES = 101
DRAWN = "drawn: straight in x and y, a parabola in z"
# Length of the trail [s], and of the picture's moment from its end.
TRAIL = 4.0


@dataclass(frozen=True)
class DrawnStroke:
    """One way from drum to drum.

    Attributes:
        hand: "left" or "right".
        segment: the Goto of the kinematic player.
        t: (n,) times from its start [s].
        drawn: (n, 3) tip on the segment [m].
        planned: (n, 3) tip of the optimized plan at the same times, moved to where
            the kit of the kinematic player stands [m].
    """

    hand: str
    segment: Segment
    t: np.ndarray
    drawn: np.ndarray
    planned: np.ndarray


def widest_stroke(sources: Sources) -> DrawnStroke:
    """The way between two drums that are farthest apart, of either hand."""
    found = [
        (float(np.linalg.norm(s.p_f - s.p_0)), hand, k)
        for hand in HANDS
        for k, s in enumerate(sources.player.segments[hand])
        # Not the ways from where the robot starts and to where it rests.
        if s.kind == "Goto" and k > 1 and s.end - s.start < 2.0 * _beat(sources)
    ]
    _, hand, k = max(found)
    segment = sources.player.segments[hand][k]
    t = np.linspace(0.0, segment.end - segment.start, SAMPLES)
    drawn = np.array([segment.place(segment.start + s) for s in t])
    motion, paths = sources.plan.motion, sources.plan_tips[:, HANDS.index(hand)]
    planned = [np.interp(segment.start + t, motion.t, axis) for axis in paths.T]
    # A plan may have its kit elsewhere, and lead in for longer.
    place = np.array(sources.plan.scene.place) - sources.kit.p_WK
    return DrawnStroke(hand, segment, t, drawn, np.column_stack(planned) - place)


def _beat(sources: Sources) -> float:
    return 60.0 / sources.score.tempo.bpm


def stroke_parabola(sources: Sources) -> Figure:
    """The way in space, with its ends, its highest point and its shadow."""
    stroke = widest_stroke(sources)
    segment = stroke.segment
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 5.2), layout="constrained")
        axes = figure.add_subplot(projection="3d")
        axes.plot(*stroke.drawn.T, color=COLORS[0], lw=2, label="drawn parabola")
        axes.plot(*stroke.planned.T, color=COLORS[1], lw=2, label="planned motion")
        floor = min(stroke.drawn[:, 2].min(), stroke.planned[:, 2].min()) - 0.03
        for path, color in ((stroke.drawn, COLORS[0]), (stroke.planned, COLORS[1])):
            shadow = np.full(len(path), floor)
            axes.plot(*path[:, :2].T, shadow, color=color, lw=0.8, alpha=0.5)
        for p, label in ((segment.p_0, "  $p_0$"), (segment.p_f, "  $p_f$")):
            axes.plot(*([c, c] for c in p[:2]), [floor, p[2]], color="0.6", lw=0.8)
            axes.scatter(*p, color=COLORS[6], s=28)
            axes.text(*p, label)
        top = stroke.drawn[np.argmax(stroke.drawn[:, 2])]
        axes.scatter(*top, color=COLORS[0], marker="^", s=36)
        axes.text(*top, f"  highest {top[2]:.2f} m")
        axes.set(xlabel="x, ahead [m]", ylabel="y, left [m]", zlabel="z, up [m]")
        axes.set(title=_title(sources, stroke), aspect="equal")
        for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
            axis.set_major_locator(MaxNLocator(4))
        axes.view_init(elev=18, azim=-150)
        axes.legend(loc="upper left")
        return figure


def stroke_coordinates(sources: Sources) -> Figure:
    """x, y and z of the same way against time."""
    stroke = widest_stroke(sources)
    segment = stroke.segment
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 3.4), layout="constrained")
        for i, axes in enumerate(figure.subplots(1, 3)):
            axes.plot(stroke.t, stroke.drawn[:, i], color=COLORS[0], label=DRAWN)
            axes.plot(stroke.t, stroke.planned[:, i], color=COLORS[1], label="planned")
            axes.set(xlabel="time [s]", ylabel=f"{'xyz'[i]} [m]")
        T = segment.end - segment.start
        z_0, z_f = float(segment.p_0[2]), float(segment.p_f[2])
        z_max = max(z_0, z_f) + segment.height
        axes.plot(0.5 * T, z_max, "o", color=COLORS[6], label="$z_h + h$ at $T/2$")
        top = apex(z_0, z_f, segment.height, T)
        axes.plot(*top, "^", color=COLORS[0], label="highest place")
        figure.legend(
            *axes.get_legend_handles_labels(), loc="outside lower center", ncols=4
        )
        figure.suptitle(_title(sources, stroke))
        return figure


def _title(sources: Sources, stroke: DrawnStroke) -> str:
    """Which stroke it is: from where to where, and how long it takes."""
    names = [
        _nearest_member(sources, p) for p in (stroke.segment.p_0, stroke.segment.p_f)
    ]
    length = stroke.segment.end - stroke.segment.start
    return f"{stroke.hand.capitalize()} stick, {names[0]} to {names[1]}, {length:.2f} s"


def _nearest_member(sources: Sources, place: np.ndarray) -> str:
    """Name of the member that a tip is at."""
    kit = sources.kit
    away = {
        name: float(np.linalg.norm(kit.strike_pose(name).translation() - place))
        for name in kit.members
    }
    return min(away, key=away.__getitem__).replace("_", " ")


def tip_trail(sources: Sources) -> Figure:
    """The robot at a hit, and where both tips came from, colored by their speed."""
    plan, paths = sources.plan, sources.plan_tips
    t = plan.motion.t
    strikes = plan.strikes()
    end = strikes[len(strikes) // 2].time
    now = int(np.searchsorted(t, end))
    chosen = np.flatnonzero((t > end - TRAIL) & (t <= end))
    camera = drum_camera(plan, (1.0, 1.3, 1.5))
    picture = OffscreenScene(plan.robot_model, plan.scene).photograph(
        plan.motion.q[now], camera
    )
    chosen = chosen[np.r_[True, np.diff(t[chosen]) > 0.0]]  # hits are there twice
    steps = np.diff(t[chosen])[:, None, None]
    speed = np.linalg.norm(np.diff(paths[chosen], axis=0) / steps, axis=2)
    most = float(speed.max())
    with mpl.rc_context(STYLE):
        figure, axes = picture_axes(picture)
        for i, _ in enumerate(HANDS):
            pixels = camera.project(paths[chosen, i])
            lines = _colored(axes, pixels, speed[:, i], most)
        bar = figure.colorbar(
            lines, ax=axes, shrink=0.6, label="speed of the tip [m/s]"
        )
        bar.outline.set_visible(False)
        axes.set_title(f"“{plan.name}” at a hit: the last {TRAIL:g} s of both tips")
        return figure


def _colored(
    axes: Axes, pixels: np.ndarray, values: np.ndarray, most: float
) -> LineCollection:
    """Draws a line whose color says a value along it; one value a piece."""
    pieces = np.stack([pixels[:-1], pixels[1:]], axis=1)
    lines = LineCollection(list(pieces), cmap="plasma", lw=2.4)
    lines.set_array(values)
    lines.set_clim(0.0, most)
    axes.add_collection(lines)
    return lines
