"""The summary of a sweep: success rates, margins and how they compare, as plain data.

Rates come with 95 % Wilson intervals. They count the runs up to the stop of a cell,
in the order of seeds; runs that were under way beyond it are in the table only.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from backbeat.behaviors.dance.markers import pooled_figures
from backbeat.mpc.sweep.cells import Cell
from backbeat.mpc.sweep.schedule import Schedule
from backbeat.mpc.sweep.success_rate import Verdict, wilson

# Columns of the table whose median a cell has.
MEDIANS = (
    "com_error_rms_mm",
    "beat_error_max_ms",
    "timing_mean_ms",
    "foot_slip_mm",
    "torque_peak_fraction",
    "realtime_factor",
)

# Columns of the hits whose worst run a cell has.
WORST = ("timing_mean_ms", "timing_sd_ms", "timing_max_ms", "position_max_mm")

# What a cell is of, besides its varied values.
_NAMES = ("behavior", "robot", "engine", "case")

# Rows of the table by cell, level and seed.
Rows = Mapping[tuple[int, float | None, int], Mapping[str, Any]]


def summarize(schedule: Schedule, rows: Rows) -> dict[str, Any]:
    """All that a sweep says.

    Args:
        schedule: the sweep and what is known of it.
        rows: rows of the table.
    """
    sweep, settings = schedule.sweep, schedule.sweep.settings
    cells = [
        cell_summary(schedule, rows, cell, level)
        for cell, level in sorted(schedule.trials, key=_order)
    ]
    cells = [c for c in cells if c["runs"]]
    summary: dict[str, Any] = {
        "sweep": settings.name,
        "summary": settings.summary,
        "seeds": list(sweep.seeds),
        "sequential": settings.sequential and vars(settings.sequential),
        "search": settings.search and vars(settings.search),
        "runs": sum(c["runs"] for c in cells),
        "is_complete": schedule.remaining() == 0 and not schedule.lost,
        "cells": cells,
        "pooled": pooled(cells, settings.pool),
        "markers": _markers(rows),
        "margins": [],
        "ratios": [],
    }
    if settings.search is not None:
        summary["margins"] = [
            margin_summary(schedule, i) for i in range(len(sweep.cells))
        ]
        if settings.baseline:
            summary["ratios"] = ratios(summary["margins"], settings.baseline)
    return summary


def _markers(rows: Rows) -> list[dict[str, Any]]:
    """How late the extremes of moves were in all runs together, by move."""
    found = [json.loads(r["markers"]) for r in rows.values() if r["markers"]]
    return pooled_figures([figures for run in found for figures in run])


def _order(key: tuple[int, float | None]) -> tuple[int, float]:
    return key[0], -np.inf if key[1] is None else key[1]


def _identity(cell: Cell) -> dict[str, Any]:
    return {
        "behavior": cell.behavior,
        "robot": cell.robot_name,
        "engine": cell.engine_name,
        "case": cell.case,
        "values": dict(cell.values),
    }


def _rate(successes: int, runs: int) -> dict[str, Any]:
    return {
        "survived": successes,
        "runs": runs,
        "rate": successes / runs if runs else None,
        "wilson": list(wilson(successes, runs)),
    }


def cell_summary(
    schedule: Schedule, rows: Rows, cell: int, level: float | None
) -> dict[str, Any]:
    """What the runs of one cell say."""
    verdict: Verdict = schedule.verdict(cell, level)
    mine = [
        rows[cell, level, seed]
        for seed in list(schedule.sweep.seeds)[: verdict.runs]
        if (cell, level, seed) in rows
    ]
    return {
        **_identity(schedule.sweep.cells[cell]),
        "level": level,
        **_rate(verdict.successes, verdict.runs),
        "decision": verdict.decision,
        "stopped_early": verdict.is_early,
        "fell": sum(bool(r["fell"]) for r in mine),
        "first_fall_s": min((r["fell_at_s"] for r in mine if r["fell"]), default=None),
        **_strained(mine),
        "errors": sum(bool(r["error"]) for r in mine),
        "hits_planned": _total(mine, "hits_planned"),
        "hits_missed": _total(mine, "hits_planned") - _total(mine, "hits_made"),
        "hits_extra": _total(mine, "hits_extra"),
        "worst": {name: _most(mine, name) for name in WORST},
        "medians": {name: _median(mine, name) for name in MEDIANS},
    }


def _strained(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Runs that stood to the end and strained joints all the same, and these."""
    strained = [r["strained"] for r in rows if r["strained"] and r["survived"]]
    return {"strained": len(strained), "strained_joints": sorted(set(strained))}


