"""A robustness card as a page: what a behavior survives, and how hard a push."""

import matplotlib as mpl
import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure

from backbeat.behaviors.library.behavior import Behavior
from backbeat.mpc.sweep.card.robustness import RobustnessCard
from backbeat.report.pages.template import rendered
from backbeat.report.plots.style import COLORS, HEIGHT, STYLE, WIDTH, svg


def card_page(card: RobustnessCard, behavior: Behavior) -> str:
    """HTML of one page that needs nothing else."""
    return rendered(
        "card.html",
        card=card,
        behavior=behavior,
        rows=[*card.disturbances, card.pooled],
        margin=Markup(svg(margin_figure(card), "margin")),
    )


def margin_figure(card: RobustnessCard) -> Figure:
    """Share of runs that survive a push, by its size."""
    levels = np.array([s.what for s in card.pushes], float)
    shares = np.array([s.share for s in card.pushes])
    ends = np.array([s.interval for s in card.pushes]).reshape(-1, 2)
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, HEIGHT), layout="constrained")
        axes = figure.subplots()
        axes.vlines(levels, *ends.T, color=COLORS[0], lw=1.2)
        label = "runs, Wilson 95 %"
        axes.plot(levels, shares, "o-", color=COLORS[0], lw=1.2, ms=4, label=label)
        axes.axhline(0.9, color=COLORS[6], lw=0.8, ls=":", label="nine of ten")
        if card.push_margin is not None:
            label = f"margin {card.push_margin:g} N s"
            # Wide and pale, or it would hide the interval of its own runs.
            wide = {"lw": 6.0, "alpha": 0.3, "zorder": 0}
            axes.axvline(card.push_margin, color=COLORS[1], label=label, **wide)
        axes.set_xlim(left=0.0)
        axes.set_ylim(-0.05, 1.05)
        axes.set(
            title="Pushes at the pelvis, any direction, any time",
            xlabel="impulse [N s]",
            ylabel="share that survives",
        )
        figure.legend(loc="outside right center")
        return figure
