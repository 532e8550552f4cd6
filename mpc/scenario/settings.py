"""Settings of a run that may change while it is under way, and where they are read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pydrake.common.value import AbstractValue
from pydrake.systems.framework import BasicVector, Context, DiagramBuilder

from backbeat.behaviors.library.behavior import Behavior
from backbeat.models.common.collectable_system import CollectableSystem, weak
from backbeat.models.common.errors import BackbeatError
from backbeat.mpc.disturbances.kinds.setting_event import HANDS, SettingEvent
from backbeat.mpc.disturbances.task_changes import IN_TASK_SPACE, OF_BASE, OF_TASK_SPACE
from backbeat.mpc.plans.hand_offset import HandOffset, check_hand
from backbeat.mpc.predictive.settings import PlanSettings
from backbeat.mpc.reference.trajectory import Reference
from backbeat.mpc.scenario.specification import Scenario
from backbeat.mpc.task_space.settings import TASK_SETTINGS, TaskSettings
from backbeat.mpc.walking.writer import writer_of
from backbeat.mpc.weights.controller_weights import AnyWeights
from backbeat.mpc.weights.in_runs import changed_in_run

_NUMBERS = ("friction", "noise_scale", "plan_delay")
_PLAN = ("timing", "forces", "posture", "steps", "beat_priority", "drive")


@dataclass(frozen=True)
class Settings:
    """What holds at a moment of a run.

    Attributes:
        plan: settings of plans.
        friction: coefficient between soles and ground.
        noise_scale: factor on all errors of the sensors.
        plan_delay: time from when a plan is made until it takes effect [s].
        hands: those that are held elsewhere than the behavior has them.
        task: what holds in task space; None elsewhere.
    """

    plan: PlanSettings
    friction: float
    noise_scale: float = 1.0
    plan_delay: float = 0.0
    hands: tuple[HandOffset, ...] = ()
    task: TaskSettings | None = None

    def __deepcopy__(self, memo: object) -> "Settings":
        """Values in a Context may be shared, for nothing here ever changes."""
        return self

    def after(self, event: SettingEvent, time: float) -> "Settings":
        """The settings from an event on, which takes effect at a time [s]."""
        values = event.values()
        changes: dict[str, Any] = {n: values[n] for n in _PLAN if n in values}
        if event.drive is not None:
            changes["drive"] = tuple(event.drive)
        if event.weights is not None:
            weights = {**dict(self.plan.weights), **event.weights}
            changes["weights"] = tuple((n, float(x)) for n, x in weights.items())
        plan = replace(self.plan, **changes)
        if event.tempo is not None:
            plan = replace(plan, tempo=plan.tempo.changed(time, event.tempo))
        hands = {hand.part: hand for hand in self.hands}
        for name in HANDS:
            offset, part = getattr(event, name), name.replace("_", " ")
            if offset is not None:
                nowhere = HandOffset(part, time, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
                hands[part] = hands.get(part, nowhere).changed(time, offset)
        new: dict[str, Any] = {n: values[n] for n in _NUMBERS if n in values}
        if self.task is not None:
            new["task"] = replace(self.task, **event.task_values())
        return replace(self, plan=plan, hands=tuple(hands.values()), **new)

    def values(self) -> dict[str, Any]:
        """Values by the names of `SettingEvent`; what is being reached counts."""
        plan, nowhere = self.plan, [0.0, 0.0, 0.0]
        hands = {hand.part: list(hand.after) for hand in self.hands}
        return (
            {n: x for n in _PLAN if (x := getattr(plan, n)) is not None}
            | {"tempo": plan.tempo.after, "weights": dict(plan.weights)}
            | {n: getattr(self, n) for n in _NUMBERS}
            | {n: hands.get(n.replace("_", " "), nowhere) for n in HANDS}
            | self._task_values()
        )

    def _task_values(self) -> dict[str, Any]:
        if self.task is None:
            return {}
        found = {n: getattr(self.task, n) for n in TASK_SETTINGS}
        return found | {"target": list(self.task.target)}


def first_settings(scenario: Scenario, behavior: Behavior) -> Settings:
    """What holds at the start of a run, before any event."""
    control, world, sensing = scenario.control, scenario.world, scenario.sensing
    plan, task = control.plan_settings(behavior), None
    if (given := control.task_space) is not None:
        noise = sensing.noise if sensing.state == "sampled" else None
        task = TaskSettings(
            noise_angle=noise.position if noise else 0.0,
            noise_rate=noise.velocity if noise else 0.0,
            period=scenario.timing.tick_period,
            hand_sensing=given.hand_sensing,
            task=given.control.task,
            posture=given.control.posture,
            gravity_compensation=given.control.gravity_compensation,
            pelvis_feedforward=given.base.feedforward,
        )
    delay = world.mismatch.delay_of_plans
    return Settings(plan, world.friction, plan_delay=delay, task=task)


def settings_at(scenario: Scenario, behavior: Behavior, t: float) -> Settings:
    """What holds at time t of the behavior [s], after the events so far."""
    settings = first_settings(scenario, behavior)
    for event in all_events(scenario):
        if event.time <= t + 1e-9:
            settings = settings.after(event, event.time)
    return settings


def all_events(scenario: Scenario) -> list[SettingEvent]:
    """Settings that change in a run, commands to walk among them, in order of time."""
    timing = scenario.timing
    # At the tick that is nearest, for events are at ticks.
    period, lead_in = timing.tick_period, timing.lead_in
    commands = [
        SettingEvent(round((t + lead_in) / period) * period - lead_in, drive=velocity)
        for t, *velocity in scenario.control.drive or []
    ]
    events = [*commands, *scenario.disturbances.sorted_events()]
    return sorted(events, key=lambda event: event.time)


def check_event(
    event: SettingEvent,
    scenario: Scenario,
    reference: Reference,
    weights: AnyWeights = None,
) -> None:
    """Checks that an event is possible in a run of a behavior.

    Args:
        event: what changes.
        scenario: with the events before it.
        reference: the behavior.
        weights: with which the run begins, below those of the scenario; None for those
            that ship.

    Raises:
        BackbeatError: it is not, and why.
    """
    event.check()
    world, sensing = scenario.world, scenario.sensing
    _check_task_changes(event, scenario, reference.robot.floating)
    if event.weights is not None:
        before = settings_at(scenario, reference.behavior, event.time).plan.weights
        all_changes = {**dict(before), **event.weights}
        of = scenario.control.on_weights(weights)
        changed_in_run(of, all_changes, "a run under way")
    for name in HANDS:
        if getattr(event, name) is not None:
            check_hand(reference.robot, name.replace("_", " "))
    if event.drive is not None:
        if scenario.control.drive is None:
            raise BackbeatError(
                "this run follows its behavior and cannot be driven; give the scenario "
                "'drive', [] for one that stands until it is commanded"
            )
        if not np.isfinite(event.drive).all():
            raise BackbeatError(f"drive is three finite numbers, not {event.drive}")
    if event.tempo is not None and scenario.control.drive is not None:
        raise BackbeatError(
            "a robot that is driven has its speed from the commands, and no tempo; "
            "leave tempo or drive out"
        )
    standing = reference.table.standing
    if event.tempo is not None and reference.patches and not standing.any(1).all():
        raise BackbeatError(
            f"{reference.behavior.name} leaves the ground, and in the air gravity has "
            "the tempo: it cannot be changed"
        )
    for part in world.mismatch.parts:
        if reason := part.why_fixed(event.values()):
            raise BackbeatError(reason)
    if event.noise_scale is not None and not sensing.is_sensed:
        raise BackbeatError(
            "the controllers of this scenario read the true state, which has no "
            "noise: noise_scale needs state: estimated"
        )


def _check_task_changes(
    event: SettingEvent, scenario: Scenario, has_pelvis: bool
) -> None:
    """Raises BackbeatError about settings in task space that a run has not."""
    own = [name for name in event.values() if name in OF_TASK_SPACE]
    if scenario.control.task_space is None:
        if own:
            raise BackbeatError(
                f"{own[0]} is a setting of runs in task space, and this scenario has "
                "no task_space"
            )
        return
    for name in event.values():
        if name not in IN_TASK_SPACE:
            raise BackbeatError(
                f"{name} is a setting of behaviors, and this run is in task space; it "
                f"has {', '.join(IN_TASK_SPACE)}"
            )
    for name in own:
        if name in OF_BASE and not has_pelvis:
            raise BackbeatError(
                f"unknown setting {name!r}: the base of this robot is bolted down"
            )
        if name.startswith("noise") and scenario.sensing.state != "sampled":
            raise BackbeatError(f"{name} needs state: sampled")
    step = scenario.timing.tick_period
    if event.period is not None and event.period < step - 1e-9:
        raise BackbeatError(
            f"a period has to be {step:g} s or more, not {event.period:g}"
        )


class SettingsSource(CollectableSystem):
    """Holds the settings as a system.

    .. pydrake_system::

        name: SettingsSource
        output_ports:
        - plan
        - hands
        - gains
        - noise_scale
        - plan_delay
        - task
        - noise

    `plan` is a PlanSettings, `hands` a tuple of HandOffset, `gains` one of weights that
    have changed, with their names. `noise_scale` (1) and `plan_delay` (1) are numbers.
    In task space `task` is a TaskSettings, and `noise` (2) are the standard deviations
    of sampled joint angles and rates. They are its state, and so is what is still to
    come: `take` is called at the tick of the next event.
    """

    def __init__(self, first: Settings, events: Sequence[SettingEvent]) -> None:
        """Makes the source.

        Args:
            first: the settings at the start.
            events: what is to come, in order of time.
        """
        super().__init__()
        self._memory = int(self.DeclareAbstractState(AbstractValue.Make(first)))
        self._events = int(self.DeclareAbstractState(AbstractValue.Make(tuple(events))))
        state = {self.all_state_ticket()}
        self.DeclareAbstractOutputPort(
            "plan", lambda: AbstractValue.Make(first.plan), weak(self._calc_plan), state
        )
        self.DeclareAbstractOutputPort(
            "hands", lambda: AbstractValue.Make(()), weak(self._calc_hands), state
        )
        self.DeclareAbstractOutputPort(
            "gains", lambda: AbstractValue.Make(()), weak(self._calc_gains), state
        )
        task = first.task or TaskSettings()
        self.DeclareAbstractOutputPort(
            "task", lambda: AbstractValue.Make(task), weak(self._calc_task), state
        )
        self.DeclareVectorOutputPort("noise", 2, weak(self._calc_noise), state)
        for name in ("noise_scale", "plan_delay"):
            self.DeclareVectorOutputPort(name, 1, self._calc(name), state)

    def now(self, context: Context) -> Settings:
        """What holds, from its own context."""
        settings: Settings = context.get_abstract_state(self._memory).get_value()
        return settings

    def pending(self, context: Context) -> tuple[SettingEvent, ...]:
        """What is still to come, from its own context, in order of time."""
        events: tuple[SettingEvent, ...] = context.get_abstract_state(
            self._events
        ).get_value()
        return events

    def add(self, context: Context, event: SettingEvent) -> None:
        """Adds an event to what is to come, after those of the same time."""
        events = sorted((*self.pending(context), event), key=lambda e: e.time)
        context.SetAbstractState(self._events, tuple(events))

    def take(self, context: Context) -> SettingEvent:
        """Lets the next event take effect; returns it."""
        event, *rest = self.pending(context)
        settings = self.now(context).after(event, event.time)
        context.SetAbstractState(self._memory, settings)
        context.SetAbstractState(self._events, tuple(rest))
        return event

    def _calc_plan(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self.now(context).plan)

    def _calc_hands(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self.now(context).hands)

    def _calc_gains(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self.now(context).plan.weights)

    def _calc_task(self, context: Context, output: AbstractValue) -> None:
        output.set_value(self.now(context).task or TaskSettings())

    def _calc_noise(self, context: Context, output: BasicVector) -> None:
        task = self.now(context).task or TaskSettings()
        output.SetFromVector([task.noise_angle, task.noise_rate])

    def _calc(self, name: str) -> Callable[[Context, BasicVector], None]:
        now = weak(self.now)

        def calc(context: Context, output: BasicVector) -> None:
            output.SetFromVector([getattr(now(context), name)])

        return calc


def add_settings(
    builder: DiagramBuilder,
    scenario: Scenario,
    reference: Reference,
    weights: AnyWeights = None,
) -> SettingsSource:
    """Adds the settings of a scenario to a diagram; arguments as of `check_event`.

    Raises:
        BackbeatError: an event of the scenario is not possible, or the behavior cannot
            be driven.
    """
    if scenario.control.drive is not None:
        writer_of(reference)
    events = all_events(scenario)
    for event in events:
        check_event(event, scenario, reference, weights)
    first = first_settings(scenario, reference.behavior)
    source = SettingsSource(first, events)
    builder.AddNamedSystem("settings", source)
    return source
