"""Specifications: the YAML files of behaviors, by kind."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from backbeat.behaviors.library.robots import robot_beside
from backbeat.behaviors.library.stored import check_name
from backbeat.behaviors.motion.authored import Specification, on_a_line
from backbeat.behaviors.music.files.score_reader import AS_WRITTEN, NOTES
from backbeat.behaviors.music.notation.score_description import Adaptation
from backbeat.behaviors.setlist.specification import SetlistSpecification
from backbeat.behaviors.specification.old_keys import with_new_keys
from backbeat.behaviors.specification.transfer import (
    setlist_on,
    transferred,
)
from backbeat.models.common.errors import (
    UNKNOWN_BEHAVIOR,
    BackbeatError,
    located,
    shown,
    unknown_name,
)
from backbeat.models.common.outside_file import is_file, is_folder, is_there, read_text
from backbeat.models.common.yaml_file import parse_yaml, read_tree

SHIPPED_FOLDER = Path(__file__).parents[1] / "specifications"
SETLIST_FOLDER = Path(__file__).parents[1] / "setlists"
# Kinds that ship, each loaded when a file of it is read; other packages have theirs as
# entry points of a group.
SHIPPED_KINDS = {
    "dance": "backbeat.behaviors.dance.choreography:DanceSpecification",
    "drumming": "backbeat.behaviors.drumming.specification:DrummingSpecification",
    "footsteps": "backbeat.behaviors.footsteps.specification:FootstepSpecification",
    "posture": "backbeat.behaviors.posture.specification:PostureSpecification",
}
GROUP = "backbeat.kinds"
SETLIST = SetlistSpecification.kind


@dataclass(frozen=True)
class Variant:
    """How a specification is built otherwise than it is written.

    Attributes:
        adapt: what is done to the notes of a MIDI or tablature file.
        robot: name or path of the robot that it is built for; "" for its own.
        terms: file with terms of the user's own for its trajectory; "" for none.
        weights: of its trajectory, by key, in place of those that it would have.
    """

    adapt: Adaptation = field(default_factory=Adaptation)
    robot: str = ""
    terms: str = ""
    weights: Mapping[str, float] = field(default_factory=dict)


AS_IT_STANDS = Variant()


@cache
def kinds() -> Mapping[str, EntryPoint]:
    """Where the class of each kind of specification of a single motion is, by name."""
    own = {n: EntryPoint(n, place, GROUP) for n, place in SHIPPED_KINDS.items()}
    # Names of kinds that ship come first, and are of no other class.
    return {**own, **{e.name: e for e in entry_points(group=GROUP)}, **own}


def kind_class(kind: str, where: str) -> type[Specification]:
    """The class, and schema, of a kind.

    Raises:
        BackbeatError: there is no such kind, or it is that of setlists; `where` names
            the source.
    """
    if kind == SETLIST:
        raise BackbeatError(f"{where} is a setlist; name its behaviors one by one")
    if kind not in kinds():
        with located("kind"):
            raise unknown_name(f"kind in {where}", kind, [*kinds(), SETLIST])
    found: type[Specification] = kinds()[kind].load()
    return found


def shipped_names() -> list[str]:
    """Names of the behaviors that ship."""
    return sorted(p.stem for p in SHIPPED_FOLDER.glob("*.yaml"))


def shipped_setlists() -> list[str]:
    """Names of the setlists that ship."""
    return sorted(p.stem for p in SETLIST_FOLDER.glob("*.yaml"))


def transferred_names() -> list[str]:
    """Names of the motions that ship which go on any robot with legs."""
    paths = {name: SHIPPED_FOLDER / f"{name}.yaml" for name in shipped_names()}
    found = {n: kind_class(kind_of(read_text(p), n), n) for n, p in paths.items()}
    return [name for name, kind in found.items() if kind.sized_by == "legs"]


def ships(path: str | Path) -> bool:
    """Whether a specification is one of those that ship."""
    path = Path(path)
    return path.parent in (SHIPPED_FOLDER, SETLIST_FOLDER)


def find_specification(name: str | Path) -> Path:
    """Path of a specification or setlist: a shipped name, a YAML file, or notes.

    A name that does not ship may be that of a YAML file in the working folder.

    Raises:
        BackbeatError: none of these.
    """
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or path.suffix.lower() in NOTES:
        if is_there(path):
            return path  # Its reader says what is wrong with a pipe or a folder.
        raise BackbeatError(f"no specification file {shown(path, 300)}")
    try:
        check_name(str(name))
    except BackbeatError:
        if not is_there(path):
            raise
        what = "a folder" if is_folder(path) else "no specification"
        raise BackbeatError(
            f"{name} is {what}; name a file that ends in "
            f".yaml, .yml, {', '.join(NOTES)}, or a behavior that ships"
        ) from None
    for folder in (SHIPPED_FOLDER, SETLIST_FOLDER):
        path = folder / f"{name}.yaml"
        if is_file(path):
            return path
    own = Path(f"{name}.yaml")
    if is_there(own):
        return own
    known = [*shipped_names(), *shipped_setlists()]
    raise unknown_name("behavior", name, known, UNKNOWN_BEHAVIOR)


def read_specification(path: str | Path) -> tuple[Specification, str]:
    """Reads the specification of a single motion and its text.

    Raises:
        BackbeatError: unreadable, unknown kind, unknown key, or a bad name.
    """
    path = Path(path)
    text = _text(path)
    return with_robot_beside(parse_specification(text, str(path)), path), text


def read_any(
    path: str | Path, variant: Variant = AS_IT_STANDS
) -> tuple[Specification | SetlistSpecification, str]:
    """Reads a specification or a setlist, and its text.

    Args:
        path: where it is.
        variant: what is otherwise than it says.

    Raises:
        BackbeatError: as `read_specification`, there are no notes to adapt, or it
            cannot be built for another robot.
    """
    path, adapt = Path(path), variant.adapt
    if adapt != AS_WRITTEN and path.suffix.lower() not in NOTES:
        raise BackbeatError(
            f"{path}: options such as --map are for MIDI and tablature files; a score "
            "in YAML has keys of the same names, and so has adapt of a drumming "
            "specification"
        )
    text = _text(path, adapt)
    with located(file=path):
        if kind_of(text, str(path)) == SETLIST:
            setlist = read_setlist(text, str(path))
            for option, is_given in (
                ("terms of your own (--with)", variant.terms),
                ("weights of trajectories", variant.weights),
            ):
                if is_given:
                    raise BackbeatError(
                        f"{path} is a setlist; {option} go with single motions, so "
                        "build these first"
                    )
            if variant.robot:
                setlist = setlist_on(setlist, variant.robot)
                text = text_of(setlist, text, path)
            return setlist, text
        specification = with_robot_beside(parse_specification(text, str(path)), path)
        if variant.robot:
            specification = transferred(specification, variant.robot)
            text = text_of(specification, text, path)
        if variant.weights:
            specification.weights = specification.weights.changed(variant.weights)
            specification.weights.check(specification.name)
            text = text_of(specification, text, path, ("weights",))
        specification.weights.terms = variant.terms
        return specification, text


def text_of(
    specification: Specification | SetlistSpecification,
    written: str,
    path: str | Path,
    changed: Sequence[str] = ("robot", "scale"),
) -> str:
    """Text of a file with other values of some keys, on the lines of that it was.

    What is wrong with it is then said of a line of the file.

    Args:
        specification: with the other values.
        written: the file.
        path: where it is.
        changed: the keys.
    """
    text = written
    for key in changed:
        if not hasattr(specification, key):
            continue
        line = f"{key}: {on_a_line(getattr(specification, key))}"
        there = re.search(rf"(?m)^{key}:.*$", text)
        if there:
            text = text[: there.start()] + line + text[there.end() :]
        else:
            text = f"{text.rstrip()}\n{line}\n"
    try:
        is_same: Specification | SetlistSpecification
        if isinstance(specification, SetlistSpecification):
            is_same = read_setlist(text, str(path))
        else:
            is_same = with_robot_beside(parse_specification(text, str(path)), path)
    except BackbeatError:
        return specification.text()
    return text if is_same == specification else specification.text()


def drumming_text(notes: str | Path, adapt: Adaptation = AS_WRITTEN) -> str:
    """A drumming specification for a MIDI or tablature file.

    Raises:
        BackbeatError: the file's name has nothing that a behavior could be called.
    """
    from backbeat.behaviors.drumming.specification import DrummingSpecification

    notes = Path(notes)
    name = re.sub("[^a-z0-9]+", "-", notes.stem.lower()).strip("-")[:64]
    if not name:
        raise BackbeatError(f"{notes}: name the file with letters or digits")
    drumming = DrummingSpecification(
        name=name,
        score=notes.name,
        seat="chair",
        summary=f"Drums {notes.name}.",
        adapt=adapt,
    )
    return drumming.text()


def with_robot_beside(specification: Specification, path: str | Path) -> Specification:
    """The specification with a robot YAML that lies beside it found from anywhere."""
    specification.robot = robot_beside(specification.robot, path)
    return specification


def _text(path: Path, adapt: Adaptation = AS_WRITTEN) -> str:
    if path.suffix.lower() in NOTES:
        return drumming_text(path, adapt)
    return read_text(path)


def parse_setlist(text: str, where: str) -> SetlistSpecification:
    """Reads a setlist that can be played from YAML; `where` names it in errors."""
    setlist = read_setlist(text, where)
    setlist.check()
    return setlist


def read_setlist(text: str, where: str) -> SetlistSpecification:
    """Reads a setlist, whatever its values; `where` names it in errors."""
    setlist = parse_yaml(SetlistSpecification, text, where)
    with located("name"):
        check_name(setlist.name)
    return setlist


def parse_specification(text: str, where: str) -> Specification:
    """Reads a specification from YAML text; `where` names it in errors."""
    kind = kind_of(text, where)
    schema = kind_class(kind, where)
    text = with_new_keys(text, kind, where)
    specification = parse_yaml(schema, text, where)
    with located("name"):
        check_name(specification.name)
    with located("weights"):
        specification.weights.check(specification.name)
    return specification


def kind_of(text: str, where: str) -> str:
    """The value of the top-level key `kind`, read without building anything.

    Raises:
        BackbeatError: it is not YAML, or has no such key.
    """
    tree = read_tree(text, where)
    if "kind" not in tree:
        raise BackbeatError(
            f"{where}: the key 'kind' is missing; it is one of "
            f"{', '.join([*kinds(), SETLIST])}"
        )
    return str(tree["kind"])
