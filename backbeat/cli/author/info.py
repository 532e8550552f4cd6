"""`backbeat info`: a behavior, its certificate and where it comes from."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backbeat.cli.common.completion import behaviors
from backbeat.cli.common.options import LIBRARY, LibraryFolder, ResultsAsJson
from backbeat.cli.common.other_robot import OfRobot, placed_robot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from rich.table import Table

    from backbeat.behaviors.library.behavior import Behavior

# Rows of the table of limits.
MOST_LIMITS = 10


def command(
    name: Annotated[
        str, typer.Argument(help="Behavior in the library.", autocompletion=behaviors)
    ],
    library: LibraryFolder = LIBRARY,
    robot: OfRobot = "",
    costs: Annotated[
        Path | None,
        typer.Option(
            help="Figure to write (.svg, .png or .pdf): what each term of the "
            "trajectory costs over time."
        ),
    ] = None,
    as_json: ResultsAsJson = False,
) -> None:
    """Shows a behavior: what it is, what verification found, how it was built."""
    from backbeat.behaviors.library.store import Library
    from backbeat.behaviors.library.table import to_header
    from backbeat.behaviors.specification.recorded_takes import summaries
    from backbeat.cli.common.console import Screen, print_json
    from backbeat.report.plots.costs import plot_knot_costs
    from backbeat.report.plots.figure_file import check_figure, save_figure

    behavior = Library(library).load(name, placed_robot(robot))
    if costs is not None:
        check_figure(costs)
        typer.echo(save_figure(plot_knot_costs(behavior.costs()), costs))
        return
    if as_json:
        print_json(to_header(behavior) | margins(behavior) | elbows(behavior))
        return
    console = Screen()
    console.print(str(behavior))
    console.print(checks_table(behavior))
    if behavior.kind == "posture":
        console.print(margins_table(behavior))
    for side, found in elbows(behavior).get("elbows", {}).items():
        console.print(
            f"{side} elbow below its shoulder in {found['down_percent']:.1f} % of the "
            f"motion, by {found['least_mm']:.0f} mm at least, below the line from "
            f"shoulder to hand in {found['sagging_percent']:.1f} %"
        )
    limits = behavior.active_limits()
    if len(limits):
        console.print(limits_table(limits))
    left_out: list[dict[str, Any]] = behavior.provenance.get("left_out", [])  # type: ignore[assignment]
    if left_out:
        console.print(left_out_table(left_out))
    for sentence in summaries(behavior):
        console.print(f"{sentence}; see `backbeat report`")
    if len(limits) > MOST_LIMITS:
        console.print(f"and {len(limits) - MOST_LIMITS} more; see `backbeat report`")
    made = dict(behavior.provenance)
    if {"knots", "iterations", "seconds", "backbeat", "drake"} <= made.keys():
        console.print(
            f"{made['knots']} knots, {made['iterations']} iterations, built in "
            f"{made['seconds']:.1f} s with Backbeat {made['backbeat']} and Drake "
            f"{made['drake']}"
        )


def checks_table(behavior: "Behavior") -> "Table":
    """The worst that verification found, by check."""
    from rich.table import Table

    table = Table("check", "worst", "allowed", "at", "where", "passed")
    for check in behavior.certificate.checks:
        table.add_row(
            check.name.replace("_", " "),
            f"{check.value:.3g}",
            f"{check.bound:.3g}",
            f"{check.time:.2f} s",
            check.where,
            "yes" if check.passed else "NO",
        )
    return table


def limits_table(limits: "pd.DataFrame") -> "Table":
    """The limits that a motion uses to the full, the first of many.

    Args:
        limits: see `Behavior.active_limits`.
    """
    from rich.table import Table

    table = Table("limit used to the full", "of", "from", "to", "knots")
    for limit in limits.head(MOST_LIMITS).itertuples():
        table.add_row(
            limit.kind.replace("_", " "),
            limit.what,
            f"{limit.from_s:.2f} s",
            f"{limit.to_s:.2f} s",
            str(limit.knots),
        )
    return table


def left_out_table(left_out: "Sequence[Mapping[str, Any]]") -> "Table":
    """Every hit of the score that is not played, with its place and the cause."""
    from rich.table import Table

    table = Table("hit left out", "bar", "beat", "cause")
    for hit in left_out:
        why = "; ".join(filter(None, (hit["cause"], hit["proof"])))
        table.add_row(hit["member"], str(hit["bar"]), f"{hit['beat']:g}", why)
    return table


def margins_table(behavior: "Behavior") -> "Table":
    """What is left at each station of a tour."""
    from rich.table import Table

    from backbeat.behaviors.posture.margins import station_margins

    table = Table(
        "station", "at", "to the feet's edge", "hands could go", "next stop", "torque"
    )
    for name, time, margins in station_margins(behavior):
        hands = [f"{part} {100 * way:.0f} cm" for part, way in margins.reach.items()]
        table.add_row(
            name,
            f"{time:.2f} s",
            f"{1000 * margins.balance:.0f} mm",
            "\n".join(hands),
            f"{margins.joint} {margins.stop:.2f} rad",
            f"{margins.strained} {100 * margins.load:.0f} %",
        )
    return table


def margins(behavior: "Behavior") -> dict[str, Any]:
    """The same as plain data, for tours of postures."""
    from dataclasses import asdict

    from backbeat.behaviors.posture.margins import station_margins

    if behavior.kind != "posture":
        return {}
    rows = station_margins(behavior)
    return {"margins": [{"station": n, "at_s": t} | asdict(m) for n, t, m in rows]}


def elbows(behavior: "Behavior") -> dict[str, Any]:
    """How far the elbows of a drummer are down, by hand."""
    from backbeat.behaviors.drumming.elbows import find_elbows
    from backbeat.behaviors.music.notation.score import HANDS

    if behavior.kind != "drumming":
        return {}
    motion = behavior.motion
    found = find_elbows(behavior.robot_model, motion.t, motion.q)
    return {
        "elbows": {
            hand: {
                "down_percent": 100.0 * float(found.share_down()[i]),
                "least_mm": 1e3 * float(found.least_depth()[i]),
                "sagging_percent": 100.0 * float(found.share_sagging()[i]),
            }
            for i, hand in enumerate(HANDS)
        }
    }
