"""Pictures of the robot at hits of a plan, to see whether it sits as a drummer does."""

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from backbeat.behaviors.library.behavior import Event
from backbeat.figures.drawing.canvas import INCH, drum_camera, show
from backbeat.figures.drawing.picture import OffscreenScene
from backbeat.figures.drawing.sources import Sources
from backbeat.report.plots.style import STYLE

COUNT, COLUMNS = 8, 4
SIZE = (430, 400)
# From ahead on the left and on the right in turn: each arm is seen from both sides.
VIEWS = ((1.1, 1.3, 0.85), (1.1, -1.3, 0.85))


def chosen_hits(strikes: Sequence[Event]) -> list[Event]:
    """Eight hits, or all there are: one of every member, the rest spread evenly.

    Args:
        strikes: hits of a plan, in order of time.
    """
    members = dict.fromkeys(event.what for event in strikes)
    found = []
    for what in list(members)[:COUNT]:
        of_member = [event for event in strikes if event.what == what]
        found.append(of_member[len(of_member) // 2])
    while len(found) < min(COUNT, len(strikes)):
        # Where the longest time is without a picture.
        times = np.array([event.time for event in found])
        left = [event for event in strikes if event not in found]
        away = [float(np.abs(times - event.time).min()) for event in left]
        found.append(left[int(np.argmax(away))])
    return sorted(found, key=lambda event: event.time)


def eight_hits(sources: Sources) -> Figure:
    """The robot at eight hits of the plan, at the moment the stick is at its drum."""
    plan = sources.plan
    hits = chosen_hits(plan.strikes())
    scene_view = OffscreenScene(plan.robot_model, plan.scene)
    rows = -(-len(hits) // COLUMNS)
    size = COLUMNS * SIZE[0] / INCH, rows * (SIZE[1] + 36) / INCH
    with mpl.rc_context(STYLE):
        figure = Figure(size, layout="constrained")
        grid = figure.subplots(rows, COLUMNS, squeeze=False).ravel()
        for axes in grid:
            axes.set_axis_off()
        for i, (axes, hit) in enumerate(zip(grid, hits, strict=False)):
            camera = drum_camera(plan, VIEWS[i % len(VIEWS)], *SIZE)
            q = plan.motion.q[int(np.searchsorted(plan.motion.t, hit.time))]
            show(axes, scene_view.photograph(q, camera))
            hand = "left" if hit.who.startswith("l") else "right"
            axes.set_title(f"{hit.time:.2f} s: {hit.what.replace('_', ' ')}, {hand}")
        return figure
