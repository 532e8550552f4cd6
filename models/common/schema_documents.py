"""Documents of a schema: tables of keys, and the JSON Schema for editors.

What a key says stands below its field, as a docstring in Markdown.
"""

import ast
import inspect
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import Field, fields, is_dataclass
from functools import cache
from itertools import pairwise
from textwrap import dedent, wrap
from typing import Any, get_args, get_type_hints

from backbeat.models.common.schema import reader, span_of

_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


@cache
def field_texts(schema: Any) -> dict[str, str]:
    """What the docstrings below the fields of a dataclass say, by field."""
    texts: dict[str, str] = {}
    for kind in reversed(schema.__mro__):
        if not is_dataclass(kind):
            continue
        source: Any = kind
        try:
            (tree,) = ast.parse(dedent(inspect.getsource(source))).body
        except (OSError, TypeError):
            continue  # A class that was made, of fields that were declared elsewhere.
        assert isinstance(tree, ast.ClassDef)
        for item, below in pairwise(tree.body):
            if not isinstance(item, ast.AnnAssign) or not isinstance(below, ast.Expr):
                continue
            assert isinstance(item.target, ast.Name)
            texts[item.target.id] = " ".join(ast.literal_eval(below.value).split())
    return texts


def key_text(schema: Any, item: "Field[Any]") -> str:
    """What a key says, with its unit and its limits.

    Args:
        schema: the dataclass.
        item: its field; one that was declared elsewhere has its class as `owner`, or
            what it says as `help`.
    """
    told: Mapping[str, Any] = item.metadata
    owner, name = told.get("owner", (schema, item.name))
    text = told.get("help") or field_texts(owner).get(name, "")
    unit = told.get("unit", "")
    if text and unit and f"[{unit}]" not in text:
        text = f"{text.removesuffix('.')} [{unit}]."
    span = span_of(told).removesuffix(f" {unit}")
    return f"{text} {span[:1].upper()}{span[1:]}.".lstrip() if span else text


def with_comments(text: str, schema: Any) -> str:
    """A YAML file with a comment above each of its keys that says what the key is.

    Args:
        text: the file.
        schema: dataclass of its keys at the top level.
    """
    named = {item.metadata.get("key", item.name): item for item in fields(schema)}
    lines: list[str] = []
    for line in text.splitlines():
        item = named.get(line.partition(":")[0])
        said = _LINK.sub(r"\1", key_text(schema, item)) if item else ""
        lines += [f"# {part}" for part in wrap(said, 86)]
        lines.append(line)
    return "\n".join(lines) + "\n"


def json_schema(schema: Any, title: str) -> dict[str, Any]:
    """JSON Schema of a file, by which editors complete and check it.

    Args:
        schema: dataclass of the keys at the top level.
        title: what the file is.
    """
    whole = reader(schema).json_schema()
    parts, own = whole.get("$defs", {}), whole["items"]
    for kind in _parts(schema):
        part = parts.get(kind.__name__, own)
        for item in fields(kind):
            told = part["properties"][item.name]
            told.pop("title", None)
            if text := key_text(kind, item):
                told["description"] = _LINK.sub(r"\1", text)
    top = parts.pop(own["$ref"].rpartition("/")[2]) if "$ref" in own else own
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {**draft, **top, "title": title, "$defs": parts}


def _parts(kind: Any) -> set[type[Any]]:
    """A dataclass, and all in its fields."""
    if not is_dataclass(kind):
        inside = get_args(kind)
        return set().union(*(_parts(part) for part in inside)) if inside else set()
    found: set[type[Any]] = {kind}  # type: ignore[arg-type]
    for part in get_type_hints(kind).values():
        found |= _parts(part)
    return found


def key_rows(schema: Any, shared: Any = None) -> Iterator[str]:
    """Rows of a Markdown table of keys, with defaults and what they say.

    Args:
        schema: the dataclass.
        shared: a class that it inherits from, whose keys have a table of their own.
    """
    yield "| key | default | description |"
    yield "|---|---|---|"
    others = () if shared is None else fields(shared)
    for item in fields(schema):
        # A kind says its own name, and is no key of its table.
        if item.metadata and item not in others:
            name = item.metadata.get("key", item.name)
            yield f"| `{name}` | {_default(item)} | {key_text(schema, item)} |"


def _default(item: "Field[Any]") -> str:
    """The default of a key as JSON; "" for what has keys of its own, or none."""
    value: Any = item.default
    if callable(item.default_factory):
        value = item.default_factory()
    if value is None or is_dataclass(value):
        return ""
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return f"`{json.dumps(int(value) if is_whole else value)}`"