def _total(rows: Sequence[Mapping[str, Any]], name: str) -> int:
    return sum(int(r[name] or 0) for r in rows)


def _known(rows: Sequence[Mapping[str, Any]], name: str) -> list[float]:
    return [r[name] for r in rows if r[name] is not None and r[name] == r[name]]


def _median(rows: Sequence[Mapping[str, Any]], name: str) -> float | None:
    values = _known(rows, name)
    return float(np.median(values)) if values else None


def _most(rows: Sequence[Mapping[str, Any]], name: str) -> float | None:
    return max(_known(rows, name), default=None)


def pooled(cells: Sequence[Mapping[str, Any]], over: Sequence[str]) -> list[Any]:
    """Rates of cells that differ only in some fields, with the worst of them.

    Args:
        cells: summaries of cells.
        over: "behavior", "robot", "engine", "case" and names of varied fields.
    """
    if not over:
        return []
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for cell in cells:
        groups.setdefault(str(_shared(cell, over)), []).append(cell)
    found = []
    for members in groups.values():
        successes = sum(c["survived"] for c in members)
        runs = sum(c["runs"] for c in members)
        worst = min(members, key=lambda c: (c["rate"], -c["runs"]))
        entry = {**_shared(members[0], over), **_rate(successes, runs)}
        # Of the worst cell only what it does not share with the others.
        own = {k: worst[k] for k in _NAMES if k in over}
        values = {k: v for k, v in worst["values"].items() if k in over}
        counts = {k: worst[k] for k in ("survived", "runs", "rate")}
        entry["worst"] = {**own, "values": values, **counts}
        found.append(entry)
    return found


def _shared(cell: Mapping[str, Any], over: Sequence[str]) -> dict[str, Any]:
    """What is left of a cell's identity."""
    kept = {k: cell[k] for k in _NAMES if k not in over}
    values = {k: v for k, v in cell["values"].items() if k not in over}
    return {**kept, "values": values, "level": cell["level"]}


def margin_summary(schedule: Schedule, cell: int) -> dict[str, Any]:
    """The margin of one cell.

    `margin` is None when not even the least value passed; `at_least` says that the
    greatest one passed, so that the margin may be larger; `fails_at` is the least
    value that failed.
    """
    passed, failed = schedule.margin(cell)
    search = schedule.sweep.settings.search
    assert search is not None
    entry = {
        **_identity(schedule.sweep.cells[cell]),
        "field": search.field,
        "margin": passed,
        "fails_at": failed,
        "at_least": passed is not None and failed is None,
    }
    if passed is not None:
        verdict = schedule.verdict(cell, passed)
        entry |= _rate(verdict.successes, verdict.runs)
    return entry


def ratios(margins: Sequence[Mapping[str, Any]], baseline: str) -> list[Any]:
    """Margins of every case as multiples of the baseline's, cell by cell."""
    bases = {_place(m): m for m in margins if m["case"] == baseline}
    found = []
    for m in margins:
        base = bases[_place(m)]
        if m["case"] == baseline:
            continue
        known = m["margin"] is not None and base["margin"]
        found.append(
            {
                "behavior": m["behavior"],
                "robot": m["robot"],
                "engine": m["engine"],
                "case": m["case"],
                "values": m["values"],
                "margin": m["margin"],
                "baseline": base["margin"],
                "ratio": m["margin"] / base["margin"] if known else None,
                # Where a margin lies above what was searched, so may the ratio.
                "is_exact": not (m["at_least"] or base["at_least"]),
            }
        )
    return found


def _place(margin: Mapping[str, Any]) -> tuple[str, ...]:
    """What a margin is of, besides its case."""
    names = margin["behavior"], margin["robot"], margin["engine"]
    return *names, str(margin["values"])
