"""Bound arguments: tuples of arrays that are converted once for many calls.

At every call a compiled function looks at each array that it is given, which for the
sixty arrays of a whole-body program takes longer than some of the work. Bound, they
are looked at once, at the first call. The arrays are shared, not copied.
"""

from typing import Generic, TypeVar

T = TypeVar("T")


class Bound(Generic[T]):
    """Arguments bound by `bind`.

    Attributes:
        content: the tuple; it stays as it is.
        seen: what compiled code has seen of it.
    """

    __slots__ = "content", "seen"

    def __init__(self, content: T) -> None:
        self.content, self.seen = content, None

    def __reduce__(self) -> tuple[object, ...]:
        """A copy has looked at nothing yet."""
        return type(self), (self.content,)


def bind(content: T) -> Bound[T]:
    """Binds a tuple of arrays, numbers and named tuples of them."""
    return Bound(content)
