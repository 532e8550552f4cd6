"""Files of the user's own, which the command line names: their code, and their terms.

Nothing else may name such a file: specifications, scenarios, sweeps and libraries are
data, and a file from outside never runs code.
"""

import hashlib
import importlib.util
import sys
import traceback
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from backbeat.models.common.errors import BackbeatError, gist
from backbeat.models.common.outside_file import is_file, read_bytes

Numbers = TypeVar("Numbers")


@dataclass(frozen=True)
class UserFile:
    """A Python file of the user's own, loaded.

    Attributes:
        file: where it is.
        sha256: of it; what it imports is not part of it.
        module: name of its module.
    """

    file: Path
    sha256: str
    module: str

    @property
    def contents(self) -> dict[str, Any]:
        """What it has by name, imports among it."""
        return vars(sys.modules[self.module])

    def story(self) -> dict[str, str]:
        """What files keep of it."""
        return {"file": self.file.name, "sha256": self.sha256}

    def kind(self, base: type[Numbers]) -> type[Numbers]:
        """The class of numbers with the file's terms; the base itself without any.

        Several classes of one base make one with the terms of all.
        """
        found = [
            item
            for item in self.contents.values()
            if isinstance(item, type)
            and issubclass(item, base)
            and item.__module__ == self.module
        ]
        if len(found) < 2:
            return found[0] if found else base
        name = "And".join(kind.__name__ for kind in found)
        joined = type(name, tuple(reversed(found)), {"__module__": self.module})
        return dataclass(frozen=True)(joined)


def load_user_file(path: str | Path) -> UserFile:
    """Loads a Python file; its folder is searched for what it imports.

    Raises:
        BackbeatError: there is none, or it does not load.
    """
    file = Path(path)
    if file.suffix != ".py" or not is_file(file):
        raise BackbeatError(f"there is no Python file {path}")
    text = read_bytes(file, "YAML")
    return _loaded(file.resolve(), hashlib.sha256(text).hexdigest())


def load_terms(path: str | Path, bases: tuple[type[Any], ...]) -> UserFile:
    """Loads a file with terms of the user's own.

    Args:
        path: of the file.
        bases: classes of numbers, of which it has to extend at least one.

    Raises:
        BackbeatError: it does not load, or extends none of them.
    """
    found = load_user_file(path)
    if all(found.kind(base) is base for base in bases):
        names = " or ".join(base.__name__ for base in bases)
        raise BackbeatError(
            f"{found.file.name} has no class that inherits from {names}; a term is a "
            "field of one, see docs/how_to/own_cost.py"
        )
    return found


def user_file_of(kind: type[Any]) -> UserFile | None:
    """The user's file that has a class; None where no such file was loaded."""
    found = vars(sys.modules.get(kind.__module__, object)).get("__user_file__")
    return found if isinstance(found, UserFile) else None


@lru_cache(maxsize=8)
def _loaded(file: Path, sha256: str) -> UserFile:
    name = f"_user_{file.stem}_{sha256[:8]}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise BackbeatError(f"{file} is no Python file that can be loaded")
    module = importlib.util.module_from_spec(spec)
    found = UserFile(file, sha256, name)
    # Classes of the module look it up, and so does what is pickled.
    sys.modules[name] = module
    vars(module)["__user_file__"] = found
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        what = f"{file.name} does not load"
        raise BackbeatError(told_with_line(error, file, what)) from error
    return found


def told_with_line(error: BaseException, file: str | Path, what: str) -> str:
    """An error of the user's code in one sentence, with its line in the file."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename) == Path(file)
    ]
    where = f" in line {lines[-1]}" if lines else ""
    if isinstance(error, SyntaxError) and error.lineno:
        where = f" in line {error.lineno}"
    return f"{what}: {type(error).__name__}{where}: {gist(error)}"
