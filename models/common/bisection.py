"""The first item of a list that fails a test, found by bisection."""

from collections.abc import Callable
from typing import TypeVar

Item = TypeVar("Item")


def first_wrong(items: list[Item], is_wrong: Callable[[list[Item]], bool]) -> int:
    """Index of the first wrong item of a list that has one.

    Args:
        items: at least one of them is wrong.
        is_wrong: whether any of some items is.
    """
    low, high = 0, len(items)
    while high - low > 1:
        middle = (low + high) // 2
        if is_wrong(items[low:middle]):
            high = middle
        else:
            low = middle
    return low
