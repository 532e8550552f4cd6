"""Checks that links and joints form one tree whose moving parts have mass."""

from collections.abc import Iterator

from backbeat.models.urdf.reading.description import WORLD, Description, Joint
from backbeat.models.urdf.reading.finding import Finding, Severity


def check_topology(description: Description) -> Iterator[Finding]:
    """Unknown links, second parents, loops, several roots, and massless ends."""
    if not description.links:
        yield _error("no-links", 1, "robot", "it has no link", "write <link name=...>")
        return
    yield from _check_names(description)
    yield from _check_parents(description)
    loops = list(_check_loops(description))
    yield from loops
    roots = _free_roots(description)
    if len(roots) > 1:
        last = description.links[roots[-1]]
        yield _error(
            "several-roots",
            last.line,
            "robot",
            f"no joint carries {_listed(roots)}: each would be a free body",
            "connect them, with fixed joints where nothing moves",
        )
    if not loops:
        yield from _check_masses(description)


def _free_roots(description: Description) -> list[str]:
    """Links that are neither carried nor fixed to the world as its children."""
    return [name for name in description.roots() if name != WORLD]


def _check_names(description: Description) -> Iterator[Finding]:
    known = {*description.links, WORLD}
    for joint in description.joints.values():
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name and name not in known:
                yield _error(
                    "unknown-link",
                    joint.line,
                    f"joint {joint.name!r}",
                    f"its {end} {name!r} is not among the links",
                    "declare the link, or correct the name",
                )
    for frame in description.frames.values():
        if frame.name in description.links:
            yield _error(
                "duplicate-name",
                frame.line,
                f"frame {frame.name!r}",
                "a link has this name, and so has its frame",
                "give each its own name",
            )
        if frame.link and frame.link not in known:
            yield _error(
                "unknown-link",
                frame.line,
                f"frame {frame.name!r}",
                f"its link {frame.link!r} is not among the links",
                "declare the link, or correct the name",
            )


def _check_parents(description: Description) -> Iterator[Finding]:
    carried: dict[str, Joint] = {}
    for joint in description.joints.values():
        if joint.child and joint.parent == joint.child:
            yield _error(
                "loop",
                joint.line,
                f"joint {joint.name!r}",
                f"it connects {joint.child!r} to itself",
                "name two links",
            )
        elif joint.child in carried:
            first = carried[joint.child]
            yield _error(
                "two-parents",
                joint.line,
                f"joint {joint.name!r}",
                f"{joint.child!r} hangs on {joint.parent!r} here and on "
                f"{first.parent!r} by {first.name!r} in line {first.line}",
                "a robot is a tree: keep one, and let the joints of the loop follow "
                "one of them by <mimic>, or lock them",
            )
        carried.setdefault(joint.child, joint)


def _check_loops(description: Description) -> Iterator[Finding]:
    above = {j.child: j for j in description.joints.values() if j.parent != j.child}
    done: set[str] = set()
    for name in above:
        way: list[str] = []
        while name in above and name not in done:
            done.add(name)
            way.append(name)
            name = above[name].parent
        if name in way:
            loop = way[way.index(name) :]
            joint = above[name]
            yield _error(
                "loop",
                joint.line,
                f"joint {joint.name!r}",
                f"{' on '.join([*loop, name])}: these links hang on each other",
                "a description is a tree: take out one of the joints",
            )


def _check_masses(description: Description) -> Iterator[Finding]:
    """Moving joints beyond which nothing has mass: their motion has no inertia."""
    below: dict[str, list[Joint]] = {}
    for joint in description.joints.values():
        below.setdefault(joint.parent, []).append(joint)
    mass: dict[str, float] = {}
    for name in _outermost_first(description, below):
        link = description.links.get(name)
        own = link.inertial.mass if link and link.inertial else 0.0
        mass[name] = (own or 0.0) + sum(
            mass.get(j.child, 0.0) for j in below.get(name, ())
        )
    for joint in description.moving_joints():
        if joint.child in description.links and mass.get(joint.child) == 0.0:
            is_held = not _is_driven(description, joint)
            says = "; nothing drives it, and a robot holds it" if is_held else ""
            yield Finding(
                "massless-moving-link",
                Severity.WARNING if is_held else Severity.ERROR,
                joint.line,
                f"joint {joint.name!r}",
                f"nothing that it moves has mass ({joint.child!r} and what hangs on "
                f"it), so that the mass matrix is singular{says}",
                "give the link an <inertial>, or make the joint fixed",
            )


def _is_driven(description: Description, joint: Joint) -> bool:
    """Whether a joint, or what it follows, may have a motor."""
    seen = {joint.name}
    while joint.mimic is not None and joint.mimic.joint in description.joints:
        joint = description.joints[joint.mimic.joint]
        if joint.name in seen:
            break
        seen.add(joint.name)
    return joint.limit is None or joint.limit.effort != 0


def _outermost_first(
    description: Description, below: dict[str, list[Joint]]
) -> list[str]:
    """Links such that each comes after all that hang on it; of a tree."""
    order = [*description.roots()]
    if WORLD not in order and WORLD in below:
        order.append(WORLD)
    for name in order:  # Grows while it is gone through.
        order.extend(j.child for j in below.get(name, ()))
        if len(order) > len(description.joints) + len(description.links) + 1:
            break
    return order[::-1]


def _listed(names: list[str], most: int = 5) -> str:
    shown = ", ".join(repr(n) for n in names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def _error(rule: str, at: int, where: str, says: str, remedy: str) -> Finding:
    return Finding(rule, Severity.ERROR, at, where, says, remedy)
