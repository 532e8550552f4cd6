"""Percussion: the pieces of a piece of music, and those of a kit.

Note numbers are those of the percussion map of General MIDI Level 1 (MIDI
Manufacturers Association, 1991); rows of tablature are abbreviations that drummers
use. What a kit has no member for, and what feet play, is absent: it is mapped to a
member, dropped, or refused, as the author says.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from backbeat.behaviors.music.notation.score import Hit, counted
from backbeat.models.common.errors import BackbeatError, unknown_name

# Piece by note number.
NOTES = {
    **dict.fromkeys((35, 36), "kick"),
    **dict.fromkeys((38, 40), "snare"),
    42: "hi_hat",
    46: "open_hi_hat",
    **dict.fromkeys((48, 50), "high_tom"),
    **dict.fromkeys((45, 47), "mid_tom"),
    **dict.fromkeys((41, 43), "floor_tom"),
    49: "crash",
    57: "second_crash",
    51: "ride",
    59: "second_ride",
    **dict.fromkeys((60, 61), "bongo"),
    **dict.fromkeys((62, 63, 64), "conga"),
    **dict.fromkeys((65, 66), "timbale"),
    **dict.fromkeys((67, 68), "agogo"),
    **dict.fromkeys((71, 72), "whistle"),
    **dict.fromkeys((73, 74), "guiro"),
    **dict.fromkeys((76, 77), "wood_block"),
    **dict.fromkeys((78, 79), "cuica"),
    **dict.fromkeys((80, 81), "triangle"),
    37: "side_stick",
    39: "clap",
    44: "pedal_hi_hat",
    52: "china",
    53: "ride_bell",
    54: "tambourine",
    55: "splash",
    56: "cowbell",
    58: "vibraslap",
    69: "cabasa",
    70: "maracas",
    75: "claves",
}
PIECES = tuple(dict.fromkeys(NOTES.values()))
# What a drummer's feet play: hands play it on a member only if that is what it is for.
FEET = ("kick", "pedal_hi_hat")
# Rows of tablature; where two pieces share letters, the commoner one has them.
ROWS = {
    **dict.fromkeys(("BD", "B", "KD", "K", "BASS", "KICK"), "kick"),
    **dict.fromkeys(("HF", "HP", "PH", "FH"), "pedal_hi_hat"),
    **dict.fromkeys(("HH", "H", "HC"), "hi_hat"),
    **dict.fromkeys(("SN", "SD", "S", "SNARE"), "snare"),
    **dict.fromkeys(("SS", "RS"), "side_stick"),
    **dict.fromkeys(("HT", "T1", "T", "TT"), "high_tom"),
    **dict.fromkeys(("MT", "T2", "LT"), "mid_tom"),
    **dict.fromkeys(("FT", "T3", "F"), "floor_tom"),
    **dict.fromkeys(("CC", "C", "CR", "C1"), "crash"),
    **dict.fromkeys(("RD", "R", "RC", "RIDE"), "ride"),
    **dict.fromkeys(("HO",), "open_hi_hat"),
    **dict.fromkeys(("C2",), "second_crash"),
    **dict.fromkeys(("R2",), "second_ride"),
    **dict.fromkeys(("RB",), "ride_bell"),
    **dict.fromkeys(("CH",), "china"),
    **dict.fromkeys(("SP", "SC"), "splash"),
    **dict.fromkeys(("CB",), "cowbell"),
    **dict.fromkeys(("TB",), "tambourine"),
}
# Where "map" sends what a kit lacks, in order of preference.
SUBSTITUTES = {
    "kick": ("floor_tom", "snare"),
    "pedal_hi_hat": ("hi_hat",),
    "open_hi_hat": ("hi_hat",),
    "second_crash": ("crash", "ride"),
    "second_ride": ("ride", "crash"),
    "side_stick": ("snare",),
    "china": ("crash", "ride"),
    "splash": ("crash", "hi_hat"),
    "ride_bell": ("ride",),
    "cowbell": ("ride", "hi_hat"),
    "tambourine": ("hi_hat",),
    "clap": ("snare",),
    "conga": ("mid_tom",),
    "bongo": ("high_tom",),
    "timbale": ("high_tom",),
    "wood_block": ("high_tom",),
    "claves": ("hi_hat",),
}
CHOICES = ("map", "drop", "refuse")


@dataclass(frozen=True)
class Members:
    """The members of a kit, as music names them.

    Attributes:
        numbers: member by its number in the drummers' numbering.
        notes: note numbers that each member plays, by name.
        feet: foot that plays a member with a pedal, by name.
    """

    numbers: Mapping[int, str]
    notes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    feet: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Names of the members."""
        return list(self.numbers.values())

    def of_note(self, note: int) -> str:
        """Member whose own stroke a note is, or its piece; a number if none is known.

        The own stroke of a member is that of the first note that it lists: a hi-hat
        that lists the note of an open one too is not the piece `open_hi_hat`, and
        `playing` gives it that. A note that two members list belongs to the one that
        lists it earlier.
        """
        piece = NOTES.get(note, f"note_{note}")
        rank = {m: list(n).index(note) for m, n in self.notes.items() if note in n}
        if piece in FEET:
            # A hi-hat that lists the note of its pedal is not struck by hands for it.
            rank = {m: r for m, r in rank.items() if r == 0 or m in self.feet}
            return min(rank, key=lambda m: rank[m], default=piece)
        if note in NOTES:
            rank = {m: r for m, r in rank.items() if self.plain(m) == piece}
        return min(rank, key=lambda m: rank[m]) if rank else self.of_piece(piece)

    def of_piece(self, piece: str) -> str:
        """Member that plays a piece as it is, or the piece itself without one."""
        if piece in self.names:
            return piece
        if piece in FEET:
            played = (self.of_note(n) for n, p in NOTES.items() if p == piece)
            return next((member for member in played if member != piece), piece)
        return next((m for m in self.notes if self.plain(m) == piece), piece)

    def plain(self, member: str) -> str:
        """Piece that the own stroke of a member is; its name where no note says it."""
        known = (NOTES[n] for n in self.notes.get(member, ()) if n in NOTES)
        return next(known, member)

    def playing(self, piece: str) -> str:
        """Member that plays a piece, if need be as another; the piece without one."""
        member = self.of_piece(piece)
        if member in self.names or piece in FEET:
            return member
        wanted = [n for n, p in NOTES.items() if p == piece]
        listing = (m for m, notes in self.notes.items() if {*notes} & {*wanted})
        return next(listing, piece)

    def named(self, word: str, where: str) -> str:
        """Member or piece that an author means by a name or a member's number.

        Raises:
            BackbeatError: nothing is called so.
        """
        numbers = {str(number): name for number, name in self.numbers.items()}
        if word in numbers:
            return numbers[word]
        if word not in self.names and word not in PIECES:
            if word in ("foot", "feet", "pedal"):
                raise BackbeatError(
                    f"{where}: {word} is no drum; name what a foot plays, "
                    f"{' or '.join(FEET)}",
                    subject=word,
                )
            raise unknown_name(f"drum in {where}", word, [*self.names, *PIECES])
        return self.of_piece(word)


