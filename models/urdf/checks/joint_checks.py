"""Checks of each joint: valid values, and how Drake reads them."""

import math
from collections.abc import Iterator

from backbeat.models.urdf.reading.description import (
    LIMITED,
    POSITIONS,
    SINGLE,
    WORLD,
    Description,
    Joint,
    JointLimit,
)
from backbeat.models.urdf.reading.finding import Finding, Severity

# Joint types that Drake has as an extension alone.
_DRAKE_TYPES = ("ball", "screw", "universal", "curvilinear")
# Length below which Drake refuses an axis, and distance from one beyond which another
# axis may have been meant.
_ZERO, _UNIT = 1e-8, 1e-3

# What becomes of types that are no hinge with stops: what is said, and what to do.
_SUPPORT = {
    "continuous": (
        "it turns without end: in Drake a revolute joint without limits of position, "
        "planned, controlled and driven as one",
        "",
    ),
    "prismatic": (
        "it slides: in Drake a prismatic joint in m, N and m/s, planned, controlled "
        "and driven as those that turn",
        "",
    ),
    "planar": (
        "Drake makes three degrees of freedom of it, x, y and a turn, which no motor "
        "drives: a plant of your own has them, and a robot with one is refused",
        "fix it by an overlay, or write two prismatic joints and a continuous one",
    ),
    "floating": (
        "Drake drops it, and its child becomes a free body at the world's origin; a "
        "plant of your own has it, and a robot with one is refused",
        "fix it by an overlay, or describe what floats apart from the robot",
    ),
    "free base": (
        "it lets the base float, as it does without a joint; Drake alone would lose "
        "its origin",
        "",
    ),
}

_NOTE, _WARNING, _ERROR = Severity.NOTE, Severity.WARNING, Severity.ERROR


def check_joints(description: Description) -> Iterator[Finding]:
    """All joints, one after the other."""
    for joint in description.joints.values():
        yield from _check_type(joint)
        if joint.type in POSITIONS and joint.type != "fixed":
            yield from _check_axis(joint)
            yield from _check_limit(joint)
            yield from _check_dynamics(joint)
        yield from _check_mimic(description, joint)
        yield from _check_safety(joint)


def _found(
    rule: str, severity: Severity, joint: Joint, at: int, says: str, remedy: str = ""
) -> Finding:
    return Finding(rule, severity, at, f"joint {joint.name!r}", says, remedy)


def _check_type(joint: Joint) -> Iterator[Finding]:
    at = joint.line
    if joint.type == "continuous":
        yield _found("continuous-joint", _NOTE, joint, at, *_SUPPORT["continuous"])
    elif joint.type == "prismatic":
        yield _found("prismatic-joint", _NOTE, joint, at, *_SUPPORT["prismatic"])
    elif joint.type == "planar":
        yield _found("planar-joint", _ERROR, joint, at, *_SUPPORT["planar"])
    elif joint.type == "floating" and joint.parent == WORLD:
        yield _found("floating-joint", _NOTE, joint, at, *_SUPPORT["free base"])
    elif joint.type == "floating":
        yield _found("floating-joint", _ERROR, joint, at, *_SUPPORT["floating"])
    elif joint.type and joint.type not in POSITIONS:
        remedy = f"one of {', '.join(POSITIONS)}"
        if joint.type in _DRAKE_TYPES:
            remedy = "write it as <drake:joint>"
        says = f"its type {joint.type!r} is none of the format"
        yield _found("unknown-joint-type", _ERROR, joint, joint.line, says, remedy)


def _check_axis(joint: Joint) -> Iterator[Finding]:
    if joint.type == "floating":
        return
    length = math.hypot(*joint.axis)
    written = " ".join(f"{a:g}" for a in joint.axis)
    if length < _ZERO:
        says, remedy = "its axis is zero", "write the direction it turns about"
        yield _found("zero-axis", _ERROR, joint, joint.line, says, remedy)
    elif abs(length - 1) > _UNIT:
        yield _found(
            "axis-not-unit",
            _NOTE,
            joint,
            joint.line,
            f"its axis ({written}) has a length of {length:g}; Drake makes it 1",
            "write a unit vector",
        )


def _check_limit(joint: Joint) -> Iterator[Finding]:
    limit = joint.limit
    if limit is None:
        if joint.type in LIMITED:
            yield _found(
                "missing-limit",
                _ERROR,
                joint,
                joint.line,
                f"a {joint.type} joint needs a <limit>; Drake would let it go anywhere "
                "with any force",
                "write lower, upper, effort and velocity",
            )
        return
    if joint.type not in SINGLE:
        says = f"Drake passes over the <limit> of a {joint.type} joint"
        yield _found("limit-without-use", _WARNING, joint, limit.line, says)
        return
    yield from _check_completeness(joint, limit)
    yield from _check_bounds(joint, limit)
    yield from _check_range(joint, limit)


def _check_completeness(joint: Joint, limit: JointLimit) -> Iterator[Finding]:
    wanted: tuple[str, ...] = ("effort", "velocity")
    if joint.type in LIMITED:
        wanted = ("lower", "upper", *wanted)
    missing = [key for key in wanted if getattr(limit, key) is None]
    if missing:
        yield _found(
            "incomplete-limit",
            _WARNING,
            joint,
            limit.line,
            f"its <limit> lacks {', '.join(missing)}, taken for infinite here, and by "
            "other readers for zero or for an error",
            "write all four",
        )


