"""Mesh files that a URDF names: where they are, and what Drake reads for them."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from lxml import etree

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import (
    is_file,
    is_folder,
    leaves,
    opened,
    read_bytes,
)
from backbeat.models.meshing import references
from backbeat.models.meshing.obj import READERS, converted
from backbeat.models.urdf.reading.description import Description, Geometry, Link
from backbeat.models.urdf.reading.finding import Finding, Severity

# What Drake 1.51 draws, and what it takes the convex hull of for contact.
DRAWN = (".gltf", ".glb", ".obj", ".vtk", ".vtm")
TOUCHED = (".gltf", ".glb", ".obj", ".vtk")
_TEXT_FORMATS = {".obj": b"v ", ".vtk": b"# vtk"}
# Folders of a package that hold descriptions, how far above one its package is looked
# for, and where the user names packages.
_HOLDERS = ("urdf", "urdfs", "robots", "xacro", "xml")
_LEVELS = 6
NAMED = "ROS_PACKAGE_PATH"
# How much of a mesh of other kinds than glTF is looked at.
_HEAD = 65_536


@dataclass(frozen=True)
class Resolved:
    """Where a file name leads: a path, or why there is none."""

    path: Path | None
    problem: str = ""
    remedy: str = ""


def resolve(name: str, urdf: str | Path) -> Resolved:
    """Finds the file that a URDF names, without a network.

    A package is a folder above the URDF whose package.xml has its name; or, as many
    robots are published without package.xml, a folder of that name.
    """
    urdf = Path(urdf)
    scheme, _, rest = name.rpartition("://")
    if scheme == "package":
        # Some are published with one slash too many.
        package, _, inside = rest.lstrip("/").partition("/")
        folder = find_package(package, urdf)
        if folder is None:
            return Resolved(
                None,
                f"the package {package!r} is in no folder above the file",
                "put the file into its package, or name the mesh relative to it; or "
                "name the package's folder in ROS_PACKAGE_PATH",
            )
        if leaves(folder, folder / unquote(inside)):
            return _elsewhere()
        return Resolved(folder / unquote(inside))
    if scheme not in ("", "file"):
        return Resolved(
            None,
            f"{scheme}:// names no file of this machine",
            "keep the mesh beside the URDF and name it relative to that",
        )
    path = urdf.parent / unquote(rest)
    if all(leaves(folder, path) for folder in reach(urdf)):
        return _elsewhere()
    return Resolved(path)


def _elsewhere() -> Resolved:
    return Resolved(
        None,
        "it lies neither beside nor below the file, nor in its package",
        "put it there, or name the folder of its package in ROS_PACKAGE_PATH",
    )


def reach(urdf: str | Path) -> list[Path]:
    """Folders in which a description may name files.

    They are its own, the package that it is in, and those that the user has named in
    ROS_PACKAGE_PATH. Of a file in `urdf` or the like, the folder above is its package.
    """
    urdf = Path(urdf)
    try:
        own = urdf.resolve().parent
    except (OSError, RuntimeError):
        return []
    found = [own, urdf.parent]
    if own.name in _HOLDERS:
        found.append(own.parent)
    near = [own, *own.parents][:_LEVELS]
    package = next((f for f in near if package_name(f) is not None), None)
    named = [Path(p) for p in os.environ.get(NAMED, "").split(os.pathsep) if p]
    return [*found, *([package] if package else []), *named]


def find_package(package: str, urdf: str | Path) -> Path | None:
    """The folder of a package, the URDF being somewhere in or beside it.

    A folder without package.xml is one only if it is near, and its name says so.
    """
    urdf = Path(urdf)
    if package in ("", ".", "..") or "/" in package or "\0" in package:
        return None
    own = urdf.resolve().parent
    for folder in reach(urdf):
        for found in (folder, folder / package):
            if is_folder(found) and found.name == package:
                return found
    wide = {Path.home(), *Path.home().parents}
    for level, folder in enumerate((own, *own.parents)):
        is_near = level < _LEVELS and folder not in wide and len(folder.parts) > 2
        if package_name(folder) == package or (is_near and folder.name == package):
            return folder
        beside = folder / package
        if package_name(beside) == package:
            return beside
    return None


def package_name(folder: str | Path) -> str | None:
    """The name that a folder's package.xml gives; None if there is none to read."""
    folder = Path(folder)
    try:
        raw = read_bytes(folder / "package.xml", "package.xml")
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        name = etree.fromstring(raw, parser).findtext("name")
    except (BackbeatError, ValueError, etree.XMLSyntaxError):
        return None
    return None if name is None else str(name).strip()


def packages(description: Description) -> dict[str, Path]:
    """Folders of the packages that the meshes and pictures of a robot are in."""
    found = {}
    for name in _files(description):
        scheme, _, rest = name.rpartition("://")
        package = rest.lstrip("/").partition("/")[0]
        if scheme == "package" and package not in found:
            folder = find_package(package, description.path)
            if folder is not None:
                found[package] = folder
    return found


