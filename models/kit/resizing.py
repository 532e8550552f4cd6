"""Kits at another size: places and sizes of members, pedals and chair are multiplied.

What is under a tip stays as it is: stiffness and restitution, angles, and the spring of
a pedal, whose gear is a ratio.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from backbeat.models.kit.schema import (
    ChairDescription,
    MemberDescription,
    PedalDescription,
)

# Lengths are kept to as many digits [m].
DIGITS = 5


@dataclass(frozen=True)
class Resizing:
    """Lengths times a factor, about a point that goes somewhere.

    Attributes:
        factor: on lengths.
        old, new: (3,) the point before and after [m].
    """

    factor: float
    old: tuple[float, float, float] = (0.0, 0.0, 0.0)
    new: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def place(self, place: list[float]) -> list[float]:
        """A place after it [m]."""
        moved = np.array(self.new) + self.factor * (np.array(place) - self.old)
        return [round(float(x), DIGITS) for x in moved]

    def length(self, length: float) -> float:
        """A length after it [m]."""
        return round(self.factor * length, DIGITS)


AS_WRITTEN = Resizing(1.0)


def resized(
    tree: dict[str, Any],
    hands: Resizing,
    feet: Mapping[str, Resizing],
    chair: Resizing,
) -> dict[str, Any]:
    """Plain data of a whole kit at another size.

    Args:
        tree: of the kit, complete but for what is usual.
        hands: of the members that hands play.
        feet: of those that a foot plays, with their pedals, by foot.
        chair: of the chair.
    """
    members = {}
    for name, own in tree["members"].items():
        member = dict(own)
        resizing = hands
        if own.get("pedal") is not None:
            pedal = asdict(PedalDescription()) | own["pedal"]
            resizing = feet[pedal["foot"]]
            pedal["heel"] = resizing.place(pedal["heel"])
            pedal["board"] = [resizing.length(x) for x in pedal["board"]]
            for key in ("arm", "width"):
                pedal[key] = resizing.length(pedal[key])
            member["pedal"] = pedal
        _resize(member, asdict(MemberDescription()), ("radius", "depth"), resizing)
        members[name] = member
    seat = dict(tree.get("chair") or {})
    _resize(seat, asdict(ChairDescription()), ("radius", "height"), chair)
    return {**tree, "members": members, "chair": seat}


def _resize(
    tree: dict[str, Any],
    usual: Mapping[str, Any],
    lengths: tuple[str, ...],
    resizing: Resizing,
) -> None:
    """Place and lengths of plain data, in place."""
    tree["place"] = resizing.place(tree.get("place", usual["place"]))
    for key in lengths:
        tree[key] = resizing.length(tree.get(key, usual[key]))
