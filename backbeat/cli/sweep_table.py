"""The tables of a sweep that a person understands."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

# Rows of a table that are shown; the files have them all.
MOST_ROWS = 200


def print_sweep(summary: Mapping[str, Any]) -> None:
    """Prints what a sweep found on stdout."""
    console = Console(highlight=False)
    for table in sweep_tables(summary):
        console.print(table)
    console.print(
        "Survived: upright, calm and back in the behavior when judged. In brackets "
        "the 95 % Wilson interval.",
        style="dim",
    )
    if summary["sequential"]:
        test = summary["sequential"]
        console.print(
            f"Cells stop early, {test['passes']:.0%} against {test['fails']:.0%}; "
            f"passed wrongly {test['false_pass']:.0%}, failed {test['false_fail']:.0%}",
            style="dim",
        )


def sweep_tables(summary: Mapping[str, Any]) -> list[Table]:
    """Cells, or margins where they were searched; pooled rates; ratios."""
    tables = []
    if summary["margins"]:
        tables.append(_margins(summary["margins"]))
        if summary["ratios"]:
            tables.append(_ratios(summary["ratios"]))
    else:
        tables.append(_cells(summary["cells"]))
    if summary["pooled"]:
        tables.append(_pooled(summary["pooled"]))
    return tables


def _table(title: str, names: Sequence[str], columns: Sequence[str]) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    for name in names:
        table.add_column(name)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _names(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """What tells entries apart: behavior, case, and the varied fields."""
    names = [n for n in ("behavior", "case") if any(e.get(n) for e in entries)]
    for entry in entries:
        names += [n for n in entry["values"] if n not in names]
    return names


def _identity(entry: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    return [_text(entry.get(n, entry["values"].get(n, ""))) for n in names]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _rate(entry: Mapping[str, Any]) -> list[str]:
    if not entry.get("runs"):
        return ["", "", ""]
    low, high = entry["wilson"]
    interval = f"[{100 * low:.0f}, {100 * high:.0f}]"
    return [
        f"{entry['survived']}/{entry['runs']}",
        f"{100 * entry['rate']:.1f} %",
        interval,
    ]


def _cells(cells: Sequence[Mapping[str, Any]]) -> Table:
    names = _names(cells)
    table = _table(
        "Success rates",
        names,
        ["survived", "rate", "interval", "fell", "CoM off", "missed", "decided"],
    )
    for cell in cells[:MOST_ROWS]:
        off = cell["medians"]["com_error_rms_mm"]
        table.add_row(
            *_identity(cell, names),
            *_rate(cell),
            str(cell["fell"]),
            "" if off is None else f"{off:.1f} mm",
            str(cell["hits_missed"] or ""),
            _decision(cell),
        )
    return table


def _decision(cell: Mapping[str, Any]) -> str:
    word = "" if cell["decision"] == "undecided" else str(cell["decision"])
    return f"{word} after {cell['runs']}" if cell["stopped_early"] else word


def _margins(margins: Sequence[Mapping[str, Any]]) -> Table:
    names = _names(margins)
    table = _table(
        f"Margins: largest {margins[0]['field']} that passes",
        names,
        ["margin", "fails at", "survived", "rate", "interval"],
    )
    for entry in margins[:MOST_ROWS]:
        margin = "none" if entry["margin"] is None else f"{entry['margin']:g}"
        if entry["at_least"]:
            margin = f">= {margin}"
        fails = "" if entry["fails_at"] is None else f"{entry['fails_at']:g}"
        table.add_row(*_identity(entry, names), margin, fails, *_rate(entry))
    return table


def _ratios(ratios: Sequence[Mapping[str, Any]]) -> Table:
    names = _names(ratios)
    table = _table("Against the baseline", names, ["margin", "baseline", "ratio"])
    for entry in ratios[:MOST_ROWS]:
        ratio = "" if entry["ratio"] is None else f"{entry['ratio']:.2f}"
        if ratio and not entry["is_exact"]:
            ratio += " (a margin is a bound)"
        table.add_row(
            *_identity(entry, names),
            _text(entry["margin"]),
            _text(entry["baseline"]),
            ratio,
        )
    return table


def _pooled(pooled: Sequence[Mapping[str, Any]]) -> Table:
    names = _names(pooled)
    has_levels = any(e["level"] is not None for e in pooled)
    columns = ["survived", "rate", "interval", "worst"]
    table = _table("Pooled", names, ["level", *columns] if has_levels else columns)
    for entry in pooled[:MOST_ROWS]:
        worst = entry["worst"]
        values = (f"{k} {_text(v)}" for k, v in worst["values"].items())
        words = ", ".join([worst["behavior"], *values])
        level = [_text(entry["level"])] if has_levels else []
        table.add_row(
            *_identity(entry, names),
            *level,
            *_rate(entry),
            f"{worst['survived']}/{worst['runs']} {words}",
        )
    return table
