"""Plain data from outside, as JSON has it, checked against a form.

What it should look like is plain data too: a type; a list with what each entry looks
like; a mapping with what is under each key, in which `...` stands for any other key;
`Perhaps` around what may be missing or null; a tuple with what each entry of a list
looks like that has as many.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from backbeat.models.common.errors import printable, shown

# What a message calls a type.
_WORDS = {str: "text", float: "a number", int: "a whole number", bool: "true or false"}


@dataclass(frozen=True)
class Perhaps:
    """The form of something that may be missing, or null."""

    like: Any


@dataclass(frozen=True)
class Several:
    """The form of each item of a list of some length."""

    like: Any
    count: int


class AnyNumber:
    """The form of any number, infinities and NaN included.

    Whole numbers that are too large to be one with a fraction are not.
    """


def misfits(value: Any, like: Any, place: str = "") -> Iterator[str]:
    """What is not as it should be, each in half a sentence that says where.

    Args:
        value: the data.
        like: what it should look like.
        place: where it is, e.g. "events 3".
    """
    where = place or "it"
    if isinstance(like, Perhaps):
        if value is not None:
            yield from misfits(value, like.like, place)
    elif isinstance(like, Several):
        if not isinstance(value, list) or len(value) != like.count:
            yield f"{where} has not {like.count} entries"
        else:
            yield from misfits(value, [like.like], place)
    elif isinstance(like, tuple):
        if not isinstance(value, list) or len(value) != len(like):
            yield f"{where} has not {len(like)} entries"
            return
        for i, (item, inside) in enumerate(zip(value, like, strict=True)):
            yield from misfits(item, inside, f"{place} {i}".strip())
    elif isinstance(like, list):
        if not isinstance(value, list):
            yield f"{where} is no list"
            return
        for i, item in enumerate(value):
            yield from misfits(item, like[0], f"{place} {i}".strip())
    elif isinstance(like, dict):
        yield from _misfits_of_map(value, like, place)
    elif not _is(value, like):
        what = _WORDS.get(like, "a number")
        yield f"{where} is {shown(value, 40)}, not {what}"


def _misfits_of_map(value: Any, like: dict[Any, Any], place: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{place or 'it'} has no keys"
        return
    for key, inside in like.items():
        if key is ...:
            continue
        if key not in value:
            if not isinstance(inside, Perhaps):
                yield f"{f'{place} {key}'.strip()} is missing"
        else:
            yield from misfits(value[key], inside, f"{place} {key}".strip())
    if ... in like:
        for key in [k for k in value if k not in like]:
            yield from misfits(value[key], like[...], f"{place} {shown(key, 40)}")


def _is(value: Any, like: Any) -> bool:
    """Whether a single value is of a kind; truth values are no numbers."""
    if like is Any:
        return True
    if isinstance(value, bool):
        return like is bool
    if like is float:
        return isinstance(value, float | int) and _is_finite(value)
    if like is AnyNumber:
        return isinstance(value, float) or (
            isinstance(value, int) and _is_finite(value)
        )
    if like is int:
        return isinstance(value, int) and abs(value) < 2**63
    return isinstance(value, like)


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # A whole number beyond all.
        return False


def cleaned(value: Any) -> Any:
    """Plain data whose texts a terminal may show; lines of a text stay lines."""
    if isinstance(value, str):
        if value.isprintable():
            return value
        return "\n".join(map(printable, value.split("\n")))
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    if isinstance(value, dict):
        return {cleaned(key): cleaned(item) for key, item in value.items()}
    return value
