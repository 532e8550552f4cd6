"""Autofix: corrects a URDF where there is exactly one plausible correction."""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from backbeat.models.common.outside_file import is_file
from backbeat.models.urdf.reading.document import (
    Document,
    attributes,
    child,
    children,
    line,
    read_document,
    tag,
)
from backbeat.models.urdf.reading.meshes import DRAWN, TOUCHED, resolve

# Units of the format itself, which say nothing new behind a number.
_OWN_UNIT = re.compile(
    r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*"
    r"(kg|m|rad|s|N|Nm|N m|N\*m|rad/s|m/s)\s*"
)
_DRAKE_URI = "https://drake.mit.edu/"
_VECTORS = ("xyz", "rpy", "size", "scale", "rgba")
_BYTE = 255.0


def autofix(path: str | Path) -> tuple[bytes, list[str]]:
    """A corrected copy of a URDF.

    Returns:
        The copy, and a sentence with its line for each thing that was fixed.

    Raises:
        BackbeatError: the file cannot be read, or is no URDF.
    """
    document = read_document(path)
    done = list(_fixes(document))
    raw = etree.tostring(document.tree, encoding="utf-8", xml_declaration=True)
    if any(f.rule == "undeclared-prefix" for f in document.findings) and (
        b"drake:" in raw and b"xmlns:drake" not in raw
    ):
        raw = raw.replace(b"<robot", f'<robot xmlns:drake="{_DRAKE_URI}"'.encode(), 1)
        done.append("line 1: declared the prefix drake")
    return raw, done


def _fixes(document: Document) -> Iterator[str]:
    for element in document.root.iter("*"):
        for what in _fix_element(document, element):
            yield f"line {line(element)}: {what}"
    # Mended, two may say the same.
    for element in document.root.iter("*"):
        if tag(element) in ("link", "material", "joint"):
            for what in _fix_doubles(element):
                yield f"line {line(element)}: {what}"


def _fix_element(document: Document, element: Any) -> Iterator[str]:
    yield from _fix_values(element)
    name = tag(element)
    if name == "limit":
        yield from _fix_limit(element)
    elif name == "axis":
        yield from _fix_axis(element)
    elif name == "color":
        yield from _fix_color(element)
    elif name == "mesh":
        yield from _fix_mesh(document, element)
    elif name == "drake:soft_hydroelastic":
        element.tag = element.tag.replace("soft_hydro", "compliant_hydro")
        yield "renamed drake:soft_hydroelastic to drake:compliant_hydroelastic"


def _fix_values(element: Any) -> Iterator[str]:
    """Units that go without saying, and commas between numbers."""
    for key, value in element.attrib.items():
        name = key.rpartition("}")[2]
        with_unit = _OWN_UNIT.fullmatch(value)
        if ":" in name:
            # Its prefix is not declared, and such attributes cannot be set.
            continue
        if with_unit and name not in ("name", "filename", "reference", "link", "joint"):
            element.set(key, with_unit[1])
            yield f"{name}={value!r} is {with_unit[1]!r} now"
        elif name in _VECTORS and "," in value:
            blank = " ".join(value.replace(",", " ").split())
            element.set(key, blank)
            yield f"{name}={value!r} is {blank!r} now"


def _number(element: Any, key: str) -> float | None:
    try:
        return float(attributes(element)[key])
    except (KeyError, ValueError):
        return None


def _fix_limit(element: Any) -> Iterator[str]:
    for key in ("effort", "velocity"):
        value = _number(element, key)
        if value is not None and value < 0:
            element.set(key, attributes(element)[key].strip().lstrip("-"))
            yield f"{key} is positive now"
    joint = element.getparent()
    if tag(joint) == "joint" and attributes(joint).get("type") == "continuous":
        for key in ("lower", "upper"):
            if key in attributes(element):
                del element.attrib[key]
                yield f"removed {key} of a continuous joint"
        return
    lower, upper = _number(element, "lower"), _number(element, "upper")
    if lower is not None and upper is not None and lower > upper:
        written = attributes(element)
        element.set("lower", written["upper"])
        element.set("upper", written["lower"])
        yield "exchanged lower and upper"


def _fix_axis(element: Any) -> Iterator[str]:
    try:
        numbers = [float(n) for n in attributes(element).get("xyz", "").split()]
    except ValueError:
        return
    length = math.hypot(*numbers)
    sound = len(numbers) == 3 and math.isfinite(length) and length > 1e-8
    if sound and abs(length - 1) > 1e-3:
        unit = " ".join(f"{n / length:.12g}" for n in numbers)
        element.set("xyz", unit)
        yield f"the axis is of unit length now: {unit}"


def _fix_color(element: Any) -> Iterator[str]:
    try:
        rgba = [float(n) for n in attributes(element).get("rgba", "").split()]
    except ValueError:
        return
    if len(rgba) != 4 or all(0 <= c <= 1 for c in rgba):
        return
    if not all(0 <= c <= _BYTE for c in rgba):
        return
    color = [c / _BYTE for c in rgba[:3]] if max(rgba[:3]) > 1 else rgba[:3]
    alpha = rgba[3] if rgba[3] <= 1 else rgba[3] / _BYTE
    written = " ".join(f"{c:.6g}" for c in (*color, alpha))
    element.set("rgba", written)
    yield f"the color is in 0..1 now: {written}"


def _fix_mesh(document: Document, element: Any) -> Iterator[str]:
    """Names a converted mesh where one lies beside the one that Drake cannot read."""
    name = attributes(element).get("filename", "")
    path = resolve(name, document.path).path if name else None
    shape = element.getparent().getparent()
    known = TOUCHED if shape is not None and tag(shape) == "collision" else DRAWN
    if path is None or not path.suffix or path.suffix.lower() in known:
        return
    for suffix in (".obj", ".gltf"):
        if is_file(path.with_suffix(suffix)):
            new = name[: -len(path.suffix)] + suffix
            element.set("filename", new)
            yield f"names {new!r} now, which lies beside {path.name!r}"
            return


def _fix_doubles(element: Any) -> Iterator[str]:
    """Elements that a reader takes the first of: a second that says the same goes."""
    for name in ("inertial", "limit", "dynamics", "axis", "origin", "color"):
        first = child(element, name)
        for other in list(children(element, name))[1:]:
            if first is not None and _same(first, other):
                element.remove(other)
                yield f"removed a second <{name}> that said the same"


def _same(a: Any, b: Any) -> bool:
    return (
        tag(a) == tag(b)
        and attributes(a) == attributes(b)
        and len(a) == len(b)
        and all(_same(x, y) for x, y in zip(children(a), children(b), strict=False))
    )
