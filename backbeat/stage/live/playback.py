"""Playback: how a live show begins, and when it ends."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from backbeat.mpc.control.user_code import UserCode
from backbeat.mpc.scenario.specification import Scenario
from backbeat.stage.web.savings import AUTOMATIC


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
        chooses: whether pages begin with the choice of a behavior, at rest.
        detail: how it is chosen what is saved where a machine is too slow, see
            `savings.DETAILS`.
        out: where runs are saved.
        engine: in which it is simulated, until a page chooses otherwise.
        controller: takes the place of our controllers in what is simulated; None for
            ours.
        weights: of the controllers in what is simulated, by section and key, where not
            as they ship.
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
    controller: UserCode | None = None
    weights: Mapping[str, Any] = field(default_factory=dict)

    def simulated_by(
        self, engine: str, controller: UserCode | None, weights: Mapping[str, Any]
    ) -> Self:
        """The same in an engine, with a controller or weights of the user's own."""
        return replace(self, engine=engine, controller=controller, weights=weights)

    def applied(self, scenario: Scenario) -> Scenario:
        """A scenario in this engine and with these weights."""
        return scenario.changed(engine=self.engine).with_weights(self.weights)