def _files(description: Description) -> Iterator[str]:
    for link in description.links.values():
        for shape in (*link.visuals, *link.collisions):
            if shape.geometry is not None and shape.geometry.filename:
                yield shape.geometry.filename
            if shape.material is not None and shape.material.texture:
                yield shape.material.texture
    yield from (m.texture for m in description.materials.values() if m.texture)


def check_meshes(description: Description) -> Iterator[Finding]:
    """Meshes that are converted, and those that are missing or cannot be read."""
    for link in description.links.values():
        drawn = {s.geometry.filename for s in link.visuals if s.geometry}
        for shapes, use, known in (
            (link.visuals, "drawn", DRAWN),
            (link.collisions, "touched", TOUCHED),
        ):
            for geometry in (s.geometry for s in shapes):
                if geometry is not None and geometry.kind == "mesh":
                    yield from _check(description.path, link, geometry, use, known)
                    if use == "touched" and geometry.filename in drawn:
                        yield _detailed(link, geometry)


@dataclass(frozen=True)
class MeshFile:
    """A mesh that a URDF names: the file that Drake reads for it, or why there is none.

    Attributes:
        path: the file; None if there is none.
        rule: "missing-mesh", "unreadable-mesh" or, of one that is converted,
            "converted-mesh"; "" of one that is read as it is.
        says: what there is to say of it, without its name.
        remedy: what to do about it.
    """

    path: Path | None
    rule: str = ""
    says: str = ""
    remedy: str = ""


def mesh_file(name: str, urdf: str | Path, known: tuple[str, ...]) -> MeshFile:
    """The file that Drake reads for a mesh.

    Args:
        name: as the URDF writes it.
        urdf: the URDF.
        known: endings of what Drake reads for the use of the mesh.
    """
    found = resolve(name, Path(urdf))
    if found.path is None:
        says = f"cannot be found: {found.problem}"
        return MeshFile(None, "missing-mesh", says, found.remedy)
    if not is_file(found.path):
        remedy = f"looked for at {found.path}"
        return MeshFile(None, "missing-mesh", "is not there", remedy)
    kind = found.path.suffix.lower()
    if kind in READERS:
        try:
            made = converted(found.path)
        except (BackbeatError, OSError, ValueError) as error:
            says = f"cannot be read: {error}"
            return MeshFile(None, "unreadable-mesh", says, "export it again")
        says = f"is converted, for Drake alone reads no {kind}"
        return MeshFile(made, "converted-mesh", says)
    if kind not in known:
        says = f"is none of {', '.join((*known, *READERS))}"
        return MeshFile(None, "unreadable-mesh", says, conversion(found.path))
    if problem := _content_problem(found.path):
        says = f"is no {kind} file: {problem}"
        return MeshFile(None, "unreadable-mesh", says, "export it again")
    return MeshFile(found.path)


def _check(
    urdf: Path, link: Link, geometry: Geometry, use: str, known: tuple[str, ...]
) -> Iterator[Finding]:
    found = mesh_file(geometry.filename, urdf, known)
    if not found.rule:
        return
    says, severity = f"the mesh {geometry.filename!r} {found.says}", Severity.NOTE
    if found.path is None:
        severity = Severity.WARNING
        says += f"; the box of its inertia is {use} in its place"
        if use == "touched" and len(link.collisions) > 1:
            says += ", or other shapes alone"
    where = f"link {link.name!r}"
    yield Finding(found.rule, severity, geometry.line, where, says, found.remedy)


def conversion(path: str | Path) -> str:
    """How to make a mesh that Drake reads of one that it does not."""
    path = Path(path)
    new = f"{path.stem}.obj"
    return (
        f"convert it, for instance with `assimp export {path.name} {new}` or "
        f"`trimesh.load({path.name!r}).export({new!r})`, and name {new!r}; or use a "
        "primitive"
    )


def _content_problem(path: Path) -> str:
    """What is wrong with the first bytes of a mesh; "" if nothing is."""
    if found := references.problem(path):
        return found
    kind = path.suffix.lower()
    try:
        with opened(path, "mesh") as file:
            head = file.read(_HEAD)
            is_whole = not file.read(1)
    except BackbeatError as error:
        return str(error)
    mark = _TEXT_FORMATS.get(kind, b"")
    return "" if mark in head or not is_whole else f"it has no {mark.decode()!r}"


def _detailed(link: Link, geometry: Geometry) -> Finding:
    return Finding(
        "touched-as-drawn",
        Severity.NOTE,
        geometry.line,
        f"link {link.name!r}",
        f"what is touched is the mesh that is drawn ({geometry.filename!r}); Drake "
        "takes its convex hull",
        "a few primitives are faster, and mostly nearer to it",
    )
