"""Schema: what may stand in a file, declared once on the fields of a dataclass.

    friction: float = key(0.8, ge=0.01, le=10.0)
    '''Friction coefficient between soles and ground.'''

From the declaration follow how a file is read and refused, the check of values that are
set in Python, and all of `backbeat.models.common.schema_documents`. pydantic reads the
declarations: the names of limits are its own. It is loaded with the first file that is
read, and not before.
"""

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields, is_dataclass
from functools import cache
from types import NoneType
from typing import (
    Any,
    NamedTuple,
    TypedDict,
    TypeVar,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

from backbeat.models.common.errors import (
    BackbeatError,
    KeyPath,
    gist,
    shown,
    unknown_name,
)

Value = TypeVar("Value")


class KeyLimits(TypedDict, total=False):
    """Limits of a value, as pydantic calls them: >=, <=, >, <; and examples."""

    ge: float
    le: float
    gt: float
    lt: float
    examples: list[Any]


def key(
    default: Any,
    unit: str = "",
    *,
    choices: tuple[str, ...] = (),
    length: int | None = None,
    name: str = "",
    **limits: Unpack[KeyLimits],
) -> Any:
    """A field of a dataclass that is a key of a file; a docstring below it says which.

    Args:
        default: what it is if it is left out; a class or function that makes it, of
            what has keys of its own.
        unit: of its numbers.
        choices: all that a text may be.
        length: how many numbers a list has.
        name: of the key, where it is not that of the field.
        limits: of a number.
    """
    told: dict[str, Any] = {"unit": unit, **limits}
    if choices:
        told["choices"] = choices
        told["pattern"] = f"^(?:{'|'.join(choices)})$"
        told["json_schema_extra"] = {"enum": list(choices)}
    if length is not None:
        told["min_length"] = told["max_length"] = length
    if name:
        told["key"] = name
    if callable(default):
        return field(default_factory=default, metadata=told)
    if isinstance(default, list | dict):
        return field(default_factory=default.copy, metadata=told)
    return field(default=default, metadata=told)


def same_field(owner: type[Any], item: "Field[Any]") -> Any:
    """A field for another class like one of `owner`, where its docstring stays."""
    told = {"owner": (owner, item.name), **item.metadata}
    told.pop("key", None)
    if item.default is not MISSING:
        return field(default=item.default, metadata=told)
    return field(default_factory=item.default_factory, metadata=told)


@cache
def reader(schema: Hashable) -> Any:
    """What reads one item of a schema in a list.

    The list is there for the configuration, which is no business of a dataclass.
    """
    from pydantic import ConfigDict, TypeAdapter

    config = ConfigDict(
        strict=True,
        extra="forbid",
        allow_inf_nan=False,
        revalidate_instances="always",
    )
    kind: Any = list[schema]  # type: ignore[valid-type]
    return TypeAdapter(kind, config=config)


def fit(schema: type[Value], tree: Mapping[Any, Any], where: str) -> Value:
    """A dataclass with the values of a tree.

    Args:
        schema: the dataclass; all of its fields have defaults.
        tree: plain data.
        where: names the source in errors.

    Raises:
        BackbeatError: an unknown key, or a value that is not what its field declares.
    """
    from pydantic import ValidationError

    kind: Any = schema
    try:
        # In JSON, nothing but a number is a number, and a mapping is a dataclass.
        text = json.dumps([tree], default=str)
        value: Value = reader(kind).validate_json(text)[0]
    except ValidationError as error:
        raise _explained(schema, error.errors(include_url=False), where) from None
    except (TypeError, ValueError) as error:
        raise BackbeatError(f"{where}: {gist(error)}") from None
    return value


def check_values(value: Any, where: str) -> None:
    """Refuses a dataclass whose values are not what its fields declare.

    Raises:
        BackbeatError: the first that is not.
    """
    from pydantic import ValidationError

    kind: Any = type(value)
    try:
        reader(kind).validate_python([value], strict=False)
    except ValidationError as error:
        raise _explained(kind, error.errors(include_url=False), where) from None


class UnknownKey(NamedTuple):
    """A key that a schema does not have.

    Attributes:
        path: where it stands, the key being the last.
        known: keys that may stand there.
        given: keys that stand there.
        owner: the dataclass that it is not a key of.
    """

    path: KeyPath
    known: tuple[str, ...]
    given: tuple[str, ...]
    owner: type[Any]

    def error(self, where: str) -> BackbeatError:
        """The key in a sentence; `where` names the file."""
        return _unknown(f"key in {where}", self.path[-1], self.known, self.owner)


def unknown_keys(schema: Any, tree: Any, path: KeyPath = ()) -> Iterator[UnknownKey]:
    """All keys that a schema does not have.

    Args:
        schema: a dataclass, or the type of a value in one.
        tree: plain data; parts of another kind than the schema's are passed over.
        path: where the data stands.
    """
    schema = _without_none(schema)
    if is_dataclass(schema) and isinstance(tree, Mapping):
        types = get_type_hints(schema)
        names = {item.metadata.get("key", item.name): item for item in fields(schema)}
        given = tuple(str(key) for key in tree)
        for key, value in tree.items():
            if key in names:
                yield from unknown_keys(types[names[key].name], value, (*path, key))
            elif str(key)[:1] != "_":
                owner = schema if isinstance(schema, type) else type(schema)
                yield UnknownKey((*path, str(key)), tuple(names), given, owner)
    elif get_origin(schema) is list and isinstance(tree, list):
        for i, value in enumerate(tree):
            yield from unknown_keys(get_args(schema)[0], value, (*path, i))
    elif get_origin(schema) is dict and isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from unknown_keys(get_args(schema)[1], value, (*path, str(key)))


class _Place(NamedTuple):
    """Where a value stands in a schema.

    Attributes:
        path: its keys and places in lists.
        field: the field that it is of, or in the list or mapping of; None for no field.
        owner: the dataclass with that field.
    """

    path: KeyPath
    field: "Field[Any] | None"
    owner: type[Any]


def _place(schema: type[Any], steps: tuple[str | int, ...]) -> _Place:
    """Where the steps of an error lead; members of unions are none of the path."""
    kind, owner = schema, schema
    path: list[str | int] = []
    found: Field[Any] | None = None
    for step in steps:
        kind = _without_none(kind)
        if is_dataclass(kind):
            owner = kind
            known = {item.name: item for item in fields(kind)}
            path.append(step)
            found = known.get(str(step))
            if found is None:
                break
            kind = get_type_hints(owner)[found.name]
        elif getattr(kind, "__origin__", None) in (list, dict, tuple):
            path.append(step)
            kind = get_args(kind)[-1]
        else:
            break
    return _Place(tuple(path), found, owner)


def _without_none(kind: Any) -> Any:
    """The type in `kind | None`; other types as they are."""
    parts = [part for part in get_args(kind) if part is not NoneType]
    is_optional = NoneType in get_args(kind) and len(parts) == 1
    return parts[0] if is_optional else kind


_UNKNOWN = "unexpected_keyword_argument"
# What a value has to be where it is of another kind, by pydantic's name of the fault.
_KINDS = {
    "bool_type": "true or false",
    "dataclass_type": "keys with values",
    "dict_type": "keys with values",
    "finite_number": "a finite number",
    "float_type": "a number",
    "int_from_float": "a whole number",
    "int_type": "a whole number",
    "list_type": "a list",
    "string_type": "a text",
}


def _explained(
    schema: type[Any], faults: Sequence[Mapping[str, Any]], where: str
) -> BackbeatError:
    """The first fault as a sentence; a key that is unknown comes before all values."""
    fault = min(faults, key=lambda fault: fault["type"] != _UNKNOWN)
    path, item, owner = _place(schema, fault["loc"][1:])
    told = {} if item is None else item.metadata
    error: BackbeatError
    if fault["type"] == _UNKNOWN:
        known = [item.name for item in fields(owner)]
        error = _unknown(f"key in {where}", path[-1], known, owner)
    elif fault["type"] == "string_pattern_mismatch":
        choices = [choice for choice in told["choices"] if choice]
        of = f"{dotted(path)} in {where}"
        error = _unknown(of, fault["input"], choices, owner)
    else:
        error = BackbeatError(
            f"{where}: {dotted(path) or 'it'} is {_written(fault['input'])}; it must "
            f"be {_allowed(fault, told)}"
        )
    error.locate(path)
    return error


def _unknown(
    kind: str, name: object, known: Iterable[str], owner: type[Any]
) -> BackbeatError:
    """Error for a key or choice that a dataclass does not have.

    Its class variable `ELSEWHERE` says of words that are often written there, by word,
    what to do instead.
    """
    error = unknown_name(kind, name, known)
    hint: str | None = getattr(owner, "ELSEWHERE", {}).get(str(name))
    return (
        error
        if hint is None
        else BackbeatError(error.fault, hint=hint, code=error.code, subject=str(name))
    )


def dotted(path: KeyPath) -> str:
    """Keys and places in lists as they are written: `stations[1].hold`."""
    words = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(words).removeprefix(".")


def _written(value: Any) -> str:
    """A value of a file in a sentence."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return str(value).lower()
    text = value if isinstance(value, str) else str(value)
    return shown(text) if isinstance(value, str) or len(text) > 80 else text


def _allowed(fault: Mapping[str, Any], told: Mapping[str, Any]) -> str:
    """What a value has to be."""
    if fault["type"] in ("too_short", "too_long"):
        return f"a list of {told['min_length']} numbers"
    span, kind = span_of(told), _KINDS.get(fault["type"], "")
    if span and fault["type"] != "finite_number" and kind.endswith("number"):
        return f"{kind} {span}" if span.startswith("from") else f"{kind}, {span}"
    if span:
        return span
    return kind or str(fault["msg"])


def span_of(told: Mapping[str, Any]) -> str:
    """Limits of a number in words, with its unit; "" for none."""
    unit = f" {told['unit']}" if told.get("unit") else ""
    limits = {
        name: str(told[name]) if isinstance(told[name], int) else f"{told[name]:g}"
        for name in ("gt", "ge", "lt", "le")
        if name in told
    }
    if {"ge", "le"} <= limits.keys():
        return f"from {limits['ge']} to {limits['le']}{unit}"
    signs = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}
    words = [f"{signs[name]} {limit}" for name, limit in limits.items()]
    return f"{' and '.join(words)}{unit}" if words else ""
