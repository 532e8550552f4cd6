"""Explanation: desired and achieved values of a tick or a plan, and active limits.

`explain_tick` and `explain_plan` make them; printed, they are text.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# How many of the inactive limits are named, those with the least room.
NEAREST = 3
# A share of the cost below which a term is not named.
SMALL = 0.005


@dataclass(frozen=True)
class TaskReport:
    """Desired and achieved values of one task of a whole-body program.

    Attributes:
        name: of the task.
        weight: on its squared error.
        wanted, achieved: (n,) accelerations, or wrenches [weights].
        unit: of the two.
    """

    name: str
    weight: float
    wanted: np.ndarray
    achieved: np.ndarray
    unit: str

    @property
    def error(self) -> np.ndarray:
        """(n,) achieved minus wanted."""
        return self.achieved - self.wanted

    @property
    def cost(self) -> float:
        """What it adds to the cost: half the weighted square of its error."""
        return float(0.5 * self.weight * self.error @ self.error)

    def __str__(self) -> str:
        """One line."""
        sizes = (np.linalg.norm(x) for x in (self.error, self.wanted))
        off, wanted = sizes
        return (
            f"{self.name} (weight {self.weight:g}): off by {off:.3g} of "
            f"{wanted:.3g} {self.unit}, costs {self.cost:.3g}"
        )


@dataclass(frozen=True)
class LimitReport:
    """A bound of a program.

    Attributes:
        name: in words, with lower or upper.
        value, bound: of the bounded quantity, in `unit`.
        multiplier: Lagrange multiplier of the bound: decrease of the cost per unit
            that the bound is relaxed by; zero for an inactive bound.
        scale: a size to compare the slack with, in `unit`.
        unit: of value, bound and scale.
        times: first and last time of a plan at which it is in force [s from now].
    """

    name: str
    value: float
    bound: float
    multiplier: float
    scale: float
    unit: str
    times: tuple[float, float] | None = None

    @property
    def slack(self) -> float:
        """Room that is left, in `unit`."""
        return abs(self.bound - self.value)

    def __str__(self) -> str:
        """One line."""
        if self.multiplier == 0:
            share = 100 * self.slack / self.scale
            return f"{self.name}: {self.slack:.3g} {self.unit} left ({share:.0f} %)"
        text = f"{self.name}, multiplier {self.multiplier:.3g}"
        if self.times is not None:
            return f"{text}, from {self.times[0]:.2f} to {self.times[1]:.2f} s ahead"
        return f"{text} at {self.bound:.4g} {self.unit}" if self.bound else text


def in_force(limits: Sequence[LimitReport]) -> tuple[LimitReport, ...]:
    """Active limits by decreasing multiplier, one of each name."""
    found = [x for x in limits if x.multiplier != 0]
    return _by_name(sorted(found, key=lambda x: -abs(x.multiplier)))


def _by_name(limits: Sequence[LimitReport]) -> tuple[LimitReport, ...]:
    """The first limit of each name; a cone has several rows for one of them."""
    found: dict[str, LimitReport] = {}
    for limit in limits:
        found.setdefault(limit.name, limit)
    return tuple(found.values())


@dataclass(frozen=True)
class TickExplanation:
    """A whole-body control tick in words.

    Attributes:
        time: of the tick [s].
        phase: of the behavior [s].
        status: how the program ended.
        standing: contacts that carry weight.
        tasks: with desired and achieved values.
        limits: all bounds, active or not.
        torques: (nj,) of the joints [N m].
    """

    time: float
    phase: float
    status: str
    standing: tuple[str, ...]
    tasks: tuple[TaskReport, ...]
    limits: tuple[LimitReport, ...]
    torques: np.ndarray

    @property
    def active(self) -> tuple[LimitReport, ...]:
        """Active limits by decreasing multiplier."""
        return in_force(self.limits)

    @property
    def nearest(self) -> tuple[LimitReport, ...]:
        """Inactive limits by increasing room relative to their scale.

        One of each name, and none of a name that is active.
        """
        said = {x.name for x in self.active}
        rest = [x for x in self.limits if x.multiplier == 0 and x.name not in said]
        return _by_name(sorted(rest, key=lambda x: x.slack / x.scale))

    def __str__(self) -> str:
        """Some lines for a person."""
        stands = " and ".join(self.standing) or "nothing"
        lines = [
            f"tick at {self.time:.3f} s, phase {self.phase:.3f} s: {self.status}; "
            f"stands on {stands}",
            "tasks, by decreasing cost:",
        ]
        tasks = sorted(self.tasks, key=lambda x: -x.cost)
        lines += [f"  {task}" for task in tasks]
        if not self.limits:
            return "\n".join(lines)
        lines += _limit_lines(self.active)
        lines += ["inactive limits, by increasing room:"]
        lines += [f"  {limit}" for limit in self.nearest[:NEAREST]]
        return "\n".join(lines)


@dataclass(frozen=True)
class PlanExplanation:
    """A plan in words.

    Attributes:
        time: when the plan was made [s].
        phase: of the behavior then [s].
        rate: phase rate [-].
        late: how late the behavior is, now and at the end of the horizon [s].
        status: of the plan.
        costs: contribution of every term to the cost, by name.
        limits: active bounds, one for each name.
        steps: steps that the behavior does not make, in words.
        shifts: how far soles land from where the behavior has them, in words.
        friction_scale: share of the assumed friction that the floor provides.
        external_acceleration_xy: horizontal acceleration by external forces, forward
            and to the left [m/s^2].
    """

    time: float
    phase: float
    rate: float
    late: tuple[float, float]
    status: str
    costs: dict[str, float]
    limits: tuple[LimitReport, ...]
    steps: tuple[str, ...]
    shifts: tuple[str, ...]
    friction_scale: float = 1.0
    external_acceleration_xy: tuple[float, float] = (0.0, 0.0)

    @property
    def active(self) -> tuple[LimitReport, ...]:
        """Active limits by decreasing multiplier."""
        return in_force(self.limits)

    def __str__(self) -> str:
        """Some lines for a person."""
        lines = [
            f"plan at {self.time:.3f} s, phase {self.phase:.3f} s: {self.status}; "
            f"phase rate {self.rate:.3f}, late by {1e3 * self.late[0]:.0f} ms now and "
            f"{1e3 * self.late[1]:.0f} ms at the end of the horizon",
            "costs, in decreasing order:",
        ]
        total = sum(self.costs.values())
        costs = sorted(self.costs.items(), key=lambda x: -x[1])
        lines += [f"  {n}: {c:.3g}" for n, c in costs if c > SMALL * total]
        lines += _limit_lines(self.active)
        lines += [*self.steps, *self.shifts]
        if self.friction_scale < 1:
            share = 100 * self.friction_scale
            lines += [f"soles have slipped: {share:.0f} % of the friction is assumed"]
        if any(self.external_acceleration_xy):
            forward, left = self.external_acceleration_xy
            way = f"{forward:.1f} m/s^2 forward and {left:.1f} m/s^2 to the left"
            lines += [f"external acceleration of {way}"]
        return "\n".join(lines)


def _limit_lines(active: Sequence[LimitReport]) -> list[str]:
    if not active:
        return ["no limit is active"]
    return ["active limits, by decreasing multiplier:", *(f"  {x}" for x in active)]
