"""CollectableSystem: a Drake system in Python that the garbage collector can free.

A diagram is a ring of references: systems hold their ports and their diagram, and those
hold the systems. Python frees such a ring, if it sees all of it. It does not see the
functions that Drake's C++ side was given: a method among them holds its system for
ever, and that holds the diagram with its plant. A process that simulates thousands of
diagrams would run out of memory. Hence systems that derive from this class hand over
`weak` methods, and keep no cache entries, bodies or geometry ids, only their numbers.
"""

import gc
import itertools
import math
import weakref
from collections.abc import Callable
from types import MethodType
from typing import Any

from pydrake.common.value import AbstractValue
from pydrake.systems.framework import Context, LeafSystem, State, ValueProducer

# Diagrams that are built between two looks for unused ones.
FEW = 4
_BUILT = itertools.count()


class _WithoutDict(type(LeafSystem)):  # type: ignore[misc]
    """Makes classes whose attributes are in the dictionary of LeafSystem.

    Of its own a Python class has a second view of that, through which Python 3.11
    counts references twice, and then takes whatever it holds for in use.
    """

    def __new__(
        cls, name: str, bases: tuple[type, ...], content: dict[str, Any], **more: Any
    ) -> "_WithoutDict":
        content.setdefault("__slots__", ())
        return super().__new__(cls, name, bases, content, **more)


class CollectableSystem(LeafSystem, metaclass=_WithoutDict):
    """Base of systems; they hand `weak` methods to Drake, and have no witnesses."""

    # At every step Drake's bindings look for a method of this name that replaces the
    # one of C++, and note only of a function that is in C that it is none. Without one
    # the search costs 2 % of a closed loop.
    DoGetWitnessFunctions = id


class PromptSystem(CollectableSystem):
    """Base of systems whose outputs have the memory of this moment.

    The memory changes once a period. What it becomes is computed when an output is
    read, or else at the update of that moment, which stores it.
    """

    def _declare_memory(self, first: Any, period: float) -> None:
        """Declares the memory, after the inputs.

        Args:
            first: memory at the start, which nothing changes in place.
            period: time between changes [s].
        """
        self._period = period
        self._memory = int(self.DeclareAbstractState(AbstractValue.Make(first)))
        self._prompt = self.DeclareCacheEntry(
            "prompt memory",
            ValueProducer(lambda: AbstractValue.Make(first), weak(self._calc_prompt)),
            {self.all_sources_ticket()},
        ).cache_index()
        self.DeclarePeriodicUnrestrictedUpdateEvent(period, 0.0, weak(self._update))

    def renewed(self, context: Context, memory: Any, number: int) -> Any:
        """The memory in a period, which is the same if it has been renewed there.

        Args:
            context: of the system.
            memory: as it is stored.
            number: of the period.
        """
        raise NotImplementedError

    def _stored(self, context: Context) -> Any:
        """The memory as it is stored, also before the first inputs come."""
        return context.get_abstract_state(self._memory).get_value()

    def _now(self, context: Context) -> Any:
        """The memory of this moment."""
        return self.get_cache_entry(self._prompt).Eval(context)

    def _calc_prompt(self, context: Context, output: AbstractValue) -> None:
        number = math.floor(context.get_time() / self._period + 1e-6)
        output.set_value(self.renewed(context, self._stored(context), number))

    def _update(self, context: Context, state: State) -> None:
        new = self._now(context)
        state.get_mutable_abstract_state(self._memory).set_value(new)


def weak(method: Callable[..., Any]) -> Callable[..., Any]:
    """The same method, but it does not keep its object.

    Args:
        method: bound; to be called only while its object is alive, as a system is while
            there is a diagram with it, or a simulator of that.
    """
    assert isinstance(method, MethodType)
    function, owner = method.__func__, weakref.ref(method.__self__)
    # What Drake calls has two arguments, and to pass on any number takes longer.
    if function.__code__.co_argcount == 3:

        def call_with_two(context: Any, output: Any) -> Any:
            return function(owner(), context, output)

        return call_with_two

    def call(*arguments: Any) -> Any:
        return function(owner(), *arguments)

    return call


def free_unused_systems() -> None:
    """Frees diagrams that are no longer used; to be called before one more is built.

    Python counts objects, not what they take, and would let dozens of plants pile up.
    A few may: to look for them takes a tenth of a second.
    """
    if next(_BUILT) % FEW == 0:
        gc.collect()
