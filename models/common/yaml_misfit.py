"""Which key of a tree does not fit a schema of dataclasses, found by trying."""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_origin, get_type_hints

import yaml
from pydrake.common.yaml import yaml_load_typed

from backbeat.models.common.bisection import first_wrong
from backbeat.models.common.errors import KeyPath

# What Drake's reader raises when a value is not what the schema says.
MISFIT = (
    AssertionError,
    AttributeError,
    KeyError,
    OverflowError,
    RuntimeError,
    TypeError,
    ValueError,
)


def known_keys(schema: Any) -> set[str]:
    """Every key of a schema, at any depth."""
    keys: set[str] = set()
    for name, inside in _types(schema).items():
        keys.add(name)
        for part in (inside, *get_args(inside)):
            if is_dataclass(part):
                keys |= known_keys(part)
    return keys


def unknown_key(kind: Any, value: Any) -> KeyPath:
    """Path of the first key that is not in a schema; () where there is none.

    Args:
        kind: a dataclass, or a type with some in it.
        value: plain data for it.
    """
    if not is_dataclass(kind):
        for path, part, item in _parts(kind, value):
            found = unknown_key(part, item)
            if found:
                return (*path, *found)
        return ()
    if not isinstance(value, dict):
        return ()
    known = _types(kind)
    for key in value:
        if key not in known:
            return (str(key),)
    for name, part in known.items():
        found = unknown_key(part, value.get(name))
        if found:
            return (name, *found)
    return ()


def _types(schema: Any) -> dict[str, Any]:
    """Types of the fields of a dataclass."""
    hints = get_type_hints(schema)
    return {item.name: hints[item.name] for item in fields(schema)}


def _parts(kind: Any, value: Any) -> Iterator[tuple[KeyPath, Any, Any]]:
    """What a value of a type is made of: where, of which type, and itself."""
    inside = get_args(kind)
    if get_origin(kind) is list and isinstance(value, list):
        yield from (((i,), inside[0], item) for i, item in enumerate(value))
    elif get_origin(kind) is dict and isinstance(value, dict):
        yield from (((str(k),), inside[1], item) for k, item in value.items())
    else:
        yield from (((), part, value) for part in inside)


def what_misfits(schema: Any, tree: dict[Any, Any]) -> Exception | None:
    """What Drake's reader raises of a tree; None where it fits."""
    try:
        yaml_load_typed(schema=schema, data=yaml.dump(tree))
    except MISFIT as misfit:
        return misfit
    return None


def misfit_path(schema: Any, tree: dict[Any, Any]) -> KeyPath:
    """Where the first part of a tree is that does not fit; () where all parts do.

    Args:
        schema: a dataclass, to whose fields all keys of the tree belong.
        tree: plain data.
    """
    kinds = _types(schema)
    for key, value in tree.items():

        def is_wrong(part: Any, key: Any = key) -> bool:
            return what_misfits(schema, {key: part}) is not None

        if is_wrong(value):
            return (str(key), *_inside(kinds.get(key), value, is_wrong))
    return ()


def _inside(kind: Any, value: Any, is_wrong: Callable[[Any], bool]) -> KeyPath:
    """Where the first part of a value is that does not fit.

    Args:
        kind: the type of the value.
        value: which does not fit.
        is_wrong: whether something in its place would not.
    """
    inside = get_args(kind)
    if get_origin(kind) is list and isinstance(value, list) and value:
        at = first_wrong(value, is_wrong)
        return (at, *_inside(inside[0], value[at], lambda x: is_wrong([x])))
    if get_origin(kind) is dict and isinstance(value, dict):
        for key, part in value.items():

            def below(other: Any, key: Any = key) -> bool:
                return is_wrong({key: other})

            if below(part):
                return (str(key), *_inside(inside[1], part, below))
        return ()
    for part in inside or (kind,):
        if is_dataclass(part) and isinstance(value, dict):
            return misfit_path(part, value)
    return ()
