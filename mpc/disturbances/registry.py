"""Registry: all kinds of disturbances that there are.

Those that ship are the files of the folder `kinds`; others come from a file of the
user's own, which the command line or a program names, and no file of data ever does.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import fields
from functools import cache
from types import ModuleType
from typing import Any

from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.disturbances import kinds
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.optimization.terms.user_file import UserFile, user_file_of

Kind = type[Disturbance]
_OWN: dict[str, Kind] = {}


def _kinds_of(module: str, contents: Iterable[object]) -> Iterator[Kind]:
    """The kinds that a module has, and has not imported."""
    classes = (item for item in contents if isinstance(item, type))
    for item in classes:
        if issubclass(item, Disturbance) and item.__module__ == module:
            yield item


@cache
def shipped() -> tuple[Kind, ...]:
    """The kinds that ship."""
    found: list[Kind] = []
    for name in sorted(info.name for info in pkgutil.iter_modules(kinds.__path__)):
        module: ModuleType = importlib.import_module(f"{kinds.__name__}.{name}")
        found += _kinds_of(module.__name__, vars(module).values())
    return tuple(found)


def registered() -> tuple[Kind, ...]:
    """All kinds, those of the user's own last."""
    return (*shipped(), *_OWN.values())


def lists() -> tuple[Kind, ...]:
    """The kinds of which a scenario has lists."""
    return tuple(kind for kind in registered() if kind.list_key)


def register(*own: Kind) -> None:
    """Adds kinds of the user's own; one of the same name is replaced.

    Raises:
        BackbeatError: a name or a key is taken by a kind that ships.
    """
    for kind in own:
        if not getattr(kind, "name", ""):
            raise BackbeatError(
                f"the disturbance {kind.__name__} has no name; give its class one, "
                f'for instance name = "{kind.__name__.lower()}"'
            )
        for other in shipped():
            for word in sorted(_words(kind) & _words(other)):
                raise BackbeatError(
                    f"the disturbance {kind.__name__} has {word!r}, as "
                    f"{other.__name__} has; choose another name or key"
                )
        _OWN[kind.name] = kind


def register_file(file: UserFile) -> tuple[Kind, ...]:
    """Adds the kinds that a file of the user's own has; gives them."""
    found = tuple(_kinds_of(file.module, file.contents.values()))
    register(*found)
    return found


def own_files() -> tuple[str, ...]:
    """Files of the kinds of the user's own, which another process has to load."""
    files = (user_file_of(kind) for kind in _OWN.values())
    return tuple(dict.fromkeys(str(file.file) for file in files if file))


@contextmanager
def only_kinds(*own: Kind) -> Iterator[None]:
    """Has these kinds of the user's own for a while, and no others."""
    before = dict(_OWN)
    _OWN.clear()
    try:
        register(*own)
        yield
    finally:
        _OWN.clear()
        _OWN.update(before)


def keys_of(kind: Kind) -> list[str]:
    """Keys of a scenario that a kind adds, with dots."""
    return (
        [kind.list_key] if kind.list_key else [f"world.{f.name}" for f in fields(kind)]
    )


def own_keys() -> list[str]:
    """Keys of all kinds of the user's own."""
    return [key for kind in _OWN.values() for key in keys_of(kind)]


def without(scenario: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """Plain data of a scenario without some keys, which have dots."""
    left = deepcopy(dict(scenario))
    for key in keys:
        *above, name = key.split(".")
        (left[above[0]] if above else left).pop(name, None)
    return left


def _words(kind: Kind) -> set[str]:
    """What no other kind may be called, or have as a key."""
    return {kind.name, *keys_of(kind)}


def story_of(disturbances: Iterable[Disturbance]) -> dict[str, Any] | None:
    """What run files keep of disturbances of the user's own; None without any.

    Args:
        disturbances: of the run, those that are any.
    """
    own = {type(item): None for item in disturbances if type(item) not in shipped()}
    if not own:
        return None
    kind = next(iter(own))
    file = user_file_of(kind)
    about = file.story() if file else {"class": kind.__qualname__}
    return {**about, "keys": [key for each in own for key in keys_of(each)]}
