"""Easier motions: what is changed where a motion fails between its knots."""

from dataclasses import replace

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.motion.authored import BEND, Specification
from backbeat.models.collision.making import make_self_collision_model
from backbeat.optimization.kinematics.straight_limbs import gets_straight

# Share of the distance of knots from which others count as closer, and that of the next
# finer grid of a beat.
MADE, NEXT = 0.99, 0.84


def easier(specification: Specification, behavior: Behavior) -> Specification | None:
    """The same motion less deep, with more apart, bent knees or closer knots, or None.

    A jump goes less deep before links that met in it are kept apart.
    """
    near = _unwatched(specification, behavior)
    if near and (shallow := specification.with_less_crouch()) is not None:
        return shallow
    if near and (apart := specification.with_links_apart(near)) is not None:
        return apart
    bent = specification.with_bent_knees()
    if bent is not None and gets_straight(behavior.robot_model, behavior.motion, BEND):
        return bent
    closer = specification.with_closer_knots()
    if closer is None or not getattr(specification, "recordings", None):
        return closer
    # Recorded steps have knots closer than a dance asks for: the next that are closer.
    made = behavior.duration / (int(str(behavior.provenance["knots"])) - 1)
    given: float = getattr(closer, "knot_spacing", 0.0)
    if given < MADE * made:
        return closer
    return replace(closer, knot_spacing=NEXT * made)  # type: ignore[call-arg]


def _unwatched(
    specification: Specification, behavior: Behavior
) -> list[tuple[str, str]]:
    """Links that get into each other and that the plan did not keep apart."""
    known: list[list[str]] = getattr(specification, "apart", [])
    model = make_self_collision_model(behavior.robot_model, apart=known)
    found = {
        tuple(sorted(thing.name for thing in place.things))
        for place in behavior.certificate.places
        if place.name == "collision"
    }
    return [(a, b) for a, b in sorted(found) if a != b and not model.watches(a, b)]


def changes(asked: Specification, made: Specification) -> list[str]:
    """Changes against the specification, with the keys that give them."""
    found = []
    if (apart := getattr(made, "apart", [])) != getattr(asked, "apart", []):
        pairs = ", ".join(f"[{', '.join(pair)}]" for pair in apart)
        found.append(f"links that stay apart (apart: [{pairs}])")
    if (bend := getattr(made, "bend", 0.0)) != getattr(asked, "bend", 0.0):
        found.append(f"knees that stay bent where feet stand (bend: {bend:g})")
    if (crouch := getattr(made, "crouch", 0.0)) != getattr(asked, "crouch", 0.0):
        found.append(f"less of a crouch (crouch: {crouch:g})")
    if knot_key(made) != knot_key(asked):
        found.append(f"closer knots than asked for ({knot_key(made)})")
    return found


def knot_key(specification: Specification) -> str:
    """The key and value by which a specification has the knots that it has."""
    return f"knot_spacing: {getattr(specification, 'knot_spacing', 0.0):.3g}"
