"""Scenario: the settings of one closed-loop run, as typed YAML."""

from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from backbeat.behaviors.library.behavior import check_beat_priority
from backbeat.behaviors.library.store import check_name
from backbeat.models.actuation.motors import (
    HYDRAULIC_FRICTION,
    HYDRAULIC_LAG,
    HYDRAULIC_RISE,
)
from backbeat.models.actuation.servo_margin import Sampling
from backbeat.models.common.bounds import LONGEST_SIMULATED, SEED
from backbeat.models.common.errors import BackbeatError, shown, unknown_name
from backbeat.models.common.outside_file import read_text
from backbeat.models.common.yaml_file import parse_yaml, read_tree
from backbeat.models.contact.friction import SIMULATED_FRICTION
from backbeat.models.sensing.sensors import SensorNoise
from backbeat.models.world.scene import CONTACT_MODELS, CONTINUOUS, FEET
from backbeat.mpc.scenario.compliant_period import CompliantPeriod
from backbeat.mpc.scenario.model_mismatch import ModelMismatch
from backbeat.mpc.scenario.setting_event import RANGES, SettingEvent, tick_number
from backbeat.mpc.scenario.upper_body_task import UpperBodyTask
from backbeat.mpc.whole_body.programs.task_preset import preset_names
from backbeat.mpc.whole_body.timing import TickTiming

STATES = ("true", "estimated")
PLANNERS = ("inside", "process")
ACTUATORS = ("ideal", "hydraulic")
# Shortest and longest of what happens over and over [s]: more often, a second takes
# hours; more rarely, nothing is controlled.
PERIODS = {
    "time_step": (1e-5, 0.005),
    "tick_period": (1e-4, 0.1),
    "plan_period": (2e-4, 1.0),
}
# What nothing that pushes a robot exceeds: impulse [N s] and mean force [N]. Beyond,
# numbers leave all bounds before a fall is detected.
MOST_IMPULSE, MOST_FORCE = 1e4, 1e6


@dataclass
class Push:
    """A force on a body for a while."""

    # Start, in time of the behavior [s].
    time: float = 0.0
    # Length of the push [s].
    duration: float = 0.1
    # Impulse in world axes [N s].
    impulse: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    # Link that is pushed, at its frame's origin; "" for the robot's base.
    body: str = ""

    def check(self) -> None:
        """Raises a BackbeatError when its values make no sense."""
        if len(self.impulse) != 3 or not np.isfinite(self.impulse).all():
            raise BackbeatError("scenario: a push needs an impulse x, y, z in N s")
        if not (np.isfinite(self.time) and 0 < self.duration < np.inf):
            raise BackbeatError("scenario: a push needs a time and a duration > 0 s")
        size = float(np.linalg.norm(self.impulse))
        if size > MOST_IMPULSE or size > MOST_FORCE * self.duration:
            raise BackbeatError(
                f"scenario: a push of {size:g} N s in {self.duration:g} s is beyond "
                f"all that pushes a robot; it must be at most {MOST_IMPULSE:g} N s, "
                f"and {MOST_FORCE:g} N"
            )


