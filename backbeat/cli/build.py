"""`backbeat build`: specifications to verified behaviors in the library."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Behaviors that ship, or YAML files; none builds all."),
    ] = None,
    library: Annotated[Path, typer.Option(help="Folder of behaviors.")] = Path(
        "library"
    ),
    force: Annotated[bool, typer.Option(help="Build what is up to date too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Results as JSON.")] = False,
) -> None:
    """Builds behaviors: solves, verifies and stores each one that has changed."""
    from backbeat.cli.console import print_json, progress_bar, remarks
    from behaviors.build import build
    from behaviors.library import Library
    from behaviors.specification import find_specification, shipped_names

    wanted = names or shipped_names()
    for name in wanted:
        find_specification(name)
    store, results = Library(library), []
    for name in wanted:
        with progress_bar(Path(name).stem) as report:
            behavior = build(name, store, force, report)
        made = behavior.provenance
        results.append(
            {
                "name": behavior.name,
                "seconds": made["seconds"],
                "knots": made["knots"],
                "iterations": made["iterations"],
                "violation": made["violation"],
                "certificate": behavior.certificate.to_dict(),
            }
        )
        if not as_json:
            remarks.print(str(behavior))
    if as_json:
        print_json(results)
