"""Authoring: a file that pages edit, and the worker that finds its motion."""

import json
import time
from dataclasses import asdict
from typing import Any

from backbeat.behaviors.editing.document import AuthoredDocument
from backbeat.behaviors.library.behavior import Behavior
from backbeat.jobs.watching import (
    Drafted,
    FileWatch,
    News,
    Performed,
    Refused,
    Worker,
    Working,
)
from backbeat.models.common.errors import BackbeatError

# Phases of the way from an edit to its motion.
EMPTY, CHECKED, PREVIEW, SOLVING = "empty", "checked", "preview", "solving"
VERIFIED, REFUSED = "verified", "refused"
# Most limits in use that a page is told of.
MOST_LIMITS = 40


class AuthoringDesk:
    """A document and its motion, as pages are told of them.

    `answer` and `edit` are called from threads of the server, the rest from one thread.

    Attributes:
        document: what is edited.
        phase: how far the motion of the present text is.
        share: of the work that is done.
        refusal: what keeps the present text from having a motion, and where; None for
            nothing.
        limits: what the verified motion uses to the full.
        drafted: the text that the worker has read last.
        errors: of the last simulation; None before there was one.
    """

    def __init__(self, document: AuthoredDocument, worker: Worker) -> None:
        """Begins with a document as it is."""
        self.document, self._worker = document, worker
        self._files = FileWatch(document.files)
        self.phase, self.share = EMPTY, 0.0
        self.refusal: dict[str, Any] | None = None
        self.limits: list[dict[str, Any]] = []
        self._took, self.drafted = 0.0, ""
        self.errors: dict[str, Any] | None = None
        self._runs = 0
        self._start()

    @property
    def edition(self) -> str:
        """Another one when there is something for pages to ask for."""
        refuses, document = self.refusal is not None, self.document
        state = (document.revision, document.made, self.phase, refuses, self._runs)
        return " ".join(map(str, state))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to solve."""
        return self.phase == EMPTY

    @property
    def is_solving(self) -> bool:
        """Whether the worker is at the present text."""
        return self.phase in (CHECKED, PREVIEW, SOLVING)

    def answer(self, _: bytes = b"") -> dict[str, Any]:
        """What pages show of the document."""
        document = self.document
        return {
            "revision": document.revision,
            "file": str(document.path),
            "news": document.news,
            "undo": document.can_undo,
            "redo": document.can_redo,
            "timeline": asdict(document.sheet()),
            "refusal": self.refusal,
            "limits": self.limits,
            "errors": self.errors,
            "edition": self.edition,
        }

    def edit(self, sent: bytes) -> dict[str, Any]:
        """Makes an edit; the answer says `refused` and why where it is refused."""
        refused = ""
        try:
            edit, revision = _read_edit(sent)
            before = self.document.revision
            self.document.apply(edit, revision)
            if self.document.revision != before:
                self._start()
        except BackbeatError as error:
            refused = str(error)
        return self.answer() | {"refused": refused}

    def note_run(self, errors: dict[str, Any] | None) -> None:
        """Notes the errors of a simulation that has ended."""
        self.errors = errors
        self._runs += 1

    def look(self) -> None:
        """Takes over what an editor has saved."""
        if self._files.has_changed():
            is_other = len(self.document.files()) > 1
            if self.document.reload() or is_other:
                self._start()

    def _start(self) -> None:
        """Begins to find the motion of a new text."""
        self.refusal, self.share = None, 0.0
        if self.document.sheet().is_empty:
            self.phase = EMPTY
            return
        self.phase = CHECKED
        self._worker.save(time.time())

    def hear(self, news: News) -> None:
        """Notes how far the work is; what is about an earlier text does not count."""
        if isinstance(news, Drafted):
            self.drafted = self.document.text_of(news.draft)
        is_now = self.drafted == self.document.text
        if isinstance(news, Drafted) and is_now:
            self.phase = PREVIEW
        elif isinstance(news, Working) and self.is_solving:
            self.phase, self.share = SOLVING, news.share
        elif isinstance(news, Performed) and is_now:
            self.phase, self.share, self._took = VERIFIED, 1.0, news.seconds
            self.limits = _limits(news.updated.behavior)
        elif isinstance(news, Refused) and self.is_solving:
            self._refuse(news)

    def _refuse(self, news: Refused) -> None:
        failures = [mark for mark in self.document.sheet().marks if mark.fails]
        track, row = "", -1
        if failures:
            track, row = failures[0].track, failures[0].row
        elif news.line is not None:
            track, row = self.document.block_on(news.line)
        self.phase = REFUSED
        self.refusal = {"sentence": news.sentence, "track": track, "row": row}

    def state(self) -> dict[str, Any]:
        """What pages are told many times a second."""
        return {
            "phase": self.phase,
            "share": round(self.share, 2),
            "took": round(self._took, 2),
            "script": self.edition,
            "revision": self.document.revision,
        }


def _read_edit(sent: bytes) -> tuple[dict[str, Any], int]:
    """An edit and the revision that it is about.

    Raises:
        BackbeatError: it is none.
    """
    try:
        found = json.loads(sent)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or set(found) != {"edit", "revision"}:
        raise BackbeatError('an edit is {"edit": {...}, "revision": NUMBER}')
    edit, revision = found["edit"], found["revision"]
    if not isinstance(edit, dict) or not isinstance(revision, int):
        raise BackbeatError('an edit is {"edit": {...}, "revision": NUMBER}')
    return edit, revision


def _limits(behavior: Behavior) -> list[dict[str, Any]]:
    """Limits that a motion uses to the full, the longest first."""
    table = behavior.active_limits()
    if not len(table):
        return []
    table = table.assign(length=table["to_s"] - table["from_s"])
    table = table.sort_values("length", ascending=False).head(MOST_LIMITS)
    names = ["kind", "what", "from_s", "to_s", "knots"]
    found: list[dict[str, Any]] = table[names].to_dict("records")
    return found
