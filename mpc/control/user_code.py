"""Functions from a file of the user's own, which the command line names.

Nothing else may name such a file: scenarios, sweeps and libraries are data, and a file
from outside never runs code.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.optimization.terms.user_file import load_user_file, told_with_line


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
            raise BackbeatError(
                told_with_line(error, self.file, f"{self} {what}")
            ) from error


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
    loaded = load_user_file(path)
    functions = {n: f for n, f in loaded.contents.items() if callable(f)}
    if name not in functions:
        own = [
            n
            for n, f in functions.items()
            if getattr(f, "__module__", "") == loaded.module
        ]
        raise unknown_name(f"function of {loaded.file.name}", name, own)
    return UserCode(functions[name], loaded.file, name, loaded.sha256)
