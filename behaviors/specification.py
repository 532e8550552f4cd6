"""Specifications: the YAML files that people write, by kind."""

from pathlib import Path
from typing import Any

from behaviors.authored import Specification
from behaviors.dance.choreography import DanceSpecification
from behaviors.drumming import DrummingSpecification
from behaviors.footsteps import FootstepSpecification
from behaviors.library import check_name
from behaviors.posture import PostureSpecification
from behaviors.setlist import SetlistSpecification
from models.errors import BackbeatError, unknown_name
from models.yaml_file import parse_yaml, read_tree

SHIPPED_FOLDER = Path(__file__).parent / "specifications"
SETLIST_FOLDER = Path(__file__).parent / "setlists"
KINDS: dict[str, type[Any]] = {
    "dance": DanceSpecification,
    "drumming": DrummingSpecification,
    "footsteps": FootstepSpecification,
    "posture": PostureSpecification,
}
SETLIST = SetlistSpecification.kind


def shipped_names() -> list[str]:
    """Names of the behaviors that ship."""
    return sorted(p.stem for p in SHIPPED_FOLDER.glob("*.yaml"))


def shipped_setlists() -> list[str]:
    """Names of the setlists that ship."""
    return sorted(p.stem for p in SETLIST_FOLDER.glob("*.yaml"))


def find_specification(name: str | Path) -> Path:
    """Path of a specification or setlist: a shipped name or a YAML file.

    Raises:
        BackbeatError: neither.
    """
    path = Path(name)
    if path.suffix in (".yaml", ".yml"):
        if path.is_file():
            return path
        raise BackbeatError(f"no specification file {path}")
    check_name(str(name))
    for folder in (SHIPPED_FOLDER, SETLIST_FOLDER):
        path = folder / f"{name}.yaml"
        if path.is_file():
            return path
    raise unknown_name("behavior", name, [*shipped_names(), *shipped_setlists()])


def read_specification(path: Path) -> tuple[Specification, str]:
    """Reads the specification of a single motion and its text.

    Raises:
        BackbeatError: unreadable, unknown kind, unknown key, or a bad name.
    """
    text = _text(path)
    return _located(parse_specification(text, str(path)), path), text


def read_any(path: Path) -> tuple[Specification | SetlistSpecification, str]:
    """Reads a specification or a setlist, and its text.

    Raises:
        BackbeatError: as `read_specification`.
    """
    text = _text(path)
    if _kind(text, str(path)) == SETLIST:
        return parse_setlist(text, str(path)), text
    return _located(parse_specification(text, str(path)), path), text


def _located(specification: Specification, path: Path) -> Specification:
    """The specification with a robot YAML that lies beside it found from anywhere."""
    beside = path.parent / specification.robot
    if beside.suffix in (".yaml", ".yml") and beside.is_file():
        specification.robot = str(beside.resolve())
    return specification


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BackbeatError(f"cannot read {path}: {error}") from None


def parse_setlist(text: str, where: str) -> SetlistSpecification:
    """Reads a setlist from YAML text; `where` names it in errors."""
    setlist = parse_yaml(SetlistSpecification, text, where)
    check_name(setlist.name)
    setlist.check_keys()
    setlist.check()
    return setlist


def parse_specification(text: str, where: str) -> Specification:
    """Reads a specification from YAML text; `where` names it in errors."""
    kind = _kind(text, where)
    if kind == SETLIST:
        raise BackbeatError(f"{where} is a setlist; name its behaviors one by one")
    if kind not in KINDS:
        raise unknown_name(f"kind in {where}", kind, [*KINDS, SETLIST])
    specification: Specification = parse_yaml(KINDS[kind], text, where)
    check_name(specification.name)
    specification.check_keys()
    specification.objectives.check(specification.name)
    return specification


def _kind(text: str, where: str) -> str:
    """The value of the top-level key `kind`, read without building anything."""
    tree = read_tree(text, where)
    if "kind" not in tree:
        raise BackbeatError(
            f"{where}: the key 'kind' is missing; it is one of {', '.join(KINDS)}"
        )
    return str(tree["kind"])
