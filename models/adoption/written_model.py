"""A URDF with what the model lacks, to be written beside the robot YAML."""

import os
from collections.abc import Mapping
from pathlib import Path

from lxml import etree

from backbeat.models.urdf.reading.document import (
    attributes,
    child,
    children,
    read_document,
    tag,
)
from backbeat.models.urdf.reading.meshes import resolve
from backbeat.models.urdf.reading.writing import written


def with_efforts(
    model: str | Path, output: str | Path, efforts: Mapping[str, float]
) -> str:
    """The text of a URDF with effort limits.

    Args:
        model: the URDF.
        output: where the text will be, which names of meshes are relative to.
        efforts: effort limits by joint [N m or N].
    """
    document = read_document(model)
    for joint in children(document.root, "joint"):
        name = attributes(joint).get("name", "")
        if name in efforts:
            limit = child(joint, "limit")
            if limit is None:
                limit = etree.SubElement(joint, "limit")
            limit.set("effort", written(efforts[name]))
            if attributes(limit).get("velocity") is None:
                limit.set("velocity", "10")
    move_meshes(document.root, Path(model), Path(output))
    return str(etree.tostring(document.root, encoding="unicode")) + "\n"


def move_meshes(root: object, model: Path, output: Path) -> None:
    """Names meshes and pictures from another place, in place."""
    for element in root.iter("*"):  # type: ignore[attr-defined]
        name = attributes(element).get("filename", "")
        if tag(element) not in ("mesh", "texture") or not name:
            continue
        found = resolve(name, model).path
        if found is not None:
            there = output.absolute().parent
            element.set("filename", os.path.relpath(found.resolve(), there.resolve()))
