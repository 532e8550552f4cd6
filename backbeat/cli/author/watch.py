"""`backbeat build NAME --watch`: a behavior on the stage while it is being written."""

from pathlib import Path

import typer

from backbeat.cli.common.browser import announce, announce_and_open
from backbeat.cli.common.port import check_port
from backbeat.cli.common.shadows import warn_of_shadow
from backbeat.models.common.errors import BackbeatError


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
    from backbeat.behaviors.building.incremental_build import IncrementalBuild
    from backbeat.behaviors.library.store import Library
    from backbeat.stage.players.watched import watch

    incremental = IncrementalBuild(names[0], Library(library))
    warn_of_shadow(incremental.path, library)
    typer.echo(f"Watching {incremental.path}  (Ctrl-C ends it)", err=True)
    try:
        watch(
            incremental,
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