def _check_bounds(joint: Joint, limit: JointLimit) -> Iterator[Finding]:
    for key in ("effort", "velocity", "acceleration"):
        value = getattr(limit, key)
        if value is not None and value < 0:
            says = f"its {key} limit is {value:g}, below zero"
            remedy = "limits are magnitudes: write it without the sign"
            yield _found("negative-limit", _ERROR, joint, limit.line, says, remedy)
    if limit.effort == 0:
        says = "its effort limit is zero: no motor drives it"
        remedy = (
            "write what the motor can do, or hold it: "
            f"`locked: {{{joint.name}: 0.0}}` in the robot's YAML"
        )
        yield _found("zero-effort", _WARNING, joint, limit.line, says, remedy)


def _check_range(joint: Joint, limit: JointLimit) -> Iterator[Finding]:
    lower, upper = limit.lower, limit.upper
    if joint.type == "continuous" and (lower is not None or upper is not None):
        yield _found(
            "limits-of-continuous",
            _WARNING,
            joint,
            limit.line,
            "a continuous joint has no lower and upper, and Drake keeps to them "
            "all the same",
            "remove them, or make the joint revolute",
        )
    low = -math.inf if lower is None else lower
    high = math.inf if upper is None else upper
    if low > high:
        yield _found(
            "reversed-limits",
            _ERROR,
            joint,
            limit.line,
            f"its lower limit {low:g} is above its upper limit {high:g}, at which "
            "Drake ends the program",
            "exchange them",
        )
    elif not low <= 0 <= high:
        yield _found(
            "zero-outside-limits",
            _NOTE,
            joint,
            limit.line,
            f"zero is not between its limits {low:g} and {high:g}, and a posture that "
            "does not name it has it there",
            "give every posture a value for it",
        )


def _check_dynamics(joint: Joint) -> Iterator[Finding]:
    dynamics = joint.dynamics
    if dynamics is None:
        return
    negative = [d for d in (*dynamics.damping, dynamics.friction) if d < 0]
    if negative:
        says = f"its damping or friction is {negative[0]:g}, below zero"
        remedy = "friction takes energy and gives none: write it without the sign"
        yield _found("negative-friction", _ERROR, joint, dynamics.line, says, remedy)
    elif dynamics.friction > 0:
        yield _found(
            "friction-beyond-drake",
            _NOTE,
            joint,
            dynamics.line,
            f"its friction of {dynamics.friction:g} is passed over by Drake; it acts "
            "in Backbeat's simulations with steps",
        )


def _check_mimic(description: Description, joint: Joint) -> Iterator[Finding]:
    mimic = joint.mimic
    if mimic is None or not mimic.joint:
        return
    leader = description.joints.get(mimic.joint)
    if leader is None:
        says = f"it follows {mimic.joint!r}, which is not among the joints"
        yield _found(
            "unknown-joint", _ERROR, joint, mimic.line, says, "correct the name"
        )
    elif leader is joint:
        says = "it follows itself"
        yield _found("unknown-joint", _ERROR, joint, mimic.line, says, "name another")
    elif joint.type == "fixed":
        says = "a fixed joint follows nothing; its <mimic> is ignored"
        yield _found("impossible-mimic", _NOTE, joint, mimic.line, says, "remove it")
    elif leader.type == "fixed" and joint.type in SINGLE:
        says = f"it follows {leader.name!r}, which is fixed: it is held at its offset"
        remedy = "make it fixed"
        yield _found("impossible-mimic", _WARNING, joint, mimic.line, says, remedy)
    elif leader.type not in SINGLE or joint.type not in SINGLE:
        says = f"a {joint.type} joint cannot follow a {leader.type} joint"
        remedy = "both have to be revolute, continuous or prismatic"
        yield _found("impossible-mimic", _ERROR, joint, mimic.line, says, remedy)
    else:
        yield _found(
            "mimic-is-a-constraint",
            _NOTE,
            joint,
            mimic.line,
            f"it follows {mimic.joint!r} in simulations with steps; plans and "
            "controllers take it to stay where it is",
        )


def _check_safety(joint: Joint) -> Iterator[Finding]:
    safety, limit = joint.safety, joint.limit
    if safety is None:
        return
    if safety.k_velocity is None:
        says = "its <safety_controller> has no k_velocity, and does not act"
        remedy = 'write k_velocity="...", which the format requires'
        yield _found("missing-attribute", _WARNING, joint, safety.line, says, remedy)
    if safety.k_position == 0:
        if safety.k_velocity:
            yield _found(
                "safety-without-position",
                _NOTE,
                joint,
                safety.line,
                "with k_position 0 its law allows no velocity anywhere: it brakes all "
                "motion",
                "write k_position and soft limits",
            )
        return
    if safety.soft_lower > safety.soft_upper:
        says = "its lower soft limit is above its upper one"
        yield _found(
            "reversed-limits", _ERROR, joint, safety.line, says, "exchange them"
        )
    if limit is None:
        return
    below = limit.lower is not None and safety.soft_lower < limit.lower
    above = limit.upper is not None and safety.soft_upper > limit.upper
    if below or above:
        yield _found(
            "soft-limits-outside",
            _WARNING,
            joint,
            safety.line,
            f"its soft limits {safety.soft_lower:g} and {safety.soft_upper:g} lie "
            "outside the hard ones, so that they come too late",
            "set them inside of lower and upper",
        )
