"""Takes of a folder: which of its files are motions, and how they are called."""

import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from backbeat.models.common.bounds import FOLDER_FILES, check_count
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import is_file, is_folder, opened

# Endings of takes; pickles are among them, so that each is refused with what to do.
ALWAYS = (".csv", ".npz", ".mot", ".sto", ".bvh", ".pkl", ".pickle")
# Endings of takes whose text begins as DeepMimic's does; others are notes and settings.
PERHAPS = (".json", ".txt")
_DEEPMIMIC = re.compile(rb'^\s*\{.{0,2000}?"Frames"', re.DOTALL)
# Longest name of a behavior, and how much of its source's hash tells like names apart.
LONGEST, TOLD = 64, 6


@dataclass(frozen=True)
class TakeFile:
    """A motion file of a folder.

    Attributes:
        path: the file.
        source: its path from the folder, with slashes.
        name: what its behavior is called.
    """

    path: Path
    source: str
    name: str


@dataclass(frozen=True)
class FoundTakes:
    """What a folder holds.

    Attributes:
        takes: its motion files, by their sources.
        passed_over: how many files are none, by their ending.
    """

    takes: tuple[TakeFile, ...]
    passed_over: Mapping[str, int]


def find_takes(folder: str | Path, leave_out: str | Path) -> FoundTakes:
    """The takes in a folder and all folders in it; hidden ones are left out.

    Links to folders are not followed, because they may lead in a circle.

    Args:
        folder: where to look.
        leave_out: a folder that is not looked into.

    Raises:
        BackbeatError: there is no such folder, no take in it, or too many files.
    """
    folder = Path(folder)
    if not is_folder(folder):
        raise BackbeatError(f"there is no folder {folder}")
    found, others = list[Path](), Counter[str]()
    for number, path in enumerate(_files(folder, Path(leave_out).resolve())):
        check_count(str(folder), "files", number + 1, FOLDER_FILES)
        if is_take(path):
            found.append(path)
        else:
            others[path.suffix.lower() or "no ending"] += 1
    if not found:
        raise BackbeatError(
            f"there is no motion file in {folder}; these end in {', '.join(ALWAYS[:5])}"
            ", or are DeepMimic's in .json or .txt"
        )
    sources = sorted(path.relative_to(folder).as_posix() for path in found)
    names = take_names(sources)
    takes = tuple(TakeFile(folder / s, s, names[s]) for s in sources)
    return FoundTakes(takes, dict(others.most_common()))


def _files(folder: Path, leave_out: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and Path(here, name).resolve() != leave_out
        )
        yield from (Path(here, n) for n in files if not n.startswith("."))


def is_take(path: str | Path) -> bool:
    """Whether a file counts as a take, by its ending and perhaps how it begins."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in PERHAPS:
        return suffix in ALWAYS
    if not is_file(path):
        return False
    try:
        with opened(path, "take") as file:
            return bool(_DEEPMIMIC.match(file.read(4096)))
    except (BackbeatError, OSError):
        return False


def take_names(sources: list[str]) -> dict[str, str]:
    """Names of behaviors for the sources of a folder, no two alike.

    A name is the path without its ending, in small letters, digits and "-". Where that
    is the name of several, or too long, a part of the hash of the path follows.
    """
    plain = {source: plain_name(source.rpartition(".")[0]) for source in sources}
    count = Counter(plain.values())
    return {
        source: name
        if count[name] == 1 and len(name) <= LONGEST
        else f"{name[: LONGEST - TOLD - 1].rstrip('-')}-{_told(source)}"
        for source, name in plain.items()
    }


def plain_name(stem: str) -> str:
    """The name of a behavior, of that of a file: small letters, digits and "-"."""
    kept = "".join(c if c.isalnum() and c.isascii() else "-" for c in stem.lower())
    return "-".join(filter(None, kept.split("-"))) or "take"


def _told(source: str) -> str:
    return hashlib.sha256(os.fsencode(source)).hexdigest()[:TOLD]
