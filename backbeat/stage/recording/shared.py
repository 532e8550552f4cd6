"""Shared shows: one page with robot, timeline, sound, and the files it is made of.

The page plays without a server; `read_shared` takes the files out of it again. A page
may come from anywhere: nothing of it is run, and what it holds is names and texts
within limits, or it is refused.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backbeat.behaviors.editing.document import AuthoredDocument
from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.music.notation.backing import find_backing
from backbeat.behaviors.setlist.specification import SetlistSpecification
from backbeat.behaviors.specification.kinds import (
    kind_of,
    parse_specification,
    read_any,
    read_setlist,
    ships,
)
from backbeat.behaviors.specification.setlist_rules import part_paths
from backbeat.models.common.atomic_file import check_places, replacing
from backbeat.models.common.bounds import BYTES
from backbeat.models.common.errors import BackbeatError, shown
from backbeat.models.common.outside_file import is_file, leaves, read_text
from backbeat.sound.mix import read_backing
from backbeat.sound.notes import SoundExtras, planned
from backbeat.stage.recording.html import Recording, page_of, write_page
from backbeat.stage.sources.kinds import PlannedSource
from backbeat.stage.web.page import data_element

IDENTIFIER = "backbeat-files"
START = f'<script type="application/json" id="{IDENTIFIER}">'
END = "</script>"
# Most files of a show, and what one may be called: beside the first, or a folder lower.
MOST_FILES = 64
_PART = r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}"
_NAME = re.compile(f"({_PART}/)?{_PART}")
_ENDINGS = (".yaml", ".yml", ".tab", ".txt")


@dataclass(frozen=True)
class SharedFiles:
    """Files of a show.

    Attributes:
        main: name of the specification.
        files: texts by name, from the folder of the specification.
    """

    main: str
    files: dict[str, str]

    def __post_init__(self) -> None:
        """Refuses names that lead elsewhere, and more than a show has.

        Raises:
            BackbeatError: says which name.
        """
        for name in self.files:
            if not _NAME.fullmatch(name) or not name.endswith(_ENDINGS):
                raise BackbeatError(
                    f"a show holds {shown(name)}, which is no name of a file of text "
                    "beside a specification, or in a folder there"
                )
        if self.main not in self.files or len(self.files) > MOST_FILES:
            raise BackbeatError(
                f"a show holds its specification and up to {MOST_FILES} files in all"
            )

    def write(self, folder: str | Path) -> Path:
        """Writes those that are not there yet; gives the path of the specification.

        Raises:
            BackbeatError: another file of a name is there, or one cannot be written.
        """
        folder = Path(folder)
        new = {}
        for name, text in self.files.items():
            path = folder / name
            if leaves(folder, path):
                raise BackbeatError(f"{path} leads out of {folder}; remove that link")
            if not path.exists():
                new[path] = text
            elif read_text(path) != text:
                raise BackbeatError(
                    f"{path} exists and is another one than in the show; open the show "
                    "in another folder"
                )
        for path in new:
            path.parent.mkdir(parents=True, exist_ok=True)
        check_places(*new)
        for path, text in new.items():
            with replacing(path) as file:
                file.write(text.encode())
        return folder / self.main


def files_of(document: AuthoredDocument) -> SharedFiles:
    """The files that a document is made of.

    Raises:
        BackbeatError: one is no text that can be shared.
    """
    main, folder = document.built, document.built.parent
    files = {main.name: read_text(main)}
    for source in _sources(main):
        if leaves(folder, source):
            raise BackbeatError(f"{source} does not lie beside {main}; put it there")
        files[source.relative_to(folder).as_posix()] = read_text(source)
    return SharedFiles(main.name, files)


def _sources(path: Path) -> list[Path]:
    """Files that a specification names; those of a setlist name some in turn."""
    specification, _ = read_any(path)
    if not isinstance(specification, SetlistSpecification):
        return [Path(source) for source in specification.sources(path.parent)]
    parts = part_paths(specification, path.parent).values()
    own = [part for part in parts if not ships(part)]
    return [file for part in own for file in (part, *_sources(part))]


def share(
    document: AuthoredDocument,
    behavior: Behavior,
    answer: dict[str, Any],
    extras: SoundExtras,
) -> Recording:
    """Writes a show beside its specification.

    Args:
        document: what was edited.
        behavior: its verified motion.
        answer: what pages show of the document.
        extras: what is heard besides the drums.

    Raises:
        BackbeatError: a file of that name is no show, or a file cannot be shared.
    """
    path = document.built.with_suffix(".html")
    if is_file(path) and START not in read_text(path, "page"):
        raise BackbeatError(f"{path} exists and is no show; move it away")
    files = files_of(document)
    offers = {"kind": document.kind, "document": answer | {"file": files.main}}
    offers |= document.offers() | {"trial": {"engines": [], "robots": []}}
    source = PlannedSource(behavior)
    page = page_of(source, extras=extras, more={"timeline": offers})
    head, body, tail = page.rpartition("</body>")
    data = data_element(IDENTIFIER, {"main": files.main, "files": files.files})
    return write_page(f"{head}{data}\n{body}{tail}", path)


def extras_of(
    behavior: Behavior, document: AuthoredDocument
) -> tuple[SoundExtras, str]:
    """The backing that a file names, and why it is left out; "" where it is not."""
    performance, folder = planned(behavior), document.path.parent
    if not performance.backing:
        return SoundExtras(), ""
    try:
        path = find_backing(folder, performance.backing, performance.name)
        return SoundExtras(backing=read_backing(path)), ""
    except BackbeatError as error:
        return SoundExtras(), f"its backing is left out: {error}"


def read_shared(path: str | Path) -> SharedFiles:
    """The files in a show.

    Raises:
        BackbeatError: it is no show, or holds what a show does not.
    """
    path = Path(path)
    text = read_text(path, "page")
    if text.count(START) != 1:
        raise BackbeatError(
            f"{path} is no show that can be edited: those are written by share on "
            "the page of backbeat author"
        )
    start = text.index(START) + len(START)
    end = text.find(END, start)
    found: Any = None
    if 0 <= end - start <= 2 * BYTES["YAML"]:
        try:
            found = json.loads(text[start:end])
        except (ValueError, RecursionError):
            found = None
    files = found.get("files") if isinstance(found, dict) else None
    if not isinstance(files, dict) or set(found) != {"main", "files"}:
        files = {"": None}
    if not all(isinstance(text, str) for text in files.values()):
        raise BackbeatError(f"{path}: the files in this show cannot be read")
    shared = SharedFiles(str(found["main"]), files)
    # No key of a specification names code.
    main = files[shared.main]
    is_setlist = kind_of(main, shared.main) == SetlistSpecification.kind
    (read_setlist if is_setlist else parse_specification)(main, shared.main)
    return shared
