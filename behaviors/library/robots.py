"""Robots by the folders of a library: one each, of its behaviors and their cards."""

import hashlib
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import is_file, is_there, read_bytes
from backbeat.models.robot.description import (
    find_description,
    load_description,
    robot_files,
    robot_stamps,
)
from backbeat.models.robot.inheritance import Stamp

# Robot whose behavior is taken where several have one of a name.
USUAL_ROBOT = "atlas"
# Where cards are, in the folder of a robot; libraries of earlier versions have one too.
CARDS = "cards"
# Where imported takes are, beside the folders of robots.
TAKES = "takes"
# Folders that no robot has.
APART = (CARDS, TAKES)


def robot_name(robot: str) -> str:
    """What a robot is called, by its shipped name or the path of its YAML.

    Raises:
        BackbeatError: there is no such robot.
    """
    return str(load_description(find_description(robot)).name)


def name_of(robot: str) -> str:
    """The same; the name of its file if that is gone."""
    try:
        return robot_name(robot)
    except BackbeatError:
        return Path(robot).stem


def robot_beside(robot: str, path: str | Path) -> str:
    """A robot that a file names, with a YAML that lies beside it found from anywhere.

    Args:
        robot: shipped name, or path of a robot YAML.
        path: of the file that names it.
    """
    found = Path(path).parent / robot
    is_beside = found.suffix in (".yaml", ".yml") and is_there(found)
    return str(found.resolve()) if is_beside else robot


def folder_name(name: str) -> str:
    """Folder of the behaviors of a robot of some name."""
    slug = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")[:64]
    return slug if slug not in ("", *APART) else f"robot-{slug}".strip("-")


def robot_sources(robot: str) -> list[Path]:
    """Its YAML, those that this starts from, and the models that they name."""
    files = robot_files(find_description(robot))
    return sorted({path.resolve() for path in files if is_file(path)})


def robot_hash(robot: str) -> str:
    """Hash of the files that describe a robot."""
    return _hash(robot, robot_stamps(find_description(robot)))


@lru_cache(maxsize=32)
def _hash(robot: str, _stamps: tuple[Stamp, ...]) -> str:
    sha = hashlib.sha256()
    for path in robot_sources(robot):
        sha.update(os.fsencode(path.name) + read_bytes(path, "description"))
    return sha.hexdigest()


def is_of(header: Mapping[str, Any], robot: str) -> bool:
    """Whether a stored behavior is of a robot.

    Robots of one name are the same if one file describes them, whatever it says by
    now, or if they were described alike when the behavior was built.

    Args:
        header: see `backbeat.behaviors.library.header`.
        robot: shipped name, or path of a robot YAML.

    Raises:
        BackbeatError: there is no such robot.
    """
    path, own = find_description(robot).resolve(), _path_of(header["robot"])
    is_same_file = own is not None and own.resolve() == path
    return is_same_file or header["provenance"].get("robot_hash") == robot_hash(robot)


def _path_of(robot: str) -> Path | None:
    """Path of a robot's YAML; None if it was moved or removed."""
    try:
        return find_description(robot)
    except BackbeatError:
        return None
