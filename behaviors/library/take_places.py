"""Where the takes of a behavior are: on disk as its file has them, else in full.

A library may be moved along with the takes of its behaviors, so that a stored behavior
says where they are from its own file on.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def from_file(provenance: Mapping[str, Any], file: str | Path) -> dict[str, Any]:
    """A provenance whose takes are named from the folder of a behavior's file on.

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

    return _with_takes(provenance, relative)


def in_full(provenance: Mapping[str, Any], file: str | Path) -> dict[str, Any]:
    """The same with full paths, of what a behavior's file has."""
    folder = Path(file).parent.resolve()
    return _with_takes(
        provenance, lambda take: Path(os.path.normpath(folder / take)).as_posix()
    )


def _with_takes(
    provenance: Mapping[str, Any], place: Callable[[str], str]
) -> dict[str, Any]:
    if not provenance.get("recordings"):
        return dict(provenance)
    entries = [{**e, "file": place(e["file"])} for e in provenance["recordings"]]
    return {**provenance, "recordings": entries}
