"""Marks of drum tablature: how loud a hit is, its ornament, and how it is struck.

`x` and `o` are hits, `X` and `O` accents, `g` ghost notes, `-` and `.` rests; `f`, `d`
and `b` flams, drags and buzz strokes, their capitals accented. `o` of a hi-hat is an
open one, `b` of a ride its bell, `@` of a snare a side stick, `#` a cymbal that is
choked.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from backbeat.behaviors.music.notation.percussion import Members
from backbeat.behaviors.music.notation.score import BUZZ, DRAG, FLAM, counted
from backbeat.models.common.errors import BackbeatError

PLAIN, ACCENT, GHOST = 90, 115, 50
RESTS = "-."
LOUDNESS = {"x": PLAIN, "o": PLAIN, "X": ACCENT, "O": ACCENT, "g": GHOST}
ORNAMENTS = {"f": FLAM, "d": DRAG, "b": BUZZ}
LOUDNESS |= {m: PLAIN for m in ORNAMENTS} | {m.upper(): ACCENT for m in ORNAMENTS}
# Marks that mean another piece in the row of one, by piece and mark in small letters.
OTHERS = {
    ("hi_hat", "o"): "open_hi_hat",
    ("ride", "b"): "ride_bell",
    ("snare", "@"): "side_stick",
}
CHOKE = "#"
CHOKED = ("hi_hat", "crash", "second_crash", "ride", "second_ride", "china", "splash")
LOUDNESS |= {"@": PLAIN, CHOKE: PLAIN}


@dataclass(frozen=True)
class TabNote:
    """A hit as it is written.

    Attributes:
        bar: beat at which its bar starts, from the start of its part.
        at: beat in the bar, from zero.
        piece: what is hit.
        velocity: loudness as in MIDI.
        hand: "left" or "right"; empty when open.
        swings: whether swing moves it, as it does not move triplets.
        ornament: FLAM, DRAG or BUZZ; empty for none.
        beats: how long its mark lasts.
    """

    bar: Fraction
    at: Fraction
    piece: str
    velocity: int
    hand: str = ""
    swings: bool = True
    ornament: str = ""
    beats: Fraction = Fraction(0)


def check_marks(marks: str, piece: str, here: str) -> None:
    """Refuses marks that a row does not have.

    Args:
        marks: of a row, in a bar.
        piece: that the row is of.
        here: names the bar in errors.

    Raises:
        BackbeatError: such a mark.
    """
    for mark in marks:
        if mark not in RESTS and mark not in LOUDNESS:
            raise BackbeatError(
                f"{here}: {mark!r} is no mark; known are x o (hits), X O (accents), "
                "g (ghosts), f d b (flams, drags and buzzes), @ (side stick), # (a "
                "choked cymbal) and - (rests)"
            )
        is_of_another = mark == "@" and (piece, mark) not in OTHERS
        if is_of_another or (mark == CHOKE and piece not in CHOKED):
            of = "a cymbal" if mark == CHOKE else "the snare"
            raise BackbeatError(f"{here}: {mark!r} is a mark of {of}; write x or o")


def played(
    note: TabNote, mark: str, members: Members, choked: Counter[str]
) -> Iterator[TabNote]:
    """What a mark means: a note, and for a choke the pedal that ends it.

    Args:
        note: where it is.
        mark: its mark.
        members: what the kit has.
        choked: counts chokes for which there is no pedal.
    """
    other = OTHERS.get((members.plain(note.piece), mark.lower()))
    yield replace(
        note,
        piece=members.of_piece(other) if other else note.piece,
        velocity=LOUDNESS[mark],
        ornament="" if other else ORNAMENTS.get(mark.lower(), ""),
    )
    if mark == CHOKE:
        pedal = members.of_piece("pedal_hi_hat")
        if members.plain(note.piece) == "hi_hat" and pedal in members.feet:
            end = note.at + note.beats
            yield replace(note, piece=pedal, at=end, velocity=PLAIN, swings=False)
        else:
            choked[note.piece] += 1


def chokes_in_words(choked: Counter[str]) -> list[str]:
    """A sentence on each member whose strokes are to be choked and are not."""
    return [
        f"{counted(count)} of {piece} to be choked: nothing stops the cymbal"
        for piece, count in sorted(choked.items())
    ]
