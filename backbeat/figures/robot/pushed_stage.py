"""The stage at a push: its arrow, forces of the ground and the predicted path."""

import tempfile
from io import BytesIO
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.image import imread

from backbeat.behaviors.library.store import Library
from backbeat.figures.drawing.canvas import INCH, show
from backbeat.figures.drawing.sources import Sources
from backbeat.mpc.disturbances.kinds.push import Push
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.simulation.simulate import run_scenario
from backbeat.report.plots.style import STYLE
from backbeat.stage.recording.browser import Browser
from backbeat.stage.recording.film import still
from backbeat.stage.sources.kinds import SimulatedSource

# A push to the left that makes the robot step, and when it is looked at [s].
BEHAVIOR, PUSH, LATER = "stand", Push(2.0, 0.1, [0.0, 160.0, 0.0]), 0.3
SIZE = (1280, 720)


def pushed_stage(sources: Sources) -> Figure:
    """The stage with Atlas after a push, on sensors.

    Raises:
        BackbeatError: the library lacks the behavior, or there is no Chromium.
    """
    behavior = Library(sources.library).load(BEHAVIOR)
    scenario = Scenario.of(
        behavior=BEHAVIOR, state="estimated", pushes=[PUSH], duration=PUSH.time + 1.0
    )
    source = SimulatedSource(run_scenario(scenario, behavior))
    with tempfile.TemporaryDirectory(prefix="backbeat-figure-") as folder:
        page = Path(folder) / "page.html"
        with Browser(*SIZE) as browser:
            found = still(browser, source, page, PUSH.time + LATER)
    picture = imread(BytesIO(found), "jpeg")
    with mpl.rc_context(STYLE):
        figure = Figure((SIZE[0] / INCH, SIZE[1] / INCH))
        show(figure.add_axes((0.0, 0.0, 1.0, 1.0)), picture)
        return figure
