"""Takes: a recorded motion of a robot, and what its file leaves open."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from backbeat.models.common.errors import BackbeatError


@dataclass(frozen=True, eq=False)
class Take:
    """A recorded motion in the joints of a robot, equal to no other one.

    Attributes:
        t: (n,) time of each sample, increasing [s].
        joints: names of the recorded joints.
        q: (n, joints) their angles [rad].
        base: (n, 7) quaternion wxyz and place [m] of the floating base, or None.
        said: one sentence on what was read: layout, units, orders, rate, up axis.
        notes: sentences on what was found besides, such as gaps.
        format: name of the file's format.
    """

    t: np.ndarray
    joints: tuple[str, ...]
    q: np.ndarray
    base: np.ndarray | None = None
    said: str = ""
    notes: tuple[str, ...] = ()
    format: str = ""

    def part(self, start: float | None, end: float | None, where: str) -> "Take":
        """What lies from one time to another, with the samples around the ends.

        Args:
            start: first time [s]; None for the start.
            end: last time [s]; None for the end.
            where: names the take in errors.

        Raises:
            BackbeatError: the take does not have this part.
        """
        first = self.t[0] if start is None else start
        last = self.t[-1] if end is None else end
        if not self.t[0] - 1e-9 <= first < last <= self.t[-1] + 1e-9:
            raise BackbeatError(
                f"{where}: the part from {first:g} to {last:g} s was asked for; the "
                f"file goes from {self.t[0]:g} to {self.t[-1]:g} s"
            )
        low = max(int(np.searchsorted(self.t, first, "right")) - 1, 0)
        high = int(np.searchsorted(self.t, last)) + 1
        base = None if self.base is None else self.base[low:high]
        return replace(self, t=self.t[low:high], q=self.q[low:high], base=base)


@dataclass(frozen=True)
class Conventions:
    """What a user says about a file, where its format leaves it open.

    Attributes:
        format: name of the format; "" to be found out.
        unit: "radians" or "degrees", of all angles; "" as the format has it.
        length: "m", "cm" or "mm"; "" as the format has it.
        quaternion: "wxyz" or "xyzw"; "" as the format has it.
        up: axis that points up, "z" or "y"; "" as the format has it.
        rate: samples a second; None as the format has it.
        ignore: columns to leave out.
        skeleton: file that says which joints of a person's skeleton are which parts of
            the body; "" for the skeletons that are known.
    """

    format: str = ""
    unit: str = ""
    length: str = ""
    quaternion: str = ""
    up: str = ""
    rate: float | None = None
    ignore: Sequence[str] = field(default_factory=tuple)
    skeleton: str | Path = ""


@dataclass(frozen=True)
class MotionFile:
    """What a file holds, in its own units and axes.

    Attributes:
        format: name of the format.
        layout: in words, such as "36 columns without names".
        t: (n,) time of each sample [s].
        timing: in words, such as "30 frames/s, as usual for the format".
        joints: the robot's names of the joints that it has.
        q: (n, joints) angles in the file's unit.
        place: (n, 3) of the base in the file's unit of length and axes, or None.
        turn: (n, 4) quaternions or (n, 3) roll, pitch and yaw of the base, or None.
        unit, length, quaternion, up: as `Conventions`, what the format says; "" where
            it says nothing.
        first_line: line of the first sample, for messages; None where there are none.
        notes: sentences on what was found.
        converted: whether its reader has done already what a user says, so that nothing
            of that is left to do.
    """

    format: str
    layout: str
    t: np.ndarray
    timing: str
    joints: tuple[str, ...]
    q: np.ndarray
    place: np.ndarray | None = None
    turn: np.ndarray | None = None
    unit: str = ""
    length: str = ""
    quaternion: str = ""
    up: str = ""
    first_line: int | None = None
    notes: tuple[str, ...] = ()
    converted: bool = False

    def at(self, path: object, row: int) -> str:
        """Where a sample is, for messages."""
        if self.first_line is None:
            return f"{path}: sample {row}"
        return f"{path}:{row + self.first_line}"
