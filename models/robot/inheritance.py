"""Robot YAMLs that start from another: `like` names it, and own keys go on top.

Maps are merged key by key; lists and single values take the place of what was there.
Names of files stay relative to the YAML that has them.
"""

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import is_file, read_text
from backbeat.models.common.yaml_file import load_tree

# More robots that start from each other are a circle, or a mistake.
MOST = 8
# Path, time of the last change [ns] and size of a file.
Stamp = tuple[str, int, int]


def stamp(path: str | Path) -> Stamp:
    """Path, time of the last change [ns] and size of a file; zeros if there is none."""
    path = Path(path)
    try:
        status = path.stat()
    except (OSError, ValueError):
        return str(path.absolute()), 0, 0
    return str(path.resolve()), status.st_mtime_ns, status.st_size


def lineage(path: str | Path, shipped: Mapping[str, Path]) -> tuple[Path, ...]:
    """A robot YAML, the one that it starts from, the one that this starts from, ...

    Args:
        path: the YAML.
        shipped: YAMLs of the robots that ship, by name.

    Raises:
        BackbeatError: one cannot be read, is not there, or starts from itself.
    """
    path = Path(path)
    found = [path]
    while like := _like(found[-1], stamp(found[-1])):
        after = shipped.get(like, found[-1].parent / like)
        if not is_file(after):
            known = ", ".join(sorted(shipped))
            raise BackbeatError(
                f"{found[-1]}: no robot to start from is called {like!r}; known: "
                f"{known}, or the path of a robot YAML beside this file"
            )
        if len(found) == MOST or after.resolve() in {p.resolve() for p in found}:
            raise BackbeatError(f"{path}: by 'like' it starts from itself")
        found.append(after)
    return tuple(found)


@lru_cache(maxsize=32)
def _like(path: Path, _stamp: Stamp) -> str:
    return str(load_tree(path).get("like") or "")


def merged_text(paths: tuple[Path, ...]) -> str:
    """YAML of a robot, all that it starts from with it.

    Args:
        paths: its lineage.
    """
    if len(paths) == 1:
        return read_text(paths[0])
    whole: dict[Any, Any] = {}
    for path in reversed(paths):
        tree = load_tree(path)
        if path.parent.resolve() != paths[0].parent.resolve():
            _move_files(tree, path.parent, paths[0].parent)
        _merge(whole, tree)
    return yaml.safe_dump(whole, sort_keys=False, allow_unicode=True)


def _move_files(tree: dict[Any, Any], here: Path, there: Path) -> None:
    """Makes names of files that are relative to a folder so to another."""
    sets = tree.get("equipment")
    items = [
        item
        for members in (sets.values() if isinstance(sets, dict) else ())
        for item in (members.values() if isinstance(members, dict) else ())
    ]
    for holder, key in ((tree, "urdf"), *((item, "file") for item in items)):
        if isinstance(holder, dict) and isinstance(holder.get(key), str):
            path = here.resolve() / holder[key]
            holder[key] = os.path.relpath(path, there.resolve())


def _merge(into: dict[Any, Any], tree: dict[Any, Any]) -> None:
    for key, value in tree.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value
