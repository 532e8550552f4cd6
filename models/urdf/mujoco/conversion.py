"""An MJCF made into a URDF: bodies into links, their joints into joints.

A body with several joints becomes as many links, the last of which has its mass and
shapes. The frame of a link is at its joint, with the axes of the body.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from backbeat.models.common.errors import BackbeatError, shown
from backbeat.models.common.outside_file import leaves, read_bytes
from backbeat.models.urdf.mujoco.frames import take_out_frames
from backbeat.models.urdf.mujoco.masses import write_inertial, write_pose
from backbeat.models.urdf.mujoco.motors import (
    Mimics,
    effort_limits,
    excluded,
    follows,
    tendons,
)
from backbeat.models.urdf.mujoco.shapes import (
    GeomShape,
    MeshAsset,
    mesh_files,
    read_shape,
    write_geometry,
)
from backbeat.models.urdf.mujoco.values import MjcfValues, read_values
from backbeat.models.urdf.reading.description import listed
from backbeat.models.urdf.reading.document import (
    Document,
    attributes,
    children,
    tag,
)
from backbeat.models.urdf.reading.writing import written

# Levels of files that include others.
DEEPEST = 8
# Speed limit of joints, of which MJCF has none [rad/s or m/s].
FASTEST = 20.0
DRAKE = "https://drake.mit.edu/"


@dataclass
class Converted:
    """A URDF made of an MJCF.

    Attributes:
        text: the URDF; meshes are named relative to the MJCF.
        notes: what of the MJCF has no effect.
    """

    text: str
    notes: list[str] = field(default_factory=list)


def convert(path: str | Path) -> Converted:
    """Makes a URDF of an MJCF.

    Raises:
        BackbeatError: it cannot be read, or has what no URDF has.
    """
    path = Path(path)
    root = _document(path, DEEPEST)
    reader = read_values(path, root)
    take_out_frames(reader, root)
    bodies = [b for w in children(root, "worldbody") for b in children(w, "body")]
    base = _robot(reader, bodies)
    maker = _Maker(
        reader,
        mesh_files(reader, root),
        effort_limits(reader, root),
        follows(
            reader, root, {attributes(b).get("name", "") for b in base.iter("body")}
        ),
    )
    maker.body(base, "", "", np.eye(4))
    maker.exclude(excluded(root))
    notes = maker.notes
    if found := tendons(root):
        notes.append(f"tendons do nothing here: {listed(found)}")
    if len(bodies) > 1:
        others = [attributes(b).get("name", "?") for b in bodies if b is not base]
        notes.append(f"bodies beside the robot are left out: {listed(others)}")
    etree.indent(maker.root)
    return Converted(etree.tostring(maker.root, encoding="unicode") + "\n", notes)


def _document(path: Path, levels: int) -> Any:
    """The <mujoco> element of a file, with what it includes in its place."""
    root = Document(path, read_bytes(path, "description"), "mujoco").root
    for include in list(root.iter("include")):
        name = attributes(include).get("file", "")
        other = path.parent / name
        if not levels or leaves(path.parent, other):
            raise BackbeatError(
                f"{path} includes {shown(name)}, which lies neither beside nor below "
                "it, or includes it in a circle; put it there"
            )
        inside = _document(other, levels - 1)
        parent = include.getparent()
        at = parent.index(include)
        parent[at : at + 1] = list(inside)
    return root


def _robot(reader: MjcfValues, bodies: list[Any]) -> Any:
    """The body that is the robot's base.

    Raises:
        BackbeatError: none floats, or several do.
    """
    name = reader.path.name
    if not bodies:
        raise BackbeatError(f"{name} has no <body> in its <worldbody>")
    free = [b for b in bodies if any(_is_free(j) for j in children(b))]
    if not free:
        first = attributes(bodies[0]).get("name", "")
        raise BackbeatError(
            f"{name}: no body has a free joint, so that the tree has no floating base; "
            f"write <freejoint/> into the body {shown(first)}"
        )
    return max(free, key=lambda b: len(list(b.iter("joint"))))


def _names(base: Any) -> set[str]:
    """Names of a body and all that it carries."""
    return {attributes(body).get("name", "") for body in base.iter("body")}


def _is_free(joint: Any) -> bool:
    return tag(joint) == "freejoint" or (
        tag(joint) == "joint" and attributes(joint).get("type") == "free"
    )


class _Maker:
    """Writes links and joints of a URDF, body by body."""

    def __init__(
        self,
        reader: MjcfValues,
        meshes: dict[str, MeshAsset],
        efforts: dict[str, float],
        mimics: Mimics,
    ) -> None:
        self._reader, self._meshes = reader, meshes
        self._efforts, self._mimics = efforts, mimics
        self._count = 0
        self.notes: list[str] = []
        self.root = etree.Element("robot", nsmap={"drake": DRAKE})
        self.root.set("name", reader.path.stem)

    def body(self, body: Any, parent: str, childclass: str, X_PL: np.ndarray) -> None:
        """Writes a body and all that it carries.

        Args:
            body: its element.
            parent: link that carries it; "" for the base.
            childclass: class of defaults that elements in it have.
            X_PL: (4, 4) pose of the parent's link in the parent's body.
        """
        reader = self._reader
        said = attributes(body)
        childclass = said.get("childclass", childclass)
        self._count += 1
        name = said.get("name") or f"body{self._count}"
        joints = [j for j in children(body, "joint", "freejoint") if not _is_free(j)]
        if parent and any(_is_free(j) for j in children(body)):
            raise BackbeatError(
                f"{reader.where(body)} floats, and is carried by another body; a robot "
                "floats by its base alone"
            )
        for frame in children(body, "composite", "flexcomp", "attach"):
            raise BackbeatError(
                f"{reader.where(frame)} is not read; have MuJoCo save the compiled "
                "model (mj_saveLastXML), which has none"
            )
        X = np.linalg.inv(X_PL) @ reader.pose(body, said)  # body in the parent's link
        X_BL = np.eye(4)
        if not parent:
            X = np.eye(4)
        for i, joint in enumerate(joints):
            link = name if i == len(joints) - 1 else f"{name}_{i + 1}"
            values = reader.all(joint, childclass)
            pos = reader.numbers(joint, values.get("pos", "0 0 0"), 3)
            X_BJ = np.eye(4)
            X_BJ[:3, 3] = pos
            self._joint(joint, values, parent, link, X @ np.linalg.inv(X_BL) @ X_BJ)
            parent, X, X_BL = link, np.eye(4), X_BJ
            if link != name:
                etree.SubElement(self.root, "link", name=link)
        if not joints and parent:
            self._fixed(parent, name, X)
        self._link(body, name, childclass, np.linalg.inv(X_BL))
        for inner in children(body, "body"):
            self.body(inner, name, childclass, X_BL)

    def _fixed(self, parent: str, link: str, X: np.ndarray) -> None:
        joint = etree.SubElement(self.root, "joint", name=f"{link}_fixed", type="fixed")
        self._ends(joint, parent, link, X)

    def _ends(self, joint: Any, parent: str, link: str, X: np.ndarray) -> None:
        etree.SubElement(joint, "parent", link=parent)
        etree.SubElement(joint, "child", link=link)
        write_pose(joint, X)

    def _joint(
        self, element: Any, said: dict[str, str], parent: str, link: str, X: np.ndarray
    ) -> None:
        """Writes a joint.

        Raises:
            BackbeatError: a ball, or a joint that is not at zero where it is drawn.
        """
        reader, kind = self._reader, said.get("type", "hinge")
        if kind not in ("hinge", "slide"):
            raise BackbeatError(
                f"{reader.where(element)} is a {kind} joint, and robots have hinges "
                "and slides; write it as three hinges in a row, or take it out"
            )
        if not parent:
            raise BackbeatError(
                f"{reader.where(element)} is on the floating body itself, beside its "
                "free joint; take it out"
            )
        if float(reader.numbers(element, said.get("ref", "0"), 1)[0]):
            raise BackbeatError(
                f"{reader.where(element)} has a ref other than zero; save the model "
                "with its joints at zero where it is drawn"
            )
        name = said.get("name") or f"{link}_joint"
        limits = self._limits(element, said, kind)
        types = {"hinge": "revolute" if limits else "continuous", "slide": "prismatic"}
        joint = etree.SubElement(self.root, "joint", name=name, type=types[kind])
        self._ends(joint, parent, link, X)
        axis = reader.numbers(element, said.get("axis", "0 0 1"), 3)
        etree.SubElement(joint, "axis", xyz=" ".join(map(written, axis)))
        limit = etree.SubElement(joint, "limit", velocity=written(FASTEST))
        for key, value in zip(("lower", "upper"), limits, strict=False):
            limit.set(key, written(value))
        limit.set("effort", written(self._effort(element, said, name)))
        damping, friction = (
            float(reader.numbers(element, said.get(k, "0"))[0])
            for k in ("damping", "frictionloss")
        )
        etree.SubElement(
            joint, "dynamics", damping=written(damping), friction=written(friction)
        )
        if name in self._mimics:
            leader, factor, offset = self._mimics[name]
            etree.SubElement(
                joint,
                "mimic",
                joint=leader,
                multiplier=written(factor),
                offset=written(offset),
            )
        else:
            self._motor(element, said, name)

    def _limits(
        self, element: Any, said: dict[str, str], kind: str
    ) -> tuple[float, ...]:
        reader = self._reader
        limited = said.get("limited", "auto")
        has = "range" in said and (
            limited == "true" or (limited == "auto" and reader.limited)
        )
        if not has:
            return ()
        ends = reader.numbers(element, said["range"], 2)
        if kind == "slide":
            return tuple(map(float, ends))
        return tuple(reader.angle(e) for e in ends)

    def _effort(self, element: Any, said: dict[str, str], name: str) -> float:
        reader = self._reader
        if "actuatorfrcrange" in said:
            ends = reader.numbers(element, said["actuatorfrcrange"], 2)
            return float(np.abs(ends).max())
        return self._efforts.get(name, 0.0)

    def _motor(self, element: Any, said: dict[str, str], name: str) -> None:
        """Writes a transmission, with the inertia of the rotor behind its gear."""
        armature = float(self._reader.numbers(element, said.get("armature", "0"), 1)[0])
        transmission = etree.SubElement(self.root, "transmission", name=f"{name}_drive")
        kind = etree.SubElement(transmission, "type")
        kind.text = "transmission_interface/SimpleTransmission"
        etree.SubElement(transmission, "joint", name=name)
        motor = etree.SubElement(transmission, "actuator", name=f"{name}_motor")
        if armature > 0:
            etree.SubElement(
                motor, f"{{{DRAKE}}}rotor_inertia", value=written(armature)
            )
            etree.SubElement(motor, f"{{{DRAKE}}}gear_ratio", value="1")

    def _link(self, body: Any, name: str, childclass: str, X_LB: np.ndarray) -> None:
        reader = self._reader
        link = etree.SubElement(self.root, "link", name=name)
        shapes = [
            read_shape(reader, geom, childclass, self._meshes)
            for geom in children(body, "geom")
        ]
        solids = [s for s in shapes if s is not None]
        write_inertial(reader, body, link, solids, X_LB)
        for solid in solids:
            self._shape(link, solid, X_LB)

    def _shape(self, link: Any, solid: GeomShape, X_LB: np.ndarray) -> None:
        is_drawn = not solid.rgba.endswith((" 0", " 0.", " 0.0"))
        uses = [
            *(["visual"] if is_drawn else []),
            *(["collision"] if solid.touches else []),
        ]
        for use in uses:
            shape = etree.SubElement(link, use)
            write_pose(shape, X_LB @ solid.X)
            write_geometry(shape, solid)
            if use == "visual":
                material = etree.SubElement(shape, "material", name="")
                etree.SubElement(material, "color", rgba=solid.rgba)

    def exclude(self, pairs: list[tuple[str, str]]) -> None:
        """Writes which links do not touch each other."""
        names = {attributes(e).get("name") for e in children(self.root, "link")}
        for i, pair in enumerate(pairs):
            if not set(pair) <= names:
                continue
            group = etree.SubElement(
                self.root, f"{{{DRAKE}}}collision_filter_group", name=f"apart_{i}"
            )
            for link in pair:
                etree.SubElement(group, f"{{{DRAKE}}}member", link=link)
            etree.SubElement(
                group, f"{{{DRAKE}}}ignored_collision_filter_group", name=f"apart_{i}"
            )
