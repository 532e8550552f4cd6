"""PlanStart: initial conditions of a plan, all that a program depends on."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.touchdown import Touchdown


@dataclass(frozen=True)
class PlanStart:
    """The robot's state relative to its behavior, and the tempo requested now.

    Attributes:
        t: phase of the behavior requested for now [s]; the time at the authored tempo.
        s: phase of the behavior [s].
        deviation: (12,) measured minus reference: CoM, CoM velocity, angular momentum
            per mass, body rotation.
        shift: (S, 2) places of the soles minus the behavior's [m], of those in the air
            where they were going to land; None for zeros.
        touchdowns: feet that landed early, or have not landed yet.
        external_force_z: vertical force besides those of the contacts [weights].
        external_acceleration_xy: (2,) horizontal acceleration by external forces, for
            a short time [m/s^2].
        friction_scale: share of the assumed friction that the floor provides.
        tempo: requested factor on the authored tempo; velocity and momentum of
            `deviation` are relative to the behavior at that tempo.
        rate: phase rate so far, from which the plan's goes on; None for any.
        elapsed: time since that rate was chosen, in which it may have changed [s].
        com_lowering: share of the weights' `com_lowering` in the plan before.
    """

    t: float
    s: float
    deviation: np.ndarray
    shift: np.ndarray | None = None
    touchdowns: Sequence[Touchdown] = ()
    external_force_z: float = 0.0
    friction_scale: float = 1.0
    tempo: float = 1.0
    rate: float | None = None
    elapsed: float = 0.0
    external_acceleration_xy: np.ndarray = field(default_factory=lambda: np.zeros(2))
    com_lowering: float = 0.0

    def sole_shift(self, soles: int) -> np.ndarray:
        """(S, 2) `shift` in numbers, zeros where it is None [m]."""
        return np.zeros((soles, 2)) if self.shift is None else self.shift

    def with_touchdown(self, touchdown: Touchdown) -> "PlanStart":
        """The same with one more foot that lands, or has landed, early."""
        return replace(self, touchdowns=(*self.touchdowns, touchdown))

    def going_on(self, before: Plan) -> "PlanStart":
        """The same, continuing phase rate and CoM lowering of the plan before."""
        elapsed = before.time_to(self.s)
        rate = before.rate_at(before.time + elapsed)
        return replace(
            self, rate=rate, elapsed=elapsed, com_lowering=before.com_lowering
        )
