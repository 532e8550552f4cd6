"""DisturbanceSettings: what happens to the robot in a run, and when."""

from dataclasses import dataclass

from backbeat.models.common.schema import key
from backbeat.mpc.scenario.compliant_period import CompliantPeriod
from backbeat.mpc.scenario.parts.push import Push
from backbeat.mpc.scenario.parts.timing import TimingSettings
from backbeat.mpc.scenario.setting_event import SettingEvent, tick_number


@dataclass(frozen=True)
class DisturbanceSettings:
    """Pushes, settings that change, and joints that go soft."""

    pushes: list[Push] = key(list)
    """Forces on a body for a limited time, see below."""
    events: list[SettingEvent] = key(list)
    """[Settings that change during the run](live_events.md), see below."""
    compliant: list[CompliantPeriod] = key(list)
    """Joints that are soft springs for a limited time, see below."""

    def sorted_events(self) -> list[SettingEvent]:
        """The events in order of time."""
        return sorted(self.events, key=lambda event: event.time)

    def check(self, timing: TimingSettings) -> None:
        """Checks its values.

        Args:
            timing: of the run, whose control ticks the events are at.

        Raises:
            BackbeatError: they make no sense.
        """
        for push in self.pushes:
            push.check()
        for period in self.compliant:
            period.check()
        for event in self.events:
            event.check()
            tick_number(event.time, timing.lead_in, timing.tick_period)
