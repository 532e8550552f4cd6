"""The URDF that an adopted robot is read from: its own, or one made of its MJCF."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from lxml import etree

from backbeat.models.adoption.proposal import Proposal
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import leaves
from backbeat.models.urdf.mujoco.conversion import convert
from backbeat.models.urdf.reading.document import attributes
from backbeat.models.urdf.reading.meshes import reach


class AdoptedModel(NamedTuple):
    """A URDF.

    Attributes:
        path: where it is.
        text: what it will be beside the robot YAML; "" if it is the model itself.
        name: what it is called in messages.
    """

    path: Path
    text: str
    name: str


@contextmanager
def usable(
    model: str | Path, output: str | Path, proposal: Proposal
) -> Iterator[AdoptedModel]:
    """The URDF of a model, for as long as it is looked at.

    Args:
        model: a URDF, or an MJCF, of which one is made.
        output: where the robot YAML will be.
        proposal: where is noted what is lost.

    Raises:
        BackbeatError: the model cannot be read.
    """
    model, output = Path(model), Path(output)
    if model.suffix == ".urdf":
        yield AdoptedModel(model, "", model.name)
        return
    if model.suffix != ".xml":
        raise BackbeatError(
            f"{model}: a model is a URDF (.urdf) or an MJCF (.xml); export the robot "
            "as one of these, and macros of xacro by `xacro`"
        )
    converted = convert(model)
    urdf = output.with_suffix(".urdf")
    proposal.found("model", urdf.name, f"a URDF made of {model.name}, an MJCF")
    for note in converted.notes:
        proposal.guessed("left out", note, "nothing of a URDF does that")
    text, lost = _renamed(converted.text, model, urdf)
    if lost:
        proposal.guessed(
            "meshes",
            f"{lost} are not drawn",
            f"they lie neither beside nor below {urdf}; write the YAML into "
            f"{model.parent} to have them",
        )
    # Beside the model its meshes are found.
    beside = model.absolute().with_name(f".{model.stem}.{os.getpid()}.adopting.urdf")
    try:
        beside.write_text(converted.text)
    except OSError as error:
        raise BackbeatError(
            f"cannot write beside {model}: {error.strerror}; copy the model and its "
            "meshes to where you can"
        ) from None
    try:
        yield AdoptedModel(beside, text, f"{model.name} (as URDF)")
    finally:
        beside.unlink(missing_ok=True)


def _renamed(text: str, model: Path, urdf: Path) -> tuple[str, int]:
    """A URDF with meshes named from another place, and how many are out of reach."""
    root = etree.fromstring(text.encode())
    here, there = model.absolute().parent, urdf.absolute().parent
    lost = 0
    for mesh in root.iter("mesh"):
        path = here / attributes(mesh)["filename"]
        mesh.set("filename", os.path.relpath(path, there))
        lost += all(leaves(folder, path) for folder in reach(urdf))
    return etree.tostring(root, encoding="unicode") + "\n", lost
