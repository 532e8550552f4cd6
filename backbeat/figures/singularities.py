"""Singular values over a song, with and without what keeps arms from stretching."""

import matplotlib as mpl
from matplotlib.figure import Figure

from backbeat.figures.sources import Sources
from backbeat.report.figures import COLORS, HEIGHT, STYLE, WIDTH
from behaviors.singular_values import compare_cures


def singular_values(sources: Sources) -> Figure:
    """Smallest singular value and fastest joint of the kinematic player, by case."""
    table = compare_cures(sources.score, sources.kit)
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, 2.0 * HEIGHT), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        cases = table.groupby("case", sort=False)
        for (case, rows), color in zip(cases, COLORS, strict=False):
            label = f"{case} (least {rows['smallest'].min():.2f})"
            # Without damping is nearly as with it: dashes let both be seen.
            style = "--" if case == "no damping" else "-"
            look = {"color": color, "lw": 1.1, "ls": style}
            above.plot(rows["t"], rows["smallest"], label=label, **look)
            below.plot(rows["t"], rows["fastest"], color=color, lw=0.7, ls=style)
        above.set_ylim(bottom=0.0)
        above.set(
            title="Smallest singular value of both tips' Jacobian", ylabel="[m/rad]"
        )
        below.set(title="Speed of the fastest joint", ylabel="[rad/s]")
        below.set(xlabel="time [s]")
        figure.legend(
            *above.get_legend_handles_labels(), loc="outside lower center", ncols=3
        )
        figure.suptitle(f"“{sources.behavior}”, kinematic player")
        return figure
