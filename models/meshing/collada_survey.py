"""A look at a COLLADA file before a library reads it: unpacked, and how much it draws.

Files may be zipped, and parts of a scene stand for others any number of times.
"""

import zipfile
from io import BytesIO
from typing import Any

from lxml import etree

from models.bounds import BYTES, XML_ELEMENTS

# Parts of a scene, each as often as it is drawn, and how deep they are in each other.
MOST_PARTS, MOST_DEPTH = 20_000, 100
# Files in an archive.
_MOST_FILES = 1000


def unpacked(raw: bytes) -> bytes:
    """The COLLADA file in an archive, or what is none.

    Raises:
        ValueError: it holds none, or one that is too large.
    """
    if not zipfile.is_zipfile(BytesIO(raw)):
        return raw
    most = BYTES["mesh"]
    with zipfile.ZipFile(BytesIO(raw)) as archive:
        infos = archive.infolist()[:_MOST_FILES]
        found = [i for i in infos if i.filename.lower().endswith(".dae")]
        if not found:
            raise ValueError("the archive holds no .dae file")
        with archive.open(found[0]) as file:
            # Not by the size that it claims to have.
            content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"it is larger than {most / 1e6:g} MB when unpacked")
    return content


def survey(raw: bytes) -> None:
    """Refuses a file that draws more than anybody does.

    Raises:
        ValueError: it does, or parts of it stand for themselves.
        lxml.etree.XMLSyntaxError: it is no XML.
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    root = etree.fromstring(raw, parser)
    if root.getroottree().docinfo.internalDTD is not None:
        raise ValueError("it declares a document type")
    nodes: dict[str, Any] = {}
    scenes = []
    for count, element in enumerate(root.iter(etree.Element)):
        if count > XML_ELEMENTS:
            raise ValueError(f"it has more than {XML_ELEMENTS} elements")
        name = etree.QName(element).localname
        if name == "node" and element.get("id"):
            nodes.setdefault(element.get("id"), element)
        if name in ("visual_scene", "library_nodes"):
            scenes.append(element)
    sizes: dict[Any, int] = {}
    for scene in scenes:
        _size(scene, nodes, sizes, 0)


def _size(
    element: Any, nodes: dict[str, Any], sizes: dict[Any, int], depth: int
) -> int:
    """Parts that an element stands for, with all that is in it."""
    if element in sizes:
        if sizes[element] < 0:
            raise ValueError("a part of its scene stands for itself")
        return sizes[element]
    if depth > MOST_DEPTH:
        raise ValueError(f"its parts are nested more than {MOST_DEPTH} deep")
    sizes[element], total = -1, 1
    for child in element.iterchildren(etree.Element):
        name = etree.QName(child).localname
        if name == "node":
            total += _size(child, nodes, sizes, depth + 1)
        elif name == "instance_node":
            meant = nodes.get((child.get("url") or "").removeprefix("#"))
            total += 1 if meant is None else _size(meant, nodes, sizes, depth + 1)
        elif name.startswith("instance_"):
            total += 1
        if total > MOST_PARTS:
            raise ValueError(f"it draws more than {MOST_PARTS} parts")
    sizes[element] = total
    return total
