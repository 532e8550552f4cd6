"""Words for postures: phrases on hands, head, pelvis and balance.

A small vocabulary, the same in every phrase:

    at the PLACE                    a place on the body, such as the head or a hip
    DIRECTION [AMOUNT]              up 0.2, forward 30 cm, out as far as you can
    turned left 20 degrees          also right; leaning forward, back, left or right
    over the left foot              of the center of mass; also right foot, middle
    0.5 0.3 1.2                     a place [m], from the middle of the feet

Phrases are joined by "and". Directions are seen from the feet: x forward, y left, z up.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from backbeat.models.common.errors import BackbeatError, shown, unknown_name

FARTHEST = "as far as you can"
CENTER = "center of mass"
DIRECTIONS = {
    "forward": (1.0, 0.0, 0.0),
    "back": (-1.0, 0.0, 0.0),
    "left": (0.0, 1.0, 0.0),
    "right": (0.0, -1.0, 0.0),
    "up": (0.0, 0.0, 1.0),
    "down": (0.0, 0.0, -1.0),
}
# Away from the middle of the body and toward it, on the part's own side.
SIDES = {"out": 1.0, "in": -1.0}
# Rotations about x forward, y left and z up that words mean.
TURNS = {
    "turned left": (0.0, 0.0, 1.0),
    "turned right": (0.0, 0.0, -1.0),
    "leaning forward": (0.0, 1.0, 0.0),
    "leaning back": (0.0, -1.0, 0.0),
    "leaning left": (-1.0, 0.0, 0.0),
    "leaning right": (1.0, 0.0, 0.0),
}
SUPPORTS = ("left foot", "right foot", "middle")
# What a direction without an amount means [m], of hands and of all else.
HAND, BODY = 0.3, 0.05
# Largest values that make sense [m, degrees].
MOST_SHIFT, MOST_TURN = 2.0, 120.0
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)"
_AMOUNT = re.compile(rf"({_NUMBER})\s*(m|cm)?")
_TURN = re.compile(rf"({_NUMBER})\s*(?:degrees|deg|°)")


class Shift(NamedTuple):
    """A direction and how far: `amount` [m] is None for as far as one can."""

    direction: np.ndarray
    amount: float | None


@dataclass(frozen=True)
class Wish:
    """Where a part of the body shall be.

    Attributes:
        part: which one.
        place: a place on the body, or "".
        over: what the center of mass shall be over, or "".
        point: (3,) place from the middle of the feet [m], or None.
        shifts: directions to go from where it is.
        turn: (3,) rotation about x, y and z [rad].
        turns: axes that are asked for, as "ry rz".
    """

    part: str
    place: str = ""
    over: str = ""
    point: np.ndarray | None = None
    shifts: tuple[Shift, ...] = ()
    turn: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turns: str = ""

    @property
    def farthest_direction(self) -> str:
        """The direction that it goes as far as it can."""
        shift = next(w for w in self.shifts if w.amount is None)
        axis = int(np.abs(shift.direction).argmax())
        names = ("forward", "back"), ("to the left", "to the right"), ("up", "down")
        return names[axis][int(shift.direction[axis] < 0)]

    @property
    def is_farthest(self) -> bool:
        """Whether it is to go as far as it can."""
        return any(shift.amount is None for shift in self.shifts)

    @property
    def moves(self) -> bool:
        """Whether it is about a place, and not just a rotation."""
        return bool(self.place or self.over or self.shifts) or self.point is not None


def parse_wish(
    part: str,
    text: str,
    places: Collection[str],
    where: str,
    is_hand: bool = False,
    scale: float = 1.0,
) -> Wish:
    """Reads what is said of a part.

    Args:
        part: which part of the body.
        text: what is said of it.
        places: places on the body that there are words for.
        where: names the source in errors.
        is_hand: whether a direction without an amount is that of a hand.
        scale: factor on what is said in meters.

    Raises:
        BackbeatError: a word that is not in the vocabulary, or what makes no sense.
    """
    found = Wish(part)
    for phrase in re.split(r"\s+and\s+|,\s*", " ".join(str(text).split())):
        found = _with_phrase(found, phrase, places, where, is_hand)
    if sum(shift.amount is None for shift in found.shifts) > 1:
        raise BackbeatError(
            f"{where}: {part} can go as far as it can in one direction, not in two"
        )
    if part == CENTER and any(abs(w.direction[2]) > 0 for w in found.shifts):
        raise BackbeatError(
            f"{where}: the {CENTER} goes forward, back, left and right; for its height "
            "say where the pelvis is"
        )
    if (found.over and part != CENTER) or (
        part == CENTER and (found.place or found.turns)
    ):
        raise BackbeatError(
            f"{where}: {shown(text)} cannot be said of the {part}", subject=text
        )
    return found if scale == 1.0 else _scaled(found, scale)


def _scaled(wish: Wish, scale: float) -> Wish:
    """The same wish with all lengths so much longer."""
    shifts = tuple(
        Shift(w.direction, None if w.amount is None else scale * w.amount)
        for w in wish.shifts
    )
    point = None if wish.point is None else scale * wish.point
    return replace(wish, point=point, shifts=shifts)


def _with_phrase(
    wish: Wish, phrase: str, places: Collection[str], where: str, is_hand: bool
) -> Wish:
    """A wish with one more phrase."""
    keys = vars(wish)
    if phrase.startswith("at the "):
        place = phrase.removeprefix("at the ")
        if place not in places:
            raise unknown_name(f"place on the body in {where}", place, places)
        _refuse_second(wish, where)
        return Wish(**{**keys, "place": place})
    if phrase.startswith("over the "):
        over = phrase.removeprefix("over the ")
        if over not in SUPPORTS:
            raise unknown_name(f"support in {where}", over, SUPPORTS)
        _refuse_second(wish, where)
        return Wish(**{**keys, "over": over})
    if re.fullmatch(rf"{_NUMBER} {_NUMBER} {_NUMBER}", phrase):
        point = np.array([_amount(x, MOST_SHIFT, where) for x in phrase.split()])
        _refuse_second(wish, where)
        return Wish(**{**keys, "point": point})
    for words, axis in TURNS.items():
        if phrase.startswith(words):
            rest = _TURN.fullmatch(phrase.removeprefix(words).strip())
            if rest is None:
                raise BackbeatError(
                    f"{where}: say how far, as in '{words} 20 degrees', not "
                    f"{shown(phrase)}",
                    subject=phrase,
                )
            angle = np.radians(_amount(rest.group(1), MOST_TURN, where))
            turn = tuple(np.add(wish.turn, np.multiply(angle, axis)).tolist())
            name = ("rx", "ry", "rz")[int(np.abs(axis).argmax())]
            turns = " ".join(sorted({*wish.turns.split(), name}))
            return Wish(**{**keys, "turn": turn, "turns": turns})
    return Wish(
        **{**keys, "shifts": (*wish.shifts, _shift(wish.part, phrase, where, is_hand))}
    )


def _refuse_second(wish: Wish, where: str) -> None:
    """Refuses a part that is said to be in two places."""
    if wish.place or wish.over or wish.point is not None:
        raise BackbeatError(f"{where}: the {wish.part} can be in one place, not in two")


def _shift(part: str, phrase: str, where: str, is_hand: bool) -> Shift:
    """A direction with its amount."""
    word, _, rest = phrase.partition(" ")
    if word in SIDES:
        side = {"left": 1.0, "right": -1.0}.get(part.split()[0])
        if side is None:
            raise BackbeatError(
                f"{where}: the {part} has no side, so say left or right, not "
                f"{shown(word)}",
                subject=word,
            )
        direction = np.array([0.0, SIDES[word] * side, 0.0])
    elif word in DIRECTIONS:
        direction = np.array(DIRECTIONS[word])
    else:
        known = [*DIRECTIONS, *SIDES, "at the", "over the", *TURNS]
        raise unknown_name(f"word for the {part} in {where}", word, known)
    if rest == FARTHEST:
        return Shift(direction, None)
    if not rest:
        return Shift(direction, HAND if is_hand else BODY)
    amount = _AMOUNT.fullmatch(rest)
    if amount is None:
        raise BackbeatError(
            f"{where}: after {shown(word)} comes a length, as 0.2, 20 cm, or "
            f"'{FARTHEST}', not {shown(rest)}",
            subject=rest,
        )
    scale = 0.01 if amount.group(2) == "cm" else 1.0
    return Shift(direction, scale * _amount(amount.group(1), MOST_SHIFT / scale, where))


def _amount(text: str, most: float, where: str) -> float:
    number = float(text)
    if not abs(number) <= most:
        raise BackbeatError(f"{where}: {number:g} is beyond what makes sense")
    return number
