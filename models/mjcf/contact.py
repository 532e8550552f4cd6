"""How contact yields in MuJoCo: named settings, and heads that give back a share.

MuJoCo's contacts are springs and dampers of a relative acceleration, the same for any
mass (`solref`), which are rigid but for a share (`solimp`). Where Drake has stiffness
[N/m] and dissipation, a setting here has a time.

Sources
    Todorov, "Convex and analytically-invertible dynamics with contacts and
    constraints: Theory and implementation in MuJoCo", 2014.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.contact.restitution import MASS, PHASES, SPEED, STEP

# Share of its speed that damping takes of a tip in one step at most: with more of it,
# steps throw the tip back.
MOST_DAMPING = 0.8


@dataclass(frozen=True)
class ContactLaw:
    """How soles, ground and whatever else is no drum yield.

    Attributes:
        name: of the setting.
        solref: time constant [s] and damping ratio of a contact.
        solimp: share of it that is rigid: at no depth and at full depth, that depth
            [m], and how it grows in between.
        impratio: how much more rigid friction is than the normal direction.
    """

    name: str
    solref: tuple[float, float]
    solimp: tuple[float, float, float, float, float]
    impratio: float


FIRM = "firm"
# `soft` are MuJoCo's own defaults; `firm` sinks and creeps less than a tenth as much.
CONTACT_LAWS = {
    law.name: law
    for law in (
        ContactLaw(FIRM, (0.004, 1.0), (0.98, 0.99, 1e-3, 0.5, 2.0), 10.0),
        ContactLaw("soft", (0.02, 1.0), (0.9, 0.95, 1e-3, 0.5, 2.0), 1.0),
    )
}


@cache
def struck_reference(
    stiffness: float, share: float, step: float = STEP
) -> tuple[float, float]:
    """`solref` of a head or cymbal that gives back a share of a tip's speed.

    It is the direct one, of negative numbers: an acceleration by depth [1/s^2] and one
    by rate [1/s]. The drop is that with which Drake's dissipation is matched, see
    `backbeat.models.contact.restitution`.

    Args:
        stiffness: of the head with a tip on it [N/m].
        share: restitution.
        step: of the simulation [s].

    Raises:
        BackbeatError: more or less than this step gives back.
    """
    k, high = stiffness / MASS, MOST_DAMPING / step
    least, most = _restitution(k, high, step), _restitution(k, 0.0, step)
    if not least < share < most:
        raise BackbeatError(
            f"the engine mujoco gives back {least:.2f} to {most:.2f} of a tip's speed "
            f"where stiffness is {stiffness:g} N/m and steps are {1e3 * step:g} ms, "
            f"not {share:g}; take shorter steps, or engine: drake"
        )
    low = 0.0
    while low < (middle := 0.5 * (low + high)) < high:
        if _restitution(k, middle, step) > share:
            low = middle
        else:
            high = middle
    return -k, -middle


def _restitution(k: float, b: float, step: float) -> float:
    """Share of its speed that a tip has after it hit; mean over phases of a step."""
    return float(np.mean([_drop(k, b, step, phase) for phase in PHASES]))


def _drop(k: float, b: float, step: float, phase: float) -> float:
    """A tip at a phase of a step above the head, until it leaves; no gravity."""
    x, v = -phase * SPEED * step, SPEED  # depth and its rate
    while x > 0 or v > 0:
        # Contact is found where shapes overlap as a step begins, and only pushes.
        v -= step * max(0.0, k * x + b * v) if x > 0 else 0.0
        x += step * v
    return -v / SPEED
