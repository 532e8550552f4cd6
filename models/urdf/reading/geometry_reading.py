"""Reading shapes and materials of a URDF."""

from typing import Any

from backbeat.models.urdf.reading.description import Geometry, UrdfMaterial
from backbeat.models.urdf.reading.document import attributes, child, children, line, tag
from backbeat.models.urdf.reading.finding import Severity
from backbeat.models.urdf.reading.values import Values

# Attributes of each primitive that hold its size; a box has one with three numbers.
SIZES = {
    "box": ("size",),
    "cylinder": ("radius", "length"),
    "sphere": ("radius",),
    "capsule": ("radius", "length"),
    "drake:capsule": ("radius", "length"),
    "drake:ellipsoid": ("a", "b", "c"),
    "mesh": ("filename",),
}


def read_geometry(values: Values, shape: Any, where: str) -> Geometry | None:
    """The geometry of a visual or collision; None and an error if there is none."""
    outer = child(shape, "geometry")
    if outer is None:
        values.error("missing-element", shape, where, "it has no <geometry>")
        return None
    inside = list(children(outer))
    known = [e for e in inside if tag(e) in SIZES]
    if not known:
        found = ", ".join(f"<{tag(e)}>" for e in inside) or "nothing"
        values.error(
            "unknown-shape",
            outer,
            where,
            f"its <geometry> holds {found}",
            f"one of {', '.join(SIZES)} has to be there",
        )
        return None
    if len(known) > 1:
        values.found(
            "two-shapes",
            Severity.WARNING,
            outer,
            where,
            f"its <geometry> holds {len(known)} shapes, of which the first is taken "
            "and the others are dropped",
            f"give each shape its own <{tag(shape)}>",
        )
    return _shape(values, known[0], where)


def _shape(values: Values, element: Any, where: str) -> Geometry | None:
    kind, at = tag(element), line(element)
    if any(not values.word(element, key, where) for key in SIZES[kind]):
        return None
    if kind == "mesh":
        scale = values.vector(element, "scale", where, (1.0, 1.0, 1.0), other=1)
        scale = scale * 3 if len(scale) == 1 else scale
        convex = child(element, "drake:declare_convex") is not None
        name = attributes(element)["filename"]
        return Geometry(at, kind, scale, name, convex)
    before = len(values.findings)
    if kind == "box":
        size = values.vector(element, "size", where, (0.0, 0.0, 0.0))
    else:
        size = tuple(values.number(element, k, where, 0.0) for k in SIZES[kind])
    if len(values.findings) > before:
        return None
    return Geometry(at, kind.removeprefix("drake:"), size)


def read_material(values: Values, element: Any, where: str) -> UrdfMaterial:
    """A material, its color in 0..1 if it has one."""
    name = attributes(element).get("name", "")
    color, texture = child(element, "color"), child(element, "texture")
    rgba = None
    if color is not None and values.word(color, "rgba", f"{where} {name!r}"):
        before = len(values.findings)
        rgba = values.vector(color, "rgba", f"{where} {name!r}", (0.0,) * 4)
        rgba = rgba if len(values.findings) == before else None
    picture = "" if texture is None else values.word(texture, "filename", where)
    return UrdfMaterial(line(element), name, rgba, picture)
