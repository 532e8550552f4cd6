"""Whether mass properties can be those of a body."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from backbeat.models.common.errors import BackbeatError
from backbeat.models.urdf.reading.description import WORLD, Description, Inertial, Link
from backbeat.models.urdf.reading.document import read_document
from backbeat.models.urdf.reading.finding import Finding, Severity
from backbeat.models.urdf.reading.parsing import read_leniently

# Drake's allowance for rounding in the triangle inequality, relative to the trace:
# a file that is further off loses its inertia there.
_ROUNDING = 16 * np.finfo(float).eps
# Moments of inertia that come of rounding alone: those of a body ten nanometers across,
# by mass [m^2], and of one without mass [kg m^2].
_NOISE_BY_MASS, _NOISE = 1e-16, 1e-18

_REPLACED = "Drake would put a ball of 1 kg of water in its place"
_BALL = "Drake would take the inertia of a ball of water instead"


def is_noise(inertial: Inertial) -> bool:
    """Whether an inertia is zero but for rounding."""
    largest = max((abs(i) for i in inertial.inertia or ()), default=0.0)
    return 0.0 < largest < max(_NOISE, _NOISE_BY_MASS * (inertial.mass or 0.0))


def inertia_matrix(inertial: Inertial) -> np.ndarray:
    """(3, 3) inertia about the center of mass in the inertial's own axes [kg m^2]."""
    if is_noise(inertial):
        return np.zeros((3, 3))
    ixx, ixy, ixz, iyy, iyz, izz = inertial.inertia or (0.0,) * 6
    return np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])


def principal_moments(inertial: Inertial) -> np.ndarray:
    """(3,) principal moments of inertia [kg m^2], the least first."""
    return np.linalg.eigvalsh(inertia_matrix(inertial))


def is_of_a_body(inertia: Sequence[float]) -> bool:
    """Whether a body can have an inertia (ixx, ixy, ixz, iyy, iyz, izz) [kg m^2]."""
    moments = principal_moments(Inertial(0, inertia=tuple(inertia)))
    slack = _ROUNDING * np.abs(moments).sum()
    return bool(moments[0] >= -slack and moments[2] <= moments[:2].sum() + slack)


def check_inertias(description: Description) -> Iterator[Finding]:
    """Links that no body could be, or that lack a part of their mass properties."""
    for link in description.links.values():
        if link.inertial is None:
            continue
        if link.name == WORLD:
            yield _finding(
                "inertial-of-world",
                Severity.NOTE,
                link,
                "the world has no mass, and Drake passes over its <inertial>",
                "remove it",
            )
        else:
            yield from _check(link, link.inertial)


def refuse_impossible_bodies(path: str | Path) -> None:
    """Refuses a URDF with mass properties that Drake would replace by others.

    Raises:
        BackbeatError: the file cannot be read, or a link is no possible body.
    """
    description, _ = read_leniently(read_document(path))
    for finding in check_inertias(description):
        if finding.severity is Severity.ERROR:
            raise BackbeatError(f"{path} line {finding.line}: {finding.what}")


def _check(link: Link, inertial: Inertial) -> Iterator[Finding]:
    error, mass = Severity.ERROR, inertial.mass
    turns = any(inertial.inertia or ()) and not is_noise(inertial)
    if is_noise(inertial):
        yield _finding(
            "rounding-inertia",
            Severity.NOTE,
            link,
            f"its inertia of {max(map(abs, inertial.inertia or ())):.3g} kg m^2 is "
            "that of rounding; zero is taken",
            "write zeros",
        )
    if mass is None and turns:
        yield _finding(
            "missing-mass",
            error,
            link,
            f"it has an inertia and no mass; {_REPLACED}",
            'write <mass value="..."/>',
        )
    elif mass is not None and (mass < 0 or (mass == 0 and turns)):
        yield _finding(
            "impossible-mass",
            error,
            link,
            f"its mass is {mass:g} kg; {_REPLACED}",
            "weigh it, or remove <inertial> if it is a mere frame",
        )
    elif mass and not turns:
        yield _finding(
            "missing-inertia",
            Severity.WARNING,
            link,
            f"it has {mass:g} kg and no inertia, as a point has",
            "give it the inertia of its shape",
        )
    if turns:
        yield from _check_moments(link, inertial)


def _check_moments(link: Link, inertial: Inertial) -> Iterator[Finding]:
    largest = max(abs(i) for i in inertial.inertia or ())
    # Without a unit, so that no sum grows out of bounds.
    a, b, c = np.linalg.eigvalsh(inertia_matrix(inertial) / largest)
    slack = _ROUNDING * (abs(a) + abs(b) + abs(c))
    if a < -slack:
        says = f"a principal moment of inertia is {a * largest:g} kg m^2, below zero"
    elif a + b < c - slack:
        says = (
            f"of its principal moments {a * largest:.6g}, {b * largest:.6g} and "
            f"{c * largest:.6g} kg m^2 one is larger than the sum of the others"
        )
    else:
        return
    yield _finding(
        "impossible-inertia",
        Severity.ERROR,
        link,
        f"{says}; {_BALL}",
        "see whether the signs, the units and the order of ixx ... izz are right, or "
        f"give it another by an overlay (`links: {{{link.name}: {{inertia: ...}}}}`)",
    )


def _finding(
    rule: str, severity: Severity, link: Link, says: str, remedy: str
) -> Finding:
    at = link.inertial.line if link.inertial else link.line
    return Finding(rule, severity, at, f"link {link.name!r}", says, remedy)
