"""Parts of a score that place the hands: holds, and gotos."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from backbeat.behaviors.music.files.score_finish import MOST_BEATS
from backbeat.behaviors.music.notation.percussion import Members
from backbeat.behaviors.music.notation.score import (
    HANDS,
    LEAST_TRANSFER,
    LEAVE_BEATS,
    HandMove,
)
from backbeat.behaviors.music.notation.score_description import (
    HAND_LETTERS,
    PartDescription,
)
from backbeat.models.common.errors import BackbeatError

# Most turn of the torso to each side in a hold [rad].
MOST_SWAY = 0.6
# Farthest place from the kit's that a hand may be sent to [m].
FARTHEST = 3.0
Place = TypeVar("Place")


def with_hand_names(part: PartDescription) -> PartDescription:
    """A part whose hands are called left and right where they have letters."""

    def named(places: dict[str, Place]) -> dict[str, Place]:
        return {HAND_LETTERS.get(hand, hand): p for hand, p in places.items()}

    return replace(
        part, rest=named(part.rest), to=named(part.to), place=named(part.place)
    )


def check_hold(part: PartDescription, members: Members, where: str) -> None:
    """Refuses holds that make no sense.

    Raises:
        BackbeatError: too short or long, no hand, no member, or too wild.
    """
    if not LEAVE_BEATS < part.hold <= MOST_BEATS:
        raise BackbeatError(
            f"{where}: hold {part.name!r} takes {part.hold:g} beats; it takes more "
            f"than {LEAVE_BEATS:g} and up to {MOST_BEATS}",
            subject=part.name,
        )
    for hand, member in part.rest.items():
        if hand not in HANDS:
            raise BackbeatError(
                f"{where}: {hand!r} is not a hand; left or right", subject=hand
            )
        if member not in members.names:
            raise BackbeatError(
                f"{where}: part {part.name!r} rests on {member!r}; the kit has "
                f"{', '.join(members.names)}",
                subject=member,
            )
    if not (part.sway_beats >= 0.5 and abs(part.sway) <= MOST_SWAY):
        raise BackbeatError(
            f"{where}: in hold {part.name!r} the torso sways {part.sway:g} rad in "
            f"{part.sway_beats:g} beats; it may sway {MOST_SWAY:g} rad to each side, "
            "in at least half a beat",
            subject=part.name,
        )


def has_bars(part: PartDescription) -> bool:
    """Whether a part has bars to play, or of silence."""
    written = part.left or part.right or part.tab.strip() or part.hits
    return bool(written or part.bars)


def part_moves(
    part: PartDescription, beat: float, members: Members, where: str
) -> Iterator[HandMove]:
    """Moves of a part that sends hands somewhere.

    Args:
        part: the part.
        beat: at which it starts.
        members: what the kit has.
        where: name of the part in errors.

    Raises:
        BackbeatError: too short or long, no hand or no place, or a hit of a place.
    """
    _check_goto(part, members, where)
    for hand in (h for h in HANDS if h in part.to):
        member = part.to[hand]
        yield HandMove(hand, beat, part.goto, member, velocity=part.velocity)
    for hand in (h for h in HANDS if h in part.place):
        x, y, z = map(float, part.place[hand])
        yield HandMove(hand, beat, part.goto, place=(x, y, z))


def _check_goto(part: PartDescription, members: Members, where: str) -> None:
    """Refuses gotos that make no sense."""
    if not LEAST_TRANSFER <= part.goto <= MOST_BEATS:
        raise BackbeatError(
            f"{where}: a goto takes {part.goto:g} beats; it takes "
            f"{LEAST_TRANSFER:g} to "
            f"{MOST_BEATS} (write 'goto: 2' beside 'to' or 'place')"
        )
    if part.repeat != 1:
        raise BackbeatError(f"{where}: a goto is not repeated; write it again")
    sent = [*part.to, *part.place]
    if not sent:
        raise BackbeatError(
            f"{where}: say where hands go: 'to: {{left: snare}}' or "
            "'place: {right: [0.4, -0.3, 1.0]}'"
        )
    for hand in sent:
        if hand not in HANDS:
            raise BackbeatError(
                f"{where}: {hand!r} is not a hand; left or right", subject=hand
            )
        if sent.count(hand) > 1:
            raise BackbeatError(f"{where}: the {hand} hand is sent to two places")
    for member in part.to.values():
        if member not in members.names:
            raise BackbeatError(
                f"{where}: goes to {member!r}; the kit has {', '.join(members.names)}",
                subject=member,
            )
    for hand, place in part.place.items():
        if len(place) != 3 or not all(abs(x) <= FARTHEST for x in place):
            raise BackbeatError(
                f"{where}: the place of the {hand} hand is not x, y, z within "
                f"{FARTHEST:g} m of the kit"
            )
    if not 0 <= part.velocity <= 127 or (part.velocity and part.place):
        raise BackbeatError(
            f"{where}: velocity is {part.velocity}; it is 1 to 127 for a hit of a drum "
            "('to'), and 0 without one or at a place"
        )
