"""DisturbanceSettings: what happens to the robot in a run, and when."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, make_dataclass
from functools import cache
from typing import Any, TypeVar

from backbeat.models.robot.model import RobotModel
from backbeat.mpc.disturbances.disturbance import Disturbance
from backbeat.mpc.disturbances.kinds.setting_event import SettingEvent, tick_number
from backbeat.mpc.disturbances.registry import Kind, lists, own_files, register_file
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.optimization.terms.user_file import load_user_file

Item = TypeVar("Item", bound=Disturbance)


@dataclass(frozen=True)
class DisturbanceSettings:
    """Disturbances of a run; its fields are lists, one for each kind that has lists."""

    def __reduce__(self) -> tuple[Any, ...]:
        """What is pickled: plain data, for another process may have no such kinds."""
        return _unpickled, (own_files(), asdict(self))

    def of(self, kind: type[Item]) -> list[Item]:
        """Those of a kind."""
        found: list[Item] = getattr(self, kind.list_key, [])
        return found

    def everything(self) -> list[Disturbance]:
        """Those of all kinds."""
        return [item for kind in lists() for item in self.of(kind)]

    def sorted_events(self) -> list[SettingEvent]:
        """The events in order of time."""
        return sorted(self.of(SettingEvent), key=lambda event: event.time)

    def placed(self, robot: RobotModel) -> dict[str, list[Disturbance]]:
        """Lists by key, with what follows from the robot."""
        return {
            kind.list_key: [item.placed(robot) for item in self.of(kind)]
            for kind in lists()
        }

    def spans(self) -> list[tuple[float, float]]:
        """Beginnings and ends of those that have them, in time of the behavior [s]."""
        spans = [item.span() for item in self.everything()]
        return [span for span in spans if span is not None]

    def ends(self) -> list[float]:
        """When those that have an end are over, in time of the behavior [s]."""
        ends = [item.latest_end() for item in self.everything()]
        return [end for end in ends if end is not None]

    def begun_before(self, end: float) -> dict[str, list[Disturbance]]:
        """Lists by key, without what begins at a time of the behavior [s] or later."""
        return {
            kind.list_key: [
                item
                for item in self.of(kind)
                if not (span := item.span()) or span[0] < end
            ]
            for kind in lists()
        }

    def check(self, timing: TimingSettings) -> None:
        """Checks its values.

        Args:
            timing: of the run, whose control ticks the events are at.

        Raises:
            BackbeatError: they make no sense.
        """
        for item in self.everything():
            item.check()
        for event in self.of(SettingEvent):
            tick_number(event.time, timing.lead_in, timing.tick_period)


def disturbance_settings(
    values: Mapping[str, list[Any]] | None = None,
) -> DisturbanceSettings:
    """Disturbances by key of their lists; none by default."""
    return _settings_class(lists())(**(values or {}))


def _unpickled(
    files: Iterable[str], told: Mapping[str, list[dict[str, Any]]]
) -> DisturbanceSettings:
    """What was pickled, with the kinds of the user's own that it needs."""
    for file in files:
        register_file(load_user_file(file))
    kinds = {kind.list_key: kind for kind in lists()}
    items = {key: [kinds[key](**item) for item in told[key]] for key in told}
    return disturbance_settings(items)


@cache
def _settings_class(kinds: tuple[Kind, ...]) -> type[DisturbanceSettings]:
    """The class with a list of each kind."""
    items: list[tuple[str, Any, Any]] = [
        (
            kind.list_key,
            list[kind],  # type: ignore[valid-type]
            field(default_factory=list, metadata={"help": kind.text}),
        )
        for kind in kinds
    ]
    found: type[DisturbanceSettings] = make_dataclass(
        "DisturbanceSettings", items, bases=(DisturbanceSettings,), frozen=True
    )
    return found
