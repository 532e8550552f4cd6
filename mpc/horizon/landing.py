"""Feet that land otherwise than planned, and the ground that they stand on."""

from collections.abc import Sequence

import numpy as np

from backbeat.mpc.plans.measurement import measure_ground
from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.plans.swings import ways_to_go
from backbeat.mpc.plans.touchdown import Touchdown, find_touchdowns, find_waiting
from backbeat.mpc.reference.sampling import ReferenceSample
from backbeat.mpc.reference.trajectory import Reference


def find_landings(
    reference: Reference,
    sample: ReferenceSample,
    s: float,
    soles: np.ndarray,
    before: Plan,
    elapsed: float,
    ahead: float,
    force: np.ndarray | None,
) -> tuple[float, Sequence[Touchdown]]:
    """Height of the ground [m], and feet that land early or late.

    Args:
        reference: the behavior.
        sample: the behavior at the phase of now.
        s: that phase [s].
        soles: as of `measure_soles`.
        before: the plan in force.
        elapsed: time since it took effect [s].
        ahead: phase until the next plan is surely in force [s].
        force: (C,) normal forces on patches [N]; None where nothing measures them.
    """
    if force is None:
        # A foot that is put down lands as planned, and stays.
        put_down = [d for d in before.touchdowns if d.is_put_down and s < d.end]
        waiting = find_waiting(reference, before.steps, s)
        return before.ground, (*put_down, *waiting)
    ground = measure_ground(soles[:, 0, 2], reference, sample, before, elapsed, force)
    way = ways_to_go(reference, before.swings, sample, soles)
    downs = find_touchdowns(
        reference, before.steps, before.touchdowns, s, ahead, force, way
    )
    return ground, downs
