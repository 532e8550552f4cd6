"""`backbeat list`: what is in the library, and what could be."""

from typing import TYPE_CHECKING

from backbeat.cli.common.options import LIBRARY, LibraryFolder, ResultsAsJson

if TYPE_CHECKING:
    from backbeat.behaviors.library.store import Library


def command(
    library: LibraryFolder = LIBRARY,
    as_json: ResultsAsJson = False,
) -> None:
    """Lists the behaviors of the library and those that ship but are not built."""
    from rich import box
    from rich.table import Table

    from backbeat.behaviors.library.store import Library
    from backbeat.behaviors.specification.kinds import shipped_names, shipped_setlists
    from backbeat.cli.common.console import Screen, print_json, warn

    store = Library(library)
    table = store.table()
    ships = [*shipped_names(), *shipped_setlists()]
    missing = [n for n in ships if n not in set(table["name"])]
    damaged = store.damaged()
    missing = [n for n in missing if n not in damaged]
    table["card"] = [words_of_card(store, n) for n in table["name"]]
    if as_json:
        rows = table.to_dict("records")
        print_json({"built": rows, "not_built": missing, "damaged": damaged})
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
    Screen().print(screen)
    for why in damaged.values():
        warn(why)


def words_of_card(store: "Library", name: str) -> str:
    """The headline of a behavior's card; a file that is none hides no behavior."""
    from backbeat.cli.common.card_words import card_words
    from backbeat.cli.common.console import warn
    from backbeat.models.common.errors import BackbeatError

    try:
        return card_words(store, name)
    except BackbeatError as error:
        warn(str(error))
        return ""
