"""Push: a force on a body for a while."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from backbeat.models.common.bounds import LONGEST_SIMULATED
from backbeat.models.common.errors import BackbeatError, shown
from backbeat.models.common.schema import key
from backbeat.models.robot.model import RobotModel
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.disturbances.disturbance import (
    Arrow,
    Disturbance,
    DrawnFrom,
    LinkForce,
    StepStart,
)
from backbeat.mpc.disturbances.draws import Stream, either_way

# What nothing that pushes a robot exceeds: impulse [N s] and mean force [N]. Beyond,
# numbers leave all bounds before anybody can fall.
MOST_IMPULSE, MOST_FORCE = 1e4, 1e6
# A push is over in a tenth of a second; its arrow stays [s].
SHOWN = 0.5


@dataclass
class Push(Disturbance):
    """A force on a body for a while."""

    name: ClassVar[str] = "push"
    card: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "a push of 40 N s": {"push": {"impulse": 40.0, "direction_spread_deg": 180.0}}
    }
    list_key: ClassVar[str] = "pushes"
    text: ClassVar[str] = "Forces on a body for a limited time, see below."
    stream: ClassVar[Stream] = Stream.PUSH

    time: float = key(0.0, "s")
    """Start, in time of the behavior [s], before the run ends."""
    duration: float = key(0.1, "s", gt=0, le=LONGEST_SIMULATED)
    """Length of the push."""
    impulse: list[float] = key([0.0, 0.0, 0.0], "N s", length=3)
    """Impulse [N s] along the world's axes: forward, left and up of a robot that has
    not turned. 60 N s are 600 N for 0.1 s; at most 10 000 N s."""
    body: str = key("")
    """Link that is pushed, at its frame's origin; the robot's base if it is left
    out."""

    def check(self) -> None:
        """Raises a BackbeatError when it is beyond all that pushes a robot."""
        size = float(np.linalg.norm(self.impulse))
        if size > MOST_IMPULSE or size > MOST_FORCE * self.duration:
            raise BackbeatError(
                f"scenario: a push of {size:g} N s in {self.duration:g} s is beyond "
                f"all that pushes a robot; it must be at most {MOST_IMPULSE:g} N s, "
                f"and {MOST_FORCE:g} N"
            )

    @classmethod
    def sampling(cls) -> type[DrawnFrom]:
        """By size and direction."""
        return PolarPush

    def placed(self, robot: RobotModel) -> Self:
        """The same with the robot's base where no link is named."""
        return replace(self, body=self.body or robot.base_name)

    def links(self) -> tuple[str, ...]:
        """The link that is pushed."""
        return (self.body,)

    def span(self) -> tuple[float, float]:
        """From its start to its end [s]."""
        return self.time, self.time + self.duration

    def told(self) -> dict[str, Any]:
        """Impulse [N s] and link."""
        return {"impulse_Ns": list(self.impulse), "body": self.body}

    def link_forces(self, now: StepStart) -> Iterable[LinkForce]:
        """Its mean over the step: it gives its impulse wherever its ends fall."""
        if share := now.share(self.time, self.duration):
            force = np.array(self.impulse, float) / self.duration
            yield LinkForce(self.body, share * force)

    def marks(self, t: float, state: Configuration) -> Iterable[Arrow]:
        """An arrow as long as the impulse is great."""
        if 0.0 <= t - self.time < max(self.duration, SHOWN):
            yield Arrow(self.body, np.array(self.impulse, float))


@dataclass
class PolarPush:
    """A push by size and direction."""

    time: float = key(1.0, "s")
    """Start, in time of the behavior."""
    time_spread: float = key(0.0, "s", ge=0, le=LONGEST_SIMULATED)
    """Largest shift of the start by the seed, to either side."""
    duration: float = key(0.1, "s", gt=0, le=LONGEST_SIMULATED)
    """Length of the push."""
    impulse: float = key(0.0, "N s")
    """Size of the impulse."""
    direction_deg: float = key(0.0, "deg")
    """Horizontal direction [deg]: 0 is forward, 90 to the left."""
    direction_spread_deg: float = key(0.0, "deg", ge=0, le=360.0)
    """Largest rotation of the direction by the seed, to either side [deg]; 180 makes it
    any direction."""
    body: str = key("")
    """Link that is pushed; the robot's base if it is left out."""

    def drawn(self, random: np.random.Generator) -> Push:
        """The push of a run, in world axes."""
        shift = either_way(random, self.time_spread)
        turn = either_way(random, self.direction_spread_deg)
        angle = np.radians(self.direction_deg + turn)
        # Without the dust of trigonometry, so that a direction of 90 is sideways.
        x, y = np.round(self.impulse * np.array([np.cos(angle), np.sin(angle)]), 9)
        impulse = [float(x) + 0.0, float(y) + 0.0, 0.0]
        return Push(self.time + shift, self.duration, impulse, self.body)

    def latest_end(self) -> float:
        """When it is over if it comes as late as it can [s]."""
        return self.time + self.time_spread + self.duration


def read_push(text: str) -> Push:
    """Reads a push of the base from "time,x,y,z" [s, N s].

    Raises:
        BackbeatError: not four numbers.
    """
    try:
        time, *impulse = (float(x) for x in text.split(","))
    except ValueError:
        time, impulse = 0.0, []
    if len(impulse) != 3:
        raise BackbeatError(
            "a push is TIME,X,Y,Z in s and N s, for instance 2.0,60,0,0; not "
            f"{shown(text)}"
        )
    return Push(time=time, impulse=impulse)
