"""Where a behavior's own files are: on disk as its file has them, else in full.

A library may be moved along with the files of its behaviors, so that a stored behavior
says from its own file on where they are: the takes of its recorded parts, and the file
that it was built from.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def from_file(provenance: Mapping[str, Any], file: str | Path) -> dict[str, Any]:
    """A provenance whose files are named from the folder of a behavior's file on.

    Args:
        provenance: of the behavior, with full paths.
        file: where it is stored.
    """
    folder = Path(file).parent.resolve()

    def relative(take: str) -> str:
        path = Path(take)
        return Path(
            os.path.relpath(path.parent.resolve() / path.name, folder)
        ).as_posix()

    return _with_places(provenance, relative)


def in_full(provenance: Mapping[str, Any], file: str | Path) -> dict[str, Any]:
    """The same with full paths, of what a behavior's file has."""
    folder = Path(file).parent.resolve()
    return _with_places(
        provenance, lambda take: Path(os.path.normpath(folder / take)).as_posix()
    )


def _with_places(
    provenance: Mapping[str, Any], place: Callable[[str], str]
) -> dict[str, Any]:
    placed = dict(provenance)
    if provenance.get("recordings"):
        takes = [{**e, "file": place(e["file"])} for e in provenance["recordings"]]
        placed["recordings"] = takes
    if provenance.get("source"):
        placed["source"] = place(provenance["source"])
    return placed
