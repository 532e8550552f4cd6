"""Changes of declared numbers: those that a file gives, by key; the others stay."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, fields, make_dataclass, replace
from typing import Any, TypeVar, get_origin

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.optimization.terms.declared import (
    declared,
    declared_fields,
    file_fields,
    key_of,
)

Numbers = TypeVar("Numbers")


def changes_of(numbers: type[Any], name: str, module: str) -> type[Any]:
    """A schema with the keys of a dataclass, all of them optional.

    Args:
        numbers: the dataclass.
        name, module: by which other processes find the schema.
    """
    items = []
    for item in file_fields(numbers):
        kind: Any = list[float] if get_origin(item.type) is tuple else item.type
        told = {"unit": declared(item).unit, "help": declared(item).help}
        items.append((key_of(item), kind | None, field(default=None, metadata=told)))
    return make_dataclass(name, items, namespace={"__module__": module})


def given(changes: Any) -> dict[str, Any]:
    """What is given of changes, by key; sections of which nothing is are left out."""
    found: dict[str, Any] = {}
    for item in fields(changes):
        value = getattr(changes, item.name)
        if hasattr(value, "__dataclass_fields__"):
            value = given(value) or None
        if value is not None and value != {}:
            found[item.name] = value
    return found


def changed(numbers: Numbers, told: Mapping[str, Any]) -> Numbers:
    """Numbers with those of a mapping by key; a whole number may stand for any."""
    values: dict[str, Any] = {}
    for item in declared_fields(numbers):
        if (value := told.get(key_of(item))) is not None:
            values[item.name] = _like(value, item.default)
    return replace(numbers, **values)  # type: ignore[type-var]


def of_section(changes: Iterable[tuple[str, float]], section: str) -> dict[str, float]:
    """Changes of a section by key, from those of all sections, as `section.key`."""
    parts = ((name.partition("."), value) for name, value in changes)
    return {key: value for (of, _, key), value in parts if of == section}


def check_own(own: Iterable[str], known: Sequence[str] | None, where: str) -> None:
    """Checks weights of terms of the user's own.

    Args:
        own: their keys.
        known: keys of the terms that the user's file has; None without a file.
        where: names the source in errors.

    Raises:
        BackbeatError: there is no file, or it has no term of a name.
    """
    for name in own:
        if known is None:
            raise BackbeatError(
                f"{where}: weights.own has {name!r}, but there are no terms of your "
                "own; name their file, --with FILE.py"
            )
        if name not in known:
            raise unknown_name(f"term of your own in {where}", name, known)


def _like(value: Any, usual: Any) -> Any:
    """A value as its default is: a tuple for a list, a float for a whole number."""
    if isinstance(usual, tuple) and isinstance(value, list | tuple):
        return tuple(_like(x, y) for x, y in zip(value, usual, strict=False)) + tuple(
            value[len(usual) :]
        )
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if isinstance(usual, float) and is_whole and abs(value) < 1e300:
        return float(value)
    return value
