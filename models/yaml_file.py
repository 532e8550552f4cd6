"""Typed YAML: a file from outside becomes a dataclass, or one clear sentence."""

from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydrake.common.yaml import yaml_load_typed

from models.errors import BackbeatError

# A specification is a page of text; anything larger is a mistake or an attack.
MAX_BYTES = 4_000_000
MAX_ALIASES = 200

Schema = TypeVar("Schema")


def load_yaml(schema: type[Schema], path: Path) -> Schema:
    """Reads a YAML file into the dataclass `schema`; unknown keys are errors.

    Args:
        schema: a dataclass whose fields all have defaults.
        path: file to read.

    Raises:
        BackbeatError: the file cannot be read, is not YAML, or does not fit.
    """
    try:
        raw = path.read_bytes()
        text = raw.decode()
    except OSError as error:
        raise BackbeatError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BackbeatError(f"{path} is not text in UTF-8") from None
    return parse_yaml(schema, text, str(path))


def parse_yaml(schema: type[Schema], text: str, where: str) -> Schema:
    """Reads YAML text into `schema`; `where` names the source in errors."""
    assert is_dataclass(schema)
    if len(text) > MAX_BYTES:
        raise BackbeatError(f"{where} is larger than {MAX_BYTES // 1_000_000} MB")
    _check_tree(text, where)
    try:
        return yaml_load_typed(schema=schema, data=text, defaults=schema())
    except (RuntimeError, ValueError, TypeError, KeyError, AttributeError) as error:
        message = " ".join(str(error).split())
        raise BackbeatError(f"{where}: {message}") from None


def _check_tree(text: str, where: str) -> None:
    """Refuses broken YAML and alias bombs before anything is built from it."""
    aliases = 0
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            aliases += isinstance(event, yaml.AliasEvent)
            if aliases > MAX_ALIASES:
                raise BackbeatError(f"{where} has more than {MAX_ALIASES} aliases")
        tree: Any = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "cannot be parsed"
        raise BackbeatError(f"{where}{line}: not valid YAML, {problem}") from None
    except (ValueError, OverflowError, RecursionError) as error:
        raise BackbeatError(f"{where}: {error}") from None
    if not isinstance(tree, dict):
        raise BackbeatError(f"{where}: expected keys with values at the top level")
