"""Tables of what modules hold: constants, attributes with defaults, and keys."""

import ast
import dataclasses
import inspect
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from backbeat.models.common.schema_documents import key_rows

DOCS = Path(__file__).parent


def linked(table: str, page: Path) -> str:
    """A table whose links lead on: schemas have the names of pages without folders."""

    def lead(link: re.Match[str]) -> str:
        path = DOCS / link[1]
        if "/" not in link[1]:
            (path,) = DOCS.glob(f"*/{link[1]}")
        return f"]({os.path.relpath(path, page.parent)}"

    return re.sub(r"\]\(([\w./]+\.(?:md|py))", lead, table)


def key_table(schema: Any, page: Path) -> str:
    """Keys of a schema with their defaults, for a page."""
    return linked("\n".join(key_rows(schema)) + "\n", page)


def attribute_table(schema: type[Any]) -> str:
    """Fields of a class with defaults, as the attributes of its docstring say them."""
    if dataclasses.is_dataclass(schema):
        values = {f.name: f.default for f in dataclasses.fields(schema)}
    else:
        values = schema._field_defaults  # type: ignore[attr-defined]
    said = inspect.cleandoc(schema.__doc__ or "").partition("Attributes:\n")[2]
    rows, told = [], set()
    for entry in re.split(r"\n    (?=\S)", "\n" + said)[1:]:
        names, _, text = entry.partition(": ")
        fields = [name.strip() for name in names.split(",")]
        told |= set(fields)
        name = ", ".join(f"`{f}`" for f in fields)
        value = ", ".join(f"{values[f]:g}" for f in fields)
        rows.append(f"| {name} | {value} | {_sentence(text)} |\n")
    if told != set(values):
        raise ValueError(f"{schema.__name__}: not explained: {set(values) ^ told}")
    return "| name | value | description |\n|---|---|---|\n" + "".join(rows)


def constant_table(module: ModuleType, *chosen: str) -> str:
    """Constants of a module with their values, as the comments above them say.

    Args:
        module: that has them.
        chosen: names of constants; all of a statement, in one row, where one is.
    """
    rows = [
        f"| {', '.join(f'`{name}`' for name in names)} | "
        f"{', '.join(_value(getattr(module, name)) for name in names)} | {said} |\n"
        for names, said in _statements(module)
        if set(names) & set(chosen)
    ]
    missing = [name for name in chosen if f"`{name}`" not in "".join(rows)]
    if missing:
        raise ValueError(f"{module.__name__}: no constants with a comment: {missing}")
    return "| name | value | description |\n|---|---|---|\n" + "".join(rows)


def _statements(module: ModuleType) -> Iterator[tuple[list[str], str]]:
    """Names that statements of a module assign, and the comments above these."""
    source = inspect.getsource(module)
    lines = source.splitlines()
    for node in ast.parse(source).body:
        if not isinstance(node, ast.Assign):
            continue
        names = [n.id for n in ast.walk(node.targets[0]) if isinstance(n, ast.Name)]
        first = node.lineno - 1
        while first and lines[first - 1].startswith("# "):
            first -= 1
        text = " ".join(line[2:] for line in lines[first : node.lineno - 1])
        yield names, _sentence(text)


def _value(value: Any) -> str:
    """A number, or the numbers of a value with fields."""
    if dataclasses.is_dataclass(value):
        return "(" + ", ".join(f"{x:g}" for x in vars(value).values()) + ")"
    if isinstance(value, tuple):
        return "(" + ", ".join(_value(x) for x in value) + ")"
    return f"{value:g}"


def _sentence(text: str) -> str:
    """A text in one line, from a capital to a full stop."""
    line = " ".join(text.split()).replace("|", "\\|")
    return line[:1].upper() + line[1:].removesuffix(".") + "."
