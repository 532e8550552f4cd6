"""Editing: from a show of a behavior to the timeline of its file."""

from pathlib import Path
from typing import NamedTuple

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.specification.kinds import find_specification, kind_of, ships
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import is_file, read_text

# Kinds that have a timeline.
EDITED = ("dance", "drumming", "setlist")


class EditRequest(NamedTuple):
    """A file to edit, or the name of one that ships, and on which port to do so."""

    file: str
    port: int


def editable(behavior: Behavior) -> str:
    """The file of a behavior in the current folder, or its name where it ships.

    Raises:
        BackbeatError: it has none, or is of a kind without a timeline.
    """
    own = Path(f"{behavior.name}.yaml")
    if not is_file(own):
        found = find_specification(behavior.name)
        if not ships(found):
            raise BackbeatError(f"there is no file {own} in this folder to edit")
        own = found
    kind = kind_of(read_text(own), str(own))
    if kind not in EDITED:
        raise BackbeatError(f"{behavior.name} is of kind {kind}, without a timeline")
    return behavior.name if ships(own) else str(own)
