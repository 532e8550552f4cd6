"""Skeleton maps: which joints of a skeleton are which parts of a body."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from backbeat.models.common.errors import BackbeatError, shown
from backbeat.models.common.schema import key
from backbeat.models.common.yaml_file import load_yaml

FOLDER = Path(__file__).parent / "maps"
SIDES = ("left", "right")
# Parts of the body that have no side.
PELVIS, TRUNK, HEAD = MIDDLE = ("pelvis", "trunk", "head")
AXES = ("x", "y", "z")
# Longest and shortest unit of length in a map [m].
LARGEST, SMALLEST = 10.0, 1e-4


@dataclass
class SideMap:
    """Joints of one side."""

    hip: str = key("")
    """The hip."""
    knee: str = key("")
    """The knee."""
    ankle: str = key("")
    """The ankle."""
    toe: str = key("")
    """The ball of the foot, or the end of its joint: `LeftFoot end`."""
    shoulder: str = key("")
    """The shoulder."""
    elbow: str = key("")
    """The elbow."""
    wrist: str = key("")
    """The wrist."""


@dataclass
class SkeletonMap:
    """Joints of a skeleton by part of the body, as a YAML file has them."""

    name: str = key("")
    """Name of the skeleton."""
    pelvis: str = key("")
    """The joint that moves with the hips, usually the root."""
    trunk: str = key("")
    """The last joint of the spine below neck and shoulders."""
    head: str = key("")
    """The head."""
    left: SideMap = key(SideMap)
    """Joints of the left side."""
    right: SideMap = key(SideMap)
    """Joints of the right side."""
    unit: float | None = key(None, "m", ge=SMALLEST, le=LARGEST)
    """Length of one unit, such as 0.01; found in the motion if it is left out."""
    up: str = key("", choices=("", *AXES))
    """Axis that points up; found in the motion if it is left out."""

    def parts(self) -> dict[str, str]:
        """Names of joints by part: "pelvis", "left hip" and so on."""
        middle = {n: getattr(self, n) for n in MIDDLE}
        sides = {
            f"{side} {part}": name
            for side in SIDES
            for part, name in asdict(getattr(self, side)).items()
        }
        return middle | sides

    def indices(self, names: Sequence[str]) -> dict[str, int]:
        """Indices of joints by part; parts whose joint is not there are left out.

        Args:
            names: of the skeleton's joints. A word and a colon before them do not
                count, nor do capitals.
        """
        plain = {_plain(name): i for i, name in reversed([*enumerate(names)])}
        exact = {name: i for i, name in reversed([*enumerate(names)])}
        found = {}
        for part, name in self.parts().items():
            index = exact.get(name, plain.get(_plain(name)))
            if name and index is not None:
                found[part] = index
        return found

    def check(self, path: str | Path) -> None:
        """Refuses a map that lacks parts, or has one twice.

        Raises:
            BackbeatError: what is wrong with it.
        """
        parts = self.parts()
        missing = [part for part, name in parts.items() if not name]
        if missing:
            raise BackbeatError(
                f"{path} does not say which joint is the {', the '.join(missing)}"
            )
        names = [*parts.values()]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise BackbeatError(
                f"{path}: {shown(twice[0])} is the joint of two parts; each has its own"
            )


def _plain(name: str) -> str:
    return name.rpartition(":")[2].strip().casefold()


@cache
def shipped_maps() -> tuple[SkeletonMap, ...]:
    """The maps that ship."""
    return tuple(load_yaml(SkeletonMap, path) for path in sorted(FOLDER.glob("*.yaml")))


def load_map(path: str | Path) -> SkeletonMap:
    """A map of a user's own.

    Raises:
        BackbeatError: it cannot be read, or lacks a part.
    """
    found = load_yaml(SkeletonMap, path)
    found.check(path)
    return found


def find_map(
    names: Sequence[str], where: str, own: SkeletonMap | None = None
) -> tuple[SkeletonMap, dict[str, int]]:
    """The map that fits a skeleton, and indices of joints by part.

    Args:
        names: of the skeleton's joints.
        where: names the file in errors.
        own: a user's map; None to find one that ships.

    Raises:
        BackbeatError: parts are missing, which it names.
    """
    candidates = shipped_maps() if own is None else (own,)
    found = [(m, m.indices(names)) for m in candidates]
    best, indices = max(found, key=lambda pair: len(pair[1]))
    parts = best.parts()
    missing = [part for part in parts if part not in indices]
    if not missing:
        if len(set(indices.values())) < len(indices):
            raise BackbeatError(f"{where}: two parts of {best.name} are the same joint")
        return best, indices
    tried = " and ".join(m.name or "your map" for m in candidates)
    lacking = ", ".join(f"{part} ({shown(parts[part])})" for part in missing[:8])
    more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
    raise BackbeatError(
        f"{where}: its skeleton is not that of {tried}: no joint was found for "
        f"{lacking}{more}; it has {', '.join(map(shown, names[:30]))}",
        hint="write which joints are which parts into a YAML file and name it with "
        "--skeleton FILE (docs/how_to/recordings.md has one to start from)",
    )
