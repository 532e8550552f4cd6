"""The table of how late the extremes of a dance's moves came."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table


def markers_table(figures: Sequence[Mapping[str, Any]]) -> Table:
    """One row a move.

    Args:
        figures: see `backbeat.behaviors.dance.markers.marker_figures`.
    """
    table = Table(
        title="How late what belongs on the beat came",
        box=box.SIMPLE_HEAD,
        title_justify="left",
        show_edge=False,
    )
    for name in ("track", "move"):
        table.add_column(name, no_wrap=True)
    for name in ("markers", "missing", "mean", "SD", "most"):
        table.add_column(name, justify="right", no_wrap=True)
    for f in figures:
        times = [_ms(f[key]) for key in ("mean_ms", "sd_ms", "max_ms")]
        missing = str(f["missing"] or "")
        table.add_row(f["track"], f["move"], str(f["count"]), missing, *times)
    return table


def _ms(value: float | None) -> str:
    return "" if value is None else f"{value:.1f} ms"
