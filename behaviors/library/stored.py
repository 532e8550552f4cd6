"""What a library has, by the folders of robots and the names of behaviors."""

import re
from pathlib import Path
from typing import NamedTuple

from backbeat.behaviors.library.record import read_header
from backbeat.behaviors.library.robots import (
    APART,
    USUAL_ROBOT,
    folder_name,
    name_of,
    robot_name,
)
from backbeat.models.common.errors import BackbeatError
from backbeat.models.common.outside_file import cannot_read, is_file

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


def check_name(name: str) -> str:
    """Returns a behavior name that is safe as a file name.

    Raises:
        BackbeatError: the name holds anything but a-z, 0-9 and "-".
    """
    if not _NAME.fullmatch(name):
        if is_file(Path(name)):
            raise BackbeatError(
                f"{name} is not a behavior name but a file; 'backbeat build' makes "
                "behaviors of specifications, and 'backbeat list' names them"
            )
        raise BackbeatError(
            f"{name[:80]!r} is not a behavior name; use small letters, digits and '-'",
            subject=name,
        )
    return name


class Stored(NamedTuple):
    """A behavior that is in a library.

    Attributes:
        robot: folder of its robot; "" for a file of an earlier version.
        name: of the behavior.
    """

    robot: str
    name: str


class Shelf:
    """The files of a library, with a folder for each robot.

    A behavior is named by its name and robot. Without a robot it is Atlas's or, where
    there is none, the only one of the name. A `Stored` names a file by itself.

    Attributes:
        folder: where the folders of robots are.
    """

    def __init__(self, folder: str | Path) -> None:
        """Nothing is read yet."""
        self.folder = Path(folder)

    def path(self, name: str | Stored, robot: str = "") -> Path:
        """Path of a behavior's file, whether it exists or not.

        Raises:
            BackbeatError: there is no such robot, or several have the behavior.
        """
        if not isinstance(name, Stored):
            name = self.find(name, robot) or Stored(_folder(robot), name)
        return self.folder / name.robot / f"{check_name(name.name)}.parquet"

    def find(self, name: str, robot: str = "") -> Stored | None:
        """A behavior by its name and robot; None if there is none.

        Args:
            name: of the behavior.
            robot: shipped name, or path of a robot YAML; "" for the usual one.

        Raises:
            BackbeatError: there is no such robot, or none is named and several have the
                behavior.
        """
        check_name(name)
        known = [s for s in self._files() if s.name == name]
        first, early = Stored(_folder(robot), name), Stored("", name)
        if first in known:
            return first
        if early in known and (not robot or self.robot_folder(early) == first.robot):
            return early
        if robot or not known:
            return None
        if len(known) > 1:
            raise BackbeatError(
                f"{name} is built for {' and '.join(s.robot for s in known)}; choose "
                "one of these robots by --robot, or by the key 'robot' of a file"
            )
        return known[0]

    def names(self) -> list[str]:
        """Names of the stored behaviors of all robots, sorted.

        Raises:
            BackbeatError: the library is a file.
        """
        return sorted({s.name for s in self._files()})

    def stored(self, robot: str = "") -> list[Stored]:
        """What is stored, by robot and name, Atlas's first.

        Args:
            robot: only what is built for it: shipped name, or path of a robot YAML.

        Raises:
            BackbeatError: the library is a file, or there is no such robot.
        """
        wanted = _folder(robot) if robot else ""
        keyed = [(self.robot_folder(s), s) for s in self._files()]
        kept = [(r, s) for r, s in keyed if wanted in ("", r)]
        kept.sort(key=lambda pair: (pair[0] != USUAL_ROBOT, *pair))
        return [s for _, s in kept]

    def built_for(self, name: str) -> list[str]:
        """Robots that a behavior is built for, by their folders."""
        known = [s for s in self._files() if s.name == name]
        return sorted({self.robot_folder(s) for s in known})

    def _files(self) -> list[Stored]:
        """Behaviors by folder and name, without a look into their files."""
        if is_file(self.folder):
            raise BackbeatError(f"{self.folder} is a file; a library is a folder")
        try:
            files = list(self.folder.glob("*.parquet"))
            files += self.folder.glob("[a-z0-9]*/*.parquet")
            found = [p.relative_to(self.folder) for p in files]
        except OSError as error:
            raise cannot_read(self.folder, error) from None
        parts = [(*p.parts[:-1], p.stem) for p in found]
        placed = [Stored(*p) if p[1:] else Stored("", *p) for p in parts]
        return sorted(
            s for s in placed if s.robot not in APART and _NAME.fullmatch(s.name)
        )

    def robot_folder(self, stored: Stored) -> str:
        """Folder of the robot of a behavior; "" if a file beside them is damaged."""
        if stored.robot:
            return stored.robot
        try:
            header = read_header(self.path(stored))
        except BackbeatError:
            return ""
        return folder_name(name_of(header["robot"]))


def _folder(robot: str) -> str:
    """Folder of the behaviors of a robot, by its shipped name or the path of its YAML.

    Raises:
        BackbeatError: there is no such robot.
    """
    return folder_name(robot_name(robot)) if robot else USUAL_ROBOT
