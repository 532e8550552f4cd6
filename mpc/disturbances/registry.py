"""Registry: all kinds of disturbances that there are.

Those that ship are the files of the folder `kinds`; others come from a file of the
user's own, which the command line or a program names, and no file of data ever does.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from types import ModuleType

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
        if not kind.__dict__.get("name"):
            raise BackbeatError(
                f"the disturbance {kind.__name__} has no name; give its class one, "
                f'for instance name = "{kind.__name__.lower()}"'
            )
        for other in shipped():
            if other.name == kind.name or (
                kind.list_key and other.list_key == kind.list_key
            ):
                raise BackbeatError(
                    f"the disturbance {kind.__name__} has the name {kind.name!r} and "
                    f"the key {kind.list_key!r}, and {other.__name__} has one of them; "
                    "choose others"
                )
        _OWN[kind.name] = kind


def register_file(file: UserFile) -> tuple[Kind, ...]:
    """Adds the kinds that a file of the user's own has; gives them."""
    found = tuple(_kinds_of(file.module, file.contents.values()))
    register(*found)
    return found


@contextmanager
def with_kinds(*own: Kind) -> Iterator[None]:
    """Has kinds of the user's own for a while."""
    before = dict(_OWN)
    register(*own)
    try:
        yield
    finally:
        _OWN.clear()
        _OWN.update(before)


def files_of(disturbances: Iterable[Disturbance]) -> dict[str, object] | None:
    """Which file of the user's own disturbances are from, and which keys they have.

    None where all of them ship.
    """
    own = {type(item) for item in disturbances if type(item) not in shipped()}
    for kind in own:
        file = user_file_of(kind)
        about = file.story() if file else {"class": kind.__qualname__}
        return {**about, "keys": sorted(k.list_key for k in own)}
    return None
