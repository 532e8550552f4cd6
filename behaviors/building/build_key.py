"""Build keys: hashes of all inputs of a motion, which is built again if one changes."""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from backbeat.behaviors.library.robots import robot_sources
from backbeat.behaviors.motion.authored import Specification
from backbeat.behaviors.setlist.specification import SetlistSpecification
from backbeat.behaviors.specification.kinds import read_specification
from backbeat.behaviors.specification.setlist_rules import part_paths
from backbeat.models.common.outside_file import is_file, read_bytes
from backbeat.optimization.terms.user_file import load_user_file

ROOT = Path(__file__).parents[2]
# Specifications count one by one, visuals do not move, sweeps change nothing.
_APART = {"specifications", "setlists", "shell", "meshing", "sweep"}


def build_key(
    specification: Specification | SetlistSpecification, text: str, folder: str | Path
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
            if is_file(source):
                # Whichever of them it is, its reader may take less.
                sha.update(read_bytes(source, "CSV"))
        sha.update(terms_hash(specification).encode())
    sha.update(robot_and_sources(specification.robot).encode())
    return sha.hexdigest()


def terms_hash(specification: Specification) -> str:
    """Hash of the user's file of terms; "" without one."""
    terms = specification.weights.terms
    return load_user_file(terms).sha256 if terms else ""


def robot_and_sources(robot: str) -> str:
    """Hash of what decides a motion besides its specification."""
    sha = hashlib.sha256(_sources().encode())
    for path in robot_sources(robot):
        sha.update(read_bytes(path, "description"))
    return sha.hexdigest()


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
            if path.suffix in (".py", ".hpp", ".urdf", ".yaml") and path.is_file():
                sha.update(path.relative_to(ROOT).as_posix().encode())
                sha.update(path.read_bytes())
    return sha.hexdigest()
