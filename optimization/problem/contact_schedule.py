"""Contact schedule: phases with constant sets of contacts."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from pydrake.math import RigidTransform

from backbeat.models.common.errors import BackbeatError
from backbeat.models.dynamics.edges import WHOLE


@dataclass(frozen=True)
class Phase:
    """A period during which the set of contacts does not change.

    Attributes:
        duration: length [s].
        contacts: pose X_WC of every contact that stands, by contact name.
        name: what a person calls it.
        edges: of contacts that stand on an edge, which one; their pose is that of the
            flat sole. See `backbeat.models.dynamics.edges`.
    """

    duration: float
    contacts: Mapping[str, RigidTransform] = field(default_factory=dict)
    name: str = "stance"
    edges: Mapping[str, int] = field(default_factory=dict)

    def hold(self, name: str) -> int | None:
        """How a contact stands: `WHOLE` or on which edge; None if it does not."""
        return self.edges.get(name, WHOLE) if name in self.contacts else None


@dataclass(frozen=True)
class ContactSchedule:
    """Phases in a row; a switch belongs to the phase with more contacts.

    At the instant of a touchdown the foot already stands, and at the instant of
    a lift-off it still does, so that knots on a switch are stance knots.
    """

    phases: tuple[Phase, ...]

    def __post_init__(self) -> None:
        """Raises BackbeatError for schedules that make no sense.

        They are empty, have a phase without length, or a foot that changes its edge.
        """
        if not self.phases:
            raise BackbeatError("a contact schedule needs at least one phase")
        for phase in self.phases:
            if not phase.duration > 0:
                raise BackbeatError(
                    f"phase {phase.name!r} lasts {phase.duration} s; it must be > 0"
                )
        for before, after in itertools.pairwise(self.phases):
            for name in before.edges:
                holds = {before.hold(name), after.hold(name)}
                if len(holds - {None, WHOLE}) > 1:
                    raise BackbeatError(
                        f"{name} goes from one edge to the other between phases "
                        f"{before.name!r} and {after.name!r}; it has to be flat or in "
                        "the air in between"
                    )

    @cached_property
    def switch_times(self) -> np.ndarray:
        """(num_phases + 1,) start of each phase and the end of the last [s]."""
        return np.r_[0.0, np.cumsum([p.duration for p in self.phases])]

    @property
    def duration(self) -> float:
        """Total length [s]."""
        return float(self.switch_times[-1])

    @property
    def contact_names(self) -> tuple[str, ...]:
        """Every contact that stands at some time, in order of appearance."""
        names = dict.fromkeys(n for p in self.phases for n in p.contacts)
        return tuple(names)

    def standing(self, t: float, tolerance: float = 1e-9) -> dict[str, RigidTransform]:
        """Contacts that stand at time t with their poses X_WC."""
        found: dict[str, RigidTransform] = {}
        first, last = self._around(np.asarray(t), tolerance)
        for phase in self.phases[first:last]:
            found.update(phase.contacts)
        return found

    def active(self, t: Sequence[float] | np.ndarray, name: str) -> np.ndarray:
        """(len(t),) whether the contact `name` stands at each time."""
        first, last = self._around(np.asarray(t, float), 1e-9)
        before = np.r_[0, np.cumsum([name in p.contacts for p in self.phases])]
        return np.asarray(before[last] > before[first])

    def edges(self, t: Sequence[float] | np.ndarray, name: str) -> np.ndarray:
        """(len(t),) the edge on which a contact stands at each time, or `WHOLE`.

        It is flat at a switch from or to a phase in which it is flat.
        """
        out = np.full(len(t), WHOLE, np.int8)
        if not any(phase.edges.get(name) for phase in self.phases):
            return out
        around = self._around(np.asarray(t, float), 1e-9)
        for i, (first, last) in enumerate(zip(*around, strict=True)):
            holds = [phase.hold(name) for phase in self.phases[first:last]]
            edges = [hold for hold in holds if hold is not None]
            if edges and WHOLE not in edges:
                out[i] = edges[0]
        return out

    def flights(self) -> Iterator[tuple[float, float]]:
        """Start and end of every time at which nothing carries the robot [s]."""
        switches = self.switch_times
        for i, phase in enumerate(self.phases):
            if not phase.contacts:
                yield float(switches[i]), float(switches[i + 1])

    def releases(
        self, contact: str
    ) -> Iterator[tuple[float, float, RigidTransform, int]]:
        """Switches at which a contact is held less on one side than on the other.

        Yields:
            Time of each [s], for how long the contact is held less, negative before
            it [s], and the pose and edge with which it is held on the other side.
        """
        spans = [
            (hold, list(span))
            for hold, span in itertools.groupby(
                range(len(self.phases)), lambda i: self.phases[i].hold(contact)
            )
        ]
        times = self.switch_times
        for (a, before), (b, after) in itertools.pairwise(spans):
            grows = _firmness(b) > _firmness(a)
            i, hold, less = (after[0], b, before) if grows else (before[-1], a, after)
            assert hold is not None
            length = float(times[less[-1] + 1] - times[less[0]])
            pose = self.phases[i].contacts[contact]
            yield float(times[after[0]]), -length if grows else length, pose, hold

    def _around(self, t: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
        """The first phase that a time belongs to, and the one after its last."""
        times = self.switch_times
        first = np.searchsorted(times[1:], t - tolerance)
        last = np.searchsorted(times[:-1], t + tolerance, side="right")
        return first, np.maximum(first, last)


def _firmness(hold: int | None) -> int:
    """How much of a pose is held: nothing in the air, most of a flat sole."""
    return 0 if hold is None else 1 + (hold == WHOLE)


def constant_stance(
    duration: float, contacts: Mapping[str, RigidTransform]
) -> ContactSchedule:
    """A schedule of one phase."""
    return ContactSchedule((Phase(duration, dict(contacts)),))
