"""Texts made of what is declared: tables of a page, and YAML with units and help."""

import textwrap
from collections.abc import Iterator
from typing import Any

from backbeat.optimization.terms.declared import Declared, declared, file_fields, key_of

# Column at which comments of a YAML file end.
WIDTH = 88


def cost_table(numbers: type[Any]) -> str:
    """Markdown table of the costs of a class: weight, rows, and what they are on."""
    head = "| key | weight | unit | cost | rows | on |\n|---|---|---|---|---|---|\n"
    return head + "".join(
        f"| `{key}` | {_plain(value)} | {told.unit} | {told.help} | {cost.formula} "
        f"[{cost.unit}] | {cost.on.value} |\n"
        for key, value, told in _items(numbers)
        if (cost := told.cost)
    )


def number_table(numbers: type[Any]) -> str:
    """Markdown table of the numbers of a class that are no weights."""
    head = "| key | value | unit | description |\n|---|---|---|---|\n"
    return head + "".join(
        f"| `{key}` | {_plain(value)} | {told.unit} | {told.help} |\n"
        for key, value, told in _items(numbers)
        if told.cost is None
    )


def yaml_lines(numbers: Any) -> Iterator[str]:
    """Lines of a YAML mapping of a value, each number under its unit and help."""
    for key, value, told in _items(numbers):
        unit = f" [{told.unit}]" if told.unit else ""
        text = f"{told.help.removesuffix('.')}{unit}."
        if told.cost:
            text += f" Rows: {told.cost.formula} [{told.cost.unit}]."
        yield from (f"  # {line}" for line in textwrap.wrap(text, WIDTH - 4))
        yield f"  {key}: {_plain(value)}"


def _items(numbers: Any) -> Iterator[tuple[str, Any, Declared]]:
    """Key, value and what is declared of each number."""
    for item in file_fields(numbers):
        yield key_of(item), getattr(numbers, item.name), declared(item)


def _plain(value: Any) -> str:
    """A value as YAML has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_plain, value))}]"
    return repr(value).removesuffix(".0")
