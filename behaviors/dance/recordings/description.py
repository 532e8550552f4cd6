"""RecordingDescription: what a choreography says of a recording."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from backbeat.behaviors.footsteps.step import FEET
from backbeat.behaviors.recording.flights.lowering import LOWER
from backbeat.behaviors.takes.take import Conventions
from backbeat.models.common.errors import BackbeatError, unknown_name

STAY = "stay"


@dataclass
class RecordingDescription:
    """A recording in a choreography."""

    # Motion file of any format, from the folder of the choreography.
    file: str = ""
    # radians or degrees; as the format has it, or as the ranges of joints show.
    unit: str = ""
    # Name of its format; found in the file if it is left out.
    format: str = ""
    # m, cm or mm; wxyz or xyzw; z or y: as the format has them.
    length: str = ""
    quaternion: str = ""
    up: str = ""
    # Samples a second, where the file has no times.
    rate: float | None = None
    # File that says which joints of a person's skeleton are which parts of the body,
    # from the folder of the choreography; the skeletons that are known need none.
    skeleton: str = ""
    # Joints or groups to take; all that the file has if it is left out.
    joints: list[str] = field(default_factory=list)
    # Columns that are no joints.
    ignore: list[str] = field(default_factory=list)
    # The part of the file to take [s]; all of it if they are left out.
    start: float | None = None
    end: float | None = None
    # Beats to stretch it to; its own time if it is left out.
    beats: float | None = None
    # Beats to get from the dance's posture to its first sample, and back from the last.
    lead: float = 1.0
    # "stay" if both feet stand all the time; else when each foot stands, in seconds of
    # the file; found in the recording if both are left out.
    feet: str = ""
    # Whether feet land on their heels and leave over their toes where they do so in the
    # file; false keeps them flat.
    roll: bool = True
    # "lower" if jumps that the robot cannot make become lower; else they are refused.
    jumps: str = ""
    # Factors on how near hands, feet and trunk stay to it, by part.
    weights: dict[str, float] = field(default_factory=dict)
    planted: dict[str, list[list[float]]] = field(default_factory=dict)

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
