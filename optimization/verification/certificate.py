"""Certificate: the worst value of each check of a motion, where and when.

`backbeat.optimization.verification.verify` makes the checks.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from backbeat.optimization.interior_point.solution import Violation
from backbeat.optimization.transcription.constraints import RowName, Thing

# Bounds of the checks. A sole that drifts by half a millimeter, or a momentum
# balance that is off by a percent of the weight, is less than what contact
# compliance and a controller absorb without notice.
BOUNDS = {
    "not_finite": 0.0,  # samples
    "knot_violation": 1e-6,  # scaled
    "contact_position": 0.5e-3,  # m
    "contact_slip": 5e-3,  # m/s
    "penetration": 0.5e-3,  # m
    "collision": 1e-3,  # m, with the scene or with itself
    "force_balance": 0.01,  # weights
    "moment_balance": 0.01,  # weights x m
    "velocity_consistency": 0.02,  # rad/s or m/s
    "acceleration_consistency": 0.5,  # rad/s^2 or m/s^2
    "joint_position": 1e-3,  # rad beyond a stop
    "joint_velocity": 1.0,  # share of the limit
    "joint_torque": 1.0,  # share of the limit
    "torque_consistency": 1e-6,  # share of the limit
    "friction": 1e-3,  # weights beyond the cone at the plan's coefficient
}


@dataclass(frozen=True)
class Check:
    """Worst value of one check.

    Attributes:
        name: name of the check, a key of BOUNDS.
        value: worst value.
        bound: what is allowed.
        time: when [s].
        where: joint or contact, in words.
        things: the same as names, where that is more than one; not kept in files.
    """

    name: str
    value: float
    bound: float
    time: float
    where: str
    things: tuple[Thing, ...] = field(default=(), compare=False)

    @property
    def passed(self) -> bool:
        """Whether the worst value is finite and within the bound."""
        return bool(np.isfinite(self.value) and self.value <= self.bound)

    @property
    def about(self) -> RowName:
        """What it is about."""
        return RowName(self.name, self.things or (Thing(self.where),))

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> "Check":
        """The inverse of `json.dumps` of `asdict`, which writes tuples as lists."""
        things = tuple(Thing(*thing) for thing in plain["things"])
        return Check(**{**plain, "things": things})

    def to_dict(self) -> dict[str, float | str]:
        """Plain data for a file."""
        plain = asdict(self)
        del plain["things"]
        return plain

    def __str__(self) -> str:
        """What was found, for a person."""
        sign = "<=" if self.passed else ">"
        found = f"{self.name} {self.value:.3g} {sign} {self.bound:.3g}"
        return f"{found} at {self.time:.2f} s ({self.where})"


@dataclass(frozen=True)
class Certificate:
    """All checks of a motion.

    Attributes:
        checks: the worst of each.
        places: every sample that is beyond a bound, in order of time; it is not kept
            in files.
    """

    checks: tuple[Check, ...]
    places: tuple[Check, ...] = field(default=(), compare=False)

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(c.passed for c in self.checks)

    def failures(self) -> list[Check]:
        """Checks that did not pass."""
        return [c for c in self.checks if not c.passed]

    def all_violations(self) -> list[Violation]:
        """What is beyond a bound between knots; one kind is as bad as another."""
        return [Violation(c.time, c.about, 1.0, True) for c in self.places]

    def to_dict(self) -> dict[str, dict[str, float | str]]:
        """Plain data for a file."""
        return {c.name: c.to_dict() for c in self.checks}

    def later(self, seconds: float) -> "Certificate":
        """The same of a motion that begins so many seconds later."""
        checks, places = (
            tuple(replace(check, time=check.time + seconds) for check in group)
            for group in (self.checks, self.places)
        )
        return Certificate(checks, places)

    @staticmethod
    def from_dict(data: dict[str, dict[str, float | str]]) -> "Certificate":
        """The inverse of `to_dict`."""
        return Certificate(
            tuple(
                Check(
                    name=name,
                    value=float(c["value"]),
                    bound=float(c["bound"]),
                    time=float(c["time"]),
                    where=str(c["where"]),
                )
                for name, c in data.items()
            )
        )


def worst_of(certificates: Iterable[Certificate]) -> Certificate:
    """The worst of every check, and all places; of equals the first."""
    worst: dict[str, Check] = {}
    places: list[Check] = []
    for certificate in certificates:
        places += certificate.places
        for check in certificate.checks:
            known = worst.get(check.name)
            if known is None or not check.value <= known.value:
                worst[check.name] = check
    return Certificate(tuple(worst[n] for n in BOUNDS if n in worst), tuple(places))


class Worst:
    """Keeps the worst value of each check, and every place beyond its bound."""

    def __init__(self, bounds: Mapping[str, float]) -> None:
        """Nothing is seen yet; `bounds` are those of the checks, by name."""
        self._bounds = bounds
        self._worst = {n: (0.0, 0.0, "") for n in bounds}
        self._places: list[Check] = []

    def see(
        self,
        name: str,
        value: float,
        time: float,
        where: str,
        things: tuple[Thing, ...] = (),
    ) -> None:
        """One value; those of a check are seen in this way or by `see_all`."""
        if not value <= self._bounds[name]:
            self._note(name, value, time, where, things)
        self._compare(name, value, time, where)

    def _note(
        self,
        name: str,
        value: float,
        time: float,
        where: str,
        things: tuple[Thing, ...] = (),
    ) -> None:
        bound = self._bounds[name]
        place = Check(name, float(value), bound, float(time), where, things)
        self._places.append(place)

    def _compare(self, name: str, value: float, time: float, where: str) -> None:
        if not value <= self._worst[name][0]:  # also true for NaN
            self._worst[name] = (float(value), float(time), where)

    def see_all(
        self, name: str, values: np.ndarray, times: np.ndarray, where: Sequence[str]
    ) -> None:
        """Takes (n, m) values at n times, of m subjects."""
        if not values.size:
            return
        worst = np.argmax(values, axis=1)
        most = values[np.arange(len(values)), worst]
        for i in np.flatnonzero(~(most <= self._bounds[name])):
            self._note(name, most[i], times[i], where[worst[i]])
        last = int(np.argmax(most))
        self._compare(name, most[last], times[last], where[worst[last]])

    def certificate(self) -> Certificate:
        """What was seen."""
        return Certificate(
            tuple(
                Check(n, value, self._bounds[n], time, where)
                for n, (value, time, where) in self._worst.items()
            ),
            tuple(sorted(self._places, key=lambda place: place.time)),
        )
