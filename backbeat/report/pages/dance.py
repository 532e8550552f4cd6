"""A danced run on its page: how late what belongs on the beat came, by move."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.figure import Figure

from backbeat.report.pages.template import rendered
from backbeat.report.plots.style import STYLE, WIDTH, svg

# Height of a move's row in the figure, and of what is around them [in].
ROW, AROUND = 0.22, 0.9


def dance_section(story: Mapping[str, Any]) -> Markup:
    """The part of a run's page about a dance: every move's instants, and a figure.

    Args:
        story: of a run file with markers.
    """
    return Markup(
        rendered(
            "dance_section.html",
            figures=story["metrics"]["markers"],
            errors=Markup(marker_figure(story["markers"])),
        )
    )


def marker_figure(markers: Sequence[Mapping[str, Any]]) -> str:
    """Every marker's error, by move."""
    moves = sorted({(m["track"], m["move"]) for m in markers}, reverse=True)
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, AROUND + ROW * len(moves)), layout="constrained")
        axes = figure.subplots()
        axes.axvspan(-10, 10, color="#009e73", alpha=0.15, lw=0)
        for marker in markers:
            if marker["error"] is not None:
                row = moves.index((marker["track"], marker["move"]))
                axes.plot(1e3 * marker["error"], row, "o", ms=4, color="#0072b2")
        axes.set(yticks=range(len(moves)), yticklabels=[m for _, m in moves])
        axes.set(title="Every marker", xlabel="late [ms]")
        return svg(figure, "markers")
