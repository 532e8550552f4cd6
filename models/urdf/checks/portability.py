"""What Backbeat and Drake read, and other readers of URDF refuse."""

from collections.abc import Iterator

from backbeat.models.urdf.reading.description import INERTIA
from backbeat.models.urdf.reading.document import Document, attributes, line, tag
from backbeat.models.urdf.reading.finding import Finding, Severity

# Names of shapes in Drake alone, and those of other programs.
_SHAPES = {
    "drake:capsule": "write <capsule>, which MuJoCo reads too",
    "drake:ellipsoid": "no other reader has one: a sphere, or a mesh",
}


def check_portability(document: Document) -> Iterator[Finding]:
    """Inertias without all six numbers, and shapes of Drake's own."""
    for link in document.root.iterchildren("link"):
        where = f"link {attributes(link).get('name', '')!r}"
        for element in link.iter("*"):
            name = tag(element)
            if name == "inertia":
                lacking = [k for k in INERTIA if k not in attributes(element)]
                if lacking:
                    yield _found(
                        element,
                        where,
                        f"its <inertia> lacks {', '.join(lacking)}, zero here, and "
                        "MuJoCo and ROS refuse the file",
                        "write all six",
                    )
            elif name in _SHAPES:
                says = f"<{name}> is read by Drake alone"
                yield _found(element, where, says, _SHAPES[name])


def _found(element: object, where: str, says: str, remedy: str) -> Finding:
    return Finding("not-portable", Severity.NOTE, line(element), where, says, remedy)
