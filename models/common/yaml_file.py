"""Typed YAML: a file from outside becomes a dataclass, or one clear sentence."""

import re
from contextlib import suppress
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import yaml

from backbeat.models.common.bounds import BYTES
from backbeat.models.common.errors import (
    BackbeatError,
    gist,
    located,
)
from backbeat.models.common.outside_file import read_text
from backbeat.models.common.schema import fit
from backbeat.models.common.yaml_survey import survey

Schema = TypeVar("Schema")
# What the parser in C takes in some places where the one in Python refuses it.
DISPUTED = re.compile(r"[\t?]|[|>][-+0-9]*#")


class _Loader(yaml.SafeLoader):
    """The usual loader, for which 1e-3 is a number, as it is in YAML 1.2."""


class _FastLoader(yaml.CSafeLoader):
    """The same with a parser in C, which takes a ninth of the time."""


for _loader in (_Loader, _FastLoader):
    _loader.add_implicit_resolver(
        "tag:yaml.org,2002:float",
        re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$"),
        list("-+0123456789"),
    )


def load_yaml(schema: type[Schema], path: str | Path) -> Schema:
    """Reads a YAML file into the dataclass `schema`; unknown keys are errors.

    Args:
        schema: a dataclass whose fields all have defaults.
        path: file to read.

    Raises:
        BackbeatError: the file cannot be read, is not YAML, or does not fit.
    """
    with located(file=path):
        return parse_yaml(schema, read_text(path), str(path))


def parse_yaml(schema: type[Schema], text: str, where: str) -> Schema:
    """Reads YAML text into `schema`; `where` names the source in errors."""
    tree = read_tree(text, where)
    # What anchors stand at may be kept apart under keys with an underscore.
    return fit(schema, {k: v for k, v in tree.items() if str(k)[:1] != "_"}, where)


def read_tree(text: str, where: str) -> dict[Any, Any]:
    """Plain data of a YAML text.

    Raises:
        BackbeatError: broken YAML, more of something than
            `backbeat.models.common.bounds` allows, or no keys at the top.
    """
    return deepcopy(_tree(text, where))


def load_tree(path: str | Path) -> dict[Any, Any]:
    """Plain data of a YAML file.

    Raises:
        BackbeatError: the file cannot be read, or as of `read_tree`.
    """
    with located(file=path):
        return read_tree(read_text(path), str(path))


def line_at(text: str, index: int) -> int:
    """Line of a character, counted from 1 as editors do.

    YAML has more ends of lines than they have, such as U+2028.
    """
    return text.count("\n", 0, index) + 1


def _parsed(text: str) -> Any:
    """What a text says; what the parser in Python refuses is refused."""
    if not DISPUTED.search(text):
        # The parser in Python says better what is wrong, and takes a little more.
        with suppress(yaml.YAMLError):
            return yaml.load(text, Loader=_FastLoader)
    return yaml.load(text, Loader=_Loader)


@lru_cache(maxsize=4)
def _tree(text: str, where: str) -> dict[Any, Any]:
    """The tree of a text, cached: a file's tree is read several times."""
    if len(text) > BYTES["YAML"]:
        raise BackbeatError(f"{where} is larger than {BYTES['YAML'] / 1e6:g} MB")
    try:
        survey(text, where)
        tree = _parsed(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = line_at(text, mark.index) if mark else None
        at = f" line {line}" if line else ""
        problem = gist(getattr(error, "problem", None) or "cannot be parsed")
        raise BackbeatError(
            f"{where}{at}: not valid YAML, {problem}", line=line
        ) from None
    except (ValueError, OverflowError, RecursionError) as error:
        raise BackbeatError(f"{where}: {gist(error)}") from None
    if not isinstance(tree, dict):
        raise BackbeatError(f"{where}: expected keys with values at the top level")
    return tree
