"""A robustness card as a page: what a behavior survives, and how hard a push."""

import matplotlib as mpl
import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from backbeat.behaviors.library.behavior import Behavior
from backbeat.mpc.sweep.card.robustness import EngineCard, RobustnessCard
from backbeat.mpc.sweep.card.survivals import Survival
from backbeat.report.pages.template import rendered
from backbeat.report.plots.style import COLORS, HEIGHT, STYLE, WIDTH, svg


def card_page(card: RobustnessCard, behavior: Behavior) -> str:
    """HTML of one page that needs nothing else."""
    return rendered(
        "card.html",
        card=card,
        behavior=behavior,
        rows=_rows(card),
        margin=Markup(svg(margin_figure(card), "margin")),
    )


def _rows(card: RobustnessCard) -> list[tuple[str | float, list[Survival | None]]]:
    """Disturbances, and how they were survived in each engine; None if not yet run."""
    columns = [
        {row.what: row for row in (*engine.disturbances, engine.pooled)}
        for engine in card.engines
    ]
    every = dict.fromkeys(what for column in columns for what in column)
    return [(what, [column.get(what) for column in columns]) for what in every]


def margin_figure(card: RobustnessCard) -> Figure:
    """Share of runs that survive a push, by its size, in each engine."""
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, HEIGHT), layout="constrained")
        axes = figure.subplots()
        for number, engine in enumerate(card.engines):
            _draw_pushes(axes, engine, COLORS[number])
        axes.axhline(0.9, color=COLORS[6], lw=0.8, ls=":", label="90 %")
        axes.set_xlim(left=0.0)
        axes.set_ylim(-0.05, 1.05)
        axes.set(xlabel="impulse [N s]", ylabel="success rate", title=_finding(card))
        figure.legend(loc="outside right center")
        return figure


def _finding(card: RobustnessCard) -> str:
    """The largest push that is survived in all engines, where one is known."""
    margins = [e.push_margin for e in card.engines if e.push_margin is not None]
    if not margins or len(margins) < len(card.engines):
        return "Pushes at the pelvis, any direction, any time"
    return f"Pushes at the pelvis: up to {min(margins):g} N s in 90 % of the runs"


def _draw_pushes(axes: Axes, engine: EngineCard, color: str) -> None:
    """Shares with their intervals, and the largest push that is survived."""
    levels = np.array([s.what for s in engine.pushes], float)
    shares = np.array([s.share for s in engine.pushes])
    ends = np.array([s.interval for s in engine.pushes]).reshape(-1, 2)
    axes.vlines(levels, *ends.T, color=color, lw=1.2)
    label = f"{engine.title}, Wilson 95 %"
    axes.plot(levels, shares, "o-", color=color, lw=1.2, ms=4, label=label)
    if engine.push_margin is not None:
        label = f"margin {engine.push_margin:g} N s"
        # Wide and pale, or it would hide the interval of its own runs.
        wide = {"lw": 6.0, "alpha": 0.3, "zorder": 0}
        axes.axvline(engine.push_margin, color=color, label=label, **wide)
