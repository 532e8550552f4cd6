"""Playback: how a live show begins, and when it ends."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from backbeat.behaviors.library.behavior import Behavior
from backbeat.mpc.control.outside import ConnectControllers
from backbeat.mpc.control.user_code import UserCode
from backbeat.mpc.scenario.specification import TASK_SPACE, Scenario
from backbeat.mpc.simulation.loop_processes import Replacements
from backbeat.mpc.weights.controller_weights import ControllerWeights
from backbeat.optimization.terms.user_file import UserFile
from backbeat.stage.live.preparation import in_mode, live_scenario, live_task_space
from backbeat.stage.web.savings import AUTOMATIC, FULL


@dataclass(frozen=True)
class Playback:
    """What is asked for when a live show is started.

    Attributes:
        speed: behavior seconds a second of the clock.
        loop: whether to begin again at the end.
        wait: whether to wait for a browser before, and for Ctrl-C after.
        port: where the page is served; None for any free port.
        is_simulated: whether it begins in closed loop.
        unverified: whether to simulate what failed verification.
        chooses: whether pages begin with a shelf, beside what is played in a loop.
        detail: how it is chosen what is saved where a machine is too slow, see
            `savings.DETAILS`.
        out: where runs are saved.
        engine: in which it is simulated, until a page chooses otherwise.
        is_driven: whether it begins as a robot that is commanded to walk.
        controller: takes the place of our controllers in what is simulated; None for
            ours.
        scenario: in which what it begins with is simulated; None for the usual one.
        remote: connects to controllers that are elsewhere; None for inside.
        weights: of the controllers in what is simulated, by section and key, where not
            as they ship.
        terms: of the user's own, which our controllers have besides; None for none.
    """

    speed: float = 1.0
    loop: bool = False
    wait: bool = True
    port: int | None = None
    is_simulated: bool = False
    unverified: bool = False
    chooses: bool = False
    detail: str = AUTOMATIC
    out: Path = Path("out")
    engine: str = "drake"
    is_driven: bool = False
    controller: UserCode | None = None
    scenario: Scenario | None = None
    remote: ConnectControllers | None = None
    weights: Mapping[str, Any] = field(default_factory=dict)
    terms: UserFile | None = None

    @classmethod
    def of_hand(cls, robot: str, **rest: Any) -> Self:
        """A hand of a robot in task space, simulated in all detail.

        Args:
            robot: name of a robot that ships with a hand.
            rest: other attributes.

        Raises:
            BackbeatError: there is no such robot.
        """
        own = live_task_space(robot)
        return cls(is_simulated=True, detail=FULL, scenario=own, **rest)

    @property
    def loops(self) -> bool:
        """Whether it begins again at the end."""
        return self.loop or self.chooses

    @property
    def instead(self) -> Replacements:
        """What takes the place of parts of a loop."""
        base = ControllerWeights.with_terms(self.terms)
        return Replacements(None, self.controller, self.remote, base)

    def begun(self, behavior: Behavior) -> Scenario:
        """The scenario with which a behavior is first simulated."""
        own = self.scenario
        if own is None or own.behavior != behavior.name:
            own = live_scenario(behavior)
        return self.applied(in_mode(own, True) if self.is_driven else own)

    def chosen(self, behavior: Behavior, before: Scenario) -> Scenario:
        """The scenario of another behavior than one before, as pages have changed it.

        A hand in task space has another one than behaviors of the library.
        """
        if TASK_SPACE in (behavior.name, before.behavior):
            return self.begun(behavior)
        return before.changed(behavior=behavior.name, robot=behavior.robot)

    def applied(self, scenario: Scenario) -> Scenario:
        """A scenario in this engine and with these weights."""
        return scenario.changed(engine=self.engine).with_weights(self.weights)
