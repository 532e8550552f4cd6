"""The outcome of each note of a MIDI file, in words."""

from collections.abc import Mapping, Sequence

from backbeat.behaviors.music.files.note_maps import maps_with
from backbeat.behaviors.music.notation.score import counted
from backbeat.models.common.errors import BackbeatError

# Note, what it is meant for, and its hits.
Note = tuple[int, str, int]
# How pieces without a name are called.
NAMELESS = "note_"


def refuse_notes(notes: Sequence[Note], where: str) -> None:
    """Refuses notes that their author refuses.

    Raises:
        BackbeatError: one of these.
    """
    for note, piece, count in notes:
        if piece == "refuse":
            raise BackbeatError(
                f"{where}: note {note}, which has {counted(count)}, is refused by its "
                f"map; write {note}=TARGET or {note}=drop"
            )


def notes_in_words(notes: Sequence[Note], given: Mapping[str, str]) -> list[str]:
    """A sentence on notes that are played as they are meant, and on each other one.

    Args:
        notes: in order.
        given: member, or "drop", by piece.
    """
    plain: dict[str, list[Note]] = {}
    for row in notes:
        if given[row[1]] == row[1] != "drop":
            plain.setdefault(row[1], []).append(row)
    told = [
        f"{' and '.join(str(n) for n, _, _ in rows)} to {member} "
        f"({counted(sum(count for *_, count in rows))})"
        for member, rows in plain.items()
    ]
    said = [f"MIDI notes: {', '.join(told)}"] if told else []
    for note, piece, count in notes:
        if given[piece] != piece or piece == "drop":
            said.append(
                f"MIDI note {note}, {counted(count)}: {_outcome(note, piece, given)}"
            )
    return said


def _outcome(note: int, piece: str, given: Mapping[str, str]) -> str:
    """What became of a note that is not played as it is meant."""
    if piece == "drop":
        return "dropped, as its map says"
    if piece.startswith(NAMELESS):
        names = maps_with(note)
        known = f"--map {' or '.join(names)} has it" if names else "no map has it"
        return f"dropped, for nothing is known of it; {known}, or --map {note}=TARGET"
    if given[piece] == "drop":
        return f"{piece}, dropped"
    return f"{piece}, given to {given[piece]}"
