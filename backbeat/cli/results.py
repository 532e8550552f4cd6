"""The table of results that a person understands."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table


def results_table(results: Sequence[Mapping[str, Any]]) -> Table:
    """One row a run: did it stand, did it hit, how far off, how fast.

    Args:
        results: metrics of runs, see `mpc.simulation.metrics`.
    """
    table = Table(title="In closed loop (controller reads the true state)")
    table.add_column("behavior")
    for column in (
        "length",
        "outcome",
        "CoM error",
        "hits",
        "timing",
        "peak torque",
        "tick",
        "plan",
        "real time",
    ):
        table.add_column(column, justify="right")
    for m in results:
        table.add_row(*_row(m))
    return table


def _row(m: Mapping[str, Any]) -> list[str]:
    hits = m["hits"]
    outcome = f"fell at {m['fell_at_s']:.1f} s" if m["fell"] else "done"
    made, timing = "", ""
    if hits is not None:
        made = f"{hits['made']} of {hits['planned']}"
        made += f", {hits['extra']} extra" if hits["extra"] else ""
        timing = f"{hits['timing_mean_ms']:.1f} ± {hits['timing_sd_ms']:.1f} ms"
    error, plan = m["com_error_mm"]["rms"], m["plan_ms"]["median"]
    return [
        m["behavior"],
        f"{m['duration_s']:.1f} s",
        outcome,
        f"{error:.1f} mm",
        made,
        timing,
        f"{100 * m['torque_peak_fraction']:.0f} %",
        f"{m['tick_ms']['median']:.2f} ms",
        "" if plan != plan else f"{plan:.1f} ms",
        f"{m['realtime_factor']:.2f} x",
    ]
