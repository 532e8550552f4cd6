"""The kit from above."""

from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Ellipse, Patch, Polygon, Rectangle

from backbeat.figures.drawing.sources import Sources
from backbeat.models.kit.drum_kit import STEEP, DrumKit
from backbeat.report.plots.style import COLORS, STYLE

FILL = {"drum": COLORS[5], "cymbal": COLORS[4], "pad": COLORS[2]}
# Room around the kit [m].
MARGIN = 0.12


def kit_layout(sources: Sources) -> Figure:
    """Members with number, name, size and height, and where the drummer sits."""
    kit = sources.kit
    with mpl.rc_context(STYLE):
        figure = Figure((7.0, 6.0), layout="constrained")
        axes = figure.subplots()
        for name, member in sorted(kit.members.items(), key=lambda m: m[1].place[2]):
            # Left of the robot is left of the page, what is ahead of it is above.
            z = kit.strike_pose(name).translation()[2]
            patch = _from_above(kit, name)
            patch.set_gid(name)
            axes.add_patch(patch)
            label = _free_place(kit, name)
            title = f"{member.number}  {name.replace('_', ' ')}"
            size = f"ø {200 * member.radius:.0f} cm, {100 * z:.0f} cm high"
            axes.annotate(
                title, label, ha="center", va="bottom", weight="bold", fontsize=10
            )
            axes.annotate(size, label, ha="center", va="top", fontsize=7.5)
        for pedal in kit.pedals():
            x, y, _ = pedal.X_WH.translation()
            (begin, end), width = pedal.description.board, pedal.description.width
            corner = (-y - 0.5 * width, x + begin)
            board = Rectangle(corner, width, end - begin, fill=False, ec=COLORS[6])
            axes.add_patch(board)
        chair = kit.chair
        seat = kit.p_WK + np.array(chair.place)
        axes.add_patch(
            Circle((-seat[1], seat[0]), chair.radius, fill=False, ls="--", ec=COLORS[6])
        )
        axes.annotate(
            "chair\n(pelvis)", (-seat[1], seat[0]), ha="center", va="center", fontsize=9
        )
        places = [kit.strike_pose(n).translation() for n in kit.members]
        reach = max(m.radius for m in kit.members.values()) + MARGIN
        low, high = np.min([*places, seat], axis=0), np.max([*places, seat], axis=0)
        axes.set(
            title=f"The kit from above: {len(kit.members)} members",
            xlabel="to the right of the drummer, -y [m]",
            ylabel="ahead of the drummer, x [m]",
            xlim=(-high[1] - reach, -low[1] + reach),
            ylim=(low[0] - reach, high[0] + reach),
            aspect="equal",
        )
        kinds = {member.kind for member in kit.members.values()}
        for kind, color in ((k, c) for k, c in FILL.items() if k in kinds):
            axes.scatter([], [], color=color, s=80, label=kind)
        axes.legend(loc="lower right")
        return figure


def _from_above(kit: DrumKit, name: str) -> Patch:
    """The surface of a member from above, or the shell of one that faces the player."""
    member, X = kit.member(name), kit.strike_pose(name)
    x, y, _ = X.translation()
    look: Any = {
        "facecolor": FILL[member.kind],
        "edgecolor": COLORS[6],
        "alpha": 0.75,
    }
    if abs(member.tilt_deg) >= STEEP:
        r, d = member.radius, member.depth
        corners = np.array([[0, r, 0], [0, -r, 0], [0, -r, -d], [0, r, -d]], float)
        on_floor = X.multiply(corners.T)
        return Polygon(np.stack([-on_floor[1], on_floor[0]], axis=1), **look)
    slope = np.cos(np.radians(member.tilt_deg))
    # The tilt is about the line across the way to the player.
    angle = float(np.degrees(np.arctan2(x, -y)) - 90.0)
    size = 2.0 * member.radius
    return Ellipse((-y, x), size, size * slope, angle=angle, **look)


def _free_place(kit: DrumKit, name: str) -> tuple[float, float]:
    """Where a member can be written on: away from those that reach over it [m]."""
    place = kit.strike_pose(name).translation()
    radius, shift = kit.member(name).radius, np.zeros(2)
    for other, member in kit.members.items():
        away = (place - kit.strike_pose(other).translation())[:2]
        distance = float(np.linalg.norm(away))
        overlap = radius + member.radius - distance
        if distance > 0.0 and overlap > 0.0:
            shift += 0.5 * overlap * away / distance
    return float(-(place[1] + shift[1])), float(place[0] + shift[0])
