"""Maps of notes: which piece of percussion a MIDI note is meant for.

What a map does not have is as in General MIDI, or on the kit's own notes. Sources:

- general-midi: "General MIDI System Level 1", percussion map (MIDI Manufacturers
  Association, 1991).
- roland: "TD-17 Default Factory MIDI Note Map" (Roland), which a TD-11 has too; the
  takes of "Learning to Groove with Inverse Sequence Transformations" (Gillick, Roberts,
  Engel, Eck, Bamman, 2019) were played on one.
- alesis: "Nitro Drum Module User Guide", pad MIDI note numbers (Alesis).
- yamaha: "DTX502 Reference Manual", MIDI reference material, and "DTXPLORER Owner's
  Manual", MIDI transmit note numbers (Yamaha); where they differ, the former.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from backbeat.behaviors.music.notation.percussion import CHOICES, NOTES, Members
from backbeat.models.common.errors import BackbeatError, located, shown, unknown_name
from backbeat.models.common.outside_file import beside
from backbeat.models.common.yaml_file import load_tree

_ROLAND = {
    36: "kick",
    37: "side_stick",
    **dict.fromkeys((38, 40), "snare"),  # head, rim
    **dict.fromkeys((48, 50), "high_tom"),
    **dict.fromkeys((45, 47), "mid_tom"),
    **dict.fromkeys((43, 58), "floor_tom"),
    **dict.fromkeys((42, 22), "hi_hat"),  # bow, edge
    **dict.fromkeys((46, 26), "open_hi_hat"),
    44: "pedal_hi_hat",
    **dict.fromkeys((49, 55), "crash"),  # bow, edge
    **dict.fromkeys((57, 52), "second_crash"),
    **dict.fromkeys((51, 59), "ride"),  # bow, edge
    53: "ride_bell",
}
_ALESIS = {
    36: "kick",
    **dict.fromkeys((38, 40), "snare"),
    48: "high_tom",
    45: "mid_tom",
    **dict.fromkeys((43, 41), "floor_tom"),
    **dict.fromkeys((42, 23), "hi_hat"),  # closed, nearly closed
    46: "open_hi_hat",
    **dict.fromkeys((44, 21), "pedal_hi_hat"),  # closed, splashed
    49: "crash",
    57: "second_crash",
    51: "ride",
}
_YAMAHA = {
    **dict.fromkeys((36, 35, 33), "kick"),
    **dict.fromkeys((38, 40, 31, 34), "snare"),  # head, rim; with snares off
    **dict.fromkeys((37, 27), "side_stick"),
    48: "high_tom",
    47: "mid_tom",
    43: "floor_tom",
    **dict.fromkeys((42, 79, 78, 86, 85), "hi_hat"),  # bow, edge and cup
    46: "open_hi_hat",
    **dict.fromkeys((44, 83), "pedal_hi_hat"),
    **dict.fromkeys((59, 49, 55), "crash"),  # bow, edge, cup
    57: "second_crash",
    **dict.fromkeys((51, 52), "ride"),
    53: "ride_bell",
}
MAPS: Mapping[str, Mapping[int, str]] = {
    "general-midi": NOTES,
    "roland": _ROLAND,
    "alesis": _ALESIS,
    "yamaha": _YAMAHA,
}
HIGHEST = 127
# Endings of files with maps, and the key that they have.
FILES, KEY = (".yaml", ".yml"), "notes"


@dataclass(frozen=True)
class NoteMap:
    """What notes and pieces are given to.

    Attributes:
        notes: member, piece, "drop" or "refuse" by note number.
        pieces: the same by piece or member.
    """

    notes: Mapping[int, str] = field(default_factory=dict)
    pieces: Mapping[str, str] = field(default_factory=dict)


def map_files(words: Sequence[str], folder: str | Path, where: str) -> list[Path]:
    """Files among the words of a map.

    Raises:
        BackbeatError: a path that leads out of the folder.
    """
    files = [w for w in words if "=" not in w and Path(w).suffix.lower() in FILES]
    return [beside(folder, word, where) for word in files]


def spelled_out(words: Sequence[str]) -> list[str]:
    """Words whose files, found from the working folder, are words for each note.

    Raises:
        BackbeatError: as `read_map`.
    """
    found: list[str] = []
    for word in words:
        if "=" not in word and Path(word).suffix.lower() in FILES:
            found += [f"{a}={b}" for a, b in _of_file(Path(word)).items()]
        else:
            found.append(word)
    return found


def read_map(
    words: Sequence[str], members: Members, folder: str | Path, where: str
) -> NoteMap:
    """Reads maps and single notes; single ones go first, later words over earlier.

    Args:
        words: NOTE=TARGET, PIECE=TARGET, the name of a map that ships, or of a file
            with the key `notes`.
        members: what the kit has.
        folder: where files are.
        where: name of what has the words, in errors.

    Raises:
        BackbeatError: no note, target, map or file of that name.
    """
    whole: dict[str, str] = {}
    single: dict[str, str] = {}
    for word in words:
        name, separator, target = (part.strip() for part in word.partition("="))
        if separator:
            single[name] = target
        elif Path(name).suffix.lower() in FILES:
            whole |= _of_file(beside(folder, name, where))
        elif name in MAPS:
            whole |= {str(note): piece for note, piece in MAPS[name].items()}
        else:
            raise BackbeatError(
                f"{where}: map {shown(name)} is none; it is NOTE=TARGET, such as "
                f"22=hi_hat, {', '.join(MAPS)}, or a file that ends in .yaml"
            )
    notes: dict[int, str] = {}
    pieces: dict[str, str] = {}
    for source, target in (whole | single).items():
        target = _target(target, members, f"map of {where}")
        if source.isascii() and source.isdigit():
            notes[_note(source, where)] = target
        else:
            pieces[members.named(source, f"map of {where}")] = target
    return NoteMap(notes, pieces)


def maps_with(note: int) -> list[str]:
    """Names of the maps that ship and have a note."""
    return [name for name, notes in MAPS.items() if note in notes]


def _note(word: str, where: str) -> int:
    if len(word) > 3 or int(word) > HIGHEST:
        raise BackbeatError(
            f"{where}: map names the note {shown(word)}; MIDI has notes 0 to {HIGHEST}"
        )
    return int(word)


def _target(word: str, members: Members, where: str) -> str:
    """Member, piece or choice that a word means."""
    if word in CHOICES:
        if word == "map":
            raise unknown_name(f"target in {where}", word, ["drop", "refuse"])
        return word
    return members.named(word, where)


def _of_file(path: Path) -> dict[str, str]:
    """What a file says, as words.

    Raises:
        BackbeatError: it cannot be read, or has not the key.
    """
    with located(file=path):
        return _words_of(load_tree(path), path)


def _words_of(tree: dict[Any, Any], path: Path) -> dict[str, str]:
    """The same of what a file holds."""
    unknown = [key for key in tree if key not in (KEY, "title")]
    if unknown:
        raise unknown_name(f"key in {path}", str(unknown[0]), [KEY, "title"])
    rows = tree.get(KEY)
    if not isinstance(rows, dict) or not rows:
        raise BackbeatError(
            f"{path}: a map of notes has the key '{KEY}', such as "
            f"'{KEY}: {{22: hi_hat, 36: drop}}'"
        )
    for note, target in rows.items():
        if isinstance(note, bool) or not isinstance(note, int | str):
            raise BackbeatError(f"{path}: {shown(note)} is no note")
        if not isinstance(target, str):
            raise BackbeatError(
                f"{path}: note {shown(note)} is given to {shown(target)}; a target is "
                "a piece, a member of the kit, drop or refuse"
            )
    return {str(note): target for note, target in rows.items()}
