"""Friction scale: share of the assumed friction that the floor provides, from slips.

Steps after one that has slipped would slip too. A plan that assumes less friction has
smaller tangential forces, and its feet stay in place.
"""

import numpy as np

from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.reference.sampling import ReferenceSample
from backbeat.mpc.reference.trajectory import Reference

# A sole slips above this speed [m/s], normal force [N] and ratio of tangential to
# normal force; one that lands, or rotates about an edge, moves too. Noise of the joints
# is below 0.05 m/s.
SLIDING, LOADED, LEANING = 0.06, 100.0, 0.15
# Slip that halves the scale [m], rate at which it recovers [1/s], and its least value.
HALVING, REGAIN, LEAST = 0.03, 0.03, 0.35


def estimate_friction_scale(
    reference: Reference,
    sample: ReferenceSample,
    before: Plan,
    motion: np.ndarray,
    elapsed: float,
    force: np.ndarray,
) -> float:
    """Share of the assumed friction that the floor provides.

    A sole that slips under a tangential load reduces it, by more the farther it slips;
    while none slips it recovers. To be called at a small DCM error only: a push drags
    soles over any floor.

    Args:
        reference: the behavior.
        sample: the behavior at the phase of now.
        before: the plan so far.
        motion: (S, 3) of the soles, minus planned [m/s].
        elapsed: time since the plan so far was made [s].
        force: (C,) normal forces on the patches [N].
    """
    wrench, farthest = before.wrench[0], 0.0
    for c, (x, y, _) in zip(reference.soles, motion, strict=True):
        speed, load = np.hypot(x, y), np.hypot(wrench[c, 3], wrench[c, 4])
        is_loaded = sample.standing[c] and force[c] > reference.scale.weight * LOADED
        if is_loaded and speed > SLIDING and load > LEANING * wrench[c, 5]:
            farthest = max(farthest, float(speed) * elapsed)
    if farthest > 0:
        return max(LEAST, before.friction_scale * 0.5 ** (farthest / HALVING))
    return min(1.0, before.friction_scale + REGAIN * elapsed)
