"""How contact yields in MuJoCo: named settings, and heads that give back a share.

MuJoCo's contacts are springs and dampers of a relative acceleration, the same for any
mass (`solref`), which are rigid but for a share (`solimp`). Where Drake has stiffness
[N/m] and dissipation, a setting here has a time.

Sources
    Todorov, "Convex and analytically-invertible dynamics with contacts and
    constraints: Theory and implementation in MuJoCo", 2014.
"""

from dataclasses import dataclass

from backbeat.models.contact.restitution import MASS, matched


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
# `soft` yields as MuJoCo's own defaults, and `firm` sinks less than a tenth as much.
# Contacts as fast as `firm` that were rigid to 99 % would chatter in steps of a
# millisecond: soles rock in a take-off, and estimators take that for motion.
CONTACT_LAWS = {
    law.name: law
    for law in (
        ContactLaw(FIRM, (0.004, 1.0), (0.9, 0.95, 1e-3, 0.5, 2.0), 10.0),
        ContactLaw("soft", (0.02, 1.0), (0.9, 0.95, 1e-3, 0.5, 2.0), 10.0),
    )
}
# Time constant [s] and damping ratio of friction where the robot stands and sits, the
# same in all laws. MuJoCo's constraints are on J v', without the rate J' v of their
# Jacobian. Friction has no position to return to, so what is left out, the
# centripetal acceleration of the moving links, becomes a velocity: feet slide at J' v
# times half this time, by centimeters in a jump with the 20 ms of a soft contact. Two
# steps of a millisecond are the shortest time that MuJoCo takes.
GRIP = (0.002, 1.0)


def struck_reference(stiffness: float, share: float) -> tuple[float, float]:
    """`solref` of a head or cymbal that gives back a share of a tip's speed.

    It is the direct one, of negative numbers: an acceleration by depth [1/s^2] and one
    by rate [1/s]. MuJoCo's discrete integrator has the force at the end of the step, as
    Drake's SAP does, so that the relaxation time matched for that is right here.

    Args:
        stiffness: of the head with a tip on it [N/m].
        share: restitution.

    Raises:
        BackbeatError: more or less than a simulation gives back.
    """
    _, relaxation_time = matched(stiffness, share)
    k = stiffness / MASS
    return -k, -k * relaxation_time
