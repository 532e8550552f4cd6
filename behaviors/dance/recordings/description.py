"""RecordingDescription: what a choreography says of a recording."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from backbeat.behaviors.footsteps.step import FEET
from backbeat.behaviors.recording.flights.lowering import LOWER
from backbeat.behaviors.takes.take import Conventions
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.schema import key

STAY = "stay"


@dataclass
class RecordingDescription:
    """A recording in a choreography."""

    file: str = key("")
    """Motion file of any format, from the folder of the choreography."""
    unit: str = key("")
    """`radians` or `degrees`; as the format has it, or as the ranges of joints show."""
    format: str = key("")
    """Name of its format; found in the file if it is left out."""
    length: str = key("")
    """`m`, `cm` or `mm`; as the format has it, or as the height of the base shows."""
    quaternion: str = key("")
    """`wxyz` or `xyzw`; as the format has it, or as the feet stand."""
    up: str = key("")
    """Axis that points up, `z` or `y`; as the format has it, or as the height of the
    base shows."""
    rate: float | None = key(None)
    """Samples a second, where the file has no times."""
    skeleton: str = key("")
    """File that says which joints of a person's skeleton are which parts of the body,
    from the folder of the choreography; the skeletons that are known need none."""
    joints: list[str] = key(list)
    """Joints or groups to take; all joints of the file if it is left out."""
    ignore: list[str] = key(list)
    """Columns that are no joints."""
    start: float | None = key(None, "s")
    """Start of the part of the file to take [s]; the start of the file if it is left
    out."""
    end: float | None = key(None, "s")
    """End of that part [s]; the end of the file if it is left out."""
    beats: float | None = key(None)
    """Beats to stretch it to; its own duration if it is left out."""
    lead: float = key(1.0)
    """Beats from the dance's posture to its first sample, and back from the last."""
    feet: str = key("")
    """`stay` if both feet stand all the time."""
    roll: bool = key(True)
    """Whether feet land on their heels and leave over their toes where they do so in
    the recording; `false` keeps them flat."""
    jumps: str = key("")
    """`lower` if jumps that the robot cannot make become lower; refused without it."""
    weights: dict[str, float] = key(dict)
    """Factors on how near `hands`, `feet` and `trunk` stay to the recording, 0.01 to
    100."""
    planted: dict[str, list[list[float]]] = key(dict)
    """The times at which each foot stands, in seconds of the file; found in the
    recording if this and `feet` are left out."""

    def conventions(self) -> Conventions:
        """What is said about the file."""
        return Conventions(
            self.format,
            self.unit,
            self.length,
            self.quaternion,
            self.up,
            self.rate,
            tuple(self.ignore),
            self.skeleton,
        )

    def check_jumps(self, where: str) -> None:
        """Raises a BackbeatError where jumps are to be what there is not."""
        if self.jumps not in ("", LOWER):
            raise BackbeatError(
                f"{where}: jumps is '{LOWER}', not {self.jumps!r}; without it, one "
                "that the robot cannot make is refused"
            )

    def times(self, where: str) -> Mapping[str, list[tuple[float, float]]] | None:
        """When each foot stands, as declared; None if it is to be found.

        Raises:
            BackbeatError: no such foot, or what is no time.
        """
        if self.feet not in ("", STAY):
            raise BackbeatError(
                f"{where}: feet is '{STAY}', not {self.feet!r}; 'planted' says when "
                "each foot stands"
            )
        if self.feet and self.planted:
            raise BackbeatError(f"{where}: say 'feet' or 'planted', not both")
        if not self.feet and not self.planted:
            return None
        found = {}
        for foot in self.planted:
            if foot not in FEET:
                raise unknown_name(f"foot in {where}", foot, FEET)
        for foot in FEET:
            rows = self.planted.get(foot, [[-np.inf, np.inf]])
            ends = [x for row in rows for x in row]
            if not all(len(row) == 2 for row in rows) or ends != sorted(set(ends)):
                raise BackbeatError(
                    f"{where}: the {foot} foot stands from times to times in order, "
                    "such as [[0, 2.1], [2.6, 4]]"
                )
            found[foot] = [(float(a), float(b)) for a, b in rows]
        return found
