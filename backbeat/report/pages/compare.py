"""Two runs as one page: what differs, by how much, and the curves of both."""

import matplotlib as mpl
import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure

from backbeat.report.pages.run_words import result_sentence
from backbeat.report.pages.template import rendered
from backbeat.report.plots.comparison import Comparison
from backbeat.report.plots.run_curves import (
    CURVES,
    mark_disturbances,
    thinned,
    time_axis,
)
from backbeat.report.plots.style import COLORS, STYLE, WIDTH, legend_of, svg

# Height of a curve, and of what is around all of them [in].
ROW, AROUND = 1.65, 0.7
INK = COLORS[6]
# The second run is narrower, so that the first is seen where both are the same.
FIRST = {"color": "#7fb8dc", "lw": 2.2}
SECOND = {"color": COLORS[1], "lw": 0.8}


def compare_page(comparison: Comparison) -> str:
    """HTML of one page that needs nothing else."""
    hits = plot_hits_of_both(comparison)
    return rendered(
        "compare.html",
        name=comparison.first.title,
        sources=[record.source for record in comparison.both],
        sentences=[result_sentence(record) for record in comparison.both],
        settings=comparison.settings,
        rows=comparison.rows(),
        curves=Markup(svg(plot_curves(comparison), "curves")),
        hits=hits and Markup(svg(hits, "hits")),
    )


def plot_curves(comparison: Comparison) -> Figure:
    """What changes over time, of both runs, a row a curve."""
    pairs = list(zip(comparison.both, comparison.balances, strict=True))
    found = []
    for curve in CURVES:
        values = [curve.values(record, balance) for record, balance in pairs]
        if any(v is not None and len(v[0]) for v in values):
            found.append((curve, values))
    longest = max(comparison.both, key=lambda r: float(r.samples["t"].iloc[-1]))
    with mpl.rc_context(STYLE):
        size = (WIDTH, ROW * len(found) + AROUND)
        figure = Figure(size, layout="constrained")
        grid = figure.subplots(len(found), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (curve, values) in zip(grid, found, strict=True):
            for record in comparison.both:
                mark_disturbances(axes, record)
            styles = zip(("first", "second"), values, (FIRST, SECOND), strict=True)
            for label, points, style in styles:
                if points is not None:
                    axes.plot(*thinned(*points), label=label, **style)
            if curve.level is not None:
                axes.axhline(curve.level, color=INK, lw=0.8, ls=":")
            axes.set_title(curve.title, loc="left")
        time_axis(grid[-1], longest)
        legend_of(figure, grid[0])
        return figure


def plot_hits_of_both(comparison: Comparison) -> Figure | None:
    """Error of every hit of one run against that of the same hit in the other."""
    tables = [
        {
            (h["time"], h["member"], h["tip"]): h["error"]
            for h in r.story["hits"]
            if h["made"]
        }
        for r in comparison.both
    ]
    common = [hit for hit in tables[0] if hit in tables[1]]
    if not common:
        return None
    errors = 1e3 * np.array([[table[hit] for hit in common] for table in tables])
    with mpl.rc_context(STYLE):
        figure = Figure((0.6 * WIDTH, 0.55 * WIDTH), layout="constrained")
        axes = figure.subplots()
        ends = [errors.min(), errors.max()]
        axes.plot(ends, ends, color=INK, lw=0.8, ls=":", label="the same")
        axes.plot(*errors, "o", color=COLORS[0], ms=3.5, alpha=0.7, label="a hit")
        axes.set_aspect("equal", adjustable="datalim")
        axes.set(title="Hits of both runs", xlabel="first: late [ms]")
        axes.set_ylabel("second: late [ms]")
        axes.legend(loc="upper left")
        return figure
