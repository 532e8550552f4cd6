"""The behavior library: one Parquet file a behavior, written whole or not at all.

The file of a behavior is `ROBOT/NAME.parquet`, so that behaviors of several robots may
have one name. Files of earlier versions lie beside the folders of robots; they are read
there until the behavior is built again.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from backbeat.behaviors.library.behavior import Behavior
from backbeat.behaviors.library.record import (
    FORMAT,
    METADATA,
    checked_header,
    damaged,
    read_header,
    read_record,
)
from backbeat.behaviors.library.robots import (
    folder_name,
    is_of,
    name_of,
    robot_name,
)
from backbeat.behaviors.library.stored import Shelf, Stored
from backbeat.behaviors.library.table import (
    DAMAGED,
    behavior_from_frame,
    digest,
    to_frame,
    to_header,
)
from backbeat.behaviors.library.take_places import from_file, in_full
from backbeat.models.common.atomic_file import replacing
from backbeat.models.common.bounds import LONGEST_SIMULATED
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.table_file import read_table

# Where a library usually is, and where there are specifications of what ships.
USUAL = "library"
SHIPPED = [Path(__file__).parents[1] / kind for kind in ("specifications", "setlists")]


class Library(Shelf):
    """A folder of behaviors, with a folder in it for each robot; see `Shelf`."""

    def __init__(self, folder: str | Path = USUAL) -> None:
        """Opens a library; folders are made when the first behavior is saved."""
        super().__init__(folder)

    def save(self, behavior: Behavior) -> Path:
        """Stores a behavior; a reader sees the old file or the new, never a part."""
        robot = folder_name(behavior.robot_model.name)
        path = self.path(Stored(robot, behavior.name))
        frame, header = to_frame(behavior), to_header(behavior)
        header["provenance"] = from_file(header["provenance"], path)
        record = {"format": FORMAT, "sha256": digest(frame, header), "header": header}
        table = pa.Table.from_pandas(frame, preserve_index=False)
        table = table.replace_schema_metadata(
            {**(table.schema.metadata or {}), METADATA: json.dumps(record).encode()}
        )
        with replacing(path) as file:
            pq.write_table(table, file, compression="zstd")
        early = Stored("", behavior.name)
        if early in self._files() and self.robot_folder(early) == robot:
            self.path(early).unlink()
        return path

    def load(self, name: str | Stored, robot: str = "") -> Behavior:
        """Loads a behavior and checks that nothing in it was changed.

        Args:
            name: of the behavior, or what is stored.
            robot: that it is for: shipped name, or path of a robot YAML; "" for the
                usual one.

        Raises:
            BackbeatError: no such behavior, or its file is damaged or edited.
        """
        stored = self._found(name, robot)
        path, record = self.path(stored), read_record(self.path(stored))
        try:
            # Without the notes of pandas, in which a changed byte could be anything.
            frame = read_table(path, "behavior").to_pandas(ignore_metadata=True)
            is_whole = digest(frame, record["header"]) == record["sha256"]
        except DAMAGED as error:
            raise damaged(path, str(error)) from None
        if not is_whole:
            raise damaged(path, "its contents do not match their checksum")
        header = checked_header(path, record)
        if robot and not is_of(header, robot):
            raise self._other_robot(header, robot)
        try:
            _check_time(frame["t"].to_numpy(float))
            behavior = behavior_from_frame(frame, header)
        except DAMAGED as error:
            why = f"its columns are not those of a motion ({error})"
            raise damaged(path, why) from None
        return replace(behavior, provenance=in_full(behavior.provenance, path))

    def load_build(self, name: str, key: object, robot: str = "") -> Behavior:
        """Loads a behavior by the key of its build, whichever robot it is of.

        Args:
            name: of the behavior.
            key: of the build.
            robot: whose behavior it is where no build has that key.

        Raises:
            BackbeatError: as `load`.
        """
        for stored in self._files():
            if key and stored.name == name and self.key(stored) == key:
                return self.load(stored)
        return self.load(name, robot)

    def key(self, name: str | Stored, robot: str = "") -> str | None:
        """Build key of a stored behavior; None when there is none that reads."""
        try:
            header = self.header(name, robot)
            key = header["provenance"].get("key")
            return None if key is None else str(key)
        except BackbeatError:
            return None

    def header(self, name: str | Stored, robot: str = "") -> dict[str, Any]:
        """Everything but the arrays, see `backbeat.behaviors.library.header`.

        Raises:
            BackbeatError: no such behavior, or its file is damaged.
        """
        return read_header(self.path(self._found(name, robot)))

    def made_from(self, name: str, robot: str = "") -> tuple[str, Path]:
        """Text of the specification of a behavior, and the file that it was built from.

        Raises:
            BackbeatError: no such behavior, or it does not say so: it ships, or an
                earlier version has built it.
        """
        stored = self._found(name, robot)
        header, path = self.header(stored), self.path(stored)
        source = in_full(header["provenance"], path).get("source")
        if not source:
            raise BackbeatError(f"{path} does not say which file it was built from")
        return str(header["specification"]), Path(str(source))

    def table(self, robot: str = "") -> pd.DataFrame:
        """One row a behavior: robot, name, kind, length, tempo, whether verified, ...

        Those that cannot be used are left out; see `damaged`.

        Args:
            robot: only what is built for it; "" for all.
        """
        columns = ["robot", "name", "kind", "duration_s", "bpm", "verified", "summary"]
        return pd.DataFrame([r for _, r in self.rows(robot)], columns=columns)

    def rows(self, robot: str = "") -> Iterator[tuple[Stored, dict[str, Any]]]:
        """The behaviors that can be used, with their rows of the table.

        Args:
            robot: only what is built for it; "" for all.
        """
        for stored in self.stored(robot):
            try:
                yield stored, self.row(stored)
            except BackbeatError:
                continue  # `damaged` says why.

    def damaged(self, robot: str = "") -> dict[str, str]:
        """Why behaviors cannot be used that are there all the same, by name.

        Args:
            robot: only what is built for it; "" for all.
        """
        found = {}
        for stored in self.stored(robot):
            try:
                self.row(stored)
            except BackbeatError as error:
                found["/".join(filter(None, stored))] = str(error)
        return found

    def row(self, name: str | Stored, robot: str = "") -> dict[str, Any]:
        """What the table says of one behavior.

        Raises:
            BackbeatError: no such behavior, or its file is damaged.
        """
        header = self.header(name, robot)
        checks = header["certificate"].values()
        return {
            "robot": name_of(header["robot"]),
            "name": header["name"],
            "kind": header["kind"],
            "duration_s": header["provenance"]["duration_s"],
            "bpm": header["bpm"],
            "verified": all(c["value"] <= c["bound"] for c in checks),
            "summary": header["summary"],
        }

    def check_replaced(self, name: str, robot: str) -> None:
        """Refuses to put a behavior in the place of one of another robot.

        Args:
            name: of the behavior.
            robot: that it is for: shipped name, or path of a robot YAML.

        Raises:
            BackbeatError: there is no such robot, or another one of its name has the
                behavior.
        """
        stored = self.find(name, robot)
        try:
            header = {} if stored is None else self.header(stored)
        except BackbeatError:
            return  # What is damaged is there to be replaced.
        if header and not is_of(header, robot):
            raise self._other_robot(header, robot)

    def _other_robot(self, header: Mapping[str, Any], robot: str) -> BackbeatError:
        """Why a behavior in the folder of a robot's name is not for that robot."""
        return BackbeatError(
            f"{header['name']} in {self.folder} is of another robot called "
            f"{robot_name(robot)}, {header['robot']}; give one of them another 'name', "
            f"or build it for {robot} with --force in its place"
        )

    def _found(self, name: str | Stored, robot: str) -> Stored:
        """What is stored of a name.

        Raises:
            BackbeatError: nothing is.
        """
        if isinstance(name, Stored):
            return name
        stored = self.find(name, robot)
        if stored is None:
            raise self._missing(name, robot)
        return stored

    def _missing(self, name: str, robot: str) -> BackbeatError:
        """Why there is no behavior of a name: not built yet, or unknown."""
        own = "" if self.folder == Path(USUAL) else f" --library {self.folder}"
        ships = any((folder / f"{name}.yaml").is_file() for folder in SHIPPED)
        others = self.built_for(name)
        if robot and (ships or others):
            known = f" but for {' and '.join(others)}" if others else " yet"
            return BackbeatError(
                f"{name} is not built for {robot_name(robot)}{known}; build it first: "
                f"backbeat build {name} --robot {robot}{own}"
            )
        if ships:
            return BackbeatError(
                f"{name} ships with Backbeat and is not built yet; build it first: "
                f"backbeat build {name}{own}"
            )
        where = f" {self.folder}" if own else ""
        return unknown_name(f"behavior in library{where}", name, self.names())


def _check_time(t: np.ndarray) -> None:
    """Refuses times of samples that no motion has.

    Raises:
        ValueError: they are none.
    """
    if len(t) < 2 or not (np.diff(t) >= 0).all():
        raise ValueError("time does not go on")
    if not 0 <= t[0] <= t[-1] <= LONGEST_SIMULATED:
        raise ValueError(f"time goes from {t[0]:g} to {t[-1]:g} s")
