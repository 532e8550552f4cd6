"""Trial: what is authored, simulated in closed loop from the page that edits it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from backbeat.behaviors.building.build import build
from backbeat.behaviors.library.behavior import Behavior, Progress
from backbeat.behaviors.library.store import Library
from backbeat.behaviors.specification.kinds import Variant
from backbeat.models.common.errors import BackbeatError
from backbeat.models.robot.description import SHIPPED
from backbeat.mpc.engines.choosing import check_engine
from backbeat.mpc.scenario.parts.world import SHIPPED_ENGINES
from backbeat.stage.frames.frame import StageFrame
from backbeat.stage.live.catching_up import CatchingUp
from backbeat.stage.live.history import SimulationHistory
from backbeat.stage.live.preparation import (
    Preparation,
    check_simulated,
    live_scenario,
)
from backbeat.stage.live.transport import Transport
from backbeat.stage.live.user_input import UserInput
from backbeat.stage.sources.run_errors import run_errors
from backbeat.stage.web.commands import Reader, nothing, one_of, switch
from backbeat.stage.web.panel import push

# Builds the motion of another robot.
OtherBuild = Callable[[Progress], Behavior]
# Steps that such a build is told in.
STEPS = 20


def asked(value: Any) -> tuple[str, str]:
    """Reads {"engine": ENGINE, "robot": ROBOT or ""}."""
    if not isinstance(value, dict) or set(value) != {"engine", "robot"}:
        raise BackbeatError("an object with engine and robot")
    engine = one_of(SHIPPED_ENGINES)(value["engine"])
    return engine, one_of(("", *SHIPPED))(value["robot"])


# What pages may do with a verified motion; "rest" goes back to it, and "film" begins or
# cancels a film.
TRYING: dict[str, Reader] = {
    "simulate": asked,
    "push": push,
    "rest": nothing,
    "share": nothing,
    "film": switch,
}


class TrialRun:
    """A simulation in the making or under way, and the errors of the last one.

    Attributes:
        source: what is simulated; None before it is made.
        errors: see `run_errors`; None before the first end.
    """

    def __init__(self) -> None:
        """Begins with nothing."""
        self.source: SimulationHistory | None = None
        self.errors: dict[str, Any] | None = None
        self._making: Preparation | None = None
        self._hands: UserInput | None = None
        self._catching_up = CatchingUp()

    @property
    def is_on(self) -> bool:
        """Whether one is being made, or under way, or has ended and is still seen."""
        return self._making is not None or self.source is not None

    @property
    def words(self) -> str:
        """What it does; "" for nothing."""
        if self._making is not None:
            return self._making.in_words()
        if self.source is None:
            return ""
        return "simulated" if self.source.live.is_over else "simulating"

    def begin(
        self,
        behavior: Behavior,
        engine: str,
        other: OtherBuild | None,
    ) -> None:
        """Begins to make a simulation.

        Args:
            behavior: the verified motion.
            engine: what moves the robot.
            other: builds the motion of another robot, in a thread; None for this one.

        Raises:
            BackbeatError: it cannot be simulated, or there is no such engine here.
        """
        check_engine(engine)
        self.end()
        if other is not None:
            self._making = _OtherRobot(behavior, engine, other)
            return
        check_simulated(behavior, False)
        self._making = Preparation(
            behavior, live_scenario(behavior).changed(engine=engine)
        )

    def made(self) -> SimulationHistory | None:
        """The simulation, once, when it is made.

        Raises:
            BackbeatError: it could not be made.
        """
        if self._making is None or not self._making.is_ready:
            return None
        made, self._making = self._making, None
        self.source = SimulationHistory(made.result())
        self._hands = UserInput(self.source.live)
        self._catching_up.forget()
        return self.source

    def push(self, body: str, impulse: list[float]) -> None:
        """Pushes the robot [N s].

        Raises:
            BackbeatError: nothing is simulated, or it is over; no such link.
        """
        if self._hands is None:
            raise BackbeatError("nothing is simulated yet: choose simulate first")
        self._hands.push(body, impulse)

    def go_on(
        self,
        transport: Transport,
        elapsed: float,
        note: Callable[[StageFrame], None] | None,
    ) -> bool:
        """Simulates what a frame has time for; whether it has come to its end just now.

        Args:
            transport: where the clock is.
            elapsed: since the last frame [s].
            note: called with frames on the way.

        Raises:
            BackbeatError: the process that plans has ended.
        """
        source = self.source
        assert source is not None
        was_over = source.live.is_over
        if not self._catching_up.begins_again(transport, elapsed):
            self._catching_up.go_on(source, transport, note)
        if was_over or not source.live.is_over:
            return False
        self.errors = run_errors(source.live.run_so_far())
        return True

    def end(self) -> None:
        """Lets go of the simulation; its errors stay."""
        if self._making is not None:
            self._making.cancel()
        if self.source is not None:
            self.source.live.close()
        self._making = self.source = self._hands = None


class _OtherRobot(Preparation):
    """A simulation of a motion that is first built for another robot."""

    def __init__(self, behavior: Behavior, engine: str, other: OtherBuild) -> None:
        self._engine, self._other = engine, other
        super().__init__(behavior, live_scenario(behavior))

    def _make(self) -> None:
        try:
            self.behavior = self._other(
                lambda share, what: self._note(round(STEPS * share), STEPS, what)
            )
            scenario = live_scenario(self.behavior)
            self._scenario = scenario.changed(engine=self._engine)
        except Exception as error:
            # As of what it extends.
            self.error = error
            return
        super()._make()


def for_robot(path: str | Path, robot: str, library: Library) -> OtherBuild:
    """What builds the motion of a file for another robot."""
    return lambda progress: build(
        path, library, progress=progress, variant=Variant(robot=robot)
    )


def offers() -> dict[str, Any]:
    """Engines and robots that pages may choose; "" is the robot of the file."""
    return {"engines": list(SHIPPED_ENGINES), "robots": ["", *SHIPPED]}
