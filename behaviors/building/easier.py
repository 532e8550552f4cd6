"""Easier motions: what is changed where a motion fails between its knots."""

from dataclasses import replace

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.motion.authored import BEND, Specification
from backbeat.models.collision.making import make_self_collision_model
from backbeat.optimization.kinematics.straight_limbs import gets_straight

# Factor on the costs of velocities and accelerations of a recorded motion that is made
# smoother, and from where on it is smooth.
SMOOTHER, SMOOTHEST = 10.0, 100.0
# Share of the distance of knots from which others count as closer, and that of the next
# finer grid of a beat.
MADE, NEXT = 0.99, 0.84


def easier(
    specification: Specification, behavior: Behavior, closer_knots: bool = True
) -> Specification | None:
    """The same motion less deep, with more apart, bent knees or closer knots, or None.

    A jump goes less deep before links that met in it are kept apart. What is recorded
    is smoother where closer knots did not help.

    Args:
        specification: the motion as it was tried.
        behavior: what came of that.
        closer_knots: whether knots may get closer together.
    """
    near = _unwatched(specification, behavior)
    if near and (shallow := specification.with_less_crouch()) is not None:
        return shallow
    if near and (apart := specification.with_links_apart(near)) is not None:
        return apart
    bent = specification.with_bent_knees()
    if bent is not None and gets_straight(behavior.robot_model, behavior.motion, BEND):
        return bent
    closer = specification.with_closer_knots() if closer_knots else None
    if not getattr(specification, "recordings", None):
        return closer
    if closer is None:
        return _smoother(specification)
    # Recorded steps have knots closer than a dance asks for: the next that are closer.
    made = behavior.duration / (int(str(behavior.provenance["knots"])) - 1)
    given: float = getattr(closer, "knot_spacing", 0.0)
    if given < MADE * made:
        return closer
    return replace(closer, knot_spacing=NEXT * made)  # type: ignore[call-arg]


def _smoother(specification: Specification) -> Specification | None:
    """The same motion with larger costs of velocities and accelerations, or None."""
    now = specification.objectives
    if now.smoothness >= SMOOTHEST:
        return None
    smoother = replace(now, smoothness=SMOOTHER * now.smoothness)
    return replace(specification, objectives=smoother)


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
    if made.objectives != asked.objectives:
        smoothness = f"objectives: {{smoothness: {made.objectives.smoothness:g}}}"
        found.append(f"a smoother motion ({smoothness})")
    if knot_key(made) != knot_key(asked):
        found.append(f"closer knots than asked for ({knot_key(made)})")
    return found


def knot_key(specification: Specification) -> str:
    """The key and value by which a specification has the knots that it has."""
    return f"knot_spacing: {getattr(specification, 'knot_spacing', 0.0):.3g}"
