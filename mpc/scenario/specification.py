"""Scenario: the settings of one closed-loop run, as typed YAML."""

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from backbeat.behaviors.library.robots import robot_beside
from backbeat.behaviors.library.stored import check_name
from backbeat.models.actuation.servo_margin import Sampling
from backbeat.models.common.bounds import SEED
from backbeat.models.common.errors import BackbeatError, located, shown, unknown_name
from backbeat.models.common.outside_file import read_text
from backbeat.models.common.schema import check_values, key
from backbeat.models.common.yaml_file import parse_yaml, read_tree
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.disturbances.kinds.setting_event import SettingEvent
from backbeat.mpc.disturbances.registry import Kind, registered
from backbeat.mpc.scenario.parts.actuation import ActuationSettings
from backbeat.mpc.scenario.parts.control import ControlOptions
from backbeat.mpc.scenario.parts.disturbances import (
    DisturbanceSettings,
    disturbance_settings,
)
from backbeat.mpc.scenario.parts.keys import FlatKeys, flat_keys
from backbeat.mpc.scenario.parts.monitoring import MonitoringSettings
from backbeat.mpc.scenario.parts.sensing import SensingSettings
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.scenario.parts.world import WorldSettings
from backbeat.mpc.scenario.task_space_task import current_form, is_earlier_form
from backbeat.mpc.whole_body.timing import TickTiming

# What a run in task space has in the place of a behavior's name.
TASK_SPACE = "task-space"


@dataclass(frozen=True)
class Scenario:
    """One closed-loop run. Everything has a default.

    It is a value, made of parts that modules take one by one. `Scenario.of` makes one
    from the keys that files have, which name each setting without its part; `changed`
    makes another one.
    """

    behavior: str = key("")
    """Behavior in the library; the file has to name it, unless the command does."""
    robot: str = key("")
    """Robot of the behavior: one that ships, or the path of a robot YAML, from the
    folder of the file; left out for Atlas or, where the library has none of Atlas, the
    only robot that has one."""
    timing: TimingSettings = key(TimingSettings)
    world: WorldSettings = key(WorldSettings)
    disturbances: DisturbanceSettings = key(disturbance_settings)
    control: ControlOptions = key(ControlOptions)
    sensing: SensingSettings = key(SensingSettings)
    actuation: ActuationSettings = key(ActuationSettings)
    monitoring: MonitoringSettings = key(MonitoringSettings)
    seed: int = key(0, ge=0, le=SEED)
    """Seed of all random numbers."""

    @classmethod
    def of(cls, behavior: str = "", **values: Any) -> "Scenario":
        """The usual scenario of a behavior, but for some values.

        Args:
            behavior: its name in the library.
            values: by key, as in a file.

        Raises:
            BackbeatError: there is no such key.
        """
        return cls(behavior).changed(**values)

    def changed(self, **values: Any) -> "Scenario":
        """The same scenario, but for some values.

        Args:
            values: by key, as in a file.

        Raises:
            BackbeatError: there is no such key.
        """
        keys = scenario_keys()
        for name in values:
            if name not in keys.places:
                raise unknown_name("key of a scenario", name, keys.places)
        return keys.replaced(self, values)

    def with_weights(self, told: Mapping[str, Any]) -> "Scenario":
        """The same with weights by section and key where it gives none."""
        return replace(self, control=self.control.with_weights(told))

    @property
    def active(self) -> list[Disturbance]:
        """All disturbances: those of its lists, and those of `world` that are any."""
        parts = [part for part in self.world.mismatch.parts if part != type(part)()]
        return [*self.disturbances.everything(), *parts]

    @property
    def latency(self) -> float:
        """From a motion to the motors' answer [s]."""
        return self.sensing.delay + self.actuation.actuator_lag

    @property
    def tick_timing(self) -> TickTiming:
        """When whole-body ticks are due, and when their commands act."""
        lag, timing = self.actuation.actuator_lag, self.timing
        return TickTiming(timing.tick_period, self.latency, lag, timing.time_step)

    @property
    def sampling(self) -> Sampling:
        """When the servos of the joints see something, and when they act."""
        step = self.timing.time_step
        late = round(self.sensing.delay / step)
        return Sampling(step, late, self.actuation.actuator_lag)

    def to_dict(self) -> dict[str, object]:
        """Plain data for a file, by key."""
        events = [event.to_dict() for event in self.disturbances.of(SettingEvent)]
        weights = self.control.given_weights()
        recovery = weights.pop("recovery", {})
        own = {"events": events, "weights": weights, "recovery": recovery}
        return asdict(self._flat()) | own

    def _flat(self) -> Any:
        """All values, by key, as a schema has them."""
        keys = scenario_keys()
        return keys.schema(**keys.values(self))

    def check(self) -> "Scenario":
        """The scenario, when its values make sense, with those that follow from others.

        Raises:
            BackbeatError: they do not.
        """
        if self.control.task_space is not None:
            return self._in_task_space()._checked()
        if not self.behavior:
            raise BackbeatError(
                "scenario: the key 'behavior' is missing; it names a behavior of the "
                "library",
                path=("behavior",),
            )
        return self._checked()

    def _in_task_space(self) -> "Scenario":
        """The same with the name that runs in task space have.

        Raises:
            BackbeatError: it names a behavior of the library.
        """
        if self.behavior not in ("", TASK_SPACE):
            raise BackbeatError(
                f"scenario: task_space performs no behavior such as {self.behavior!r}: "
                "leave one of them out, or move a hand above legs that walk by "
                "upper_body",
                path=("behavior",),
            )
        return replace(self, behavior=TASK_SPACE)

    def _checked(self) -> "Scenario":
        """The scenario, with what follows from other values, when they make sense."""
        check_name(self.behavior)
        check_values(self._flat(), "scenario")
        timing, is_continuous = self.timing, self.world.is_continuous
        actuation = self.actuation.completed()
        self.world.check(timing.time_step)
        timing.check()
        self.sensing.check(timing.sensor_period, is_continuous)
        actuation.check(is_continuous)
        self.control.check()
        self.disturbances.check(timing)
        faulty = [item.name for item in self.active if item.has_faults()]
        if faulty and not self.sensing.is_estimated:
            raise BackbeatError(
                f"scenario: a {faulty[0]} changes what the state is estimated from; "
                f"give state: estimated in place of {self.sensing.state}"
            )
        if self.control.drive is not None and timing.duration == 0:
            raise BackbeatError(
                "scenario: drive goes on for as long as the run; give it a duration"
            )
        if self.control.planner == "process" and timing.planning_time == 0:
            raise BackbeatError(
                "scenario: a planner in a process needs a planning_time, for instance "
                f"the plan_period ({timing.plan_period} s)"
            )
        return replace(self, actuation=actuation)


