"""DanceDocument: the file of a dance."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from backbeat.behaviors.building.incremental_build import Draft
from backbeat.behaviors.editing.document import AuthoredDocument
from backbeat.behaviors.editing.edits import edited
from backbeat.behaviors.editing.standing import standing_dancer
from backbeat.behaviors.editing.timeline import (
    DanceTimeline,
    block_on,
    palette,
    sliders,
    timeline,
)


class DanceDocument(AuthoredDocument):
    """A dance; its edits are those of `backbeat.behaviors.editing.edits`."""

    kind: ClassVar[str] = "dance"

    def __init__(self, path: str | Path, text: str | None = None) -> None:
        """As of `AuthoredDocument`; a dance may be a new one."""
        super().__init__(path, text)

    def edited(self, edit: Mapping[str, Any]) -> str:
        """As of `AuthoredDocument`."""
        return edited(self.text, edit, self.path.parent)

    def sheet(self) -> DanceTimeline:
        """As of `AuthoredDocument`."""
        return _timeline(self.text, str(self.path))

    def offers(self) -> dict[str, Any]:
        """As of `AuthoredDocument`.

        Raises:
            BackbeatError: a move of the user's own cannot be read.
        """
        return {"palette": palette(self.path.parent), "sliders": sliders()}

    def block_on(self, line: int) -> tuple[str, int]:
        """As of `AuthoredDocument`."""
        return block_on(self.text, line)[:2]

    def standing(self) -> Draft:
        """As of `AuthoredDocument`."""
        return standing_dancer(self.text, self.path)


@lru_cache(maxsize=8)
def _timeline(text: str, path: str) -> DanceTimeline:
    """The timeline of a text, which is asked for several times."""
    return timeline(text, path)
