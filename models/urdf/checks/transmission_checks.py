"""Checks that transmissions define the actuators that they seem to define."""

from collections.abc import Iterator

from backbeat.models.urdf.reading.description import SINGLE, Description, Transmission
from backbeat.models.urdf.reading.finding import Finding, Severity

_NOTE, _WARNING, _ERROR = Severity.NOTE, Severity.WARNING, Severity.ERROR
SIMPLE, DIFFERENTIAL = "SimpleTransmission", "DifferentialTransmission"


def check_transmissions(description: Description) -> Iterator[Finding]:
    """Transmissions that Drake refuses or drops, and joints that have none."""
    driven: dict[str, Transmission] = {}
    motors: set[str] = set()
    for transmission in description.transmissions:
        if SIMPLE not in transmission.type:
            if transmission.type:
                yield _not_simple(transmission)
                yield from _check_lost_rotors(transmission)
            continue
        yield from _check_ends(description, transmission)
        yield from _check_reduction(transmission)
        yield from _check_rotors(transmission)
        for end in transmission.actuators[:1]:
            if end.name and end.name in motors:
                says = f"its actuator {end.name!r} is another transmission's too"
                remedy = "give each its own name"
                yield _found("duplicate-name", _ERROR, transmission, says, remedy)
            motors.add(end.name)
        for end in transmission.joints[:1]:
            if end.name in driven:
                yield _found(
                    "two-actuators",
                    _WARNING,
                    transmission,
                    f"{end.name!r} is driven in line {driven[end.name].line} already; "
                    "Drake gives it two actuators",
                    "keep one",
                )
            driven.setdefault(end.name, transmission)
    yield from _check_idle(description, set(driven))


def _found(
    rule: str,
    severity: Severity,
    transmission: Transmission,
    says: str,
    remedy: str = "",
) -> Finding:
    where = f"transmission {transmission.name!r}"
    return Finding(rule, severity, transmission.line, where, says, remedy)


def _not_simple(transmission: Transmission) -> Finding:
    if transmission.type == DIFFERENTIAL:
        says = f"Drake drops a {DIFFERENTIAL}; Backbeat drives its joints by it"
        return _found("transmission-not-simple", _NOTE, transmission, says)
    return _found(
        "transmission-not-simple",
        _WARNING,
        transmission,
        f"a {transmission.type} is not simulated: Backbeat drives each of its joints "
        "by itself, and Drake alone none",
        "give every joint a SimpleTransmission of its own",
    )


def _check_ends(
    description: Description, transmission: Transmission
) -> Iterator[Finding]:
    for part, ends in (
        ("joint", transmission.joints),
        ("actuator", transmission.actuators),
    ):
        if not ends:
            says = f"it has no <{part}>"
            yield _found("missing-element", _ERROR, transmission, says)
        if len(ends) > 1:
            says = f"it has {len(ends)} <{part}>s, of which Drake takes the first"
            yield _found("two-ends", _WARNING, transmission, says)
    for end in (e for e in transmission.joints[:1] if e.name):
        joint = description.joints.get(end.name)
        if joint is None:
            says = f"its joint {end.name!r} is not among the joints"
            yield _found(
                "unknown-joint", _ERROR, transmission, says, "correct the name"
            )
        elif joint.type == "fixed":
            says = f"its joint {end.name!r} is fixed: it drives nothing"
            yield _found("drives-nothing", _NOTE, transmission, says)
        elif joint.type in ("planar", "floating"):
            says = f"a {joint.type} joint ({end.name!r}) cannot be driven"
            remedy = "remove the transmission"
            yield _found("drives-nothing", _ERROR, transmission, says, remedy)


def _check_reduction(transmission: Transmission) -> Iterator[Finding]:
    reduction = transmission.total_reduction()
    if reduction == 0:
        says, remedy = "its reduction is zero", "write the turns of the motor per turn"
        yield _found("impossible-reduction", _ERROR, transmission, says, remedy)
    elif reduction != 1:
        says = f"its reduction of {reduction:g} changes nothing: the effort limit is "
        has_rotor = any(end.rotor_inertia for end in transmission.actuators[:1])
        says += "that of the joint" + ("" if has_rotor else ", and the rotor adds no ")
        remedy = "write drake:gear_ratio and drake:rotor_inertia in <actuator>"
        yield _found(
            "reduction-not-simulated",
            _NOTE,
            transmission,
            says if has_rotor else f"{says}inertia",
            "" if has_rotor else remedy,
        )


def _check_rotors(transmission: Transmission) -> Iterator[Finding]:
    """Rotors and gears that are impossible, or of which one half is missing."""
    for end in transmission.actuators[:1]:
        rotor, gear = end.rotor_inertia, end.gear_ratio
        for name, value in (("rotor_inertia", rotor), ("gear_ratio", gear)):
            if value is not None and value < 0.0:
                says = f"drake:{name} is {value:g}; it must be at least 0"
                yield _found("impossible-rotor", _ERROR, transmission, says)
        if rotor and gear is None:
            says = f"a rotor of {rotor:g} kg m^2 turns as fast as its joint"
            remedy = "write drake:gear_ratio beside drake:rotor_inertia, 1 if so"
            yield _found("rotor-without-gear", _NOTE, transmission, says, remedy)
        elif gear not in (None, 1.0) and not rotor:
            says = f"drake:gear_ratio {gear:g} changes nothing without a rotor"
            remedy = "write drake:rotor_inertia beside it"
            yield _found("gear-without-rotor", _NOTE, transmission, says, remedy)


def _check_lost_rotors(transmission: Transmission) -> Iterator[Finding]:
    """Rotors of transmissions whose joints are driven without these."""
    if any(end.rotor_inertia for end in transmission.actuators):
        yield _found(
            "rotor-not-simulated",
            _WARNING,
            transmission,
            f"rotors of a {transmission.type} add no inertia",
            "write what each joint feels of them under `armature` in the robot's YAML",
        )


def _check_idle(description: Description, driven: set[str]) -> Iterator[Finding]:
    """Joints with an effort limit that nothing drives."""
    known = {e.name for t in description.transmissions for e in t.joints} | driven
    if not description.transmissions:
        yield from _check_all_driven(description)
        return
    idle = [
        j
        for j in description.joints.values()
        if j.type in SINGLE
        and j.name not in known
        and j.mimic is None
        and j.limit is not None
        and j.limit.effort
    ]
    if idle:
        names = ", ".join(repr(j.name) for j in idle[:5])
        more = f" and {len(idle) - 5} more" if len(idle) > 5 else ""
        yield Finding(
            "not-driven",
            _WARNING,
            idle[0].line,
            "robot",
            f"{names}{more}: an effort limit and no <transmission>, which others have: "
            "no motor drives them",
            "write a SimpleTransmission for each joint that has a motor, and hold the "
            "others: `locked` in the robot's YAML",
        )


def _check_all_driven(description: Description) -> Iterator[Finding]:
    """A file without transmissions: each joint with an effort has a motor."""
    joints = [
        j
        for j in description.joints.values()
        if j.type in SINGLE and j.mimic is None and j.limit and j.limit.effort
    ]
    if joints:
        yield Finding(
            "all-driven",
            _NOTE,
            joints[0].line,
            "robot",
            f"no <transmission> anywhere: Backbeat drives all {len(joints)} joints "
            "with an effort limit, and Drake alone none",
        )
