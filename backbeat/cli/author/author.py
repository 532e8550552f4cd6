"""`backbeat author`: a dance or drumming on a timeline, every edit on stage."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.common.browser import OpensBrowser, announce, announce_and_open
from backbeat.cli.common.completion import specifications
from backbeat.cli.common.options import LIBRARY, LibraryFolder
from backbeat.cli.common.port import check_port

if TYPE_CHECKING:
    from backbeat.behaviors.editing.document import AuthoredDocument

# What a new dance begins with.
NEW = """\
kind: dance
name: {name}
summary: Atlas dances {name}.
bpm: 98
meter: 4/4
beats: 16
tracks: {{}}
"""
USUAL_NAME = "my-dance"


def command(
    file: Annotated[
        str,
        typer.Argument(
            help="YAML file of a dance or of drumming, a show in HTML, or one that "
            "ships, of which a copy is edited; without one a new dance begins.",
            autocompletion=specifications,
        ),
    ] = "",
    name: Annotated[
        str, typer.Option(help="Name of a new dance, and of its file.")
    ] = "",
    library: LibraryFolder = LIBRARY,
    port: Annotated[
        int | None, typer.Option(help="Port of the page; any free one by default.")
    ] = None,
    opens: OpensBrowser = True,
) -> None:
    """Edits a dance, or drums, in the browser; every edit is solved and verified."""
    check_port(port)
    edit(*open_document(file, name), library, port, opens)


def edit(
    document: "AuthoredDocument",
    sentence: str,
    library: Path,
    port: int | None,
    opens: bool = False,
) -> None:
    """Opens the page of a document, until Ctrl-C.

    Args:
        document: what is edited.
        sentence: what is said about it first.
        library: folder of built behaviors.
        port: of the page; None for any free one.
        opens: whether to open the page in the browser.
    """
    from backbeat.behaviors.library.store import Library
    from backbeat.stage.players.authored import AuthoredShow, author

    typer.echo(sentence, err=True)
    show = AuthoredShow(document, Library(library), port)
    (announce_and_open if opens else announce)(show.show.url)
    try:
        author(show)
    except KeyboardInterrupt:
        if document.path.exists():
            typer.echo(f"\nThe {document.kind} is in {document.path}.", err=True)


def open_document(file: str, name: str) -> "tuple[AuthoredDocument, str]":
    """The document to edit, and what to say about it.

    Args:
        file: YAML file or name of a dance; "" for a new one.
        name: of a new one; "" for the usual name.

    Raises:
        BackbeatError: there is no such file, or it is no dance; a name beside a file;
            a new file that exists.
    """
    from backbeat.behaviors.editing.dance_document import DanceDocument
    from backbeat.behaviors.editing.score_document import ScoreDocument, read_drumming
    from backbeat.behaviors.library.stored import check_name
    from backbeat.behaviors.specification.kinds import (
        find_specification,
        kind_of,
        ships,
    )
    from backbeat.cli.author.new import write_new
    from backbeat.models.common.errors import BackbeatError
    from backbeat.models.common.outside_file import read_text
    from backbeat.stage.players.editing import EDITED

    if not file:
        own = Path(f"{check_name(name or USUAL_NAME)}.yaml")
        if own.exists():
            hint = f"backbeat author {own}, or another --name"
            raise BackbeatError(f"{own} exists already: open it with {hint}")
        document = DanceDocument(own, NEW.format(name=own.stem))
        return document, f"A new dance, {own}, is written with its first block"
    if name:
        raise BackbeatError("--name is for a new dance; leave it out, or the file")
    if Path(file).suffix.lower() in (".html", ".htm"):
        from backbeat.stage.recording.shared import read_shared

        file = str(read_shared(file).write(Path()))
    path = find_specification(file)
    text = read_text(path)
    kind = kind_of(text, str(path))
    if kind not in EDITED:
        raise BackbeatError(
            f"{path} is of kind {kind}; backbeat author edits dances and drumming, and "
            f"`backbeat build {file} --watch` shows any file while it is edited "
            "elsewhere"
        )
    opened = DanceDocument if kind == "dance" else ScoreDocument
    if not ships(path):
        return opened(path), f"Editing {path}"
    copy = Path(path.name)
    if copy.exists():
        raise BackbeatError(
            f"{file} ships, and its copy {copy} exists already: open that with "
            f"backbeat author {copy}"
        )
    sources = [] if kind == "dance" else read_drumming(path).sources(path.parent)
    copies = {source.relative_to(path.parent): source for source in sources}
    write_new({copy: text, **{to: read_text(source) for to, source in copies.items()}})
    told = f"{file} ships and stays as it is; editing a copy, {copy}"
    return opened(copy), told
