"""Findings: what is wrong or odd in a specification, before anything is solved."""

from collections.abc import Iterable
from dataclasses import dataclass

from backbeat.models.common.errors import KeyPath

# Shortest name that is still told from another with a slip of a letter [letters].
SHORTEST = 3


@dataclass(frozen=True)
class RuleFinding:
    """Something that is wrong, or that may not be meant.

    Attributes:
        fails: whether it keeps the motion from being built.
        path: where it stands: keys and places in lists, from the top.
        sentence: what it is, and what to do.
        fix: the obvious value instead; None if there is none.
        renames: whether the fix takes the place of the key, not of its value.
    """

    fails: bool
    path: KeyPath
    sentence: str
    fix: float | str | None = None
    renames: bool = False


def without_slip(name: str, known: Iterable[str]) -> str | None:
    """The one known name of which a name is a slip of a letter; None if none is.

    A letter may be wrong, missing or too many, or two may be swapped. What differs by
    more may be meant otherwise, and is no correction that could be written unasked.
    """
    found = [other for other in known if _is_slip(name, other)]
    return found[0] if len(found) == 1 else None


def _is_slip(name: str, other: str) -> bool:
    if min(len(name), len(other)) < SHORTEST or name == other:
        return False
    head = _alike(name, other)
    a, b = name[head:], other[head:]
    tail = _alike(a[::-1], b[::-1])
    a, b = a[: len(a) - tail], b[: len(b) - tail]
    return max(len(a), len(b)) <= 1 or (len(a) == 2 and a == b[::-1])


def _alike(a: str, b: str) -> int:
    """How many letters two texts have in common from the start."""
    differ = (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)
    return next(differ, min(len(a), len(b)))
