"""Kit files: the members of a drum kit, read from YAML and checked.

A kit file says what is different from the kit that it is based on: members that it
names are added or changed key by key, others stay. The whole kit is kept as one text,
which travels with behaviors and runs, for a file may be gone when they are played.
"""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from backbeat.models.common.errors import BackbeatError, located, shown, unknown_name
from backbeat.models.common.outside_file import is_file, read_text
from backbeat.models.common.yaml_file import parse_yaml, read_tree
from backbeat.models.kit.resizing import Resizing, resized
from backbeat.models.kit.schema import (
    FEET,
    USUAL,
    KitDescription,
    check_kit,
)
from backbeat.models.meshing import references
from backbeat.models.urdf.reading.meshes import resolve

FOLDER = Path(__file__).parent
# A base without members.
NOTHING = "none"


def shipped_kits() -> list[str]:
    """Names of the kits that ship."""
    return sorted(path.stem.replace("_", "-") for path in FOLDER.glob("*.yaml"))


def find_kit(name: str, folder: str | Path) -> Path:
    """Path of a kit: one that ships, or a file.

    Args:
        name: name of a kit that ships, or path of a kit file.
        folder: where paths start.

    Raises:
        BackbeatError: there is neither.
    """
    folder = Path(folder)
    if Path(name).suffix in (".yaml", ".yml"):
        path = folder / name
        if not is_file(path):
            raise BackbeatError(f"no kit file {path}; `kit` is a path from {folder}")
        return path
    if name not in shipped_kits():
        known = [*shipped_kits(), "the path of a kit file, which ends in .yaml"]
        raise unknown_name("kit", name, known)
    return FOLDER / f"{name.replace('-', '_')}.yaml"


def kit_sources(name: str, folder: str | Path) -> list[Path]:
    """Files besides those of Backbeat that a kit is made of."""
    found: list[Path] = []
    while name != NOTHING:
        path = find_kit(name, folder)
        if path.parent == FOLDER or path in found:
            break
        found.append(path)
        name, folder = _description(path)[0].base, path.parent
    return found


def kit_text(name: str, folder: str | Path) -> str:
    """The whole of a kit as text, with all that its bases say; "" for the usual one.

    Raises:
        BackbeatError: a file cannot be read, or says what makes no sense.
    """
    path = find_kit(name, folder)
    if path == find_kit(USUAL, FOLDER):
        return ""
    with located(file=path):
        tree = _whole(path, ())
        _number(tree["members"])
        text = yaml.safe_dump(tree, sort_keys=False, default_flow_style=None)
        check_kit(parse_yaml(KitDescription, text, str(path)), str(path))
    return str(text)


def resized_text(
    text: str, hands: Resizing, feet: Mapping[str, Resizing], chair: Resizing
) -> str:
    """The whole of a kit at another size, as text.

    Args:
        text: of the kit, see `kit_text`; "" for the usual one.
        hands: of the members that hands play.
        feet: of those that a foot plays, with their pedals, by foot.
        chair: of the chair.

    Raises:
        BackbeatError: it could not be played.
    """
    if text:
        tree = read_tree(text, "the kit of the scene")
    else:
        tree = _whole(find_kit(USUAL, FOLDER), ())
        _number(tree["members"])
    tree = resized(tree, hands, feet, chair)
    made = str(yaml.safe_dump(tree, sort_keys=False, default_flow_style=None))
    check_kit(parse_yaml(KitDescription, made, "the kit"), "the kit at this size")
    return made


@lru_cache(maxsize=16)
def parse_kit(text: str) -> KitDescription:
    """The kit of a text of `kit_text`; not to be changed by the caller.

    Raises:
        BackbeatError: it is none.
    """
    if not text:
        return _description(find_kit(USUAL, FOLDER))[0]
    description = parse_yaml(KitDescription, text, "the kit of the scene")
    check_kit(description, "the kit of the scene")
    return description


def _description(path: Path) -> tuple[KitDescription, dict[str, Any]]:
    """A kit file and its plain data, as they stand."""
    text = read_text(path)
    description = parse_yaml(KitDescription, text, str(path))
    tree = read_tree(text, str(path))
    # What Drake's reader takes for a mapping may be nothing at all.
    for key in ("members", "chair"):
        tree[key] = tree.get(key) or {}
    return description, tree


def _whole(path: Path, above: tuple[Path, ...]) -> dict[str, Any]:
    """Plain data of a kit with its bases; members are complete but for what is usual.

    Args:
        path: of the kit.
        above: kits that are based on it.
    """
    if path.resolve() in above:
        raise BackbeatError(f"{path}: is based on itself; change `base` of one of both")
    description, tree = _description(path)
    base: dict[str, Any] = {"members": {}, "chair": {}}
    if description.base != NOTHING and path != find_kit(USUAL, FOLDER):
        under = find_kit(description.base, path.parent)
        with located(file=under):
            base = _whole(under, (*above, path.resolve()))
    members = base["members"]
    for name in description.remove:
        if name not in members:
            raise unknown_name(f"member to remove in {path}", name, members)
        del members[name]
    for name, keys in tree["members"].items():
        own = dict(keys or {})
        if name not in members and not {"place", "notes"} <= set(own):
            raise BackbeatError(
                f"{path}: the member {str(name)[:40]!r} is new; give its place [m] and "
                "its notes, MIDI note numbers such as 36 for a kick"
            )
        if own.get("mesh"):
            own["mesh"] = str(_mesh_of(path, str(name), str(own["mesh"])))
        before = members.get(name, {})
        if isinstance(own.get("pedal"), dict) and before.get("pedal"):
            own["pedal"] = before["pedal"] | own["pedal"]
        members[name] = before | own
    whole = {
        "name": description.name or path.stem,
        "base": NOTHING,
        "members": members,
        "chair": base["chair"] | tree["chair"],
    }
    if description.scale == 1.0:
        return whole
    size = Resizing(description.scale)
    return resized(whole, size, dict.fromkeys(FEET, size), size)


def _number(members: dict[str, dict[str, Any]]) -> None:
    """Gives members without a number the next that is free."""
    taken = {m.get("number", 0) for m in members.values()}
    free = iter(n for n in range(1, len(members) + len(taken) + 1) if n not in taken)
    for member in members.values():
        if not member.get("number", 0):
            member["number"] = next(free)


def _mesh_of(kit: Path, member: str, mesh: str) -> Path:
    """The file of a mesh that a kit file names.

    As with robots, it lies beside or below the file or in a package that the user has
    named, and so does all that it refers to: a kit from elsewhere could carry a file
    of the user's into a recording that is shared.
    """
    found = resolve(mesh, kit)
    where = f"{kit}: the mesh {shown(mesh)} of {member[:40]}"
    if found.path is None:
        raise BackbeatError(f"{where} is not read: {found.problem}; {found.remedy}")
    if is_file(found.path) and (wrong := references.problem(found.path)):
        raise BackbeatError(f"{where} is not read: {wrong}")
    return found.path.resolve()
