"""Functions from a file of the user's own, which the command line names.

Nothing else may name such a file: scenarios, sweeps and libraries are data, and a file
from outside never runs code.
"""

import hashlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from backbeat.models.common.errors import BackbeatError, gist, unknown_name
from backbeat.models.common.outside_file import is_file, read_bytes


@dataclass(frozen=True)
class UserCode:
    """A function from a file of the user's own.

    Attributes:
        function: it.
        file: where it is.
        name: its name there.
        sha256: of the file; what the file imports is not part of it.
    """

    function: Callable[..., Any]
    file: Path
    name: str
    sha256: str

    def __str__(self) -> str:
        """As the command line has it, without its folder."""
        return f"{self.file.name}:{self.name}"

    def story(self) -> dict[str, str]:
        """What run files keep of it."""
        return {"file": self.file.name, "name": self.name, "sha256": self.sha256}

    @contextmanager
    def running(self, what: str) -> Iterator[None]:
        """Says where an error of the user's code is.

        Args:
            what: is being done, for the message.

        Raises:
            BackbeatError: the code raised anything else.
        """
        try:
            yield
        except (BackbeatError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise BackbeatError(_told(error, self.file, f"{self} {what}")) from error


def load_user_code(place: str) -> UserCode:
    """Loads FILE.py:NAME; the file's folder is searched for what it imports.

    Raises:
        BackbeatError: there is no such file or function, or the file does not load.
    """
    path, _, name = place.rpartition(":")
    if not path or not name.isidentifier():
        raise BackbeatError(
            f"{place!r} names no function of a file; write FILE.py:NAME, for instance "
            "lqr.py:make"
        )
    file = Path(path)
    if file.suffix != ".py" or not is_file(file):
        raise BackbeatError(f"there is no Python file {path}")
    text = read_bytes(file, "YAML")
    return _loaded(file.resolve(), name, hashlib.sha256(text).hexdigest())


@lru_cache(maxsize=8)
def _loaded(file: Path, name: str, sha256: str) -> UserCode:
    module_name = f"_user_{file.stem}_{sha256[:8]}"
    spec = importlib.util.spec_from_file_location(module_name, file)
    if spec is None or spec.loader is None:
        raise BackbeatError(f"{file} is no Python file that can be loaded")
    module = importlib.util.module_from_spec(spec)
    # Classes of the module look it up, and so does what is pickled.
    sys.modules[module_name] = module
    if str(file.parent) not in sys.path:
        sys.path.append(str(file.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[module_name]
        raise BackbeatError(_told(error, file, f"{file.name} does not load")) from error
    functions = {n: f for n, f in vars(module).items() if callable(f)}
    if name not in functions:
        own = [
            n
            for n, f in functions.items()
            if getattr(f, "__module__", "") == module_name
        ]
        raise unknown_name(f"function of {file.name}", name, own)
    return UserCode(functions[name], file, name, sha256)


def _told(error: BaseException, file: Path, what: str) -> str:
    """An error of the user's code in one sentence, with its line in the file."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename) == file
    ]
    where = f" in line {lines[-1]}" if lines else ""
    if isinstance(error, SyntaxError) and error.lineno:
        where = f" in line {error.lineno}"
    return f"{what}: {type(error).__name__}{where}: {gist(error)}"
