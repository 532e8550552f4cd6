"""Build keys: hashes of what decides a motion, which tell when to build it again."""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from behaviors.authored import Specification
from behaviors.setlist import SetlistSpecification
from behaviors.setlist_rules import part_paths
from behaviors.specification import read_specification
from models.robot_description import find_description, robot_files

ROOT = Path(__file__).parent.parent
# Each specification counts for itself alone, looks do not move, and sweeps only ask.
_APART = {"specifications", "setlists", "shell", "meshing", "sweep"}


def build_key(
    specification: Specification | SetlistSpecification, text: str, folder: Path
) -> str:
    """Hash of all that decides a build: texts, robot files, our sources.

    Raises:
        BackbeatError: a behavior of a setlist cannot be read.
    """
    sha = hashlib.sha256(text.encode())
    if isinstance(specification, SetlistSpecification):
        for path in part_paths(specification, folder).values():
            sha.update(build_key(*read_specification(path), path.parent).encode())
    else:
        for source in specification.sources(folder):
            if source.is_file():
                sha.update(source.read_bytes())
    sha.update(robot_and_sources(specification.robot).encode())
    return sha.hexdigest()


def robot_and_sources(robot: str) -> str:
    """Hash of what decides a motion besides its specification."""
    sha = hashlib.sha256(_sources().encode())
    for path in _robot_files(robot):
        sha.update(path.read_bytes())
    return sha.hexdigest()


def robot_hash(robot: str) -> str:
    """Hash of the files that describe a robot."""
    sha = hashlib.sha256()
    for path in _robot_files(robot):
        sha.update(path.name.encode() + path.read_bytes())
    return sha.hexdigest()


def _robot_files(robot: str) -> list[Path]:
    """Files that describe a robot, and all others of their kind beside its YAML."""
    path = find_description(robot)
    files = [p for p in path.parent.rglob("*") if p.suffix in (".yaml", ".urdf")]
    files.sort()
    known = {p.resolve() for p in files}
    others = [p for p in robot_files(path) if p.resolve() not in known]
    return [*files, *(p for p in others if p.is_file())]


@cache
def _sources() -> str:
    """Hash of the code and data that can change a motion."""
    return source_hash(("models", "optimization", "behaviors"))


def source_hash(packages: Sequence[str]) -> str:
    """Hash of the code and data of some packages that can change what they do."""
    sha = hashlib.sha256()
    for package in packages:
        for path in sorted((ROOT / package).rglob("*")):
            if not _APART.isdisjoint(path.relative_to(ROOT).parts):
                continue
            if path.suffix in (".py", ".urdf", ".yaml") and path.is_file():
                sha.update(path.relative_to(ROOT).as_posix().encode())
                sha.update(path.read_bytes())
    return sha.hexdigest()
