"""`backbeat info`: a behavior, its certificate and where it comes from."""

from pathlib import Path
from typing import Annotated

import typer

# Rows of the table of limits.
MOST_LIMITS = 10


def command(
    name: Annotated[str, typer.Argument(help="Behavior in the library.")],
    library: Annotated[Path, typer.Option(help="Folder of behaviors.")] = Path(
        "library"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Results as JSON.")] = False,
) -> None:
    """Shows a behavior: what it is, what verification found, how it was built."""
    from rich.console import Console
    from rich.table import Table

    from backbeat.cli.console import print_json
    from behaviors.behavior_table import to_header
    from behaviors.library import Library

    behavior = Library(library).load(name)
    if as_json:
        print_json(to_header(behavior))
        return
    console = Console()
    console.print(str(behavior))
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
    console.print(table)
    limits = behavior.active_limits()
    if len(limits):
        table = Table("limit used to the full", "of", "from", "to", "knots")
        for limit in limits.head(MOST_LIMITS).itertuples():
            table.add_row(
                limit.kind.replace("_", " "),
                limit.what,
                f"{limit.from_s:.2f} s",
                f"{limit.to_s:.2f} s",
                str(limit.knots),
            )
        console.print(table)
        if len(limits) > MOST_LIMITS:
            console.print(
                f"and {len(limits) - MOST_LIMITS} more; see `backbeat report`"
            )
    made = behavior.provenance
    console.print(
        f"{made['knots']} knots, {made['iterations']} iterations, built in "
        f"{made['seconds']:.1f} s with Backbeat {made['backbeat']} and Drake "
        f"{made['drake']}"
    )
