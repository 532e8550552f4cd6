"""SetlistDocument: the file of a setlist."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from backbeat.behaviors.building.incremental_build import Draft
from backbeat.behaviors.building.setlist_build import SetlistBuild
from backbeat.behaviors.editing.document import AuthoredDocument
from backbeat.behaviors.editing.setlist_edits import (
    OPTIONS,
    SETLIST_KEYS,
    edited_setlist,
)
from backbeat.behaviors.editing.setlist_row import (
    ROW,
    SetlistRow,
    laid_out,
    setlist_row,
)
from backbeat.behaviors.editing.standing import standing_show
from backbeat.behaviors.editing.timeline import item_on, sliders
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.setlist.specification import SetlistEntry, SetlistSpecification
from backbeat.behaviors.specification.kinds import read_setlist
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import is_file
from backbeat.models.common.yaml_lines import YamlLines

SLIDERS: Mapping[str, tuple[float, float, float]] = {
    "bpm": (0, 200, 1),
    "step_back": (0, 2, 0.1),
    "beat_priority": (0, 1, 0.05),
    "repeat": (1, 8, 1),
    "rest": (0, 10, 0.5),
    "beats": (0, 16, 1),
    "until": (0, 64, 1),
}


class SetlistDocument(AuthoredDocument):
    """A setlist; its edits are those of `backbeat.behaviors.editing.setlist_edits`."""

    kind: ClassVar[str] = "setlist"

    def __init__(self, path: str | Path, text: str | None = None) -> None:
        """As of `AuthoredDocument`; a setlist may be a new one."""
        super().__init__(path, text)
        self._build: SetlistBuild | None = None
        self._lengths: dict[str, float] = {}

    def edited(self, edit: Mapping[str, Any]) -> str:
        """As of `AuthoredDocument`."""
        return edited_setlist(self.text, edit)

    def sheet(self) -> SetlistRow:
        """As of `AuthoredDocument`, with what is known of the show meanwhile."""
        row = _checked(self.text, str(self.path), tuple(map(_saved, self.files()[1:])))
        if self._build is None:
            return laid_out(row, self._lengths, None)
        memory = self._build.memory
        states = memory.behaviors.items()
        self._lengths |= {name: s.seconds for name, s in states if s.seconds}
        return laid_out(
            row, self._lengths, memory if memory.text == self.text else None
        )

    @property
    def made(self) -> int:
        """As of `AuthoredDocument`."""
        return 0 if self._build is None else self._build.memory.edition

    def files(self) -> list[Path]:
        """As of `AuthoredDocument`: files of behaviors that lie beside the setlist."""
        return [self.path, *_own_files(self.text, str(self.path))]

    def offers(self) -> dict[str, Any]:
        """As of `AuthoredDocument`."""
        keys = (SetlistSpecification, SETLIST_KEYS), (SetlistEntry, OPTIONS)
        return {"sliders": sliders(keys, SLIDERS)}

    def block_on(self, line: int) -> tuple[str, int]:
        """As of `AuthoredDocument`."""
        row = item_on(YamlLines(self.text), (ROW,), line)
        return (ROW, row) if row >= 0 else ("", -1)

    def standing(self) -> Draft:
        """As of `AuthoredDocument`."""
        return standing_show(self.text, self.path)

    def building(self, library: Library) -> SetlistBuild:
        """As of `AuthoredDocument`."""
        rows = (row for _, row in library.rows())
        self._lengths = {row["name"]: float(row["duration_s"]) for row in rows}
        self._build = SetlistBuild(self.path, library)
        return self._build


def _saved(path: Path) -> tuple[Path, int]:
    """A file, and when it was saved; 0 where it is gone."""
    return path, path.stat().st_mtime_ns if is_file(path) else 0


@lru_cache(maxsize=8)
def _checked(text: str, path: str, files: tuple[tuple[Path, int], ...]) -> SetlistRow:
    """The row of a text, which is asked for at every change of its show."""
    return setlist_row(text, path)


@lru_cache(maxsize=8)
def _own_files(text: str, path: str) -> tuple[Path, ...]:
    """Files that a setlist names beside itself, as far as it can be read."""
    folder = Path(path).parent
    try:
        entries = read_setlist(text, path).behaviors
    except BackbeatError:
        return ()
    names = dict.fromkeys(entry.behavior for entry in entries)
    return tuple(folder / n for n in names if n.endswith((".yaml", ".yml")))
