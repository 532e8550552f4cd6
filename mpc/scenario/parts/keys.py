"""Which part of a scenario each key of a file belongs to, said once.

A file has all keys side by side. They are the fields of the parts: from these follow
how a file is read and written, what a sweep may vary, and what a command overrides.
"""

from collections.abc import Mapping
from dataclasses import (
    MISSING,
    Field,
    dataclass,
    fields,
    is_dataclass,
    make_dataclass,
    replace,
)
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.schema import same_field

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Whole = TypeVar("Whole", bound="DataclassInstance")


class KeyPlace(NamedTuple):
    """Where the value of a key is.

    Attributes:
        part: the part that has it; "" for what has no part.
        name: its field there.
    """

    part: str
    name: str


@dataclass(frozen=True)
class FlatKeys:
    """The keys of something that is made of parts.

    Attributes:
        places: where the value of each is, in the order of the parts.
        schema: a dataclass that has all of them, for reading files.
    """

    places: Mapping[str, KeyPlace]
    schema: type[Any]

    def replaced(self, whole: Whole, values: Mapping[str, Any]) -> Whole:
        """The same but for some values, by key.

        A part is made anew by its present class, which may have other fields than the
        one that it was made by.
        """
        found: dict[str, dict[str, Any]] = {}
        for key, value in values.items():
            part, name = self.places[key]
            found.setdefault(part, {})[name] = value
        own, kinds = found.pop("", {}), {item.name: item for item in fields(whole)}
        for part, new in found.items():
            kind = default_kind(kinds[part])
            old = getattr(whole, part)
            told = {item.name: getattr(old, item.name) for item in fields(old)}
            own[part] = kind(**{**told, **new})
        return replace(whole, **own)

    def values(self, whole: Any) -> dict[str, Any]:
        """The value of every key that something has which is made of the parts."""
        owners = {
            key: getattr(whole, part) if part else whole
            for key, (part, _) in self.places.items()
        }
        return {
            key: getattr(owner, self.places[key].name)
            for key, owner in owners.items()
            if hasattr(owner, self.places[key].name)
        }


def default_kind(item: "Field[Any]") -> Any:
    """Class of what a field is by default; None where that is no function's."""
    made = item.default_factory
    return None if made is MISSING else type(made())


def flat_keys(whole: type[Any], title: str) -> FlatKeys:
    """The keys of a dataclass: the fields of its parts, and those that are no parts.

    A part is a field whose default is a dataclass. A field whose key has another name
    says so as `key` of its metadata.

    Args:
        whole: the dataclass, whose fields all have defaults.
        title: name of the schema.
    """
    places: dict[str, KeyPlace] = {}
    types: list[tuple[str, Any, Any]] = []
    for own in fields(whole):
        kind = default_kind(own)
        is_part = is_dataclass(kind)
        for item in fields(kind) if is_part else (own,):
            name = item.metadata.get("key", item.name)
            if name in places:
                raise BackbeatError(f"two parts of a scenario have the key {name!r}")
            places[name] = KeyPlace(own.name if is_part else "", item.name)
            owner = kind if is_part else whole
            inside = default_kind(item)
            kept = inside if is_dataclass(inside) else item.type
            types.append((name, kept, same_field(owner, item)))
    return FlatKeys(places, make_dataclass(title, types))
