"""Checks of declared numbers that come from outside."""

from typing import Any

from backbeat.models.common.errors import BackbeatError, shown
from backbeat.optimization.terms.declared import declared, declared_fields, key_of

# Largest number.
MOST = 1e9


def check_numbers(numbers: Any, where: str) -> None:
    """Checks that each number of a dataclass's value is like its default.

    Args:
        numbers: the value.
        where: names the source in errors.

    Raises:
        BackbeatError: one is of another kind, negative, too large or not finite.
    """
    for item in declared_fields(numbers):
        value, usual = getattr(numbers, item.name), item.default
        parts = value if isinstance(value, tuple) else (value,)
        length = len(usual) if isinstance(usual, tuple) else 1
        is_like = type(value) is type(usual) and len(parts) == length
        if not is_like or not all(_is_number(x) and 0 <= x <= MOST for x in parts):
            unit = declared(item).unit
            raise BackbeatError(
                f"{where}: {key_of(item)} is {shown(value)}; it must be like {usual}"
                f"{f' [{unit}]' if unit else ''}, with numbers from 0 to {MOST:g}",
                path=(key_of(item),),
            )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)
