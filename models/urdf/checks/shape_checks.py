"""Whether shapes have a size, colors a meaning, and names one owner."""

from collections import Counter
from collections.abc import Iterator

from backbeat.models.common.outside_file import is_file
from backbeat.models.urdf.reading.description import (
    Description,
    Geometry,
    Link,
    UrdfMaterial,
)
from backbeat.models.urdf.reading.finding import Finding, Severity
from backbeat.models.urdf.reading.meshes import resolve

_NOTE, _WARNING, _ERROR = Severity.NOTE, Severity.WARNING, Severity.ERROR


def check_shapes(description: Description) -> Iterator[Finding]:
    """Sizes, colors and names of visuals and collisions."""
    for link in description.links.values():
        for shape in link.visuals:
            if shape.geometry is not None:
                yield from _check_size(link, shape.geometry, touched=False)
        for shape in link.collisions:
            if shape.geometry is not None:
                yield from _check_size(link, shape.geometry, touched=True)
        yield from _check_names(link)
    yield from _check_materials(description)


def _check_size(link: Link, geometry: Geometry, touched: bool) -> Iterator[Finding]:
    where, size = f"link {link.name!r}", geometry.size
    written = " ".join(f"{s:g}" for s in size)
    if geometry.kind == "mesh":
        if 0.0 in size:
            says = f"its mesh has the scale {written}, which makes it flat"
            yield _flat(geometry, where, says, touched)
        elif min(size) < 0:
            says = f"its mesh has the scale {written}, which mirrors it"
            severity = Severity.NOTE
            yield Finding("mirrored-mesh", severity, geometry.line, where, says)
        return
    least = min(size)
    if geometry.kind == "sphere" and touched and least == 0:
        return  # Drake's way to write a contact point.
    if least <= 0:
        yield _flat(
            geometry, where, f"its {geometry.kind} has the size {written}", touched
        )


def _flat(geometry: Geometry, where: str, says: str, touched: bool) -> Finding:
    """A shape without a volume: what would touch is refused, what is seen left out."""
    remedy = "every size has to be above zero"
    if not touched:
        return Finding(
            "impossible-size",
            _WARNING,
            geometry.line,
            where,
            f"{says}, and is not drawn",
            remedy,
        )
    return Finding("impossible-size", _ERROR, geometry.line, where, says, remedy)


def _check_names(link: Link) -> Iterator[Finding]:
    for shapes, kind in ((link.visuals, "visual"), (link.collisions, "collision")):
        for name, times in Counter(s.name for s in shapes if s.name).items():
            if times > 1:
                last = [s for s in shapes if s.name == name][-1]
                yield Finding(
                    "duplicate-shape-name",
                    _NOTE,
                    last.line,
                    f"link {link.name!r}",
                    f"{times} of its {kind}s are named {name!r}; Drake renames them",
                    "give each its own name, or none",
                )


def _check_materials(description: Description) -> Iterator[Finding]:
    known: dict[str, UrdfMaterial] = dict(description.materials)
    used = [
        (f"link {link.name!r}", shape.material)
        for link in description.links.values()
        for shape in link.visuals
        if shape.material is not None
    ]
    everywhere = [("robot", m) for m in known.values()] + used
    for where, material in everywhere:
        yield from _check_color(where, material)
        if material.texture:
            yield from _check_texture(description, where, material)
    for where, material in used:
        if material.rgba is None and not material.texture:
            if material.name not in known:
                yield Finding(
                    "unknown-material",
                    _WARNING,
                    material.line,
                    where,
                    f"the material {material.name!r} has no color here or in the "
                    "robot, and is drawn gray",
                    "write its <color>, or correct the name",
                )
            continue
        if not material.name:
            continue
        first = known.setdefault(material.name, material)
        if first.rgba != material.rgba and None not in (first.rgba, material.rgba):
            yield Finding(
                "two-colors",
                _NOTE,
                material.line,
                where,
                f"{material.name!r} has another color in line {first.line}; each is "
                "drawn as it says, and Drake alone refuses it",
                "give each color a name of its own",
            )


def _check_color(where: str, material: UrdfMaterial) -> Iterator[Finding]:
    if material.rgba is not None and not all(0 <= c <= 1 for c in material.rgba):
        written = " ".join(f"{c:g}" for c in material.rgba)
        yield Finding(
            "color-out-of-range",
            _WARNING,
            material.line,
            where,
            f"the color {written} of {material.name!r} is not in 0..1, and is drawn "
            "as one in 0..255",
            "divide by 255 if it was in 0..255",
        )


def _check_texture(
    description: Description, where: str, material: UrdfMaterial
) -> Iterator[Finding]:
    found = resolve(material.texture, description.path)
    if found.path is None or not is_file(found.path):
        yield Finding(
            "missing-picture",
            _WARNING,
            material.line,
            where,
            f"there is no picture {material.texture!r}, and its color is drawn",
            found.remedy or f"looked for at {found.path}",
        )
