"""The figures by name: what each shows, and the function that draws it.

Figure `some-name` of family `family` is the function `some_name` of
`backbeat/figures/family.py`, imported when it is drawn.
"""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import BackbeatError, unknown_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from backbeat.figures.drawing.moving_picture import MovingPicture
    from backbeat.figures.drawing.sources import Sources

# A page's worth of pixels for pictures inside vector files too.
DOTS_PER_INCH = 110
# Formats of still figures, and that of those that move.
FORMATS, MOVING = ("png", "svg", "pdf"), "gif"


@dataclass(frozen=True)
class Figure:
    """A figure that can be drawn.

    Attributes:
        name: what it is called on the command line.
        family: module of `backbeat.figures` that draws it.
        shows: what one sees, as a sentence.
        of_plan: whether it needs the drumming behavior in the library.
        moves: whether it is an animation.
        of_score: whether it needs the score of that behavior.
        of_sweep: name of the sweep whose runs it needs; "" for none.
        of_runs: whether it needs runs of behaviors in the library.
    """

    name: str
    family: str
    shows: str
    of_plan: bool = False
    moves: bool = False
    of_score: bool = False
    of_sweep: str = ""
    of_runs: bool = False

    def draw(self, sources: "Sources") -> "Drawing | MovingPicture":
        """Draws it.

        Raises:
            BackbeatError: the library lacks the plan, or this machine cannot render.
        """
        module = importlib.import_module(f"backbeat.figures.{self.family}")
        function: Callable[[Sources], Drawing | MovingPicture] = getattr(
            module, self.name.replace("-", "_")
        )
        return function(sources)


FIGURES = {
    figure.name: figure
    for figure in (
        Figure("standing-robot", "robot.pictures", "A robot standing, with heights."),
        Figure("two-robots", "robot.side_by_side", "Atlas and a G1, at one scale."),
        Figure(
            "pushed-stage",
            "robot.pushed_stage",
            "The stage at a push: arrow, forces of the ground, predicted path.",
        ),
        Figure("drumming-joints", "robot.pictures", "The 17 joints that drum."),
        Figure("singular-pose", "robot.pictures", "Arms in a singular posture."),
        Figure("kit-layout", "robot.kit_layout", "The kit from above, with numbers."),
        Figure("joint-tree", "robot.joint_tree", "Links and the joints between them."),
        Figure(
            "joint-ranges",
            "studies.joints",
            "Joint limits, and what a plan uses.",
            True,
        ),
        Figure(
            "joint-motion",
            "studies.joints",
            "25 s of positions, velocities, jerks.",
            True,
        ),
        Figure(
            "singular-values",
            "studies.singularities",
            "Singular values over a song.",
            of_score=True,
        ),
        Figure(
            "stroke-parabola",
            "studies.strokes",
            "A stroke in space.",
            of_plan=True,
            of_score=True,
        ),
        Figure(
            "stroke-coordinates",
            "studies.strokes",
            "The same against time.",
            of_plan=True,
            of_score=True,
        ),
        Figure("tip-trail", "studies.strokes", "Paths of both stick tips.", True),
        Figure("eight-hits", "robot.hit_pictures", "The robot at eight hits.", True),
        Figure(
            "safety-law", "studies.safety_curves", "A joint's safety law: both curves."
        ),
        Figure("hand-sampling", "studies.task_space", "A hand, sampled so often."),
        Figure(
            "hand-sensing",
            "studies.task_space",
            "A hand modeled or sensed, with noise.",
        ),
        Figure("hand-limits", "studies.task_space", "What truncated torques lose."),
        Figure(
            "swaying-pelvis", "studies.task_space", "A hand held on a swaying pelvis."
        ),
        Figure(
            "moving-pelvis",
            "studies.task_space",
            "A pelvis that moves in all directions.",
        ),
        Figure(
            "ablation",
            "studies.ablation",
            "What each adaptation is worth.",
            of_sweep="ablation",
        ),
        Figure(
            "offline-online",
            "studies.offline_online",
            "What behaviors cost before a show, and during it.",
            of_runs=True,
        ),
        Figure(
            "effort-time", "studies.effort_time", "A step: its effort over its time."
        ),
        Figure(
            "soft-elbow",
            "studies.compliance",
            "Force over displacement of a soft joint.",
        ),
        Figure(
            "drummer", "drawing.moving_picture", "Two bars of drumming.", True, True
        ),
    )
}


def find_figure(name: str) -> Figure:
    """A figure by name.

    Raises:
        BackbeatError: no such figure.
    """
    if name not in FIGURES:
        raise unknown_name("figure", name, FIGURES)
    return FIGURES[name]


def write_figure(
    figure: Figure, sources: "Sources", folder: str | Path, kind: str = "png"
) -> Path:
    """Draws a figure into a file named after it.

    Args:
        figure: which.
        sources: what it is drawn from.
        folder: where to write, made when it is missing.
        kind: one of `FORMATS`; animations are GIF files whatever it says.

    Raises:
        BackbeatError: unknown format, or the figure cannot be drawn or written.
    """
    folder = Path(folder)
    if kind not in FORMATS:
        raise BackbeatError(f"unknown format {kind!r}; known: {', '.join(FORMATS)}")
    drawing = figure.draw(sources)
    path = folder / f"{figure.name}.{MOVING if figure.moves else kind}"
    with replacing(path) as file:
        drawing.savefig(
            file, format=path.suffix[1:], dpi=DOTS_PER_INCH, metadata=_metadata(kind)
        )
    return path


def _metadata(kind: str) -> dict[str, None]:
    """Nothing in a file that changes when its figure does not."""
    dates = {"svg": "Date", "pdf": "CreationDate", "png": "Software"}
    return {dates[kind]: None}
