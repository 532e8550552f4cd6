"""Repertoire: what a live show may choose from, as its page lists it."""

from typing import Any

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.robots import folder_name
from backbeat.behaviors.library.store import Library
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.walking.writer import writer_of
from backbeat.stage.frames.figure import figure_of

# What a robot walks with, if it is built.
STEPS = "step-in-place"


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
        """What the page says of each: id, robot, name, kind, length, tempo, summary.

        A file that cannot be read is left out: it is for `backbeat list` to complain.
        """
        found: dict[str, dict[str, Any]] = {}
        for stored, row in self._library.rows():
            listed = {
                "id": _id(self._library.robot_folder(stored), row["name"]),
                "robot": row["robot"],
                "name": row["name"],
                "kind": row["kind"],
                "seconds": round(float(row["duration_s"]), 1),
                "bpm": round(float(row["bpm"]), 1),
                "verified": bool(row["verified"]),
                "summary": row["summary"],
            }
            found[listed["id"]] = listed
        if self._guest is not None:
            found[choice_id(self._guest)] = _row_of(self._guest)
        return list(found.values())

    def load(self, choice: str) -> Behavior:
        """A behavior by its id or, where no robot matters, its name.

        Raises:
            BackbeatError: there is none, or its file is damaged.
        """
        guest = self._guest
        if guest is not None and choice in (choice_id(guest), guest.name):
            return guest
        robot, _, name = choice.rpartition("/")
        if not robot:
            return self._library.load(name)
        for stored in self._library.stored():
            if _id(self._library.robot_folder(stored), stored.name) == choice:
                return self._library.load(stored)
        ids = [row["id"] for row in self.rows()]
        raise unknown_name("behavior", choice, ids)

    def figure(self, choice: bytes) -> dict[str, Any]:
        """What the shelf draws of a behavior by its id: see `figure_of`.

        Called from threads of the server; what is not there has no lines.
        """
        try:
            return {"lines": figure_of(self.load(choice.decode(errors="replace")))}
        except BackbeatError:
            return {"lines": []}

    def to_drive(self, behavior: Behavior) -> Behavior:
        """What its robot walks with: this behavior, or else steps in place.

        Raises:
            BackbeatError: neither can be driven.
        """
        if not (why := why_not_driven(behavior)):
            return behavior
        steps = _id(robot := behavior.robot_model.name, STEPS)
        if steps not in [row["id"] for row in self.rows()]:
            raise BackbeatError(f"{why}: backbeat build {STEPS} --robot {robot}")
        return self.load(steps)


def why_not_driven(behavior: Behavior) -> str:
    """Why a robot cannot be driven with a behavior; "" where it can."""
    try:
        writer_of(Reference(behavior))
    except BackbeatError as error:
        return str(error)
    return ""


def choice_id(behavior: Behavior) -> str:
    """What a page calls a behavior when it chooses it."""
    return _id(behavior.robot_model.name, behavior.name)


def _id(robot: str, name: str) -> str:
    return f"{folder_name(robot)}/{name}"


def _row_of(behavior: Behavior) -> dict[str, Any]:
    return {
        "id": choice_id(behavior),
        "robot": behavior.robot_model.name,
        "name": behavior.name,
        "kind": behavior.kind,
        "seconds": round(behavior.duration, 1),
        "bpm": round(behavior.bpm, 1),
        "verified": behavior.certificate.passed,
        "summary": behavior.summary,
    }
