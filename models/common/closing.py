"""Closing: things that hold what has to be given back, such as a process."""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Closing(ABC):
    """To be closed after use; `with` does so."""

    @abstractmethod
    def close(self) -> None:
        """Gives back what it holds; nothing happens the second time."""

    def __enter__(self) -> Self:
        """Itself, to be closed in the end."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """Closes it."""
        self.close()
