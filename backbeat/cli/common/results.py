"""The table of results that a person understands."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from backbeat.behaviors.library.behavior import named_with_robot
from backbeat.cli.common.console import Screen
from backbeat.cli.common.marker_table import markers_table
from backbeat.mpc.analysis.force_warnings import warnings_in_words
from backbeat.mpc.analysis.safety_metrics import in_words
from backbeat.mpc.analysis.survival import RECOVERY
from backbeat.mpc.control.own_controllers import controller_in_words
from backbeat.mpc.driving.speed import drive_in_words
from backbeat.mpc.scenario.parts.world import engine_title
from backbeat.mpc.world.joint_strain import in_words as strain_in_words
from backbeat.mpc.world.limits_reached import reached_in_words
from backbeat.mpc.world.servo_check import softened_in_words

# Joints whose limits are told below the table.
MOST_REACHED = 3


def results_table(results: Sequence[Mapping[str, Any]]) -> RenderableType:
    """One row a run: did it stand, did it hit, how far off, how fast.

    Args:
        results: metrics of runs, see `backbeat.mpc.analysis.metrics`.
    """
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 0, 0, 1))
    table.add_column("behavior", no_wrap=True)
    columns = ["outcome", "CoM error", "hits", "timing", "torque", "speed"]
    for column in columns:
        table.add_column(column, justify="right", no_wrap=column != "hits")
    for m in results:
        table.add_row(*_row(m))
    markers = [markers_table(m["markers"]) for m in results if m.get("markers")]
    return Group(table, *(Text(line, "dim") for line in _notes(results)), *markers)


def print_results(results: Sequence[Mapping[str, Any]]) -> None:
    """Prints the table on stdout."""
    Screen().print(results_table(results))


def _title(m: Mapping[str, Any]) -> str:
    """The behavior, its robot if that is not Atlas, and its engine if not Drake."""
    title = named_with_robot(m["behavior"], m.get("robot", ""))
    engine = m.get("engine", "drake")
    return title if engine == "drake" else f"{title}, {engine_title(engine)}"


def _row(m: Mapping[str, Any]) -> list[str]:
    hits = m["hits"]
    stood = all(p["survived"] is not False for p in m["pushes"])
    outcome = f"{m['duration_s']:.0f} s done" if stood else "unsettled"
    if m.get("strained_joints"):
        outcome = "overloaded"
    if m["fell"]:
        outcome = f"fell at {m['fell_at_s']:.1f} s"
    made, timing = "", ""
    com = m["com_error_mm"]["rms"]
    if hits is not None:
        made = f"{hits['made']}/{hits['planned']}"
        made += f" +{hits['extra']} extra" if hits["extra"] else ""
        timing = f"{hits['timing_mean_ms']:.1f} ± {hits['timing_sd_ms']:.1f} ms"
    return [
        _title(m),
        outcome,
        "" if com is None else f"{com:.1f} mm",
        made,
        timing,
        f"{100 * m['torque_peak_fraction']:.0f} %",
        f"{m['realtime_factor']:.2f}x",
    ]


def _notes(results: Sequence[Mapping[str, Any]]) -> list[str]:
    ticks = ", ".join(f"{m['tick_ms']['median']:.2f}" for m in results)
    plans = ", ".join(
        f"{m['plan_ms']['median']:.1f}"
        for m in results
        if m["plan_ms"]["median"] is not None
    )
    lines = [
        "CoM error: distance of the center of mass from the plan, RMS.",
        "Timing: mean of |error| ± deviation, against the authored time.",
        "Torque: peak, in shares of the limit. Speed: real-time factor.",
        f"Median whole-body tick {ticks} ms"
        + (f"; plan {plans} ms." if plans else "."),
    ]
    lines += [
        f"{m['behavior']}: {controller_in_words(m['controller'])}."
        for m in results
        if m.get("controller")
    ]
    lines += [_hand(m) for m in results if m.get("upper_body")]
    lines += [
        f"{_title(m)}: {line}."
        for m in results
        if m.get("drive")
        for line in drive_in_words(m["drive"])
    ]
    for m in results:
        lines += [*_strained(m), *_reached(m), *_unjudged(m), *_safety(m)]
    states = sorted({m["state"] for m in results})
    return [*lines, f"The controllers read the {', '.join(states)}."]


def _reached(m: Mapping[str, Any]) -> list[str]:
    """Joints that reached a limit; of many, those that did so for the longest."""
    rows = m.get("limits_reached") or []
    rest = len(rows) - MOST_REACHED
    more = f" and {rest} more (the report has all)" if rest > 0 else ""
    told = reached_in_words(rows[:MOST_REACHED])
    return [f"{_title(m)}: reached limits: {told}{more}."] if rows else []


def _hand(m: Mapping[str, Any]) -> str:
    """How far the hand of an upper body was from its target."""
    found = m["upper_body"]
    rms, most = found["error_mm"]["rms"], found["error_mm"]["max"]
    return (
        f"{_title(m)}: the error of the {found['hand']} was {rms:.1f} mm RMS and "
        f"{most:.1f} mm at most."
    )


def _strained(m: Mapping[str, Any]) -> list[str]:
    """Joints that were saturated or too fast, which is no success."""
    found = m.get("strained_joints") or []
    return [f"{_title(m)}, no success: {strain_in_words(s)}." for s in found]


def _unjudged(m: Mapping[str, Any]) -> list[str]:
    """Disturbances too late in the run to say whether they were survived."""
    late = [f"{p['time_s']:g}" for p in m["pushes"] if p["survived"] is None]
    if not late:
        return []
    return [
        f"{_title(m)}, disturbed at {', '.join(late)} s: whether the robot recovers is "
        f"judged {RECOVERY:g} s later, and the run ended before; use a longer lead_out."
    ]


def _safety(m: Mapping[str, Any]) -> list[str]:
    """What the controllers of a run did without programs, and what pushed."""
    lines = [
        in_words(f"{_title(m)}, {name.replace('_', '-')} controller", story)
        for name, story in m["safety"].items()
    ]
    lines.append(warnings_in_words(_title(m), m.get("unknown_forces")))
    softened = m.get("softened_servos") or {}
    if softened:
        step = m["scenario"]["time_step"]
        lines.append(softened_in_words(_title(m), step, softened))
    return [line for line in lines if line]
