"""Grip: what a floor gives of the friction that is relied on, learned from slips.

Where feet slide apart, the steps that would follow slide too. A plan that relies on
less leans less, and its feet stay where they are.
"""

import numpy as np

from backbeat.mpc.plans.plan import Plan
from backbeat.mpc.reference.sampling import ReferenceSample
from backbeat.mpc.reference.trajectory import Reference

# How fast a sole moves that slides [m/s], under what normal force that counts [N], and
# under what tangential force per normal force: one that lands, or turns about an edge,
# moves too. Noise of the joints is below 0.05 m/s.
SLIDING, LOADED, LEANING = 0.06, 100.0, 0.15
# Way of a sole that halves the grip [m], how fast it comes back [1/s], the least of it.
HALVING, REGAIN, LEAST = 0.03, 0.03, 0.35


def estimate_friction_scale(
    reference: Reference,
    sample: ReferenceSample,
    before: Plan,
    motion: np.ndarray,
    elapsed: float,
    force: np.ndarray,
) -> float:
    """Share that the floor gives of the friction that is relied on.

    A sole that slides under a load that leans has less of it than was believed, by more
    the farther it slides; while none slides the floor comes to be trusted again. It is
    for robots whose balance is not at stake: a push drags soles over any floor.

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
        is_loaded = sample.standing[c] and force[c] > LOADED
        if is_loaded and speed > SLIDING and load > LEANING * wrench[c, 5]:
            farthest = max(farthest, float(speed) * elapsed)
    if farthest > 0:
        return max(LEAST, before.friction_scale * 0.5 ** (farthest / HALVING))
    return min(1.0, before.friction_scale + REGAIN * elapsed)
