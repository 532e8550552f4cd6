"""What all figures of reports share: colors, sizes, and SVG that stands in a page."""

import io
import re
from typing import Any, Literal

import matplotlib as mpl
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito's colors, distinct for any color vision.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444")
WIDTH, HEIGHT = 8.0, 3.0
# Paths of an SVG, and what of a number comes after its hundredths.
_PATH, _DIGITS = re.compile(r' d="[^"]*"'), re.compile(r"(\.\d\d)\d+")
STYLE: Any = {
    "axes.prop_cycle": cycler(color=COLORS),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "font.size": 9,
    "legend.frameon": False,
    "svg.fonttype": "none",
    # The same figure is the same text.
    "svg.hashsalt": "backbeat",
}


def svg(figure: Figure, name: str = "") -> str:
    """A figure as an SVG element, without what belongs to a file of its own.

    Args:
        figure: the figure.
        name: keeps its identifiers apart from those of other figures on the page.
    """
    file = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": f"backbeat {name}"}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    text = file.getvalue()
    text = text[text.index("<svg") :]
    # A hundredth of a point is finer than what can be seen.
    return _PATH.sub(lambda path: _DIGITS.sub(r"\1", path[0]), text)


def legend_of(
    figure: Figure,
    *axes: Axes,
    loc: Literal["outside upper right", "upper right"] = "outside upper right",
) -> None:
    """One legend above all axes, with every label once."""
    found: dict[str, Any] = {}
    for one in axes:
        lines, labels = one.get_legend_handles_labels()
        found |= dict(zip(labels, lines, strict=True))
    figure.legend(list(found.values()), list(found), loc=loc, ncols=4)
