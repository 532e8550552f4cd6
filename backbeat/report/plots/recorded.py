"""Figure of a behavior's recorded take: how far the two are apart over time."""

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from backbeat.report.plots.style import COLORS, STYLE, WIDTH

# Height of a curve, and of what is around all of them [in].
ROW, AROUND = 1.25, 0.6
LEFT, RIGHT = COLORS[0], COLORS[1]


def plot_deviation(table: pd.DataFrame) -> Figure:
    """Root, joints, hands and feet: distances and angles from the take.

    Args:
        table: see `backbeat.behaviors.recording.take_changes.TakeChanges`.
    """
    rows = [
        ("Root", "mm", {"root_mm": ("", COLORS[6])}),
        ("Joints, RMS", "degrees", {"joints_rms_deg": ("", COLORS[6])}),
        *(
            (
                title,
                "mm",
                {f"left_{end}_mm": ("left", LEFT), f"right_{end}_mm": ("right", RIGHT)},
            )
            for title, end in (("Hands", "hand"), ("Feet", "foot"))
        ),
    ]
    rows = [row for row in rows if any(c in table for c in row[2])]
    with mpl.rc_context(STYLE):
        size = (WIDTH, ROW * len(rows) + AROUND)
        figure = Figure(size, layout="constrained")
        grid = figure.subplots(len(rows), 1, sharex=True, squeeze=False)[:, 0]
        for axes, (title, unit, columns) in zip(grid, rows, strict=True):
            _draw(axes, table, columns)
            axes.set_title(f"{title} [{unit}]", loc="left")
            # Room for the legend above the curves.
            axes.set_ylim(0.0, 1.4 * axes.get_ylim()[1] if len(columns) > 1 else None)
        grid[-1].set_xlabel("time of the behavior [s]")
        return figure


def _draw(axes: Axes, table: pd.DataFrame, columns: dict[str, tuple[str, str]]) -> None:
    """Curves of some columns, those that there are."""
    for column, (label, color) in columns.items():
        if column in table:
            axes.plot(table["t"], table[column], color=color, lw=1.2, label=label)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(loc="upper right", ncols=2)