def scenario_keys() -> FlatKeys:
    """The keys of a scenario, with those of all disturbances that there are."""
    return _keys(registered())


@cache
def _keys(kinds: tuple[Kind, ...]) -> FlatKeys:
    return flat_keys(Scenario, "ScenarioFile")


def read_scenario(text: str, where: str) -> Scenario:
    """Reads a scenario from YAML text, unchecked; `where` names the source in errors.

    Raises:
        BackbeatError: no YAML, unknown keys, or values of the wrong kind.
    """
    tree = read_tree(text, where)
    if is_earlier_form(tree):
        text = yaml.safe_dump(current_form(tree))
        logging.getLogger(__name__).warning(
            "%s: scenarios in task space of earlier versions are read for one more "
            "version; their keys are now those of task_space "
            "(docs/explanation/task_space.md)",
            where,
        )
    return Scenario().changed(**vars(parse_yaml(scenario_keys().schema, text, where)))


def load_scenario(path: str | Path) -> Scenario:
    """Reads and checks a scenario file.

    Raises:
        BackbeatError: unreadable, unknown keys, or values that make no sense.
    """
    with located(file=path):
        return open_scenario(path).check()


def open_scenario(path: str | Path) -> Scenario:
    """Reads a scenario file, whose values are not checked: others may replace them.

    Raises:
        BackbeatError: unreadable, unknown keys, or values of the wrong kind.
    """
    text = read_text(Path(path))
    kind = read_tree(text, str(path)).get("kind")
    if kind is not None:
        raise BackbeatError(
            f"{path} is of kind {shown(kind)}, which says what to perform; a scenario "
            "says how to simulate: build this file, and track what it makes"
        )
    scenario = read_scenario(text, str(path))
    return replace(scenario, robot=robot_beside(scenario.robot, path))
