"""Result of Drake's own reader for a description, in a process that may crash."""

from dataclasses import asdict, dataclass
from typing import Any

from backbeat.models.common.errors import clipped
from backbeat.models.urdf.checks.transmission_checks import SIMPLE
from backbeat.models.urdf.linting.drake_reader import DrakeReader
from backbeat.models.urdf.reading.description import SINGLE, WORLD, Description
from backbeat.models.urdf.reading.finding import Finding, Severity
from backbeat.models.urdf.reading.meshes import packages

# Relative difference of masses that is more than rounding.
_MASS = 1e-9
# Longest time that a text may take in which converted meshes are [s]: their convex
# hulls are made, a hundred of a large robot.
HULLS = 60.0


@dataclass(frozen=True)
class DrakeOutcome:
    """What became of a file.

    Attributes:
        outcome: "read", "refused" (an exception), "exits" (the program would end),
            "aborts" (the process died) or "hangs".
        message: what Drake said.
        warnings: what it warned of.
        bodies, moving_joints, actuators: how many it found.
        total_mass_kg: mass of all bodies [kg].
    """

    outcome: str
    message: str = ""
    warnings: tuple[str, ...] = ()
    bodies: int = 0
    moving_joints: int = 0
    actuators: int = 0
    total_mass_kg: float = 0.0

    def as_data(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


def ask(reader: DrakeReader, description: Description, text: str = "") -> DrakeOutcome:
    """What becomes of a description, or of a text in its place, in a reader."""
    patience = HULLS if text else None
    said = reader.read(description.path, packages(description), text, patience)
    return DrakeOutcome(**said | {"warnings": tuple(said.get("warnings", ()))})


def compare(
    description: Description,
    drake: DrakeOutcome,
    found: list[Finding],
    fixed: DrakeOutcome | None = None,
) -> list[Finding]:
    """Where Drake's outcome is not what our own findings led to expect.

    Args:
        description: what the file says.
        drake: what became of the file.
        found: what was found in it.
        fixed: what became of the text that Backbeat loads in place of the file; None
            if it loads the file as it is, or not at all.
    """
    if drake.outcome != "read" and fixed is not None:
        if fixed.outcome == "read":
            return [_alone(drake), *_differences(description, fixed)]
        return [_failure(fixed, found)]
    if drake.outcome != "read":
        return [_failure(drake, found)]
    if any(f.severity is Severity.ERROR for f in found):
        return []
    return _differences(description, drake)


def _differences(description: Description, drake: DrakeOutcome) -> list[Finding]:
    """Counts that are not those of the file."""
    bodies = [n for n in description.links if n != WORLD]
    masses = [
        link.inertial.mass or 0.0
        for link in description.links.values()
        if link.inertial is not None and link.name != WORLD
    ]
    driven = [
        t.joints[0].name
        for t in description.transmissions
        if SIMPLE in t.type and t.joints and t.actuators
    ]
    motors = [n for n in driven if _has_motor(description, n)]
    pairs = (
        ("bodies", len(bodies), drake.bodies, 0.0),
        ("actuators", len(motors), drake.actuators, 0.0),
        ("kg", sum(masses), drake.total_mass_kg, _MASS * max(1.0, sum(masses))),
    )
    return [
        Finding(
            "drake-differs",
            Severity.WARNING,
            0,
            "robot",
            f"the file says {ours:g} {what}, and Drake has {theirs:g}",
            "see what Drake warns of",
        )
        for what, ours, theirs, slack in pairs
        if abs(ours - theirs) > slack
    ]


def _has_motor(description: Description, name: str) -> bool:
    joint = description.joints[name]
    return joint.type in SINGLE and not (joint.limit and joint.limit.effort == 0)


_OUTCOMES = {
    "refused": "Drake refuses the file",
    "exits": "Drake would end the program that reads the file",
    "aborts": "Drake's process dies of the file",
    "hangs": "Drake does not come to an end with the file",
}


def _alone(drake: DrakeOutcome) -> Finding:
    """Of a file that Backbeat loads and Drake by itself does not."""
    said = clipped(drake.message, 300)
    what = f"{_OUTCOMES[drake.outcome]} as it is{f' ({said})' if said else ''}"
    return Finding(
        f"drake-{drake.outcome}",
        Severity.NOTE,
        0,
        "robot",
        f"{what}; it reads what Backbeat makes of it",
    )


def _failure(drake: DrakeOutcome, found: list[Finding]) -> Finding:
    expected = any(f.severity is Severity.ERROR for f in found)
    what, said = _OUTCOMES[drake.outcome], clipped(drake.message, 300)
    remedy = "see the errors above" if expected else ""
    if not expected and drake.outcome != "refused":
        remedy = "take parts away until it is read, and tell us about the last"
    return Finding(
        f"drake-{drake.outcome}",
        Severity.NOTE if expected else Severity.ERROR,
        0,
        "robot",
        f"{what}: {said}" if said else what,
        remedy,
    )
