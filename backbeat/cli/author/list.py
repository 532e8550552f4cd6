"""`backbeat list`: what is in the library, and what could be."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backbeat.cli.common.completion import robots
from backbeat.cli.common.options import LIBRARY, LibraryFolder, ResultsAsJson

if TYPE_CHECKING:
    from backbeat.behaviors.library.store import Library
    from backbeat.behaviors.library.stored import Stored


def command(
    library: LibraryFolder = LIBRARY,
    robot: Annotated[
        str,
        typer.Option(
            help="Only what is built for it, or could be: a robot that ships, or the "
            "path of a robot YAML.",
            autocompletion=robots,
        ),
    ] = "",
    as_json: ResultsAsJson = False,
) -> None:
    """Lists the behaviors of the library and those that ship but are not built."""
    from rich import box
    from rich.table import Table

    from backbeat.behaviors.library.robots import USUAL_ROBOT, name_of
    from backbeat.behaviors.library.store import Library
    from backbeat.cli.common.console import Screen, print_json, warn

    store = Library(library)
    found = [(s, r | {"card": words_of_card(store, s)}) for s, r in store.rows(robot)]
    rows, damaged = [row for _, row in found], store.damaged(robot)
    missing = not_built(store, robot)
    if as_json:
        print_json({"built": rows, "not_built": missing, "damaged": damaged})
        return
    screen = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 0, 0, 1))
    for column in ("robot", "name", "kind", "length", "tempo", "verified"):
        screen.add_column(column, no_wrap=True)
    has_cards = any(row["card"] for row in rows)
    if has_cards:
        screen.add_column("survives")
    screen.add_column("summary")
    lines = [(row["robot"], _built_cells(row, has_cards)) for row in rows]
    wanted = name_of(robot) if robot else USUAL_ROBOT
    # What is not built stands below what is, of the same robot.
    after = max((i + 1 for i, (of, _) in enumerate(lines) if of == wanted), default=0)
    lines[after:after] = [
        (wanted, _missing_cells(n, robot, has_cards)) for n in missing
    ]
    for i, (of, cells) in enumerate(lines):
        is_first = i == 0 or lines[i - 1][0] != of
        screen.add_row(of if is_first else "", *cells)
    Screen().print(screen)
    if early := [s.name for s, _ in found if not s.robot]:
        warn(
            f"{library} has {len(early)} behaviors of an earlier Backbeat beside the "
            "folders of robots; they can be used, and the next build puts each into "
            "the folder of its robot"
        )
    for why in damaged.values():
        warn(why)


def _built_cells(row: Mapping[str, Any], has_cards: bool) -> list[str]:
    """A behavior in the table, from its name on."""
    return [
        row["name"],
        row["kind"],
        f"{row['duration_s']:.1f} s",
        f"{row['bpm']:g} BPM" if row["bpm"] else "",
        "yes" if row["verified"] else "NO",
        *([row["card"]] if has_cards else []),
        row["summary"],
    ]


def _missing_cells(name: str, robot: str, has_cards: bool) -> list[str]:
    """A behavior that is not built, in the same columns."""
    how = f"backbeat build {name}" + (f" --robot {robot}" if robot else "")
    return [name, "", "", "", "not built", *([""] if has_cards else []), how]


def not_built(store: "Library", robot: str) -> list[str]:
    """What ships and is not built, for Atlas or another robot that it is made for.

    Args:
        store: the library.
        robot: shipped name, or path of a robot YAML; "" for Atlas.
    """
    from backbeat.behaviors.library.robots import USUAL_ROBOT
    from backbeat.behaviors.specification.kinds import (
        shipped_names,
        shipped_setlists,
        transferred_names,
    )

    there = {s.name for s in store.stored(robot or USUAL_ROBOT)}
    every = [*shipped_names(), *shipped_setlists()]
    ships = transferred_names() if robot not in ("", USUAL_ROBOT) else every
    # A file that is damaged is there all the same.
    there |= {s.name for s in store.stored() if not store.robot_folder(s)}
    return [name for name in ships if name not in there]


def words_of_card(store: "Library", name: "Stored") -> str:
    """The headline of a behavior's card; a file that is none hides no behavior."""
    from backbeat.cli.common.card_words import card_words
    from backbeat.cli.common.console import warn
    from backbeat.models.common.errors import BackbeatError

    try:
        return card_words(store, name)
    except BackbeatError as error:
        warn(str(error))
        return ""
