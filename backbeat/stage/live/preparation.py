"""Preparation: a closed loop that is made in a thread while the show goes on."""

import threading

from backbeat.behaviors.kinematic.behavior import KINEMATIC
from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.sensing.sensors import SensorNoise
from backbeat.mpc.control.task_space_setup import robots_with_hand
from backbeat.mpc.disturbances.kinds.setting_event import SettingEvent
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.scenario.task_space_task import TaskSpaceTask
from backbeat.mpc.simulation.loop_processes import Replacements
from backbeat.stage.live.simulation import LiveSimulation

# Length of a show that ends with its user [s], and how often a controller in task space
# acts: as often as a machine of today keeps up with [s].
ENDLESS_SHOW = 3600.0
TASK_PERIODS = {"ur10": 0.002, "atlas": 0.004}


def live_scenario(behavior: Behavior) -> Scenario:
    """The scenario in which a behavior is simulated live.

    A plan takes effect a period after the state that it is made from, so that it can
    be made beside the simulation, should that be too slow and a core free. The run is
    the same to the last bit.
    """
    scenario = Scenario.of(behavior=behavior.name, robot=behavior.robot)
    return scenario.changed(planning_time=scenario.timing.plan_period)


def in_mode(scenario: Scenario, is_driven: bool) -> Scenario:
    """A live scenario of a robot that is driven, or that does what its behavior has.

    One that is driven stands, on sensors, until it is commanded to walk.
    """
    if is_driven == (scenario.control.drive is not None):
        return scenario
    if is_driven:
        return scenario.changed(drive=[], duration=ENDLESS_SHOW, state="estimated")
    return scenario.changed(drive=None, duration=0.0)


def live_task_space(robot: str) -> Scenario:
    """The scenario in which a hand is simulated live, without noise at first.

    Raises:
        BackbeatError: no robot that ships with a hand has that name.
    """
    with_hand = robots_with_hand()
    if robot not in with_hand:
        raise unknown_name("robot with a hand", robot, with_hand)
    period = TASK_PERIODS.get(robot, TimingSettings().time_step)
    return Scenario.of(
        robot=robot,
        task_space=TaskSpaceTask(),
        lead_in=0.0,
        lead_out=0.0,
        duration=ENDLESS_SHOW,
        tick_period=TimingSettings().time_step,
        state="sampled",
        noise=SensorNoise(position=0.0, velocity=0.0),
        sensing_delay=0.0,
        watch_forces=False,
        events=[SettingEvent(0.0, period=period)],
    ).check()


def check_simulated(behavior: Behavior, unverified: bool) -> None:
    """Refuses what may not be simulated.

    Args:
        behavior: what is to be tracked.
        unverified: whether it may have failed verification.

    Raises:
        BackbeatError: it has no forces, or it failed.
    """
    if behavior.kind == KINEMATIC:
        raise BackbeatError("a kinematic motion has no forces and is not simulated")
    if behavior.certificate.failures() and not unverified:
        raise BackbeatError(
            f"{behavior.name} failed verification; it is simulated when the show "
            "is started with --unverified"
        )


class Preparation:
    """A simulation to be; making one takes some seconds.

    Attributes:
        behavior: what it will track.
        simulation: what was made; None before, or if it could not be.
        error: why it could not be.
        progress: number of the step that is under way, of how many, and what it makes.
    """

    def __init__(
        self,
        behavior: Behavior,
        scenario: Scenario,
        instead: Replacements | None = None,
    ) -> None:
        """Begins at once; see `LiveSimulation`."""
        self._instead = instead
        self.behavior = behavior
        self.simulation: LiveSimulation | None = None
        self.error: Exception | None = None
        self.progress = 0, 1, ""
        self._scenario, self._is_wanted = scenario, True
        self._thread = threading.Thread(target=self._make, daemon=True)
        self._thread.start()

    @property
    def is_ready(self) -> bool:
        """Whether it has ended, well or not."""
        return not self._thread.is_alive()

    def result(self) -> LiveSimulation:
        """What was made, once it is ready.

        Raises:
            Exception: why it could not be; a `BackbeatError` if it was refused.
        """
        if self.simulation is None:
            raise self.error or RuntimeError("no simulation was prepared")
        return self.simulation

    def in_words(self) -> str:
        """What is being made."""
        step, steps, what = self.progress
        return f"preparing the simulation, {step} of {steps}: {what} …" if what else "…"

    def cancel(self) -> None:
        """Gives it up; what is made is closed when it is made."""
        self._is_wanted = False
        if self.simulation is not None:
            self.simulation.close()

    def _note(self, step: int, steps: int, what: str) -> None:
        self.progress = step, steps, what

    def _make(self) -> None:
        try:
            made = LiveSimulation(
                self.behavior, self._scenario, self._note, self._instead
            )
            self.simulation = made
            if not self._is_wanted:
                made.close()
        except Exception as error:
            # Raised again, or reported, where it is awaited.
            self.error = error