def place_on_kit(
    hits: Iterable[Hit],
    members: Members,
    absent: str,
    mapping: Mapping[str, str],
    where: str,
) -> tuple[list[Hit], list[str]]:
    """Gives every hit a member of the kit, or what its author chose instead.

    Args:
        hits: on members or other pieces.
        members: what the kit has.
        absent: "map" to the nearest member there is, "drop" or "refuse".
        mapping: a member, "drop" or "refuse" by piece, which goes first.
        where: name of the score in errors.

    Returns:
        Hits that are left, and a sentence with counts on each piece that is absent.

    Raises:
        BackbeatError: a choice that does not exist, or a piece that is refused.
    """
    hits = list(hits)
    given = what_becomes({hit.member for hit in hits}, members, absent, mapping, where)
    kept: list[Hit] = []
    changed: Counter[tuple[str, str]] = Counter()
    for hit in hits:
        choice = given[hit.member]
        if choice == hit.member and choice in members.names:
            kept.append(hit)
            continue
        changed[hit.member, choice] += 1
        if choice not in CHOICES:
            kept.append(replace(hit, member=choice))
    for (piece, choice), count in changed.items():
        if choice == "refuse":
            raise BackbeatError(
                f"{where}: the kit has no {piece}, which has {counted(count)}; set "
                f"mapping: {{{piece}: MEMBER}} or {{{piece}: drop}}, or absent: drop"
            )
    remarks = [
        f"{counted(count)} of {piece} "
        + ("dropped" if choice == "drop" else f"given to {choice}")
        for (piece, choice), count in sorted(changed.items())
    ]
    return kept, remarks


def what_becomes(
    pieces: Iterable[str],
    members: Members,
    absent: str,
    mapping: Mapping[str, str],
    where: str,
) -> dict[str, str]:
    """What plays each of some pieces: a member of the kit, "drop" or "refuse".

    Args:
        pieces: members, pieces, or choices that were made for notes.
        members: what the kit has.
        absent, mapping: as of `place_on_kit`.
        where: name of the score in errors.

    Raises:
        BackbeatError: a choice that does not exist.
    """
    chosen = _choices(members, absent, mapping, where)
    found = {}
    for piece in pieces:
        found[piece] = piece
        if piece in chosen:
            found[piece] = chosen[piece]
        elif piece not in members.names and piece not in CHOICES:
            default = _default(piece, members, absent)
            found[piece] = chosen.get(default, default)
    return found


def _default(piece: str, members: Members, absent: str) -> str:
    """What becomes of a piece that the author does not name."""
    member = members.playing(piece)
    if member in members.names:
        return member
    if absent != "map":
        return absent
    for member in SUBSTITUTES.get(piece, ()):
        if member in members.names:
            return member
    return "drop"


def _choices(
    members: Members, absent: str, mapping: Mapping[str, str], where: str
) -> dict[str, str]:
    """The author's choices by piece, checked."""
    if absent not in CHOICES:
        raise unknown_name(f"value of absent in {where}", absent, CHOICES)
    chosen = {}
    for piece, choice in mapping.items():
        piece = members.named(piece, f"mapping of {where}")
        if choice not in ("drop", "refuse"):
            choice = members.playing(members.named(choice, f"mapping of {where}"))
            if choice not in members.names:
                raise BackbeatError(
                    f"{where}: mapping sends {piece} to {choice}, which the kit lacks; "
                    f"it has {', '.join(members.names)}",
                    path=("mapping",),
                    subject=choice,
                )
        chosen[piece] = choice
    return chosen
