"""Disturbance: base class of all that acts on a run and is no input of a controller."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np

from backbeat.models.robot.model import RobotModel
from backbeat.models.sensing.sensors import SensorReading
from backbeat.models.state.configuration import Configuration
from backbeat.mpc.disturbances.draws import Stream
from backbeat.mpc.disturbances.simulated_world import SimulatedLinks, SimulatedWorld


class LinkForce(NamedTuple):
    """A force on a link, the mean over a step.

    Attributes:
        link: name of the link.
        force: (3,) world axes [N].
        point: (3,) where it acts, in axes of the link from its origin [m].
    """

    link: str
    force: np.ndarray
    point: np.ndarray = np.zeros(3)


class Arrow(NamedTuple):
    """A mark on the stage: an arrow that ends at the origin of a link.

    Attributes:
        link: name of the link.
        impulse: (3,) what it is as long as, world axes [N s].
    """

    link: str
    impulse: np.ndarray


class Line(NamedTuple):
    """A mark on the stage: a line from the origin of a link to a place.

    Attributes:
        link: name of the link.
        place: (3,) in the world [m].
        is_taut: whether it is drawn thick.
    """

    link: str
    place: np.ndarray
    is_taut: bool = True


@dataclass(frozen=True)
class StepStart:
    """The beginning of a step of the simulation.

    Attributes:
        clock: time since the simulation began [s].
        start: when the behavior begins on this clock [s].
        step: length of the step [s]; 0 in continuous time.
        seed: of the run.
        read: gives the state of the robot.
    """

    clock: float
    start: float
    step: float
    seed: int = 0
    read: Callable[[], Configuration] = field(repr=False, default=NotImplemented)

    @property
    def time(self) -> float:
        """Time of the behavior [s]."""
        return self.clock - self.start

    @property
    def state(self) -> Configuration:
        """The robot at the beginning of the step, valid until the next."""
        return self.read()

    def place(self, link: str) -> np.ndarray:
        """(3,) origin of a link in the world [m]."""
        return self.state.place(self.state.robot.link_frame(link))

    def velocity(self, link: str) -> np.ndarray:
        """(3,) its velocity in the world [m/s]."""
        return self.state.velocity(self.state.robot.link_frame(link))[3:]

    def share(self, time: float, duration: float) -> float:
        """Share of the step in which something acts; in continuous time 1 or 0.

        Args:
            time: when it begins, in time of the behavior [s].
            duration: how long it acts [s].
        """
        begin = time + self.start
        end = begin + duration
        if self.step == 0:
            return float(begin <= self.clock < end)
        last = min(end, self.clock + self.step)
        share = (last - max(begin, self.clock)) / self.step
        return share if share > 1e-9 else 0.0


class DrawnFrom(Protocol):
    """What a sweep draws a disturbance from, with the keys that it has there."""

    def drawn(self, random: np.random.Generator) -> "Disturbance":
        """The disturbance of a run."""

    def latest_end(self) -> float | None:
        """The latest time at which it can be over [s]; None if there is none."""


@dataclass
class Disturbance:
    """A disturbance, whose fields are keys of a file; see `models.common.schema`.

    A class that inherits from it says what it is called, and states the effects that it
    has; all others are none.

    Attributes:
        name: what one is called, which is also its key in `base` of a sweep.
        list_key: key of a scenario with a list of them; "" where its fields are keys of
            `world`, which holds throughout the run.
        text: what that key says, for tables of keys.
        has_lines: whether its marks on the stage are lines.
        card: standard cases of robustness cards, each with settings of a sweep.
        stream: random numbers that it is drawn by; None for those of its name.
    """

    name: ClassVar[str]
    list_key: ClassVar[str] = ""
    text: ClassVar[str] = ""
    has_lines: ClassVar[bool] = False
    card: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    stream: ClassVar[Stream | None] = None

    def check(self) -> None:
        """Refuses values that do not go together.

        Raises:
            BackbeatError: they do not.
        """

    # --- sampling ---------------------------------------------------------------------

    @classmethod
    def sampling(cls) -> type[DrawnFrom]:
        """Schema of what a sweep has under the name of one, and draws it from."""
        return cls

    def drawn(self, random: np.random.Generator) -> "Disturbance":
        """See `DrawnFrom`."""
        return self

    # --- when and where it acts -------------------------------------------------------

    def placed(self, robot: RobotModel) -> Self:
        """The same with what follows from the robot, where it was left out."""
        return self

    def at(self, time: float) -> Self:
        """The same from a time of the behavior on [s], where it has a `time`."""
        there = any(item.name == "time" for item in fields(self))
        return replace(self, **({"time": time} if there else {}))

    def links(self) -> tuple[str, ...]:
        """Names of the links that it acts on, once it is placed."""
        return ()

    def span(self) -> tuple[float, float] | None:
        """When it begins and ends, in time of the behavior [s].

        It then has to begin within the run, and the robot is judged after its end if
        that is finite. None where it has no such time.
        """
        return None

    def latest_end(self) -> float | None:
        """When the robot has been left to recover [s]; None where it never is."""
        span = self.span()
        return span[1] if span and np.isfinite(span[1]) else None

    def told(self) -> dict[str, Any]:
        """What metrics say of it besides its beginning."""
        links = ", ".join(self.links())
        return {"kind": self.name, "body": links, "impulse_Ns": None}

    @classmethod
    def has_forces(cls) -> bool:
        """Whether it is one of those that have forces."""
        return cls.link_forces is not Disturbance.link_forces

    @classmethod
    def has_faults(cls) -> bool:
        """Whether it is one of those that change what is measured."""
        return cls.sensed is not Disturbance.sensed

    # --- effects ----------------------------------------------------------------------

    def link_forces(self, now: StepStart) -> Iterable[LinkForce]:
        """Forces on links over the step that begins now, in whichever engine."""
        return ()

    def change_world(self, world: SimulatedWorld) -> None:
        """Changes ground, drums and motors before a run, as keys of `world` do."""

    def change_links(self, links: SimulatedLinks) -> None:
        """Changes links and joints before a run, as keys of `world` do."""

    def delay_of_plans(self) -> float:
        """Time from when a plan is made until it takes effect [s], of keys of `world`.

        The controllers do not reckon with it.
        """
        return 0.0

    def sensed(
        self, time: float, reading: SensorReading, robot: RobotModel
    ) -> SensorReading:
        """What is measured in place of a reading at a time of the behavior [s]."""
        return reading

    def loses_plan(self, number: int, seed: int) -> bool:
        """Whether a plan gets lost, by its number, of keys of `world`."""
        return False

    def loses_tick(self, number: int, seed: int) -> bool:
        """Whether a tick gets lost, by its number from 0 on, of keys of `world`."""
        return False

    def why_fixed(self, settings: Collection[str]) -> str:
        """Why none of some settings can change in a run, in a sentence, or ""."""
        return ""

    # --- on the stage -----------------------------------------------------------------

    def marks(self, t: float, state: Configuration) -> Iterable[Arrow | Line]:
        """What the stage draws at time t of the behavior [s], the robot in a state."""
        return ()
