"""AuthoredDocument: a file, its edits, and all its earlier texts."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from backbeat.behaviors.building.incremental_build import Draft, IncrementalBuild
from backbeat.behaviors.editing.timeline import Sheet
from backbeat.behaviors.library.store import Library
from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import is_file, read_text

STALE = "this was edited elsewhere meanwhile; the page shows it now, so edit it again"
UNDO, REDO = "undo", "redo"


class AuthoredDocument(ABC):
    """A file that several pages and a text editor change in turns.

    Whatever is refused leaves text and file as they are. Methods may be called from
    several threads.

    Attributes:
        kind: of what is edited, as pages have it.
        path: the file.
        built: the file that is built, which may name this one.
        text: what it holds.
        revision: how often the text has changed.
        news: what was last done by others than pages, in a sentence.
    """

    kind: ClassVar[str]

    def __init__(self, path: str | Path, text: str | None) -> None:
        """Opens a file, or begins one that is written with the first edit.

        Args:
            path: where it is, or will be.
            text: what a new one begins with; None to read the file.

        Raises:
            BackbeatError: it cannot be read.
        """
        self.path, self.built, self.news = Path(path), Path(path), ""
        self.text = read_text(self.path) if text is None else text
        self.revision = 0
        self._is_new = text is not None
        self._past: list[str] = []
        self._future: list[str] = []
        self._lock = threading.RLock()

    @abstractmethod
    def edited(self, edit: Mapping[str, Any]) -> str:
        """The text after an edit.

        Raises:
            BackbeatError: the edit makes no sense, or cannot be written.
        """

    @abstractmethod
    def sheet(self) -> Sheet:
        """What pages show of the present text."""

    @abstractmethod
    def offers(self) -> dict[str, Any]:
        """What pages make edits of."""

    @abstractmethod
    def block_on(self, line: int) -> tuple[str, int]:
        """Track and row of what is on a line of the text; "" and -1 for none."""

    @abstractmethod
    def standing(self) -> Draft:
        """A draft in which the robot stands where what is edited begins."""

    def building(self, library: Library) -> IncrementalBuild:
        """What keeps the motion up to date."""
        return IncrementalBuild(self.built, library)

    def text_of(self, draft: Draft) -> str:
        """The text of this file that a draft was made of."""
        return draft.text

    def files(self) -> list[Path]:
        """This file, and others of the user's own that the motion is made of."""
        return list(dict.fromkeys((self.path, self.built)))

    @property
    def made(self) -> int:
        """Another number when the sheet of the same text is another."""
        return 0

    @property
    def can_undo(self) -> bool:
        """Whether there is an earlier text."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether something was undone last."""
        return bool(self._future)

    def apply(self, edit: Mapping[str, Any], revision: int) -> None:
        """Makes an edit, and saves the file.

        Args:
            edit: as of `edited`; or "undo" or "redo".
            revision: of the text that it is about.

        Raises:
            BackbeatError: it is about an older text, makes no sense, or cannot be
                written into the file.
        """
        with self._lock:
            self.reload()
            if revision != self.revision:
                raise BackbeatError(STALE)
            name = edit.get("edit")
            if name == UNDO and set(edit) == {"edit"}:
                self._step(self._past, self._future, "undo")
            elif name == REDO and set(edit) == {"edit"}:
                self._step(self._future, self._past, "do again")
            else:
                new = self.edited(edit)
                if new == self.text:
                    return
                self._save(new)
                self._past.append(self.text)
                self._future.clear()
                self._become(new)
            self.news = ""

    def reload(self) -> bool:
        """Takes over what others have written; says whether there was something.

        The text that it was can be had again by undoing. While a file is gone or
        empty, as editors leave it for a moment, nothing is taken over.
        """
        with self._lock:
            if not is_file(self.path):
                return False
            try:
                text = read_text(self.path)
            except BackbeatError as error:
                self.news = str(error)
                return False
            if not text or text == self.text:
                self._is_new &= not text
                return False
            if self._is_new:
                self.news = f"{self.path} was there already: opened"
            else:
                self.news = "the file changed: reloaded"
            self._is_new = False
            self._past.append(self.text)
            self._future.clear()
            self._become(text)
            return True

    def _step(self, source: list[str], other: list[str], what: str) -> None:
        if not source:
            raise BackbeatError(f"there is nothing to {what}")
        self._save(source[-1])
        other.append(self.text)
        self._become(source.pop())

    def _save(self, text: str) -> None:
        """Writes the file, of which only the text is another then."""
        with replacing(self.path) as file:
            file.write(text.encode())
        self._is_new = False

    def _become(self, text: str) -> None:
        self.text = text
        self.revision += 1
