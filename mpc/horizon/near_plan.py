"""PlanNear: plans that deviate from a behavior by what they are told."""

import numpy as np

from backbeat.mpc.horizon.phase_grid import PhaseGrid
from backbeat.mpc.horizon.sampling import make_horizon
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.start import PlanStart
from backbeat.mpc.reference.trajectory import Reference


class PlanNear:
    """Makes plans near a behavior, for controllers that do not solve our program.

        near = PlanNear(reference)
        plan = near(t, s, deviation, wrench)

    Knots are on the behavior's switches of contacts, and evenly between.

    Attributes:
        reference: the behavior.
        knots: intervals of a plan.
        grid: where knots are.
    """

    def __init__(
        self, reference: Reference, knots: int = 10, spacing: float = 0.05
    ) -> None:
        """Plans over `knots` intervals, each `spacing` [s] long but beside switches."""
        self.reference, self.knots = reference, knots
        self.grid = PhaseGrid(reference, spacing)

    def __call__(
        self,
        t: float,
        s: float,
        deviation: np.ndarray | None = None,
        wrench: np.ndarray | None = None,
        tempo: float = 1.0,
        may_step: bool = False,
    ) -> Plan:
        """A plan.

        Args:
            t: time that it begins at [s].
            s: phase of the behavior then [s].
            deviation: (12,) as of `Plan`, held over the horizon, or (N + 1, 12); None
                for none.
            wrench: (C, 6) or (N, C, 6) wrenches of the patches besides the behavior's,
                in patch axes [weights]; None for none. Those of patches that do not
                stand are left out.
            tempo: factor on the authored tempo.
            may_step: whether soles may leave their places in the behavior.
        """
        reference, N = self.reference, self.knots
        phases = self.grid.phases(s, N)
        start = PlanStart(t, s, np.zeros(12), tempo=tempo)
        horizon = make_horizon(reference, phases, start, (), None, False)
        x = np.zeros((N + 1, 12))
        if deviation is not None:
            x[:] = deviation
        planned = horizon.wrench.reshape(N, -1, 6)
        if wrench is not None:
            planned = planned + wrench * horizon.standing[:, :, None]
        return Plan(
            time=t,
            phase=s,
            rate=tempo,
            durations=horizon.h,
            phases=horizon.phases,
            deviation=x,
            wrench=planned,
            com=horizon.com + x[:, :3],
            shift=np.zeros((N + 1, len(reference.soles), 2)),
            may_step=may_step,
        )
