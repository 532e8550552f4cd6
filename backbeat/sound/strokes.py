"""Strokes that are heard: which of a member's sounds each note has, and until when.

A hi-hat of a kit with a pedal is open while the foot is up: it rings until the pedal
closes it. No two strokes of a drummer are the same: the sounds of a member take turns.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from backbeat.models.kit.description import parse_kit
from backbeat.sound.notes import Note
from backbeat.sound.voices import sound_of

# A pedal that has closed a hi-hat lets it open again after this time [s].
CLOSED = 0.08
# What strikes at once with the pedal finds it closed [s].
AT_ONCE = 0.02


@dataclass(frozen=True)
class HeardStroke:
    """A note as it is heard.

    Attributes:
        note: time, member and velocity.
        take: which of the sounds of its member.
        is_open: whether it is that of an open hi-hat.
        end: when it is choked [s]; infinite where it rings out.
    """

    note: Note
    take: int
    is_open: bool = False
    end: float = np.inf


def heard_strokes(notes: Sequence[Note], kit: str, takes: int) -> list[HeardStroke]:
    """Notes as they are heard.

    Args:
        notes: in order of time.
        kit: as text, see `kit_text`; "" for the usual one.
        takes: how many sounds of one loudness a member has.
    """
    open_ones, pedals = _hi_hats(kit)
    closing = np.array([n.time for n in notes if n.member in pedals])
    count, found = Counter[str](), []
    for note in notes:
        take = count[note.member] % takes
        count[note.member] += 1
        after = int(np.searchsorted(closing, note.time + AT_ONCE, side="right"))
        is_open = note.member in open_ones and not (
            after and note.time < closing[after - 1] + CLOSED
        )
        end = float(closing[after]) if is_open and after < len(closing) else np.inf
        found.append(HeardStroke(note, take, is_open, end))
    return found


@lru_cache(maxsize=8)
def _hi_hats(kit: str) -> tuple[frozenset[str], frozenset[str]]:
    """Hi-hats that a pedal closes, and those that are pedals; none without pedals."""
    members = parse_kit(kit).members
    hats = {name for name, m in members.items() if sound_of(name, m) == "hi_hat"}
    pedals = frozenset(name for name in hats if members[name].pedal)
    return frozenset(hats - pedals) if pedals else frozenset(), pedals
