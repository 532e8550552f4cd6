"""The page of a tuning: what was found, what mattered, and every trial."""

import matplotlib as mpl
import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure

from backbeat.mpc.sweep.tuning import TuningResult, TuningTrial, chance_share
from backbeat.report.pages.template import rendered
from backbeat.report.plots.style import COLORS, HEIGHT, STYLE, WIDTH, svg

# Chance that any weight is marked where none matters, at most, by Bonferroni's bound:
# each counts as clear below its share of it.
CLEAR = 0.05
# Weights side by side in a figure.
COLUMNS = 3


def tuning_page(result: TuningResult) -> str:
    """HTML of one page that needs nothing else."""
    ranked = sorted(result.importances.items(), key=lambda item: -item[1].share)
    clear = CLEAR / max(1, len(ranked))
    return rendered(
        "tuning.html",
        result=result,
        tuning=result.tuning,
        rows=_rows(result),
        matters=[(name, told, told.p_value < clear) for name, told in ranked],
        clear=clear,
        chance=chance_share(len(result.trials) - 1),
        progress=Markup(svg(progress_figure(result), "progress")),
        slices=Markup(svg(slices_figure(result), "slices")),
    )


def _rows(result: TuningResult) -> list[tuple[TuningTrial, TuningTrial | None]]:
    """Weights as given and the best ones, each with the same on fresh seeds."""
    told = [result.trials[0], *([result.best] if result.best.number else [])]
    return list(zip(told, result.fresh or [None] * len(told), strict=True))


def progress_figure(result: TuningResult) -> Figure:
    """The measure of every trial in turn, and the best one so far."""
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, HEIGHT), layout="constrained")
        axes, trials = figure.subplots(), result.trials
        clean = [t for t in trials if t.survived == 1.0]
        axes.plot([t.number for t in clean], [t.measure for t in clean], "o", ms=4)
        best = np.minimum.accumulate([t.score for t in trials])
        lead = [next(t for t in trials if t.score == score) for score in best]
        axes.step(
            [t.number for t in trials],
            [t.measure for t in lead],
            where="post",
            color=COLORS[1],
            label="best so far",
        )
        axes.axhline(trials[0].measure, color=COLORS[6], lw=0.8, ls=":", label="given")
        axes.set(xlabel="trial", ylabel=result.tuning.settings.measure)
        figure.legend(loc="outside right center")
        return figure


def slices_figure(result: TuningResult) -> Figure:
    """The measure over each weight, in all trials."""
    names, tuning = result.tuning.names, result.tuning
    rows = -(-len(names) // COLUMNS)
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 2.4 * rows), layout="constrained")
        grid = figure.subplots(rows, COLUMNS, squeeze=False, sharey=True).ravel()
        tried = [t for t in result.trials if t.number and t.survived == 1.0]
        for axes, name in zip(grid, names, strict=False):
            x, y = [t.values[name] for t in tried], [t.measure for t in tried]
            axes.plot(x, y, "o", ms=3)
            if result.best.number:
                best = result.best
                axes.plot(best.values[name], best.measure, "*", ms=11, color=COLORS[1])
            low, high = tuning.settings.weights[name]
            if low > 0:
                ticks = [low, float(np.sqrt(low * high)), high]
                axes.set_xscale("log")
                axes.set_xticks(ticks, [f"{tick:.2g}" for tick in ticks])
                axes.minorticks_off()
            axes.set_xlabel(name.removeprefix("weights."))
        for axes in grid[len(names) :]:
            axes.set_visible(False)
        grid[0].set_ylabel(tuning.settings.measure)
        if ranked := sorted(result.importances.items(), key=lambda item: item[1].share):
            name, most = ranked[-1]
            name = name.removeprefix("weights.")
            title = f"{name} explains {most.share:.0%} of the variance of ranks"
            figure.suptitle(title)
        return figure
