"""SettingEvent: settings that take new values at a moment of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

from backbeat.models.common.errors import BackbeatError, unknown_name
from backbeat.models.common.schema import check_values, key
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.disturbances.task_changes import TASK_SWITCHES, TaskChanges
from backbeat.mpc.predictive.settings import TEMPO_RANGE

# What is on or off.
SWITCHES = ("timing", "forces", "posture", "steps", *TASK_SWITCHES)
# Parts of the body that can be held elsewhere, and how far at most [m].
HANDS, MOST_OFFSET = ("left_hand", "right_hand"), 1.0
PLACES = (*HANDS, "target", "drive")


@dataclass
class SettingEvent(TaskChanges, Disturbance):
    """New values of one setting or more; what is not given stays as it is."""

    name: ClassVar[str] = "event"
    list_key: ClassVar[str] = "events"
    text: ClassVar[str] = (
        "[Settings that change during the run](live_events.md), see below."
    )

    time: float = key(0.0, "s")
    """Time of the event, in time of the behavior [s]: a tick of the whole-body
    controller."""
    timing: bool | None = key(None)
    """Whether the plan may change the tempo."""
    forces: bool | None = key(None)
    """Whether it may change contact forces."""
    posture: bool | None = key(None)
    """Whether it may change the body's lean and turn; whether the law in task space has
    its posture."""
    steps: bool | None = key(None)
    """Whether it may change where feet land."""
    beat_priority: float | None = key(None, ge=0, le=1)
    """Priority of the beat over balance."""
    tempo: float | None = key(None, ge=TEMPO_RANGE[0], le=TEMPO_RANGE[1])
    """Factor on the authored tempo; reached within half a second."""
    friction: float | None = key(None, ge=0.01, le=10.0)
    """Friction coefficient between soles and ground."""
    noise_scale: float | None = key(None, ge=0, le=100.0)
    """Factor on all errors of the sensors."""
    plan_delay: float | None = key(None, "s", ge=0, le=1.0)
    """Time from when a plan is made until it takes effect."""
    left_hand: list[float] | None = key(None, "m", length=3)
    """Displacement of the left hand from where the behavior has it, along the world's
    axes."""
    right_hand: list[float] | None = key(None, "m", length=3)
    """The same for the right hand."""
    drive: list[float] | None = key(None, length=3)
    """Velocity of a robot that is [driven](drive.md): forward and to the left in m/s,
    turning to the left in rad/s."""
    weights: dict[str, float] | None = key(None)
    """[Weights, gains and recovery settings](weights.md) by section and key, as
    `predictive.com: 200`."""

    def values(self) -> dict[str, Any]:
        """The settings that change, and their new values."""
        given = asdict(self)
        return {n: given[n] for n in SETTINGS if given[n] is not None}

    def to_dict(self) -> dict[str, object]:
        """Plain data for a file, without what does not change."""
        return {"time": self.time, **self.values()}

    def check(self) -> None:
        """Refuses values that make no sense.

        Raises:
            BackbeatError: they do not.
        """
        values = self.values()
        if not values:
            raise BackbeatError(
                f"scenario: an event changes nothing; give it one of {_LIST}"
            )
        check_values(self, "an event of the scenario")
        self.check_task()
        for name in HANDS:
            offset = getattr(self, name)
            if offset is not None and np.linalg.norm(offset) > MOST_OFFSET:
                raise BackbeatError(
                    f"scenario: {name} of an event is {np.linalg.norm(offset):.2f} m "
                    f"away; it must be at most {MOST_OFFSET:g} m"
                )


# Least and most of those that have both.
RANGES = {
    f.name: (f.metadata["ge"], f.metadata["le"])
    for f in fields(SettingEvent)
    if "ge" in f.metadata
}
SETTINGS = tuple(f.name for f in fields(SettingEvent) if f.name != "time")
_LIST = ", ".join(SETTINGS)


def setting_event(
    time: float,
    setting: str,
    value: bool | float | Sequence[float] | Mapping[str, float],
) -> SettingEvent:
    """An event that changes one setting, from a value of whatever kind.

    Raises:
        BackbeatError: no such setting, or the value is not of its kind.
    """
    if setting not in SETTINGS:
        raise unknown_name("setting", setting, SETTINGS)
    changed: dict[str, Any] = {setting: value}
    if setting in SWITCHES:
        if not isinstance(value, bool):
            raise BackbeatError(f"{setting} is on or off, true or false; not {value!r}")
        return replace(SettingEvent(time), **changed)
    if setting == "weights":
        if not isinstance(value, Mapping) or not value:
            raise BackbeatError(
                "weights are numbers by section and key, as predictive.com: 200; not "
                f"{value!r:.40}"
            )
        return replace(SettingEvent(time), weights=dict(value))
    try:
        if setting in PLACES:
            changed = {setting: [float(x) for x in value]}  # type: ignore[union-attr]
        else:
            changed = {setting: float(value)}  # type: ignore[arg-type]
    except (TypeError, ValueError):
        kind = "three numbers x, y, z in m" if setting in PLACES else "a number"
        if setting == "drive":
            kind = "three numbers, forward and to the left in m/s, turning in rad/s"
        raise BackbeatError(f"{setting} is {kind}; not {value!r}") from None
    return replace(SettingEvent(time), **changed)


def tick_number(time: float, lead_in: float, period: float) -> int:
    """Number of the control tick at a time of the behavior [s].

    Raises:
        BackbeatError: no tick is then.
    """
    ticks = (time + lead_in) / period
    number = round(ticks)
    if number < 0:
        raise BackbeatError(
            f"scenario: an event at {time:g} s comes before the run, which begins at "
            f"{-lead_in:g} s"
        )
    if abs(ticks - number) > 1e-6:
        near = number * period - lead_in
        raise BackbeatError(
            f"scenario: an event at {time:g} s is on no control tick; the nearest is "
            f"at {near:g} s"
        )
    return number
