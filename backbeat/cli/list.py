"""`backbeat list`: what is in the library, and what could be."""

from typing import Annotated

import typer

from backbeat.cli.options import LIBRARY, LibraryFolder


def command(
    library: LibraryFolder = LIBRARY,
    as_json: Annotated[bool, typer.Option("--json", help="Results as JSON.")] = False,
) -> None:
    """Lists the behaviors of the library and those that ship but are not built."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from backbeat.card_words import card_words
    from backbeat.cli.console import print_json
    from behaviors.library import Library
    from behaviors.specification import shipped_names, shipped_setlists

    store = Library(library)
    table = store.table()
    ships = [*shipped_names(), *shipped_setlists()]
    missing = [n for n in ships if n not in set(table["name"])]
    table["card"] = [card_words(store, n) for n in table["name"]]
    if as_json:
        print_json({"built": table.to_dict("records"), "not_built": missing})
        return
    screen = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 0, 0, 1))
    for column in ("name", "kind", "length", "tempo", "verified"):
        screen.add_column(column, no_wrap=True)
    has_cards = any(table["card"])
    if has_cards:
        screen.add_column("survives")
    screen.add_column("summary")
    for row in table.itertuples():
        screen.add_row(
            row.name,
            row.kind,
            f"{row.duration_s:.1f} s",
            f"{row.bpm:g} BPM" if row.bpm else "",
            "yes" if row.verified else "NO",
            *([row.card] if has_cards else []),
            row.summary,
        )
    for name in missing:
        blank = [""] if has_cards else []
        screen.add_row(name, "", "", "", "not built", *blank, f"backbeat build {name}")
    Console(markup=False).print(screen)
