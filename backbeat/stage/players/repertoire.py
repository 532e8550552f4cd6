"""Repertoire: what a live show may choose from, as its page lists it."""

from typing import Any

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.store import Library
from backbeat.models.common.errors import BackbeatError


class Repertoire:
    """The behaviors of a library, and one that may be from elsewhere."""

    def __init__(self, library: Library, guest: Behavior | None = None) -> None:
        """Lists a library.

        Args:
            library: where behaviors are.
            guest: a behavior that is not stored, such as a preview of a move.
        """
        self._library, self._guest = library, guest

    def rows(self) -> list[dict[str, Any]]:
        """What the page says of each: name, kind, length, tempo and summary.

        A file that cannot be read is left out: it is for `backbeat list` to complain.
        """
        found: dict[str, dict[str, Any]] = {}
        for name in self._library.names():
            try:
                row = self._library.row(name)
            except (BackbeatError, KeyError, TypeError, AttributeError):
                continue
            found[name] = {
                "name": name,
                "kind": row["kind"],
                "seconds": round(float(row["duration_s"]), 1),
                "bpm": round(float(row["bpm"]), 1),
                "verified": bool(row["verified"]),
                "summary": row["summary"],
            }
        if self._guest is not None:
            found[self._guest.name] = _row_of(self._guest)
        return list(found.values())

    def load(self, name: str) -> Behavior:
        """A behavior by its name.

        Raises:
            BackbeatError: there is none, or its file is damaged.
        """
        if self._guest is not None and name == self._guest.name:
            return self._guest
        return self._library.load(name)


def _row_of(behavior: Behavior) -> dict[str, Any]:
    return {
        "name": behavior.name,
        "kind": behavior.kind,
        "seconds": round(behavior.duration, 1),
        "bpm": round(behavior.bpm, 1),
        "verified": behavior.certificate.passed,
        "summary": behavior.summary,
    }
