"""Contact schedule: phases with constant sets of contacts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from pydrake.math import RigidTransform

from backbeat.models.common.errors import BackbeatError


@dataclass(frozen=True)
class Phase:
    """A period during which the set of contacts does not change.

    Attributes:
        duration: length [s].
        contacts: pose X_WC of every contact that stands, by contact name.
        name: what a person calls it.
    """

    duration: float
    contacts: Mapping[str, RigidTransform] = field(default_factory=dict)
    name: str = "stance"


@dataclass(frozen=True)
class ContactSchedule:
    """Phases in a row; a switch belongs to the phase with more contacts.

    At the instant of a touchdown the foot already stands, and at the instant of
    a lift-off it still does, so that knots on a switch are stance knots.
    """

    phases: tuple[Phase, ...]

    def __post_init__(self) -> None:
        """Raises BackbeatError for an empty schedule or a phase without length."""
        if not self.phases:
            raise BackbeatError("a contact schedule needs at least one phase")
        for phase in self.phases:
            if not phase.duration > 0:
                raise BackbeatError(
                    f"phase {phase.name!r} lasts {phase.duration} s; it must be > 0"
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

    def flights(self) -> Iterator[tuple[float, float]]:
        """Start and end of every time at which nothing carries the robot [s]."""
        switches = self.switch_times
        for i, phase in enumerate(self.phases):
            if not phase.contacts:
                yield float(switches[i]), float(switches[i + 1])

    def swings(
        self, contact: str
    ) -> Iterator[tuple[float, float, RigidTransform | None, RigidTransform | None]]:
        """Swings of a contact.

        Yields:
            Start and end of each [s], and where the contact stood and will stand.
        """
        switches = self.switch_times
        places = [p.contacts.get(contact) for p in self.phases]
        i = 0
        while i < len(places):
            if places[i] is not None:
                i += 1
                continue
            end = i
            while end + 1 < len(places) and places[end + 1] is None:
                end += 1
            before = places[i - 1] if i > 0 else None
            after = places[end + 1] if end + 1 < len(places) else None
            yield float(switches[i]), float(switches[end + 1]), before, after
            i = end + 1

    def _around(self, t: np.ndarray, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
        """The first phase that a time belongs to, and the one after its last."""
        times = self.switch_times
        first = np.searchsorted(times[1:], t - tolerance)
        last = np.searchsorted(times[:-1], t + tolerance, side="right")
        return first, np.maximum(first, last)


def constant_stance(
    duration: float, contacts: Mapping[str, RigidTransform]
) -> ContactSchedule:
    """A schedule of one phase."""
    return ContactSchedule((Phase(duration, dict(contacts)),))
