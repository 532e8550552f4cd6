"""Weights of a trajectory's costs, each declared once."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from backbeat.optimization.terms.declared import On, Term, cost, number


def _cost(default: float, *term: Any, help: str = "") -> float:
    """A field of the weight of a cost that is compiled; `term` is that of a `Term`."""
    found: float = cost(default, replace(Term(*term), compiled=True), help=help)
    return found


@dataclass(frozen=True)
class TrajectoryWeights:
    """Costs per second that every trajectory has; tasks bring their own.

    `docs/reference/weights.md` has them as a table. Joints that slide count as
    `backbeat.optimization.kinematics.joint_units` says. A term of one's own is a class
    that inherits from this one and has another field, with rows over a
    `backbeat.optimization.transcription.knot_point.KnotPoint`.

    Attributes:
        smoothness_share: factor on velocity and acceleration costs by joint group, or
            "base"; above one moves them less than others.
    """

    posture: float = _cost(
        0.4,
        "posture",
        "q - nominal",
        "rad",
        lambda z: z.joints - z.nominal,
        On.KNOT,
        help="Tasks that are near it pull the nominal posture to their own.",
    )
    velocity: float = _cost(
        0.04,
        "velocity",
        "d",
        "rad/s",
        lambda z: z.mean_velocity,
        On.INTERVAL,
        help="Of joints and base, the mean of an interval.",
    )
    acceleration: float = _cost(
        0.008,
        "acceleration",
        "a",
        "rad/s^2",
        lambda z: z.acceleration,
        On.KNOT,
        help="Of joints and base.",
    )
    force: float = _cost(
        0.4, "contact forces", "w, forces", "weights", lambda z: z.forces, On.KNOT
    )
    moment: float = _cost(
        4.0, "contact moments", "w, moments", "weights m", lambda z: z.moments, On.KNOT
    )
    effort: float = _cost(
        0.0,
        "effort",
        "tau / limit",
        "limits",
        lambda z: z.efforts,
        On.KNOT,
        help="Of the joints.",
    )
    time: float = number(
        1.0, "1/s", "Cost of a second, where phases may choose their durations."
    )
    smoothness_share: Mapping[str, float] = field(default_factory=dict)
