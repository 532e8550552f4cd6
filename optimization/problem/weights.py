"""Weights of a trajectory's costs, each declared once."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from backbeat.optimization.terms.declared import On, Term, cost, number


@dataclass(frozen=True)
class TrajectoryWeights:
    """Costs per second that every trajectory has; tasks bring their own.

    `docs/weights.md` has them as a table. Joints that slide count as
    `backbeat.optimization.kinematics.joint_units` says. A term of one's own is a class
    that inherits from this one and has another field, with rows over a
    `backbeat.optimization.transcription.knot_point.KnotPoint`.

    Attributes:
        smoothness_share: factor on velocity and acceleration costs by joint group, or
            "base"; above one moves them less than others.
    """

    posture: float = cost(
        0.4,
        Term("posture", "q - nominal", "rad", lambda z: z.joints - z.nominal, On.KNOT),
        help="Tasks that are near it pull the nominal posture to their own.",
    )
    velocity: float = cost(
        0.04,
        Term("velocity", "d", "rad/s", lambda z: z.mean_velocity, On.INTERVAL),
        help="Of joints and base, the mean of an interval.",
    )
    acceleration: float = cost(
        0.008,
        Term("acceleration", "a", "rad/s^2", lambda z: z.acceleration, On.KNOT),
        help="Of joints and base.",
    )
    force: float = cost(
        0.4,
        Term("contact forces", "w, forces", "weights", lambda z: z.forces, On.KNOT),
    )
    moment: float = cost(
        4.0,
        Term(
            "contact moments", "w, moments", "weights m", lambda z: z.moments, On.KNOT
        ),
    )
    effort: float = cost(
        0.0,
        Term("effort", "tau / limit", "limits", lambda z: z.efforts, On.KNOT),
        help="Of the joints.",
    )
    time: float = number(
        1.0, "1/s", "Cost of a second, where phases may choose their durations."
    )
    smoothness_share: Mapping[str, float] = field(default_factory=dict)
