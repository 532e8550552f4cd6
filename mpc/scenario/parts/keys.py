"""Which part of a scenario each key of a file belongs to, said once.

A file has all keys side by side. They are the fields of the parts: from these follow
how a file is read and written, what a sweep may vary, and what a command overrides.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, make_dataclass
from typing import Any, NamedTuple


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

    def by_part(self, values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Values by key, sorted into parts: by part, then by field of the part."""
        found: dict[str, dict[str, Any]] = {}
        for key, value in values.items():
            part, name = self.places[key]
            found.setdefault(part, {})[name] = value
        return found

    def values(self, whole: Any) -> dict[str, Any]:
        """The value of every key in something that is made of the parts."""
        return {
            key: getattr(getattr(whole, part) if part else whole, name)
            for key, (part, name) in self.places.items()
        }


def flat_keys(whole: type[Any], title: str) -> FlatKeys:
    """The keys of a dataclass: the fields of its parts, and those that are no parts.

    A part is a field that is a dataclass. A field whose key has another name says so as
    `key` of its metadata.

    Args:
        whole: the dataclass, whose fields all have defaults.
        title: name of the schema.
    """
    places: dict[str, KeyPlace] = {}
    types: list[tuple[str, Any, Any]] = []
    for own in fields(whole):
        kind: Any = own.default_factory
        is_part = is_dataclass(kind)
        for item in fields(kind) if is_part else (own,):
            name = item.metadata.get("key", item.name)
            assert name not in places, f"two parts have the key {name!r}"
            places[name] = KeyPlace(own.name if is_part else "", item.name)
            owner = kind if is_part else whole
            told = {**item.metadata, "owner": (owner, item.name)}
            told.pop("key", None)
            usual: Any = (
                field(default=item.default, metadata=told)
                if item.default is not MISSING
                else field(default_factory=item.default_factory, metadata=told)
            )
            types.append((name, item.type, usual))
    return FlatKeys(places, make_dataclass(title, types))
