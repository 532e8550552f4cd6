"""`backbeat author`: dances, drumming and setlists edited beside the robot."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backbeat.cli.common.browser import OpensBrowser, announce, announce_and_open
from backbeat.cli.common.completion import specifications
from backbeat.cli.common.options import LIBRARY, LibraryFolder
from backbeat.cli.common.port import check_port

if TYPE_CHECKING:
    from backbeat.behaviors.editing.document import AuthoredDocument

# What new files begin with, by kind.
NEW = {
    "dance": """\
kind: dance
name: {name}
summary: Atlas dances {name}.
bpm: 98
meter: 4/4
beats: 16
tracks: {{}}
""",
    "setlist": """\
kind: setlist
name: {name}
summary: Atlas performs {name}.
behaviors: []
""",
}


def command(
    file: Annotated[
        str,
        typer.Argument(
            help="YAML file of a dance, of drumming or of a setlist, a show in HTML, "
            "or what ships, of which a copy is edited; without one a new file begins.",
            autocompletion=specifications,
        ),
    ] = "",
    name: Annotated[
        str, typer.Option(help="Name of what is new, and of its file.")
    ] = "",
    kind: Annotated[
        str, typer.Option(help="Kind of a new file: dance, the default, or setlist.")
    ] = "",
    library: LibraryFolder = LIBRARY,
    port: Annotated[
        int | None, typer.Option(help="Port of the page; any free one by default.")
    ] = None,
    opens: OpensBrowser = True,
) -> None:
    """Edits a dance, drums or a setlist in the browser; every edit is verified."""
    from backbeat.models.common.errors import BackbeatError

    check_port(port)
    if not file:
        document = new_document(kind or "dance", name)
    elif name or kind:
        option = "--name" if name else "--kind"
        raise BackbeatError(f"{option} is for a new file; leave it out, or the file")
    else:
        document = open_document(file)
    edit(*document, library, port, opens)


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


def new_document(kind: str, name: str) -> "tuple[AuthoredDocument, str]":
    """A document to begin with, and what to say about it.

    Args:
        kind: "dance" or "setlist".
        name: of it and its file; "" for the usual one.

    Raises:
        BackbeatError: another kind, a bad name, or a file that exists.
    """
    from backbeat.behaviors.library.stored import check_name
    from backbeat.models.common.errors import BackbeatError, unknown_name

    if kind not in NEW:
        raise unknown_name("kind of a new file that is edited on a page", kind, NEW)
    own = Path(f"{check_name(name or f'my-{kind}')}.yaml")
    if own.exists():
        hint = f"backbeat author {own}, or another --name"
        raise BackbeatError(f"{own} exists already: open it with {hint}")
    document = document_class(kind)(own, NEW[kind].format(name=own.stem))
    return document, f"A new {kind}, {own}, is written with its first block"


def document_class(kind: str) -> "Callable[..., AuthoredDocument]":
    """The class of documents of a kind that is edited."""
    from backbeat.behaviors.editing.dance_document import DanceDocument
    from backbeat.behaviors.editing.score_document import ScoreDocument
    from backbeat.behaviors.editing.setlist_document import SetlistDocument

    classes = {"dance": DanceDocument, "drumming": ScoreDocument}
    return {**classes, "setlist": SetlistDocument}[kind]


def open_document(file: str) -> "tuple[AuthoredDocument, str]":
    """The document to edit, and what to say about it.

    Args:
        file: YAML file or name of what is edited, or a show.

    Raises:
        BackbeatError: there is no such file, or it is of a kind that is not edited.
    """
    from backbeat.behaviors.editing.score_document import read_drumming
    from backbeat.behaviors.specification.kinds import (
        find_specification,
        kind_of,
        ships,
    )
    from backbeat.cli.author.new import write_new
    from backbeat.models.common.errors import BackbeatError
    from backbeat.models.common.outside_file import read_text
    from backbeat.stage.players.editing import EDITED

    if Path(file).suffix.lower() in (".html", ".htm"):
        from backbeat.stage.recording.shared import read_shared

        file = str(read_shared(file).write(Path()))
    path = find_specification(file)
    text = read_text(path)
    kind = kind_of(text, str(path))
    if kind not in EDITED:
        raise BackbeatError(
            f"{path} is of kind {kind}; backbeat author edits dances, drumming and "
            f"setlists, and `backbeat build {file} --watch` shows any file while it is "
            "edited elsewhere"
        )
    opened = document_class(kind)
    if not ships(path):
        return opened(path), f"Editing {path}"
    copy = Path(path.name)
    if copy.exists():
        raise BackbeatError(
            f"{file} ships, and its copy {copy} exists already: open that with "
            f"backbeat author {copy}"
        )
    sources = read_drumming(path).sources(path.parent) if kind == "drumming" else []
    copies = {source.relative_to(path.parent): source for source in sources}
    write_new({copy: text, **{to: read_text(source) for to, source in copies.items()}})
    told = f"{file} ships and stays as it is; editing a copy, {copy}"
    return opened(copy), told
