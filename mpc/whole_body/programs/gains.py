"""Weights and gains of the whole-body program, and those in stance without steps."""

from dataclasses import dataclass

from backbeat.mpc.reference.scale import BodyScale
from backbeat.optimization.terms.declared import On, Term, cost, number, scaled


def _task(default: float, unit: str, name: str, formula: str, key: str) -> float:
    """A field of the weight of a task, whose rows are compiled."""
    found: float = cost(default, Term(name, formula, unit, on=On.INSTANT), key=key)
    return found


@dataclass(frozen=True)
class WholeBodyGains:
    """Weights and gains of the whole-body program, each declared once.

    `docs/weights.md` has them as a table. Every desired acceleration is feedforward +
    stiffness * error + damping * rate error; names of tasks are those of explanations.
    """

    momentum_weight: float = _task(
        10.0,
        "m^2/s^2",
        "angular momentum per mass",
        "(k' - desired) / m, about the center of mass",
        "momentum",
    )
    linear_weight: float = _task(
        10.0, "m/s^2", "center of mass", "sum f / m - g - desired", "linear"
    )
    orientation_weight: float = _task(
        1.0,
        "rad/s^2",
        "orientation of {}",
        "w' - desired, of base and trunk",
        "orientation",
    )
    posture_weight: float = _task(
        0.05,
        "rad/s^2",
        "posture",
        "vdot - desired, of joints that carry no contact",
        "posture",
    )
    wrench_weight: float = _task(
        1e-2, "weights", "wrenches as planned", "w - planned", "wrench"
    )
    point_weight: float = _task(
        3.0, "m/s^2", "path of {}", "p'' - desired, of points as stick tips", "point"
    )
    contact_weight: float = _task(
        1e3,
        "m/s^2",
        "rest of {}",
        "acceleration - desired, of standing contacts without a limb of their own",
        "contact",
    )
    swing_weight: float = _task(
        10.0,
        "m/s^2",
        "path of {} in the air",
        "slack s of the path's acceleration",
        "swing",
    )
    com_stiffness: float = number(8.0, "1/s^2", "Stiffness of the center of mass.")
    com_damping: float = number(4.0, "1/s", "Damping of the same.")
    momentum_gain: float = number(4.0, "1/s", "Gain of the angular momentum.")
    orientation_stiffness: float = number(
        100.0, "1/s^2", "Stiffness of the orientation of base and trunk."
    )
    orientation_damping: float = number(20.0, "1/s", "Damping of the same.")
    posture_stiffness: float = number(100.0, "1/s^2", "Stiffness of the posture.")
    posture_damping: float = number(20.0, "1/s", "Damping of the same.")
    contact_damping: float = number(
        20.0, "1/s", "Damping by which standing feet lose speed."
    )
    contact_flatness: float = number(
        60.0, "1/s^2", "Stiffness by which standing feet lie flat again."
    )
    swing_stiffness: float = number(
        400.0, "1/s^2", "Stiffness of feet in the air on their path."
    )
    swing_damping: float = number(40.0, "1/s", "Damping of the same.")
    point_stiffness: float = number(
        400.0, "1/s^2", "Stiffness of points on their path."
    )
    point_damping: float = number(40.0, "1/s", "Damping of the same.")

    def at(self, scale: BodyScale) -> "WholeBodyGains":
        """The same for a robot of another scale.

        Accelerations of places are the same at every scale, and those of angles go with
        one over its length; stiffnesses are per second squared.
        """
        return self if scale.length == 1.0 else scaled(self, scale.length)


# On all of its feet, a robot that may not step follows the plan's momentum more
# strictly and lets the body turn for it: that catches harder pushes. One foot rocks on
# its narrow sole, and delays of sensors and motors do not allow it there; and a
# robot that may step recovers from more by a step.
STANCE_GAINS = WholeBodyGains(
    momentum_weight=30.0,
    linear_weight=12.0,
    orientation_weight=0.26,
    wrench_weight=4e-3,
    contact_weight=630.0,
    com_stiffness=145.0,
    com_damping=38.0,
    momentum_gain=42.0,
    orientation_stiffness=300.0,
    orientation_damping=40.0,
    posture_damping=28.0,
    contact_flatness=72.0,
)
