"""`backbeat build NAME --watch`: a behavior on the stage while it is being written."""

from pathlib import Path

import typer

from backbeat.cli.browser import announce, announce_and_open
from backbeat.cli.port import check_port
from backbeat.cli.shadows import warn_of_shadow
from models.errors import BackbeatError


def watch_behavior(
    names: list[str], library: Path, port: int | None, opens: bool
) -> None:
    """Builds at every save, shows it, and says what is wrong.

    Raises:
        BackbeatError: not one name, or there is no such file.
    """
    if len(names) != 1:
        raise BackbeatError(
            f"--watch follows one file, not {len(names)}; name the behavior that you "
            "are writing"
        )
    check_port(port)
    from backbeat.stage.watched import watch
    from behaviors.library import Library
    from behaviors.rehearsal import Rehearsal

    rehearsal = Rehearsal(names[0], Library(library))
    warn_of_shadow(rehearsal.path, library)
    typer.echo(f"Watching {rehearsal.path}  (Ctrl-C ends it)", err=True)
    try:
        watch(
            rehearsal,
            port,
            announce_and_open if opens else announce,
            lambda sentence: typer.echo(sentence, err=True),
        )
    except KeyboardInterrupt:
        typer.echo(
            f"\nThe last good motion is in {library}; 'backbeat build {names[0]}' "
            "makes it anew from the file alone.",
            err=True,
        )