@dataclass
class Scenario:
    """One closed-loop run. Every field has a default; YAML only overrides."""

    # Behavior in the library.
    behavior: str = ""
    # Time before the behavior starts, in which the robot settles [s].
    lead_in: float = 0.5
    # Time simulated after the behavior ends [s].
    lead_out: float = 0.5
    # Stop earlier, at this time of the behavior [s]; 0 plays it all.
    duration: float = 0.0
    # Plant step [s].
    time_step: float = 0.001
    # Drake's discrete contact approximation: lagged, sap or similar; or continuous,
    # where the plant has no steps and `time_step` is that of sensors and motors.
    contact_model: str = "lagged"
    # What soles touch the ground with: point (at the corners) or hydroelastic.
    feet: str = "point"
    # Friction coefficient between soles and ground.
    friction: float = SIMULATED_FRICTION
    pushes: list[Push] = field(default_factory=list)
    # Settings that change in the run.
    events: list[SettingEvent] = field(default_factory=list)
    # Joints that are soft springs for a while.
    compliant: list[CompliantPeriod] = field(default_factory=list)
    # Time between plans and between whole-body ticks [s].
    plan_period: float = 0.02
    tick_period: float = 0.002
    # How much later than its state a plan takes effect [s]; known to the controller.
    planning_time: float = 0.0
    # Where plans are made: inside, or in a second process, which takes a planning time.
    planner: str = "inside"
    # Tasks of the whole-body controller by name, see `mpc/whole_body/presets`; the
    # usual ones if there is none.
    preset: str = ""
    # A hand that follows a target by task space while legs do as the behavior says.
    upper_body: UpperBodyTask = field(default_factory=UpperBodyTask)
    # What the controllers read: the true state, or one estimated from sensors.
    state: str | bool = "true"
    # Errors of the sensors, and how late their samples come [s].
    noise: SensorNoise = field(default_factory=SensorNoise)
    sensing_delay: float = 0.002
    # Motors: ideal, or hydraulic, which sets those of the three below that are zero.
    actuators: str = "ideal"
    # Time constant of the motors [s].
    actuator_lag: float = 0.0
    # Least time in which motors go from nothing to full effort [s].
    actuator_rise: float = 0.0
    # Coulomb friction of the joints, as a share of their effort limits.
    joint_friction: float = 0.0
    # Whether the safety controllers of the robot's URDF bound the efforts of joints.
    safety_law: bool = False
    # How much the beat counts against balance, 0 to 1; the behavior's own if not given.
    beat_priority: float | None = None
    # What the plan may change: the tempo, contact forces, the body's lean and turn,
    # and where feet land (with steps that the behavior does not make).
    timing: bool = True
    forces: bool = True
    posture: bool = True
    steps: bool = True
    # Whether to detect forces that are not in the model.
    watch_forces: bool = True
    # Whether run files have gravity torques and joint-space inertia as columns.
    log_dynamics: bool = False
    # How the world differs from the controllers' model.
    world: ModelMismatch = field(default_factory=ModelMismatch)
    # Seed of everything random.
    seed: int = 0

    @property
    def sensor_period(self) -> float:
        """Time between samples of the sensors [s]: 1 ms, in whole plant steps."""
        return self.time_step * max(1, round(1e-3 / self.time_step))

    @property
    def latency(self) -> float:
        """From a motion to the motors' answer [s]."""
        sensing = self.sensing_delay if self.state == "estimated" else 0.0
        return sensing + self.actuator_lag

    @property
    def tick_timing(self) -> TickTiming:
        """When whole-body ticks are due, and when their commands act."""
        return TickTiming(
            self.tick_period, self.latency, self.actuator_lag, self.time_step
        )

    @property
    def sampling(self) -> Sampling:
        """When the servos of the joints see something, and when they act."""
        sensing = self.sensing_delay if self.state == "estimated" else 0.0
        late = round(sensing / self.time_step)
        return Sampling(self.time_step, late, self.actuator_lag)

    def to_dict(self) -> dict[str, object]:
        """Plain data for a file."""
        events = [event.to_dict() for event in self.events]
        return asdict(self) | {"events": events}

    def sorted_events(self) -> list[SettingEvent]:
        """The events in order of time."""
        return sorted(self.events, key=lambda event: event.time)

    def check(self) -> "Scenario":
        """Returns the scenario when its values make sense.

        Raises:
            BackbeatError: they do not.
        """
        check_name(self.behavior)
        if self.contact_model not in CONTACT_MODELS:
            raise unknown_name("contact model", self.contact_model, CONTACT_MODELS)
        if self.feet not in FEET:
            raise unknown_name("kind of feet", self.feet, FEET)
        least, most = RANGES["friction"]
        if not least <= self.friction <= most:
            raise BackbeatError(
                f"scenario: friction is {self.friction}; it must be from {least} to "
                f"{most:g}"
            )
        self._check_times()
        self._check_hardware()
        self._check_steps()
        self._check_planner()
        if self.preset and self.preset not in preset_names():
            raise unknown_name("preset of tasks", self.preset, preset_names())
        self.upper_body.check()
        if self.upper_body.hand and self.preset:
            raise BackbeatError(
                "scenario: a preset of tasks has the whole body, and upper_body takes "
                "half of it; leave one of them out"
            )
        if not 0 <= self.seed <= SEED:
            raise BackbeatError(
                f"scenario: seed is {self.seed}; it must be from 0 to {SEED}"
            )
        self.world.check()
        if self.beat_priority is not None:
            check_beat_priority("scenario", self.beat_priority)
        for push in self.pushes:
            push.check()
        for period in self.compliant:
            period.check()
        for event in self.events:
            event.check()
            tick_number(event.time, self.lead_in, self.tick_period)
        return self

    def _check_times(self) -> None:
        """Checks what lasts, and what happens over and over."""
        for name in ("lead_in", "lead_out", "duration"):
            value = getattr(self, name)
            if not 0 <= value <= LONGEST_SIMULATED:
                raise BackbeatError(
                    f"scenario: {name} is {value}; it must be from 0 to "
                    f"{LONGEST_SIMULATED:g} s"
                )
        for name, (least, most) in PERIODS.items():
            if not least <= getattr(self, name) <= most:
                raise BackbeatError(
                    f"scenario: {name} is {getattr(self, name)}; it must be from "
                    f"{least:g} to {most:g} s"
                )

    def _check_steps(self) -> None:
        """Checks that plans and ticks come at steps of the plant."""
        for name in ("plan_period", "tick_period"):
            steps = getattr(self, name) / self.time_step
            if steps < 1 - 1e-9 or abs(steps - round(steps)) > 1e-6:
                raise BackbeatError(
                    f"scenario: {name} must be a multiple of time_step "
                    f"({self.time_step} s)"
                )

    def _check_planner(self) -> None:
        """Checks where and how long plans are made."""
        if self.planner not in PLANNERS:
            raise unknown_name("planner", self.planner, PLANNERS)
        if not 0 <= self.planning_time <= self.plan_period:
            raise BackbeatError(
                f"scenario: planning_time is {self.planning_time}; it must be from 0 "
                f"to plan_period ({self.plan_period} s)"
            )
        if self.planner == "process" and self.planning_time == 0:
            raise BackbeatError(
                "scenario: a planner in a process needs a planning_time, for instance "
                f"the plan_period ({self.plan_period} s)"
            )

    def _check_hardware(self) -> None:
        """Checks sensors and motors."""
        # A bare `true` in YAML is a truth value, and arrives as "True".
        self.state = str(self.state).lower()
        if self.state not in STATES:
            raise unknown_name("state", self.state, STATES)
        if self.actuators not in ACTUATORS:
            raise unknown_name("kind of actuators", self.actuators, ACTUATORS)
        if self.actuators == "hydraulic":
            self.actuator_lag = self.actuator_lag or HYDRAULIC_LAG
            self.actuator_rise = self.actuator_rise or HYDRAULIC_RISE
            self.joint_friction = self.joint_friction or HYDRAULIC_FRICTION
        amounts = asdict(self.noise)
        for name in (
            "sensing_delay",
            "actuator_lag",
            "actuator_rise",
            "joint_friction",
        ):
            amounts[name] = getattr(self, name)
        for name, value in amounts.items():
            if not (np.isfinite(value) and value >= 0):
                raise BackbeatError(f"scenario: {name} is {value}; it must be >= 0")
        if self.joint_friction >= 1:
            raise BackbeatError("scenario: joint_friction must be a share below 1")
        if self.contact_model == CONTINUOUS:
            self._check_continuous()
        samples = self.sensing_delay / self.sensor_period
        if self.state != "true" and abs(samples - round(samples)) > 1e-6:
            raise BackbeatError(
                f"scenario: sensing_delay must be a multiple of the sensors' period "
                f"({self.sensor_period} s)"
            )

    def _check_continuous(self) -> None:
        """Checks sensors and motors of a plant without steps."""
        if self.joint_friction > 0:
            raise BackbeatError(
                "scenario: joint_friction is simulated in steps; in continuous time "
                "it must be 0"
            )
        if self.state == "estimated" and self.sensing_delay == 0:
            raise BackbeatError(
                "scenario: in continuous time what is sensed must come late; give a "
                f"sensing_delay of {self.sensor_period} s or more"
            )


def load_scenario(path: str | Path) -> Scenario:
    """Reads and checks a scenario file.

    Raises:
        BackbeatError: unreadable, unknown keys, or values that make no sense.
    """
    text = read_text(Path(path))
    kind = read_tree(text, str(path)).get("kind")
    if kind is not None:
        raise BackbeatError(
            f"{path} is of kind {shown(kind)}, which says what to perform; a scenario "
            "says how to simulate: build this file, and track what it makes"
        )
    return parse_yaml(Scenario, text, str(path)).check()


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
