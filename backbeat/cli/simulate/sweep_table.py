"""The tables of a sweep that a person understands."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table

from backbeat.behaviors.library.behavior import named_with_robot
from backbeat.cli.common.console import Screen
from backbeat.cli.common.marker_table import markers_table

# Rows of a table that are shown; the files have them all.
MOST_ROWS = 200
# The engine of whatever names none.
USUAL = "drake"
# Least width of what a row is about [characters].
NARROW = 20
RATE = ("survived", "rate", "interval")
# Of hits: how many, how far off the beat in the mean and at most, and how far off their
# place, in the worst run.
HITS = ("missed", "extra", "off the beat", "off target")
TIMING, PLACE = ("timing_mean_ms", "timing_max_ms"), ("position_max_mm",)

Entry = Mapping[str, Any]


def print_sweep(summary: Entry) -> None:
    """Prints what a sweep found on stdout."""
    console, summary = Screen(), _engines_told(summary)
    for table in sweep_tables(summary):
        console.print(table)
    console.print(
        "Survived: upright, calm and back in the behavior when judged. Interval: "
        "Wilson, 95 %.",
        style="dim",
    )
    for cell in [c for c in summary["cells"] if c.get("strained")][:MOST_ROWS]:
        console.print(
            f"Overloaded joints, {_label(cell)}: {'; '.join(cell['strained_joints'])}, "
            f"in {cell['strained']} of {cell['runs']} runs; that is no success."
        )
    if summary["sequential"]:
        test = summary["sequential"]
        console.print(
            f"Cells stop early, {test['passes']:.0%} against {test['fails']:.0%}; "
            f"passed wrongly {test['false_pass']:.0%}, failed {test['false_fail']:.0%}",
            style="dim",
        )


def sweep_tables(summary: Entry) -> list[Table]:
    """Cells, or margins where they were searched; pooled rates; ratios."""
    tables, summary = [], _engines_told(summary)
    if summary["margins"]:
        tables.append(_margins(summary["margins"]))
        if summary["ratios"]:
            tables.append(_ratios(summary["ratios"]))
    else:
        tables.append(_cells(summary["cells"]))
        if any(c["hits_planned"] for c in summary["cells"]):
            tables.append(_hits(summary["cells"]))
    if summary["pooled"]:
        tables.append(_pooled(summary["pooled"]))
    if summary["markers"]:
        tables.append(markers_table(summary["markers"]))
    return tables


def _engines_told(summary: Entry) -> Entry:
    """The summary without engines in it, where all is simulated by Drake."""
    if any(cell.get("engine", USUAL) != USUAL for cell in summary["cells"]):
        return summary
    told: dict[str, Any] = dict(summary)
    for name in ("cells", "margins", "ratios", "pooled"):
        told[name] = [{**entry, "engine": ""} for entry in summary[name]]
    return told


def _table(title: str, columns: Sequence[str]) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    # Whatever else is cut in a narrow terminal, what a row is about is not.
    table.add_column("cell", min_width=NARROW, overflow="fold")
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _label(entry: Entry) -> str:
    """What a row is about; of dotted fields the last word will do."""
    behavior, robot = entry.get("behavior", ""), entry.get("robot", "")
    words = [named_with_robot(behavior, robot) if behavior else robot]
    if "engine" not in entry["values"]:
        words.append(entry.get("engine", ""))
    words.append(entry.get("case", ""))
    for name, value in entry["values"].items():
        words.append(f"{name.rpartition('.')[2]} {_text(value)}")
    return ", ".join(w for w in words if w) or "all"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _rate(entry: Entry) -> list[str]:
    if not entry.get("runs"):
        return ["", "", ""]
    low, high = entry["wilson"]
    return [
        f"{entry['survived']}/{entry['runs']}",
        f"{100 * entry['rate']:.1f} %",
        f"{100 * low:.0f} to {100 * high:.0f} %",
    ]


def _cells(cells: Sequence[Entry]) -> Table:
    is_stopped = any(c["decision"] != "undecided" for c in cells)
    table = _table("Success rates", [*RATE, "CoM error"] + ["decided"] * is_stopped)
    for cell in cells[:MOST_ROWS]:
        off = cell["medians"]["com_error_rms_mm"]
        row = [_label(cell), *_rate(cell), "" if off is None else f"{off:.1f} mm"]
        table.add_row(*row, *[_decision(cell)] * is_stopped)
    return table


def _hits(cells: Sequence[Entry]) -> Table:
    """Missed and extra hits of all runs, and how far off they were in the worst."""
    table = _table("Hits", HITS)
    for cell in [c for c in cells if c["hits_planned"]][:MOST_ROWS]:
        missed = f"{cell['hits_missed']}/{cell['hits_planned']}"
        worst, off = cell["worst"], []
        for names, unit in ((TIMING, "ms"), (PLACE, "mm")):
            values = [worst[n] for n in names]
            known = ", ".join(f"{v:.1f}" for v in values if v is not None)
            off.append(f"{known} {unit}" if known else "")
        table.add_row(_label(cell), missed, str(cell["hits_extra"]), *off)
    return table


def _decision(cell: Entry) -> str:
    word = "" if cell["decision"] == "undecided" else str(cell["decision"])
    return f"{word} after {cell['runs']}" if cell["stopped_early"] else word


def _margins(margins: Sequence[Entry]) -> Table:
    title = f"Margins: largest {margins[0]['field']} that passes"
    table = _table(title, ["margin", "fails at", *RATE])
    for entry in margins[:MOST_ROWS]:
        margin = "none" if entry["margin"] is None else f"{entry['margin']:g}"
        if entry["at_least"]:
            margin = f">= {margin}"
        fails = "" if entry["fails_at"] is None else f"{entry['fails_at']:g}"
        table.add_row(_label(entry), margin, fails, *_rate(entry))
    return table


def _ratios(ratios: Sequence[Entry]) -> Table:
    table = _table("Against the baseline", ["margin", "baseline", "ratio"])
    for entry in ratios[:MOST_ROWS]:
        ratio = "" if entry["ratio"] is None else f"{entry['ratio']:.2f}"
        if ratio and not entry["is_exact"]:
            ratio += " (a margin is a bound)"
        margins = (_text(entry["margin"]), _text(entry["baseline"]))
        table.add_row(_label(entry), *margins, ratio)
    return table


def _pooled(pooled: Sequence[Entry]) -> Table:
    table = _table("Pooled", [*RATE, "worst"])
    table.columns[-1].no_wrap = False
    for entry in pooled[:MOST_ROWS]:
        worst = entry["worst"]
        label = _label(entry)
        if entry["level"] is not None:
            label += f" at {_text(entry['level'])}"
        words = f"{worst['survived']}/{worst['runs']} {_label(worst)}"
        table.add_row(label, *_rate(entry), words)
    return table
