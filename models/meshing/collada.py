"""COLLADA meshes (.dae): what a file's scene shows, as triangles by material.

Lengths are turned into meters by the file's unit, and every part is put where the
file's scene has it. The up axis is passed over, as RViz does: exporters of robots write
it carelessly, and a URDF turns meshes itself. Lines, splines, skins, skewed nodes,
cameras, lights and pictures are passed over too. The format is that of Barnes, Finch
(editors), "COLLADA - Digital Asset Schema Release 1.4.1", Khronos, 2008.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from lxml import etree
from pydrake.common.eigen_geometry import AngleAxis
from pydrake.math import RotationMatrix

from backbeat.models.common.bounds import BYTES, TRIANGLES, XML_ELEMENTS
from backbeat.models.common.errors import BackbeatError, gist
from backbeat.models.meshing.collada_archive import unpacked
from backbeat.models.meshing.surface import Surface

# Larger files, deeper ones, and scenes of more parts or triangles are no robot's.
MAX_DEPTH, MAX_PARTS = 60, 10_000
_FANS = ("polylist", "polygons", "trifans")
_PRIMITIVES = ("triangles", "tristrips", *_FANS)


def read_collada(raw: bytes, where: str) -> list[Surface]:
    """The triangles of a COLLADA file, by part and material.

    Raises:
        BackbeatError: it is no COLLADA file, is too large, or has no triangles.
    """
    try:
        found = list(_Reader(_root(unpacked(raw))).surfaces())
    except (etree.XMLSyntaxError, IndexError, LookupError, ValueError) as error:
        raise BackbeatError(
            f"{where} is no COLLADA file that can be read: {gist(error)}"
        ) from None
    if not found:
        raise BackbeatError(f"{where} has no triangles in its scene")
    return found


def _root(raw: bytes) -> Any:
    """The outermost element, read without entities and network."""
    if len(raw) > BYTES["mesh"]:
        raise ValueError(f"it is larger than {BYTES['mesh'] / 1e6:g} MB")
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        # Numbers of a part are one text, which may be long.
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
    )
    root = etree.fromstring(raw, parser)
    if root.getroottree().docinfo.internalDTD is not None:
        raise ValueError("it declares a document type, which can hide entities")
    depth = count = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        count += event == "start"
        if count > XML_ELEMENTS:
            raise ValueError(f"it has more than {XML_ELEMENTS} elements")
        if depth > MAX_DEPTH:
            raise ValueError(f"it is nested more than {MAX_DEPTH} deep")
    return root


def _children(element: Any, *names: str) -> Iterator[Any]:
    """Child elements of some names, whatever their namespace."""
    for inside in element.iterchildren(etree.Element):
        if _name(inside) in names:
            yield inside


def _name(element: Any) -> str:
    return str(etree.QName(element).localname)


def _find(element: Any, *path: str) -> Any:
    """The first element down a path of names; None if there is none."""
    for name in path:
        element = None if element is None else next(_children(element, name), None)
    return element


def _numbers(element: Any) -> np.ndarray:
    """The numbers in an element.

    Raises:
        ValueError: something is none, or not finite.
    """
    numbers: np.ndarray = np.fromstring(element.text or "", sep=" ")
    if not np.isfinite(numbers).all():
        raise ValueError(f"<{_name(element)}> holds what is no number")
    return numbers


class _Reader:
    """A document with its elements by their names."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._by_id: dict[str, Any] = {}
        for element in root.iter(etree.Element):
            self._by_id.setdefault(element.get("id", ""), element)
        unit = _find(root, "asset", "unit")
        self._unit = 1.0 if unit is None else float(unit.get("meter", "1"))
        self._triangles = self._parts = 0

    def surfaces(self) -> Iterator[Surface]:
        """What the scene shows."""
        shown = _find(self._root, "scene", "instance_visual_scene")
        scene = None if shown is None else self._named(shown.get("url", ""))
        for node in [] if scene is None else _children(scene, "node"):
            yield from self._node(node, np.eye(4), 0)

    def _named(self, url: str) -> Any:
        """The element that "#name" leads to; None if there is none in this file."""
        return self._by_id.get(url[1:]) if len(url) > 1 and url[0] == "#" else None

    def _node(self, node: Any, above: np.ndarray, depth: int) -> Iterator[Surface]:
        """What hangs on a node that is placed by a matrix (4, 4)."""
        self._parts += 1
        if depth > MAX_DEPTH or self._parts > MAX_PARTS:
            raise ValueError("its scene has too many parts, or one in a circle")
        place = above @ _placed(node)
        for part in _children(node, "instance_geometry"):
            geometry = self._named(part.get("url", ""))
            mesh = None if geometry is None else _find(geometry, "mesh")
            if mesh is not None:
                yield from self._mesh(mesh, part, place)
        for inside in _children(node, "node"):
            yield from self._node(inside, place, depth + 1)
        for copy in _children(node, "instance_node"):
            original = self._named(copy.get("url", ""))
            if original is not None and _name(original) == "node":
                yield from self._node(original, place, depth + 1)

    def _mesh(self, mesh: Any, part: Any, place: np.ndarray) -> Iterator[Surface]:
        self._parts += 1
        for primitive in _children(mesh, *_PRIMITIVES):
            points, index = self._points(primitive), _triangles(primitive)
            self._triangles += len(index)
            if self._triangles > TRIANGLES:
                raise ValueError(f"it has more than {TRIANGLES} triangles")
            if not len(index):
                continue
            if index.min() < 0 or index.max() >= len(points):
                raise ValueError("a triangle has a corner that is not there")
            with np.errstate(over="ignore", invalid="ignore"):
                placed = points @ place[:3, :3].T + place[:3, 3]
                corners = self._unit * placed[index]
            if not np.isfinite(corners).all():
                raise ValueError("a corner is no number")
            yield Surface(corners, self._color(part, primitive.get("material", "")))

    def _points(self, primitive: Any) -> np.ndarray:
        """(n, 3) positions that a primitive's first indices refer to."""
        source = self._named(_input(primitive, "VERTEX").get("source", ""))
        if source is not None and _name(source) == "vertices":
            source = self._named(_input(source, "POSITION").get("source", ""))
        accessor = _find(source, "technique_common", "accessor")
        if accessor is None:
            raise ValueError("a part has no positions")
        array = self._named(accessor.get("source", ""))
        if array is None:
            raise ValueError("a part has no numbers")
        numbers = _numbers(array)
        start, step = int(accessor.get("offset", "0")), int(accessor.get("stride", "3"))
        if start < 0 or step < 3:
            raise ValueError("positions need three numbers each")
        numbers = numbers[start:]
        return numbers[: len(numbers) // step * step].reshape(-1, step)[:, :3]

    def _color(self, part: Any, symbol: str) -> tuple[float, float, float] | None:
        """Diffuse color of a part's material; None of a picture, or of none."""
        bound = _find(part, "bind_material", "technique_common")
        for material in [] if bound is None else _children(bound, "instance_material"):
            if material.get("symbol") != symbol:
                continue
            target = self._named(material.get("target", ""))
            effect = _find(target, "instance_effect")
            look = None if effect is None else self._named(effect.get("url", ""))
            technique = _find(look, "profile_COMMON", "technique")
            for shading in [] if technique is None else technique:
                color = _find(shading, "diffuse", "color")
                if color is not None:
                    r, g, b = np.clip(_numbers(color)[:3], 0.0, 1.0).tolist()
                    return r, g, b
        return None


def _placed(node: Any) -> np.ndarray:
    """(4, 4) product of a node's transformations, in their order."""
    place = np.eye(4)
    for step in _children(node, "matrix", "translate", "rotate", "scale"):
        numbers, own = _numbers(step), np.eye(4)
        if len(numbers) != {"matrix": 16, "rotate": 4}.get(_name(step), 3):
            raise ValueError(f"<{_name(step)}> has {len(numbers)} numbers")
        if _name(step) == "matrix":
            own = numbers.reshape(4, 4)
        elif _name(step) == "translate":
            own[:3, 3] = numbers
        elif _name(step) == "scale":
            own[:3, :3] = np.diag(numbers)
        elif (length := float(np.linalg.norm(numbers[:3]))) > 0:
            turn = AngleAxis(np.radians(numbers[3]), numbers[:3] / length)
            own[:3, :3] = RotationMatrix(turn).matrix()
        place = place @ own
    return place


def _input(element: Any, semantic: str) -> Any:
    """The input of a meaning.

    Raises:
        ValueError: there is none.
    """
    for found in _children(element, "input"):
        if found.get("semantic") == semantic:
            return found
    raise ValueError(f"<{_name(element)}> has no {semantic}")


def _triangles(primitive: Any) -> np.ndarray:
    """(n, 3) indices of positions, polygons cut into triangles from their first."""
    stride = 1 + max(int(i.get("offset", "0")) for i in _children(primitive, "input"))
    own = int(_input(primitive, "VERTEX").get("offset", "0"))
    if not 0 <= own < stride <= 100:
        raise ValueError("offsets of inputs are from 0 to 99")
    lists = [
        _numbers(p).astype(np.int64)[own::stride]
        for p in primitive.iter(etree.Element)
        if _name(p) == "p"
    ]
    corners = np.concatenate([np.zeros(0, np.int64), *lists])
    kind = _name(primitive)
    if kind == "triangles":
        return corners[: len(corners) // 3 * 3].reshape(-1, 3)
    if kind == "tristrips":
        return np.concatenate([np.zeros((0, 3), np.int64), *map(_strip, lists)])
    counts = np.array([len(p) for p in lists], np.int64)
    vcount = _find(primitive, "vcount")
    if kind == "polylist":
        counts = (
            np.zeros(0, np.int64)
            if vcount is None
            else _numbers(vcount).astype(np.int64)
        )
    if (counts < 0).any() or counts.sum() > len(corners):
        raise ValueError("polygons have more corners than there are")
    return _fans(corners, counts)


def _strip(corners: np.ndarray) -> np.ndarray:
    """(n, 3) triangles of a strip, every other one the other way round."""
    found = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1)
    found[1::2] = found[1::2][:, [1, 0, 2]]
    return found


def _fans(corners: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(n, 3) triangles of polygons with so many corners each."""
    starts = np.cumsum(counts) - counts
    cuts = np.maximum(counts - 2, 0)
    first = np.repeat(starts, cuts)
    # Which of its polygon's triangles each is.
    number = np.arange(len(first)) - np.repeat(np.cumsum(cuts) - cuts, cuts)
    return corners[np.stack([first, first + number + 1, first + number + 2], axis=1)]
